// npm run demo: starts the sandbox and takes a newcomer through the main job. Ends with 0 only when every step really worked.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
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

function alerts() {
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

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** What a browser does: goes wherever it is sent, to the page at the end. */
async function browse(address) {
  const [answer] = await once(get(address, { agent: false }), 'response');
  answer.resume();
  const { location } = answer.headers;
  if (location !== undefined) return browse(new URL(location, address));
  if (answer.statusCode !== 200) throw new Error(`the browser ends at an error ${answer.statusCode}`);
}

async function signIn() {
  const args = ['oauth', 'login', '--no-browser'];
  process.stdout.write(
    `\n# Sign in once. The sandbox approves by itself, and this script plays the browser.\n$ svc ${args.join(' ')}\n`,
  );
  const login = spawn(process.execPath, [launcher, ...args, '--wait', '30s'], { env });
  const ended = once(login, 'close');
  let output = '';
  for (const stream of [login.stdout, login.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const printed = () => /^(http:\S+)\n/m.exec(output)?.[1];
  while (printed() === undefined && login.exitCode === null) await Promise.race([once(login.stderr, 'data'), ended]);
  if (printed() !== undefined) await browse(printed());
  const [status] = await ended;
  process.stdout.write(output);
  if (status !== 0) throw new Error(`svc ended with ${status}`);
  svc('The token is kept, refreshed when that is due, and shown to nobody.', ['oauth', 'status'], (out) =>
    out.includes('signed in'),
  );
}

async function webhooks() {
  const address = `http://127.0.0.1:${await freePort()}/`;
  const [key, recording] = [join(home, 'key.txt'), join(home, 'deliveries.ndjson')];
  const created = svc(
    'Subscribe to events. The secret is shown once, so it goes to a file before anything else happens.',
    ['webhooks', 'create', address, '--events', 'webhook.ping', '--secret-file', key, '-o', 'json'],
    (out) => JSON.parse(out).endpoint_id !== undefined,
  );
  const { endpoint_id: id } = JSON.parse(created);
  const options = ['--port', new URL(address).port, '--secret-file', key, '--record', recording, '--count', '1'];
  process.stdout.write(
    `\n# Receive here: verified before anything is parsed, and recorded.\n$ svc webhooks listen ${options.join(' ')} &\n`,
  );
  const receiver = spawn(process.execPath, [launcher, 'webhooks', 'listen', ...options, '--wait', '30s'], { env });
  const ended = once(receiver, 'close');
  let received = '';
  receiver.stdout.on('data', (chunk) => {
    received += chunk;
  });
  await once(receiver.stderr, 'data');
  svc(
    'A test event is queued, which is not delivered yet: wait for that.',
    ['webhooks', 'test', id, '--wait', '30s'],
    (out) => out.includes('delivered'),
  );
  const [status] = await ended;
  process.stdout.write(`${received}`);
  if (status !== 0 || !received.includes('valid')) throw new Error(`the receiver ended with ${status}`);
  svc(
    'The recording can be checked again, byte for byte, by anybody who has the secret.',
    ['webhooks', 'verify', recording, '--secret-file', key],
    (out) => out.startsWith('valid'),
  );
  svc('And the service says so too.', ['webhooks', 'deliveries', id], (out) => out.includes('delivered'));
  svc('The end: its tokens are deleted here.', ['oauth', 'logout'], (out) => out.includes('signed out'));
}

function catalog() {
  svc(
    'Which products are there? Any part of the name will do.',
    ['catalog', 'products', 'list', '--search', 'oat'],
    (out) => out.includes('Oat drink'),
  );
  const coffee = '1d9c6f0e-52ab-4e0f-8f3d-6b1d2f7a4c02';
  svc(
    'How did a price move? The id is all it needs. One spike of five hours, three weeks ago, is still seen.',
    ['catalog', 'history', coffee, '--height', '8'],
    (out) => out.includes('1270.37'),
  );
  const oats = '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11';
  svc('Who is cheapest now? Loyalty prices count, and are named as such.', ['catalog', 'compare', oats], (out) =>
    out.includes('cheapest'),
  );
  svc('The same as a condition: the exit status is the answer.', ['catalog', 'check', oats, '--below', '100'], (out) =>
    out.startsWith('ok'),
  );
}

function trade() {
  svc('Accounts of the trading gateway. It is money of nobody.', ['trade', 'accounts'], (out) =>
    out.includes('654061'),
  );
  svc('A month of days, drawn.', ['trade', 'candles', 'EUR/USD', 'D1', '--last', '30', '--chart'], (out) =>
    out.includes('mid close'),
  );
  const order = ['trade', 'buy', 'EUR/USD', '5', '--account', '654061', '--stop', '40pips'];
  svc('What would be sent? A dry run connects to nothing.', [...order, '--dry-run=curl'], (out) =>
    out.startsWith('curl '),
  );
  const filled = svc(
    'Now for real: looked up, written to the journal, sent exactly once, and followed to its trades.',
    [...order, '--wait', '10s', '--yes'],
    (out) => out.includes('filled'),
  );
  const [, id] = /^trade (\d+) /m.exec(filled) ?? [];
  svc('Prices as they are pushed: three of them.', ['trade', 'stream', 'EUR/USD', '--until', '3'], (out) =>
    out.includes('EUR/USD'),
  );
  svc('Close it again.', ['trade', 'close', id, '--yes'], (out) => out.includes(id));
  svc('The journal has what was sent from here, and what became of it.', ['trade', 'journal'], (out) =>
    out.includes('accepted'),
  );
}

process.stdout.write('svc demo: four services in a sandbox, on this machine only.\n');
const sandbox = spawn(process.execPath, [launcher, 'sandbox', 'start', '--auto-approve'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [lines] = await once(sandbox.stdout, 'data');
  for (const [, name, value] of String(lines).matchAll(/^export (\w+)=(.*)$/gm)) env[name] = value;
  delete env.SVC_WEBHOOKS_TOKEN; // it would go before the login
  alerts();
  await signIn();
  await webhooks();
  catalog();
  trade();
  process.stdout.write('\nThat was the main job. Keep the sandbox: node bin/svc.cjs sandbox start\n');
} catch (error) {
  process.stdout.write(`\ndemo failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  sandbox.kill('SIGTERM');
  rmSync(home, { recursive: true, force: true });
}
