/** `svc trade stream --out`: ticks in a file, which is whole after any kill, and is rotated by size or by day. */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { Tick } from '../../../../src/features/trade/ticks/price-ticks.ts';
import { checkTickFile, parseRotation, TickFile } from '../../../../src/features/trade/ticks/tick-file.ts';
import { fileFeed, lines } from './feed.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-ticks-'));
const feed = await fileFeed();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let home = 0;
let path = '';
beforeEach(() => {
  path = join(mkdtempSync(join(folder, `${++home}-`)), 'ticks.ndjson');
});
const asCsv = (): string => {
  path = path.replace(/ndjson$/, 'csv');
  return path;
};
const files = (): string[] => readdirSync(join(path, '..')).sort();
const text = (name = ''): string => readFileSync(name === '' ? path : join(path, '..', name), 'utf8');

const START = Date.parse('2026-01-14T23:00:00Z');
const tick = (second: number): Tick => ({
  time: new Date(START + second * 1000).toISOString(),
  symbol: 'EUR/USD',
  bid: 1.1 + second / 1000,
  ask: 1.2,
  high: 1.3,
  low: null,
});
const opened = (rotate: string | undefined, now: () => number = () => START, notices: string[] = []): TickFile =>
  TickFile.open(path, checkTickFile(path, { resume: true }), {
    rotation: parseRotation(rotate),
    now,
    notice: (notice) => void notices.push(notice),
  });
function recorded(seconds: readonly number[], rotate?: string, now?: () => number): void {
  const file = opened(rotate, now);
  for (const second of seconds) file.write(tick(second));
  file.close();
}

describe('the command', () => {
  const run = (args: readonly string[], options = {}) =>
    feed.run(['stream', 'eurusd', '--out', path, ...args], options);
  const push = (...bids: readonly number[]): void => {
    for (const bid of bids) feed.push('EUR/USD', { Updated: START, Rates: [bid, 2, 3, 1], Symbol: 'EUR/USD' });
  };

  it('writes the output of --prices, reports the amount, and continues with --resume', async () => {
    const first = run(['--until', '2', '-o', 'json']);
    await feed.subscribed('EUR/USD');
    push(1.1, 1.2);
    expect(await first).toMatchObject({ code: 0, stderr: expect.stringContaining(`recorded 2 ticks to ${path}`) });
    expect(JSON.parse((await first).stdout)).toEqual({ file: path, ticks: 2, rotations: 0 });
    expect(await run(['--until', '1'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--resume') });
    const second = run(['--until', '1', '--resume', '-o', 'ndjson']);
    await feed.subscribed('EUR/USD');
    expect(await run(['--resume'])).toMatchObject({ code: 2, stderr: expect.stringContaining('another process') });
    feed.drop();
    await feed.subscribed('EUR/USD');
    push(1.3);
    expect(lines((await second).stdout).map(({ event }) => event)).toEqual(['unreachable', 'recovered', undefined]);
    const seen = lines(text());
    expect(seen.map(({ event, bid }) => event ?? bid)).toEqual([
      1.1,
      1.2,
      'gap',
      'unreachable',
      'recovered',
      'gap',
      1.3,
    ]);
    expect(seen[0]).toEqual({ time: '2026-01-14T23:00:00.000Z', symbol: 'EUR/USD', bid: 1.1, ask: 2, high: 3, low: 1 });
    expect(seen[2]).toMatchObject({ from: '2026-01-14T23:00:00.000Z', reason: 'the recording was interrupted' });
    expect(files()).toEqual(['ticks.ndjson']);
  });

  it('leaves complete lines when it is interrupted', async () => {
    asCsv();
    const stop = new AbortController();
    const running = run(['-o', 'ndjson'], { signal: stop.signal });
    await feed.subscribed('EUR/USD');
    push(1.1);
    await expect.poll(() => existsSync(path) && text().split('\n').length, { interval: 5 }).toBe(3);
    stop.abort(new SvcError('interrupted', 'interrupted'));
    expect(await running).toMatchObject({ code: 130 });
    expect(text()).toBe('time,symbol,bid,ask,high,low\n2026-01-14T23:00:00.000Z,EUR/USD,1.1,2,3,1\n');
    expect(files()).toEqual(['ticks.csv']);
  });

  it.each([
    [['--rotate', 'week'], 'neither day nor a size'],
    [['--rotate', '12'], 'neither day nor a size'],
    [['--rotate', '1B'], 'neither day nor a size'],
    [['--snapshot'], '--snapshot and --out cannot be combined'],
    [['Order'], '--out is for symbols'],
  ])('is refused with %j before any request', async (args, reason) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
    path = path.replace(/ndjson$/, 'txt');
    expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('use .csv or .ndjson') });
    expect({ calls: feed.calls, files: files() }).toEqual({ calls: [], files: [] });
  });

  it('requires --out for its options', async () => {
    for (const args of [['--resume'], ['--rotate', 'day']]) {
      expect(await feed.run(['stream', 'EUR/USD', ...args])).toMatchObject({ code: 2 });
    }
  });
});

