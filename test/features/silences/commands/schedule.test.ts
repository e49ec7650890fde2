/** The printed lines are run: by the shell, with the rules of cron for `%`, and by systemd's own checks. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import { getJson } from '../../../support/alertmanager.ts';
import { failure, type RunOptions, svc } from '../../../support/svc.ts';

const COMMENT = `50% of \\% "$HOME" 'x' \`id\` $(id) ; é \\`;
const WINDOW = ['--at', '02:30', '--for', '2h'];

let server: Awaited<ReturnType<typeof startAlertmanagerEmulator>>;
let folder: string;
beforeAll(async () => {
  server = await startAlertmanagerEmulator({ now: () => Date.now() });
  folder = mkdtempSync(join(tmpdir(), 'svc-schedule-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const run = (argv: readonly string[], options?: RunOptions) =>
  svc(['silences', 'schedule', 'team=db', ...WINDOW, '-c', COMMENT, ...argv], options);
const scheduled = async (argv: readonly string[], options?: RunOptions): Promise<string> => {
  const { code, stdout, stderr } = await run(argv, options);
  expect(code, stderr).toBe(0);
  return stdout.trimEnd();
};

/** The command of a crontab line, as cron passes it to the shell: up to a `%`, where `\%` is a `%`. */
function cronCommand(line: string): string {
  let command = '';
  const [text = ''] = /(?<=^(?:\S+ ){5}).*/.exec(line) ?? [];
  for (let at = 0; at < text.length && text[at] !== '%'; at++) {
    const escaped = text[at] === '\\' && at + 1 < text.length;
    if (escaped) at++;
    command += escaped && text[at] !== '%' ? `\\${text[at]}` : text[at];
  }
  return command;
}

