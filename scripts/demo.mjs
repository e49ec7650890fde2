// npm run demo: starts the sandbox and takes a newcomer through the main job. Ends with 0 only when every step really worked.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

setup();

const home = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const launcher = join(root, 'bin/svc.cjs');
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
const env = { ...inherited, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, XDG_CACHE_HOME: home };

/** Runs svc, shows what was typed and what it printed, and gives back stdout. */
function svc(why, args, holds) {
  const shown = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ');
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { env, encoding: 'utf8' });
  const output = `${stderr}${stdout}`.trimEnd();
  process.stdout.write(`\n# ${why}\n$ svc ${shown}\n${output === '' ? '' : `${output}\n`}`);
  if (status !== 0) throw new Error(`svc ended with ${status}`);
  if (!holds(stdout)) throw new Error('the output is not what this step was to show');
  return stdout;
}

function tour() {
  svc('What fires now? Active alerts only, the worst in sight.', ['alerts', 'list'], (out) => out.includes('DiskFull'));
  svc(
    'The same as data: every format, and JMESPath inside.',
    ['alerts', 'list', '-o', 'json', '--query', 'length(@)'],
    (out) => Number(out) > 3,
  );
  svc('How the server groups them for its receivers.', ['alerts', 'groups'], (out) => out.includes('ACTIVE'));
  const matcher = 'alertname=DiskFull';
  svc(
    'See the exact request of a silence first. Nothing is sent.',
    ['silences', 'create', matcher, '--for', '2h', '-c', 'disk swap, CHG-1042', '--dry-run=curl'],
    (out) => out.startsWith('curl '),
  );
  const id = svc(
    'Now for real. The server counts what it mutes before it is sent.',
    ['silences', 'create', matcher, '--for', '2h', '-c', 'disk swap, CHG-1042', '-o', 'json'],
    (out) => JSON.parse(out).matched.alerts > 0,
  );
  const { silenceID } = JSON.parse(id);
  svc(
    'Who is muted by it?',
    ['alerts', 'list', '--state', 'silenced', matcher, '--columns', 'alertname,label:instance,silenced-by'],
    (out) => out.includes(silenceID),
  );
  svc(
    'It takes longer than planned. The id stays, because only the end moves.',
    ['silences', 'update', silenceID.slice(0, 8), '--extend', '1h'],
    (out) => out.includes('the same id'),
  );
  svc(
    'Done: end it. A pipe is never asked, so a script says --yes.',
    ['silences', 'expire', silenceID, '--yes'],
    (out) => out.includes('expired'),
  );
  svc('And it fires again.', ['alerts', 'list', matcher], (out) => out.includes('DiskFull'));
}

process.stdout.write('svc demo: the alert manager of the sandbox, on this machine only.\n');
const sandbox = spawn(process.execPath, [launcher, 'sandbox', 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [lines] = await once(sandbox.stdout, 'data');
  for (const [, name, value] of String(lines).matchAll(/^export (\w+)=(.*)$/gm)) env[name] = value;
  tour();
  process.stdout.write('\nThat was the main job. Keep the sandbox: node bin/svc.cjs sandbox start\n');
} catch (error) {
  process.stdout.write(`\ndemo failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  sandbox.kill('SIGTERM');
  rmSync(home, { recursive: true, force: true });
}
