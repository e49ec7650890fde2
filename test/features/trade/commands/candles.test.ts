import { beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../support/svc.ts';
import { candleFiles, candlesOf, type Row, row } from './candle-gateway.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-01-14T12:00:30Z');
const at = (text: string): number => Date.parse(text) / 1000;

const { served, run } = await candleFiles(NOW);

const objects = ({ stdout }: Run): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const times = (result: Run): unknown[] => objects(result).map(({ time }) => time);

describe('svc trade candles --last', () => {
  it('sends one request, and leaves out the unfinished candle', async () => {
    const result = await run(['eurusd', 'm1', '--last', '3', '-o', 'ndjson']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(times(result)).toEqual(['2026-01-14T11:57:00Z', '2026-01-14T11:58:00Z', '2026-01-14T11:59:00Z']);
    expect(served.asked).toEqual([
      { offer: '1', period: 'm1', num: 10_000, from: at('2026-01-14T11:53:00Z'), to: at('2026-01-14T12:00:30Z') },
    ]);
  });

  it('shows the unfinished candle with --include-partial', async () => {
    const result = await run(['EUR/USD', 'm1', '--last', '1', '--include-partial', '-o', 'ndjson']);
    expect(times(result)).toEqual(['2026-01-14T12:00:00Z']);
  });

  it('goes back over a weekend, and further if there are too few', async () => {
    const sparse = new Set(['2026-01-02T10:00:00Z', '2026-01-09T21:54:00Z', '2026-01-14T11:00:00Z'].map(at));
    served.answer = (request) => candlesOf(request, (time) => sparse.has(time));
    const result = await run(['EUR/USD', 'm1', '--last', '3', '-o', 'ndjson']);
    expect(times(result)).toEqual(['2026-01-02T10:00:00Z', '2026-01-09T21:54:00Z', '2026-01-14T11:00:00Z']);
    for (const [index, { to }] of served.asked.entries()) {
      if (index > 0) expect(to).toBe((served.asked[index - 1]?.from ?? 0) - 1);
    }
  });

  it('says where history begins, after two empty requests', async () => {
    const start = at('2026-01-13T00:00:00Z');
    served.answer = (request) => candlesOf(request, (time) => time >= start);
    const result = await run(['EUR/USD', 'H1', '--last', '5000', '-o', 'ndjson']);
    expect(result.code).toBe(0);
    expect(times(result)).toHaveLength(36);
    expect(result.stderr).toContain('history begins at 2026-01-13T00:00:00Z');
    expect(served.asked).toHaveLength(3);
  });

  it('shows no candles without a failure', async () => {
    served.answer = () => [];
    expect(await run(['EUR/USD', 'm1'])).toMatchObject({ code: 0, stderr: expect.stringContaining('no candles') });
    expect(await run(['EUR/USD', 'm1', '-o', 'json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

describe('svc trade candles --since', () => {
  const JANUARY = ['--since', '2026-01-01', '--until', '2026-01-14'];

  it('reads every candle once, the oldest first', async () => {
    const result = await run(['EUR/USD', 'm1', ...JANUARY, '-o', 'csv']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [header, ...lines] = result.stdout.trimEnd().split('\n');
    expect(header).toBe('time,bid-open,bid-high,bid-low,bid-close,ask-open,ask-high,ask-low,ask-close,tick-qty');
    const all = candlesOf({ period: 'm1', from: at('2026-01-01T00:00:00Z'), to: at('2026-01-14T00:00:00Z') - 1 });
    expect(lines.map((line) => at(line.split(',')[0] ?? ''))).toEqual(all.map(([time]) => time));
    expect(served.asked.map(({ num }) => num)).toEqual([10_000, 10_000]);
    expect(served.asked[0]?.from).toBe(at('2026-01-01T00:00:00Z'));
    expect(served.asked[1]?.from).toBe((served.asked[0]?.to ?? 0) + 1);
    expect(served.asked[1]?.to).toBe(at('2026-01-14T00:00:00Z') - 1);
  });

  it('says where history begins', async () => {
    const start = at('2026-01-12T06:00:00Z');
    served.answer = (request) => candlesOf(request, (time) => time >= start);
    const result = await run(['EUR/USD', 'm1', ...JANUARY, '--price', 'mid']);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('history begins at 2026-01-12T06:00:00Z');
    // Within one window, too, and not where it is only a weekend.
    const hours = await run(['EUR/USD', 'H1', '--since', '2026-01-01', '-o', 'csv']);
    expect(hours.stderr).toContain('history begins at 2026-01-12T06:00:00Z');
    expect((await run(['EUR/USD', 'H1', '--since', '2026-01-10', '-o', 'csv'])).stderr).not.toContain('history');
  });

  it('fails without output if the gateway returns other candles', async () => {
    const argv = ['EUR/USD', 'm1', '--since', '2026-01-05', '--until', '2026-01-06', '-o', 'json'];
    const failure = async (...rows: readonly Row[]): Promise<string> => {
      served.answer = () => rows;
      const { code, stdout, stderr } = await run(argv);
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
      const { error } = JSON.parse(stderr);
      expect(error.code).toBe('bad_answer');
      return error.message;
    };
    const newest = candlesOf({ period: 'm1', from: NOW / 1000 - 600, to: NOW / 1000 });
    expect(await failure(...newest)).toContain('the gateway ignored the range');
    const early = row(at('2026-01-04T23:58:59Z'));
    expect(await failure(early)).toContain('returned a candle of 2026-01-04T23:58:59Z');
    const late = row(at('2026-01-06T00:01:00Z'));
    expect(await failure(late)).toContain('returned a candle of 2026-01-06T00:01:00Z');
    const inMilliseconds = row(at('2026-01-05T00:00:00Z') * 1000);
    expect(await failure(inMilliseconds)).toContain('the gateway ignored the range');
    const many = Array.from({ length: 10_000 }, (_, index) => row(at('2026-01-05T00:00:00Z') + index));
    expect(await failure(...many)).toContain(
      'returned 10000 candles for 2026-01-05T00:00:00Z to 2026-01-05T23:59:59Z: some may be missing',
    );
  });

  it('leaves out candles that cross the start or the end', async () => {
    served.answer = (request) => [row(request.from - 60), ...candlesOf(request), row(request.to + 1)];
    const result = await run('EUR/USD m1 --since 2026-01-13T10:00:00Z --until 2026-01-13T10:03:00Z -o csv'.split(' '));
    expect(result.stdout.match(/T10:../g)).toEqual(['T10:00', 'T10:01', 'T10:02']);
  });

  const THREE_WEEKS = ['EUR/USD', 'm1', '--since', '2025-12-24', '--until', '2026-01-14', '-o', 'ndjson'];

  it('exits 10 at the first part that cannot be read', async () => {
    served.answer = (request) => (served.asked.length === 2 ? 'Not today' : candlesOf(request));
    for (const quiet of [[], ['-q']]) {
      served.asked.length = 0;
      const result = await run([...THREE_WEEKS, ...quiet]);
      expect(result.code).toBe(10);
      const [first, second] = served.asked;
      expect(served.asked).toHaveLength(2);
      const rest = `${new Date((second?.from ?? 0) * 1000).toISOString().slice(0, 19)}Z to 2026-01-13T23:59:59Z`;
      expect(result.stderr).toContain(`${rest} could not be read: `);
      expect(result.stderr).toContain('Not today');
      expect(result.stderr).not.toContain('missing');
      const all = candlesOf({ period: 'm1', from: first?.from ?? 0, to: first?.to ?? 0 });
      expect(result.stdout.trimEnd().split('\n')).toHaveLength(all.length);
    }
  });

  it('exits 10 if the session is lost', async () => {
    served.answer = (request) => {
      if (served.asked.length === 1) return candlesOf(request);
      for (const client of served.gateway.live) client.disconnect(true);
      return 'Unauthorized';
    };
    const result = await run(THREE_WEEKS);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('could not be read: ');
    expect(objects(result)).not.toHaveLength(0);
  });
});

describe('candles that are missing', () => {
  const holes = ['2026-01-13T10:00:00Z', '2026-01-13T10:01:00Z', '2026-01-13T15:30:00Z'].map(at);
  const DAYS = ['EUR/USD', 'm1', '--since', '2026-01-08', '--until', '2026-01-14'];
  beforeEach(() => {
    served.answer = (request) => candlesOf(request, (time) => !holes.includes(time));
  });

  it('are reported, except those of the weekend', async () => {
    const result = await run([...DAYS, '-o', 'ndjson']);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('3 candles are missing in 2 gaps in trading hours');
  });

  it('are listed by --gaps', async () => {
    const result = await run([...DAYS, '--gaps', '-o', 'json']);
    expect(JSON.parse(result.stdout)).toEqual([
      { symbol: 'EUR/USD', period: 'm1', from: '2026-01-13T10:00:00Z', to: '2026-01-13T10:02:00Z', candles: 2 },
      { symbol: 'EUR/USD', period: 'm1', from: '2026-01-13T15:30:00Z', to: '2026-01-13T15:31:00Z', candles: 1 },
    ]);
  });

  it('exit 1 with --fail-on-gap, but 10 if a part could not be read', async () => {
    expect((await run([...DAYS, '--fail-on-gap', '-o', 'ndjson'])).code).toBe(1);
    expect((await run([...DAYS, '--fail-on-gap', '--gaps'])).code).toBe(1);
    served.asked.length = 0;
    served.answer = (request) => (served.asked.length === 1 ? candlesOf(request) : 'No');
    expect((await run(['EUR/USD', 'm1', '--since', '2025-12-29', '--fail-on-gap', '-q'])).code).toBe(10);
  });

  it('are unknown for symbols other than forex', async () => {
    expect(await run(['US30', 'm1', '--since', '2026-01-13', '-q'])).toMatchObject({ code: 0, stderr: '' });
    for (const option of ['--fail-on-gap', '--gaps']) {
      const refused = await run(['US30', 'm1', '--since', '2026-01-13', option]);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('trading hours are only known for forex, not for US30'),
      });
    }
    expect(served.asked).toHaveLength(1);
  });

  it('at the end are reported as old data', async () => {
    served.answer = ({ period, from }) => candlesOf({ period, from, to: at('2026-01-14T11:00:00Z') });
    const { code, stderr } = await run(['EUR/USD', 'm1', '--last', '10', '-o', 'ndjson']);
    expect(code).toBe(0);
    expect(stderr).toContain('the newest candle of EUR/USD is from 2026-01-14T11:00:00Z, and 59 after it are missing');
    const past = await run(['EUR/USD', 'm1', '--last', '10', '--until', '2026-01-14T11:30:00Z', '-o', 'ndjson']);
    expect(past.stderr).not.toContain('the newest candle');
  });

  it('a date and a time without a zone are local, or of --tz, and so are printed times with it', async () => {
    const argv = [
      'EUR/USD',
      'H1',
      '--since',
      '2026-01-07',
      '--until',
      '2026-01-07 02:00',
      '-o',
      'csv',
      '--price',
      'bid',
    ];
    const { stdout, stderr } = await run([...argv, '--tz', 'Europe/Berlin']);
    expect(stdout.split('\n').map((line) => line.split(',')[0])).toEqual([
      'time',
      '2026-01-07T00:00:00+01:00',
      '2026-01-07T01:00:00+01:00',
      '',
    ]);
    expect(stderr).toContain('--since 2026-01-07 in Europe/Berlin is 2026-01-06T23:00:00.000Z');
    expect(stderr).toContain('--until 2026-01-07 02:00 in Europe/Berlin is 2026-01-07T01:00:00.000Z');
    expect((await run(argv)).stdout).toContain('\n2026-01-07T00:00:00Z,');
  });

  /** `from candles` of each gap of these hours, of which the gateway has those from `first` until `last`. */
  const gapsOf = async ([start, end]: readonly [string, string], first: string, last = first): Promise<string[]> => {
    served.answer = ({ period, from, to }) => {
      return candlesOf({ period, from: Math.max(from, at(first)), to: Math.min(to, at(last)) });
    };
    const argv = ['EUR/USD', 'H1', '--since', start, '--until', end, '--gaps', '--fail-on-gap', '-o', 'json'];
    const { code, stdout } = await run(argv);
    const gaps = JSON.parse(stdout).map((gap: { from: string; candles: number }) => `${gap.from} ${gap.candles}`);
    expect(code).toBe(gaps.length > 0 ? 1 : 0);
    return gaps;
  };

  it('count at the edges of the range, too', async () => {
    const noCandles = '2026-01-20T00:00:00Z';
    expect(await gapsOf(['2026-01-06T00:00:00Z', '2026-01-09T00:00:00Z'], noCandles)).toEqual([
      '2026-01-06T00:00:00Z 72',
    ]);
    expect(await gapsOf(['2026-01-10T00:00:00Z', '2026-01-11T20:00:00Z'], noCandles)).toEqual([]);
    const some = ['2026-01-07T10:00:00Z', '2026-01-08T20:00:00Z'] as const;
    expect(await gapsOf(['2026-01-07T06:30:00Z', '2026-01-08T23:30:00Z'], ...some)).toEqual([
      '2026-01-07T07:00:00Z 3',
      '2026-01-08T21:00:00Z 3',
    ]);
    expect(await gapsOf(['2026-01-07T09:01:00Z', '2026-01-08T21:00:00Z'], ...some)).toEqual([]);
  });

  it('of a month do not include one of 31 days before the first candle', async () => {
    served.answer = () => ['2025-01-31', '2025-02-28'].map((day) => row(Date.parse(`${day}T22:00:00Z`) / 1000));
    const argv = ['EUR/USD', 'M1', '--since', '2025-01-01T00:00:00Z', '--until', '2025-03-15T00:00:00Z'];
    const { code, stdout, stderr } = await run([...argv, '--gaps', '--fail-on-gap', '-o', 'json']);
    expect({ code, gaps: JSON.parse(stdout) }, stderr).toEqual({ code: 0, gaps: [] });
  });

  it('of days are those that would have ended within the range', async () => {
    served.answer = () => [];
    const missing = async (start: string, end: string): Promise<number[]> => {
      const argv = ['EUR/USD', 'D1', '--since', start, '--until', end, '--gaps', '-o', 'json'];
      return JSON.parse((await run(argv)).stdout).map((gap: { candles: number }) => gap.candles);
    };
    expect(await missing('2026-01-05T22:00:00Z', '2026-01-08T22:00:00Z')).toEqual([3]);
    expect(await missing('2026-01-09T22:00:01Z', '2026-01-11T22:00:00Z')).toEqual([]);
    served.answer = () => [row(at('2026-01-07T22:00:00Z'))];
    expect(await missing('2026-01-05T22:00:00Z', '2026-01-08T22:00:00Z')).toEqual([2]);
  });
});

describe('the output of svc trade candles', () => {
  const TWO = ['EUR/USD', 'H1', '--last', '2'];

  it('is a table with the columns that fit', async () => {
    const { stdout } = await run([...TWO], { terminal: 100 });
    expect(stdout).toMatchInlineSnapshot(`
      "[1mTIME[22m                  [1mBID-OPEN[22m  [1mBID-HIGH[22m  [1mBID-LOW[22m  [1mBID-CLOSE[22m  [1mASK-CLOSE[22m  [1mTICK-QTY[22m
      2026-01-14T10:00:00Z   1.10301   1.10311  1.10291    1.10306    1.10326        14
      2026-01-14T11:00:00Z   1.10874   1.10884  1.10864    1.10879    1.10899        25
      "
    `);
  });

  it('never contains control sequences of a symbol', async () => {
    const hostile = 'EUR\u001b[31m/\u202eUSD';
    served.offers.push({ t: 0, offerId: 7, currency: hostile, instrumentType: 1 });
    for (const args of [['--gaps'], ['-o', 'json', '--gaps'], ['--last', '3']]) {
      const { code, stdout, stderr } = await run([hostile, 'm5', ...args], { terminal: 80 });
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(/\u001b\[31m\/|\u202e/);
    }
    expect(served.asked.every(({ offer }) => offer === '7')).toBe(true);
    const unknown = await run([`${hostile}?`, 'm5']);
    expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining('EUR\\x1b[31m/\\u202eUSD?') });
    expect(await run(['../../trading/get_model', 'm5'])).toMatchObject({ code: 5 });
  });
});

it.each([
  ['EUR/USD m2', 'there is no period m2'],
  ['EUR/USD m1 --last 5 --since 2d', '--since and --last cannot be combined'],
  ['EUR/USD m1 --since 2026-01-02 --until 2026-01-01', '--since must be before --until'],
  ['EUR/USD m1 --since 2027-01-01', '--since is'],
  ['EUR/USD m1 --resume', '--resume needs --out'],
  ['EUR/USD m1 --force', '--force needs --out'],
  ['EUR/USD m1 --gaps --out x.csv --since 2d', '--gaps and --out cannot be combined'],
  ['EUR/USD m1 --out x.json --since 2d', 'use .csv or .ndjson'],
  ['EUR/USD m1 --out x.csv --last 5', '--out needs --since'],
  ['EUR/USD m1 --out /nowhere/at/all/x.csv --since 2d', 'cannot write'],
])('svc trade candles %s is refused, and nothing is sent', async (line, text) => {
  const { code, stdout, stderr } = await run(line.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(text);
  expect(served.asked).toEqual([]);
});
