import { beforeAll, describe, expect, it } from 'vitest';
import { type RunOptions, svc } from '../../../support/svc.ts';
import { seedFleet } from './fleet.ts';
import { type Reply, SILENCED, scripted, wireAlert } from './scripted.ts';
import { lines, printed, sharedService } from './service.ts';

interface Checked {
  readonly ok: boolean;
  readonly count: number;
  readonly min: number;
  readonly max: number | null;
  readonly stableMs: number;
  readonly waitedMs: number;
  readonly message: string;
}

const service = sharedService();
beforeAll(() => seedFleet(service.url()).then(() => undefined));

describe('svc alerts check', () => {
  const check = (...argv: string[]) => service.svc(['alerts', 'check', ...argv]);

  it.each([
    [['id=plain'], 1, 1],
    [['id=silenced'], 0, 0],
    [['-a'], 1, 6],
    [['id=silenced', '--state', 'silenced'], 1, 1],
    [['--state', 'suppressed', '--max', '3'], 0, 3],
    [['--state', 'silenced', '--state', 'inhibited', '--min', '3', '--max', '3'], 0, 3],
    [['--min', '3'], 0, 3],
    [['--state', 'suppressed', '--max', '2'], 1, 3],
    [['--min', '4'], 1, 3],
    [['Up', '--expect'], 0, 1],
    [['--expect', '--max', '2'], 1, 3],
    [['--older-than', '1h'], 1, 1],
    [['--older-than', '10h'], 0, 0],
    [['-r', 'payments-.*'], 1, 1],
  ])('of %j exits %d with %d alerts', async (argv, code, count) => {
    const run = await check(...argv, '-o', 'json');
    expect(run.code).toBe(code);
    expect(printed<Checked>(run)).toMatchObject({ ok: code === 0, count, waitedMs: 0, stableMs: 0 });
    const line = await check(...argv);
    expect(line.code).toBe(code);
    expect(line.stdout).toMatch(code === 0 ? /^ok: [^\n]+\n$/ : /^failed: [^\n]+\n(?: {2}[^\n]+\n)*$/);
    expect(line.stdout).toContain(`${count} alert`);
    expect((await check(...argv, '-q')).stdout).toBe(code === 0 ? 'ok\n' : 'failed\n');
  });

  it('sends one request, for the wanted states only', async () => {
    expect(lines((await check('id=plain')).sent)).toEqual([
      'GET /api/v2/alerts?active=true&silenced=false&inhibited=false&unprocessed=false&filter=id%3D%22plain%22',
    ]);
  });

  it('exits neither 0 nor 1 if the request fails', async () => {
    expect(await check('id=~"("')).toMatchObject({ code: 3, stdout: '' });
    expect(await svc(['alerts', 'check', '--base-url', 'http://127.0.0.1:1'])).toMatchObject({ code: 7, stdout: '' });
  });

  it('names its condition, and prints --columns', async () => {
    expect((await check('team="platform"', '-r', 'x')).stdout).toBe(
      'ok: 0 alerts match team="platform" routed to x (expected none)\n',
    );
    expect((await check('--expect', '--columns', 'ok,count,max', '-o', 'csv')).stdout).toBe('ok,count,max\ntrue,3,\n');
    expect((await check('--expect', '--columns', 'ok,count')).stdout).toBe('OK     true\nCOUNT  3\n');
  });

  it.each([
    [['--stable', '1m'], '--wait'],
    [['--interval', '1s'], '--wait'],
    [['--wait', '1m', '--stable', '1m'], 'shorter'],
    [['--wait', '1m', '--interval', '0s'], 'longer than zero'],
    [['--expect', '--max', '0'], 'is greater than the maximum'],
    [['--expect', '--min', '2'], '--min'],
    [['id=~'], `for a missing label, write 'id=""'`],
    [['id!~""'], `for a present label, write 'id!=""'`],
    [['Up', 'alertname=Down'], `write 'alertname=~"Up|Down"'`],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    expect(await check(...argv)).toMatchObject({ code: 2, stdout: '', sent: [], stderr: expect.stringContaining(why) });
  });
});

