/** `svc trade candles --append`, and several symbols and periods in one call. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockOwner } from '../../../../src/store/lock.ts';
import { type CandleRequest, candleFiles, candlesOf, type Row, row } from './candle-gateway.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-01-14T12:00:30Z');
const { served, folder, fresh, run } = await candleFiles(NOW);
const text = (path: string): string => readFileSync(path, 'utf8');

/** A finished file up to an earlier time. */
async function begun(path: string, more: readonly string[] = [], [symbol, period, from, to] = RANGE): Promise<string> {
  const args = [symbol, period, '--from', from, '--to', to, '--out', path, ...more];
  expect(await run(args)).toMatchObject({ code: 0 });
  served.asked.length = 0;
  return text(path);
}
type Range = readonly [symbol: string, period: string, from: string, to: string];
/** Every two hours one. */
const sparse = (request: CandleRequest): Row[] => candlesOf(request, (time) => time % 7200 === 0);
const RANGE: Range = ['EUR/USD', 'H1', '2026-01-08', '2026-01-10'];
const APPEND = ['EUR/USD', 'H1', '--append'];

describe('--append', () => {
  it.each([
    ['csv', RANGE, []],
    ['ndjson', RANGE, ['--price', 'mid']],
    ['csv', RANGE, ['--label', 'end']],
    ['csv', ['EUR/USD', 'D1', '2026-01-02', '2026-01-09'], ['--label', 'start']],
    ['jsonl', ['eurusd', 'm1', '2025-12-22', '2025-12-24'], ['--price', 'bid']],
  ] as const)('extends a .%s file of %j %j to what one download would give', async (format, range, more) => {
    const [path, whole] = [fresh(format), fresh(format)];
    const [symbol, period, from] = range;
    if (period === 'm1') served.answer = sparse;
    const before = await begun(path, more, range);
    const { code, stdout } = await run([symbol, period, '--append', path, ...more, '-o', 'json']);
    expect(code).toBe(0);
    // From the last candle on, within the documented windows.
    expect(served.asked[0]?.from).toBeGreaterThan(Date.parse(from) / 1000);
    await run([symbol, period, '--from', from, '--out', whole, ...more]);
    expect(text(path)).toBe(text(whole));
    const added = text(path).slice(before.length).trimEnd().split('\n');
    const timeOf = (line = ''): string => /\d{4}-[^",]*Z/.exec(line)?.[0] ?? '';
    expect(JSON.parse(stdout)).toMatchObject({
      file: path,
      symbol: 'EUR/USD',
      added: added.length,
      first: timeOf(added[0]),
      last: timeOf(added.at(-1)),
      complete: true,
    });
  });

  it('does not change a file if there is nothing new', async () => {
    const path = fresh();
    await begun(path);
    await run([...APPEND, path]);
    const { ino, mtimeMs } = statSync(path);
    const again = await run([...APPEND, path, '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, first: null, last: null });
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  });

  it.each(['csv', 'ndjson'])(
    'prints both rows of a .%s file and adds nothing if the last one has changed',
    async (format) => {
      const path = fresh(format);
      const before = await begun(path);
      served.answer = (request) => candlesOf(request).map((one, index) => (index === 0 ? row(one[0] ?? 0, 1000) : one));
      const { code, stdout, stderr } = await run([...APPEND, path, '-o', 'json']);
      expect(code).toBe(3);
      const [file, gateway, ...none] = JSON.parse(stdout);
      expect(none).toEqual([]);
      expect(file).toMatchObject({ file: path, source: 'file', time: '2026-01-09T21:00:00Z' });
      expect(gateway).toEqual({ ...file, source: 'gateway', tickQty: 1000 });
      expect(file.tickQty).not.toBe(1000);
      expect(stderr).toContain('now returns other values for the last row');
      const table = await run([...APPEND, path]);
      expect(table).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(/SOURCE(?:.|\n)* file (?:.|\n)* gateway .* 1000/),
      });
      expect(text(path)).toBe(before);
      expect(readdirSync(folder).filter((name) => /new|lock/.test(name))).toEqual([]);
    },
  );

  it('adds nothing where the gateway has no candle for the last row, such as one that is not finished', async () => {
    const path = fresh();
    const before = await begun(path);
    const last = Date.parse('2026-01-09T21:00:00Z') / 1000;
    for (const answer of [() => [], (request: CandleRequest) => candlesOf(request, (at) => at !== last)]) {
      served.answer = answer;
      const { code, stdout, stderr } = await run([...APPEND, path, '-o', 'ndjson']);
      expect({ code, sources: stdout.match(/"source":"\w+"/g) }).toEqual({ code: 3, sources: ['"source":"file"'] });
      expect(stderr).toContain('returns no finished candle for the time of the last row');
    }
    expect(text(path)).toBe(before);
  });

  it('accepts numbers of another program, and keeps its lines', async () => {
    const path = fresh();
    const before = await begun(path);
    writeFileSync(path, before.replaceAll(/(\.\d+)(?=,|\n)/g, '$10'));
    expect(await run([...APPEND, path])).toMatchObject({ code: 0 });
    expect(text(path).startsWith(before.replaceAll(/(\.\d+)(?=,|\n)/g, '$10'))).toBe(true);
  });

  it('adds the part before an unreadable window, and the rest later', async () => {
    const [path, whole] = [fresh(), fresh()];
    const range: Range = ['EUR/USD', 'm1', '2025-12-01', '2025-12-03'];
    served.answer = sparse;
    await begun(path, [], range);
    served.answer = (request) => (served.asked.length > 2 ? 'Not now' : sparse(request));
    const first = await run(['EUR/USD', 'm1', '--append', path, '-o', 'json']);
    expect({ code: first.code, ...JSON.parse(first.stdout) }).toMatchObject({ code: 10, complete: false });
    served.answer = sparse;
    expect(await run(['EUR/USD', 'm1', '--append', path])).toMatchObject({ code: 0 });
    await run(['EUR/USD', 'm1', '--from', '2025-12-01', '--out', whole]);
    expect(text(path)).toBe(text(whole));
  });

  it('keeps the old file until the new one is complete, whatever a killed process left', async () => {
    const path = fresh();
    const before = await begun(path);
    writeFileSync(`${path}.new`, `${before}half a li`);
    writeFileSync(`${path}.lock`, JSON.stringify({ ...lockOwner(2 ** 22 - 1), nonce: 'of-a-dead-process' }));
    const seen: string[] = [];
    served.answer = (request) => {
      seen.push(text(path));
      return candlesOf(request);
    };
    expect(await run([...APPEND, path])).toMatchObject({ code: 0 });
    expect(new Set(seen)).toEqual(new Set([before]));
    expect(text(path).startsWith(before)).toBe(true);
    expect(text(path)).toMatch(/^(?:[^\n]+,\d+\n)+$|^time.*\n(?:[^\n]+\n)+$/);
    expect([existsSync(`${path}.new`), existsSync(`${path}.lock`)]).toEqual([false, false]);
  });

  it('does not overwrite concurrent changes, and keeps a symbolic link', async () => {
    const path = fresh();
    const before = await begun(path);
    served.answer = (request) => {
      appendFileSync(path, 'x');
      return candlesOf(request);
    };
    const changed = await run([...APPEND, path]);
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining('changed') });
    expect(text(path)).toBe(`${before}x`);
    served.reset();
    writeFileSync(path, before);
    const link = fresh();
    symlinkSync(path, link);
    expect(await run([...APPEND, link])).toMatchObject({ code: 0 });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(text(path).length).toBeGreaterThan(before.length);
  });

  it('allows one process at a time', async () => {
    const path = fresh();
    await begun(path);
    writeFileSync(`${path}.lock`, JSON.stringify(lockOwner(process.pid)));
    expect(await run([...APPEND, path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('another process writes'),
    });
    rmSync(`${path}.lock`);
  });

  it.each([
    ['no file', undefined, 'there is no file'],
    [
      'only a header',
      'time,bid-open,bid-high,bid-low,bid-close,ask-open,ask-high,ask-low,ask-close,tick-qty\n',
      'has no candles',
    ],
    ['other columns', 'time,open,high,low,close,tick-qty\n2026-01-09T21:00:00Z,1,1,1,1,1\n', 'has other columns than'],
    [
      'half a line',
      'time,bid-open,bid-high,bid-low,bid-close,ask-open,ask-high,ask-low,ask-close,tick-qty\n2026',
      'incomplete line',
    ],
    [
      'no numbers',
      'time,bid-open,bid-high,bid-low,bid-close,ask-open,ask-high,ask-low,ask-close,tick-qty\n2026-01-09T21:00:00Z,a,1,1,1,1,1,1,1,1\n',
      'does not end with a candle',
    ],
  ])('is refused for %s, before any request', async (_, content, reason) => {
    const path = fresh();
    if (content !== undefined) writeFileSync(path, content);
    expect(await run([...APPEND, path])).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
    expect(served.asked).toEqual([]);
    if (content !== undefined) expect(text(path)).toBe(content);
  });

  it.each([
    [['--from', '2026-01-01'], '--append and --from'],
    [['--last', '5'], '--append and --last'],
    [['--include-partial'], '--append and --include-partial'],
    [['--out', 'y.csv'], '--append and --out'],
    [['--resume'], '--append and --resume'],
  ])('cannot be combined with %j', async (more, reason) => {
    expect(await run([...APPEND, 'x.csv', ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason),
    });
  });
});