describe.each(['ndjson', 'csv'])('a .%s file', (format) => {
  beforeEach(() => {
    if (format === 'csv') asCsv();
  });

  it('that ends at any byte is continued after its last complete line', () => {
    recorded([1, 2]);
    const whole = text();
    for (let cut = 0; cut < whole.length; cut += 5) {
      const torn = whole.slice(0, cut);
      writeFileSync(path, torn);
      const notices: string[] = [];
      const file = opened(undefined, () => START, notices);
      file.write(tick(9));
      file.close();
      const left = torn.slice(0, torn.lastIndexOf('\n') + 1);
      const added = text().slice(left.length).trimEnd().split('\n');
      expect(text().startsWith(left)).toBe(true);
      expect(added.at(-1)).toContain(format === 'csv' ? '1.109,1.2,1.3,' : '"bid":1.109');
      const header = format === 'csv' && left === '' ? ['time,symbol,bid,ask,high,low'] : [];
      const gap = format === 'ndjson' && left !== '' ? 1 : 0;
      expect(added.slice(0, -1).filter((line) => !line.startsWith('{"event":"gap"'))).toEqual(header);
      expect(added).toHaveLength(1 + header.length + gap);
      expect(notices).toHaveLength(left === torn ? 0 : 1);
    }
  });

  it('is rotated before it exceeds its size, without losing or duplicating a tick', () => {
    recorded([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], '1KB');
    // A new process continues the numbering, even after another file was removed.
    recorded([21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40], '1KB');
    const all = files();
    const parts = all.filter((name) => /^ticks\.\d{6}\./.test(name));
    expect(parts).toEqual(parts.map((_, index) => `ticks.${String(index + 1).padStart(6, '0')}.${format}`));
    expect(all).toHaveLength(parts.length + 1);
    expect(parts.length).toBeGreaterThan(1);
    const seconds = [...parts, `ticks.${format}`].flatMap((name) => {
      expect(text(name).length).toBeLessThanOrEqual(1000);
      const rows = text(name).trimEnd().split('\n');
      if (format === 'csv') expect(rows.shift()).toBe('time,symbol,bid,ask,high,low');
      return rows.filter((row) => !row.includes('"gap"')).map((row) => /T23:00:(\d\d)/.exec(row)?.[1]);
    });
    expect(seconds).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 1).padStart(2, '0')));
  });

  it('is rotated with each day in UTC, also after a restart', () => {
    let now = START;
    const clock = (): number => now;
    const file = opened('day', clock);
    file.write(tick(1));
    now = Date.parse('2026-01-15T00:00:00Z');
    file.write(tick(2));
    file.write(tick(3));
    file.close();
    // Written to for the last time on the 15th.
    utimesSync(path, now / 1000, now / 1000);
    now = Date.parse('2026-01-17T12:00:00Z');
    recorded([4], 'day', clock);
    expect(files()).toEqual([`ticks.2026-01-14.${format}`, `ticks.2026-01-15.${format}`, `ticks.${format}`]);
    const bids = files().map((name) => [...text(name).matchAll(/1\.10[0-9]/g)].map(([bid]) => bid));
    expect(bids).toEqual([['1.101'], ['1.102', '1.103'], ['1.104']]);
  });

  it('is not written if it is another file, or another process writes to it', () => {
    writeFileSync(path, 'my notes\n');
    expect(() => opened(undefined)).toThrow('is not a recording of ticks');
    writeFileSync(path, 'my notes without an end');
    expect(() => opened(undefined)).toThrow('is not a recording of ticks');
    expect(text()).toBe('my notes without an end');
    rmSync(path);
    const file = opened(undefined);
    file.write(tick(1));
    appendFileSync(path, 'x');
    expect(() => file.write(tick(2))).toThrow('another process writes to');
    file.abandon();
  });
});

it('escapes a symbol with a formula or a control sequence', () => {
  for (const name of ['ticks.csv', 'ticks.ndjson']) {
    path = join(path, '..', name);
    const file = opened(undefined);
    file.write({ ...tick(1), symbol: '=1+1\u202e,"x' });
    file.close();
    expect(text()).not.toContain('\u202e');
  }
  expect(text('ticks.csv').split('\n')[1]).toContain(`,"'=1+1\\u202e,""x",`);
  expect(JSON.parse(text('ticks.ndjson')).symbol).toBe('=1+1\u202e,"x');
});