describe('crontab', () => {
  test('the line creates the silence, and the next run finds it', async () => {
    const line = await scheduled(['--author', 'ann'], { env: { SVC_ALERTS_URL: server.url } });
    expect(line).toMatch(/^30 2 \* \* \* \/.* >\/dev\/null$/);
    const env = { HOME: folder, PATH: '/usr/bin:/bin' };
    for (let time = 0; time < 2; time++) {
      const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', cronCommand(line)], { env });
      expect([stdout, stderr]).toEqual(['', '']);
    }
    const silences = await getJson<{ startsAt: string; endsAt: string }[]>(server.url, '/api/v2/silences');
    expect(silences).toEqual([expect.objectContaining({ createdBy: 'ann', comment: COMMENT })]);
  });

  test.each([
    [[], '30 2 * * *'],
    [['--on', 'mon-fri'], '30 2 * * 1,2,3,4,5'],
    [['--on', 'Fri-Mon,wed'], '30 2 * * 0,1,3,5,6'],
    [['--on', 'mon-sun'], '30 2 * * *'],
    [['--on', '15,1'], '30 2 1,15 * *'],
  ])('%j is %s', async (argv, schedule) => {
    expect((await scheduled(argv)).split(' /')[0]).toBe(schedule);
  });

  test('the crontab names another zone, with a warning', async () => {
    const { stdout, stderr } = await run(['--tz', 'Asia/Tokyo']);
    expect(stdout).toMatch(/^CRON_TZ=Asia\/Tokyo\n30 2 \* \* \* .*\n$/);
    expect(stderr).toContain('ignores CRON_TZ');
    expect(await scheduled(['--tz', 'local'])).not.toContain('CRON_TZ');
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('systemd', () => {
  test('the script installs the units, which quote each word', async () => {
    const script = await scheduled(['--format', 'systemd', '--name', 'backup', '--on', 'sat', '--tz', 'Asia/Tokyo']);
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    writeFileSync(join(programs, 'systemctl'), `#!/bin/sh\necho "$@" >> "$HOME/calls"\n`);
    chmodSync(join(programs, 'systemctl'), 0o755);
    const env = { HOME: folder, PATH: `${programs}:/usr/bin:/bin` };
    execFileSync('/bin/sh', ['-e'], { input: script, env });
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe(
      '--user daemon-reload\n--user enable --now backup.timer\n',
    );
    const units = join(folder, '.config/systemd/user');
    expect(readdirSync(units).sort()).toEqual(['backup.service', 'backup.timer']);
    const service = readFileSync(join(units, 'backup.service'), 'utf8');
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(service) ?? [];
    const parts = [...start.matchAll(/"((?:\\.|[^"\\])*)"|\S+/g)].map(([word, quoted]) =>
      (quoted ?? word).replace(/\\(.)/g, '$1').replace(/%%|\$\$/g, (pair) => pair.slice(1)),
    );
    // After svc itself, which is one word or two.
    const command = parts.slice(parts.indexOf('silences'));
    expect(command.slice(0, 7)).toEqual(['silences', 'create', 'team="db"', '--for', '2h', '--comment', COMMENT]);
    if (!hasSystemd) return;
    const verified = spawnSync('systemd-analyze', ['verify', '--user', 'backup.timer', 'backup.service'], {
      cwd: units,
      encoding: 'utf8',
    });
    expect(`${verified.stdout}${verified.stderr}`.split('\n').filter((line) => line.includes('backup'))).toEqual([]);
  });

  test.skipIf(!hasSystemd).each([
    [['--on', 'mon-fri', '--tz', 'Asia/Tokyo'], 'Mon..Fri *-*-* 02:30:00 Asia/Tokyo'],
    [['--on', '1,15', '--tz', 'Europe/Berlin'], '*-*-01,15 02:30:00 Europe/Berlin'],
  ])('%j is a calendar time', async (argv, normalized) => {
    const script = await scheduled([...argv, '--format', 'systemd']);
    const [, schedule = ''] = /^OnCalendar=(.*)$/m.exec(script) ?? [];
    expect(execFileSync('systemd-analyze', ['calendar', schedule], { encoding: 'utf8' })).toContain(normalized);
  });
});

test('--format command prints a line for a shell, unwrapped', async () => {
  const terminal = await run(['--format', 'command'], { terminal: 40 });
  expect(terminal.stdout).toBe(`${await scheduled(['--format', 'command'])}\n`);
  const argv = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${terminal.stdout}`], { encoding: 'utf8' }).split('\n');
  expect(argv.slice(0, 8)).toEqual(['svc', 'silences', 'create', 'team="db"', '--for', '2h', '--comment', COMMENT]);
});

test('the command names the server of the environment, but no credential', async () => {
  const env = { SVC_ALERTS_URL: server.url, SVC_ALERTS_TOKEN: 'secret' };
  const { stdout, stderr } = await run([], { env });
  expect(stdout).toContain(` --base-url ${server.url} --ensure --yes --quiet >/dev/null`);
  expect(stdout + stderr).not.toContain('secret');
  expect(stderr).toContain('the scheduled command does not have SVC_ALERTS_TOKEN');
});

test.each([
  [['team=db', '--at', '24:00'], '--at: "24:00" is not a time of day'],
  [['team=db', '--on', 'mon,1'], 'cannot be used together'],
  [['team=db', '--on', 'mon-'], '"mon-" is not a day'],
  [['team=db', '--on', '32'], '"32" is not a day'],
  [['team=db', '-c', 'a\nb'], 'line breaks'],
  [['team=db', '-c', ' '], '--comment: is empty'],
  [['team=db', '--name', 'a b'], '--name: "a b"'],
  [['team=~.*'], 'could mute everything'],
])('%j is refused', async (argv, message) => {
  const given = (option: string) => argv.includes(option);
  const others = [...(given('--at') ? [] : ['--at', '02:30']), '--for', '2h', ...(given('-c') ? [] : ['-c', 'why'])];
  const refused = await svc(['silences', 'schedule', ...argv, ...others, '-o', 'json']);
  expect([refused.code, refused.stdout, failure(refused).message]).toEqual([2, '', expect.stringContaining(message)]);
});