describe('svc alerts check that fails', () => {
  async function check(reply: Reply, ...argv: string[]) {
    await using script = await scripted([reply]);
    return await svc(['alerts', 'check', '--base-url', script.server.url, ...argv]);
  }
  const down = wireAlert('b62d', { severity: 'critical', instance: 'n7', cluster: 'eu' });
  const twelve = Array.from({ length: 12 }, (_, i) => wireAlert(`a${String(i).padStart(2, '0')}`));

  it('names each alert on a line, with its id, whatever its state is called', async () => {
    const other = wireAlert('c', {}, { status: { ...down.status, state: 'firing' } });
    expect(await check([down, other])).toMatchObject({
      code: 1,
      stdout: [
        'failed: 2 alerts (expected none)',
        '  b62d0000 critical Alertb62d cluster=eu instance=n7 since 2026-11-20T12:00:00.000Z',
        '  c0000000 Alertc since 2026-11-20T12:00:00.000Z',
        '',
      ].join('\n'),
    });
  });

  it('names ten in text, and all in JSON', async () => {
    const { stdout } = await check(twelve);
    expect(stdout.trimEnd().split('\n')).toHaveLength(12);
    expect(stdout).toMatch(/\n {2}a0900000 [^\n]*\n {2}… 2 more\n$/);
    expect(printed(await check(twelve, '-o', 'json'))).toMatchObject({ ok: false, count: 12, alerts: twelve });
  });

  it('names the existing ones if there are too few, and none if it passes', async () => {
    expect(printed(await check([down], '--min', '2', '-o', 'json'))).toMatchObject({ ok: false, alerts: [down] });
    expect(printed(await check([down], '--expect', '-o', 'json'))).toMatchObject({ ok: true, count: 1, alerts: [] });
  });
});

describe('svc alerts check --wait', () => {
  const [A, B] = [wireAlert('a'), wireAlert('b')];

  /** Each reading of the alerts is a second after the one before, by the clock of the test. */
  async function wait(replies: readonly Reply[], argv: readonly string[], options: RunOptions = {}) {
    await using script = await scripted(replies);
    const { server, signal } = script;
    const now = () => 1_800_000_000_000 + server.requests.length * 1000;
    const output = argv.includes('-o') ? [] : ['-o', 'json'];
    const run = await svc(['alerts', 'check', '--base-url', server.url, '--interval', '1s', ...output, ...argv], {
      now,
      signal,
      ...options,
    });
    return { ...run, replies: server.requests.length };
  }

  it.each<[string, Reply[], string[], number, number]>([
    ['passes at once', [[]], ['--wait', '1m'], 0, 1],
    ['passes when the alerts have ended', [[A, B], [A], []], ['--wait', '1m'], 0, 3],
    ['does not count a silenced alert', [[A], [{ ...A, ...SILENCED }]], ['--wait', '1m'], 0, 2],
    ['exits 9 if the alerts do not end', [[A], [A], [A]], ['--wait', '3s'], 9, 3],
    ['waits with --expect for an alert', [[], [], [A]], ['--wait', '1m', '--expect'], 0, 3],
    [
      'passes with --stable after the time without alerts',
      [[A], [], [], [], []],
      ['--wait', '1m', '--stable', '3s'],
      0,
      5,
    ],
    [
      'starts the time of --stable again after an alert',
      [[], [], [A], [], [], []],
      ['--wait', '1m', '--stable', '2s'],
      0,
      6,
    ],
    ['exits 9 if alerts come again and again', [[], [A], [], [A], []], ['--wait', '5s', '--stable', '2s'], 9, 5],
    ['exits 9 if the time without alerts is too short', [[A], [A], [], []], ['--wait', '4s', '--stable', '3s'], 9, 4],
    [
      'starts the time of --stable again after an outage',
      [[], 'away', [], [], []],
      ['--wait', '1m', '--stable', '2s'],
      0,
      8,
    ],
  ])('%s', async (_name, replies, argv, code, taken) => {
    const run = await wait(replies, argv);
    expect([run.code, run.replies]).toEqual([code, taken]);
    const record = printed<Checked>(run);
    expect(record.ok).toBe(code === 0);
    expect(record.waitedMs).toBe(taken * 1000);
  });

  it('prints each new count once', async () => {
    const { stderr } = await wait([[A, B], [A, B], [A], []], ['--wait', '1m', '-o', 'table']);
    expect(stderr).toBe('2 alerts (expected none); waiting\n1 alert (expected none); waiting\n');
  });

  it('says at the end that there are none, but not for long enough', async () => {
    const { stdout } = await wait([[A], [], []], ['--wait', '3s', '--stable', '2s', '-o', 'table']);
    expect(stdout).toBe('failed: 0 alerts (expected none), but not for 2s yet, after 3s\n');
  });

  it('exits 7 if the server stays away', async () => {
    const run = await wait([[A], 'away', 'away', 'away'], ['--wait', '6s']);
    expect([run.code, run.stdout]).toEqual([7, '']);
  });

  it('ends at once if the credential is refused', async () => {
    expect(await wait([[A], 'refused', []], ['--wait', '1m'])).toMatchObject({ code: 4, stdout: '', replies: 2 });
  });

  it('exits 130 after Ctrl-C, without a verdict', async () => {
    expect(await wait([[A]], ['--wait', '1m'])).toMatchObject({ code: 130, stdout: '' });
  });
});