describe('several symbols and periods', () => {
  it('are read one after the other in one session, each row with its names', async () => {
    const { length } = served.gateway.clients;
    const { code, stdout } = await run(['eurusd,US30,EUR/USD', 'H1,m5', '--last', '2', '--price', 'bid', '-o', 'csv']);
    expect(code).toBe(0);
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toBe('symbol,period,time,open,high,low,close,tick-qty');
    const names = ['EUR/USD,H1', 'EUR/USD,m5', 'US30,H1', 'US30,m5'];
    expect(rows.map((line) => line.split(',').slice(0, 2).join())).toEqual(names.flatMap((name) => [name, name]));
    expect(served.asked.map(({ offer, period }) => `${offer} ${period}`)).toEqual([
      '1 H1',
      '1 m5',
      '1013 H1',
      '1013 m5',
    ]);
    expect(served.gateway.clients).toHaveLength(length + 1);
    expect(served.gateway.live).toEqual([]);
    const one = await run(['eurusd', 'H1', '--last', '2', '-o', 'json']);
    expect(JSON.parse(one.stdout)[0]).not.toHaveProperty('symbol');
  });

  it('have a file each, and each is appended to', async () => {
    const pattern = join(mkdtempSync(join(folder, 'sets-')), '{symbol}-{period}.csv');
    const file = (name: string): string => pattern.replace('{symbol}-{period}', name);
    const sets = ['eurusd,US30', 'H1,D1'];
    const range = ['--from', '2026-01-05', '--to', '2026-01-10'];
    const first = await run([...sets, ...range, '--out', pattern, '-o', 'json']);
    expect(first.code).toBe(0);
    const names = ['EURUSD-H1', 'EURUSD-D1', 'US30-H1', 'US30-D1'];
    expect(JSON.parse(first.stdout).map((one: { file: string }) => one.file)).toEqual(names.map(file));
    const before = text(file('US30-D1'));
    expect(await run([...sets, '--append', pattern])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ADDED'),
    });
    for (const name of names) {
      const [symbol = '', period = ''] = name.split('-');
      const alone = fresh();
      await run([symbol, period, '--from', '2026-01-05', '--out', alone]);
      expect(text(file(name))).toBe(text(alone));
    }
    // One of them has changed: the others are appended to.
    writeFileSync(file('US30-D1'), before.replace(/\d+\n$/, '9\n'));
    const changed = await run([...sets, '--append', pattern, '-o', 'json']);
    expect(changed.code).toBe(10);
    expect(JSON.parse(changed.stdout)).toMatchObject([{ source: 'file', tickQty: 9 }, { source: 'gateway' }]);
  });

  it('are read without a missing one; exit 5 if none exists', async () => {
    const some = await run(['XXX/YYY,EUR/USD', 'H1', '--last', '1', '-o', 'csv']);
    expect(some).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('XXX/YYY H1: the gateway offers no XXX/YYY'),
    });
    expect(some.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(await run(['XXX/YYY,YYY/XXX', 'H1'])).toMatchObject({ code: 5 });
  });

  it('exit 10 if one is refused', async () => {
    served.answer = (request) => (request.period === 'H1' ? 'Not now' : candlesOf(request));
    const { code, stdout, stderr } = await run(['EUR/USD', 'H1,m5', '--last', '1', '-o', 'csv']);
    expect({ code, rows: stdout.trimEnd().split('\n').length }).toEqual({ code: 10, rows: 2 });
    expect(stderr).toContain('EUR/USD H1: ');
  });

  it('have a common list of gaps', async () => {
    served.answer = (request) => candlesOf(request, (at) => at % 86_400 !== 36_000);
    const args = ['EUR/USD', 'H1,m5', '--from', '2026-01-13', '--to', '2026-01-14', '--gaps', '-o', 'csv'];
    expect((await run(args)).stdout.split('\n').slice(1, 3)).toEqual([
      'EUR/USD,H1,2026-01-13T10:00:00Z,2026-01-13T11:00:00Z,1',
      'EUR/USD,m5,2026-01-13T10:00:00Z,2026-01-13T10:05:00Z,1',
    ]);
  });

  it.each([
    [['EUR/USD,', 'H1'], 'empty'],
    [['EUR/USD', 'H1,H9'], 'there is no period H9'],
    [['EUR/USD,US30', 'H1', '--chart'], '--chart draws one'],
    [['EUR/USD,US30', 'H1', '--offer-id', '1'], '--offer-id'],
    [['EUR/USD,US30', 'H1,D1', '--from', '2d', '--out', 'x-{symbol}.csv'], 'the name needs {period}'],
    [['EUR/USD,US30', 'H1', '--append', 'x.csv'], 'the name needs {symbol}'],
    [[Array.from({ length: 101 }, (_, n) => `S${n}`).join(), 'H1'], 'at most 100'],
  ])('refuses %j', async (args, reason) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
    expect(served.asked).toEqual([]);
  });
});
