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

describe('svc alerts check', () => {
  beforeAll(() => seedFleet(service.url()).then(() => undefined));
  const check = (...argv: string[]) => service.svc(['alerts', 'check', ...argv]);

  it.each([
    [['id=plain'], 1, 1],
    [['id=nobody'], 0, 0],
    [['id=silenced'], 0, 0],
    [['-a'], 1, 6],
    [['id=silenced', '--state', 'silenced'], 1, 1],
    [['--state', 'suppressed', '--max', '3'], 0, 3],
    [['--state', 'suppressed', '--max', '2'], 1, 3],
    [['--state', 'silenced', '--state', 'inhibited', '--min', '3', '--max', '3'], 0, 3],
    [['--min', '3'], 0, 3],
    [['--min', '4'], 1, 3],
    [['--min', '0'], 0, 3],
    [['Up', '--expect'], 0, 1],
    [['Watchdog', '--expect'], 1, 0],
    [['--expect', '--max', '2'], 1, 3],
    [['--expect', '--max', '3'], 0, 3],
    [['--older-than', '1h'], 1, 1],
    [['--older-than', '10h'], 0, 0],
    [['-r', 'payments-.*'], 1, 1],
    [['-r', 'payments'], 0, 0],
    [['team=platform', 'severity=critical'], 1, 1],
  ])('%j: exit %d with %d alerts', async (argv, code, count) => {
    const run = await check(...argv, '-o', 'json');
    expect(run.code).toBe(code);
    expect(printed<Checked>(run)).toMatchObject({ ok: code === 0, count, waitedMs: 0, stableMs: 0 });
    const line = await check(...argv);
    expect(line.code).toBe(code);
    expect(line.stdout).toMatch(code === 0 ? /^ok: [^\n]+\n$/ : /^failed: [^\n]+\n(?: {2}[^\n]+\n)*$/);
    expect(line.stdout).toContain(`${count} alert`);
    expect((await check(...argv, '-q')).stdout).toBe(code === 0 ? 'ok\n' : 'failed\n');
  });

  it('sends one request, for the requested states only', async () => {
    expect(lines((await check('id=plain')).sent)).toEqual([
      'GET /api/v2/alerts?active=true&silenced=false&inhibited=false&unprocessed=false&filter=id%3D%22plain%22',
    ]);
  });

  it('a failed request is neither 0 nor 1', async () => {
    const run = await check('id=~"("');
    expect([run.code, run.stdout]).toEqual([3, '']);
  });

  it('the line names the condition, and --columns works', async () => {
    expect((await check('team="platform"', '-r', 'x')).stdout).toBe(
      'ok: 0 alerts match team="platform" routed to x (expected none)\n',
    );
    expect((await check('--expect', '--columns', 'ok,count,max', '-o', 'csv')).stdout).toBe('ok,count,max\ntrue,3,\n');
    expect((await check('--expect', '--columns', 'ok,count')).stdout).toBe('OK     true\nCOUNT  3\n');
  });
});

it.each([
  [['--stable', '1m'], '--wait'],
  [['--interval', '1s'], '--wait'],
  [['--wait', '1m', '--stable', '1m'], 'shorter'],
  [['--wait', '1m', '--interval', '0s'], 'longer than zero'],
  [['--min', '2', '--max', '1'], 'is greater than the maximum'],
  [['--expect', '--max', '0'], 'is greater than the maximum'],
  [['--expect', '--min', '2'], '--min'],
  [['--max', '-1'], 'less than 0'],
  [['-a', '--state', 'active'], 'cannot be used together'],
])('%j: exit 2, nothing sent', async (argv, why) => {
  await using script = await scripted([[]]);
  const run = await svc(['alerts', 'check', '--base-url', script.server.url, ...argv]);
  expect([run.code, run.stdout, script.server.requests]).toEqual([2, '', []]);
  expect(run.stderr).toContain(why);
});

describe('--wait', () => {
  const [A, B] = [wireAlert('a'), wireAlert('b')];

  /** Each look at the alerts is a second after the one before, by the clock of the test. */
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
    ['holds at once', [[]], ['--wait', '1m'], 0, 1],
    ['comes to hold', [[A, B], [A], []], ['--wait', '1m'], 0, 3],
    ['a silenced one is none', [[A], [{ ...A, ...SILENCED }]], ['--wait', '1m'], 0, 2],
    ['never holds', [[A], [A], [A]], ['--wait', '3s'], 9, 3],
    ['is expected', [[], [], [A]], ['--wait', '1m', '--expect'], 0, 3],
    ['stays as it is long enough', [[A], [], [], [], []], ['--wait', '1m', '--stable', '3s'], 0, 5],
    ['is broken and comes again', [[], [], [A], [], [], []], ['--wait', '1m', '--stable', '2s'], 0, 6],
    ['is always broken', [[], [A], [], [A], []], ['--wait', '5s', '--stable', '2s'], 9, 5],
    ['holds at the end, but not for long enough', [[A], [A], [], []], ['--wait', '4s', '--stable', '3s'], 9, 4],
    ['a look without an answer breaks it', [[], 'away', [], [], []], ['--wait', '1m', '--stable', '2s'], 0, 8],
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

  it('says that the condition is true but not stable yet', async () => {
    const { stdout } = await wait([[A], [], []], ['--wait', '3s', '--stable', '2s', '-o', 'table']);
    expect(stdout).toBe('failed: 0 alerts (expected none), but not for 2s yet, after 3s\n');
  });

  it('a service that stays unreachable: exit 7', async () => {
    const run = await wait([[A], 'away', 'away', 'away'], ['--wait', '6s']);
    expect([run.code, run.stdout]).toEqual([7, '']);
  });

  it('a permanent failure ends it at once', async () => {
    expect(await wait([[A], 'refused', []], ['--wait', '1m'])).toMatchObject({ code: 4, stdout: '', replies: 2 });
  });

  it('Ctrl-C: exit 130, and no line that looks like a result', async () => {
    expect(await wait([[A]], ['--wait', '1m'])).toMatchObject({ code: 130, stdout: '' });
  });
});
