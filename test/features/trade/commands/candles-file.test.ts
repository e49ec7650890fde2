/** `svc trade candles --out`: whatever ends it at whatever moment, the file is in the end as if nothing had happened. */
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { candleFiles, candlesOf, type Row } from './candle-gateway.ts';
import type { CandleRequest } from './feed.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-01-14T12:00:30Z');
const { served, folder, fresh, run } = await candleFiles(NOW);
const state = (path: string): string => `${path}.state.json`;

/** Four windows. Traded is around the clock, and candles are there from 9:00 to 9:59 and from 10:02 to 10:59. */
const RANGE = ['eurusd', 'm1', '--since', '2025-12-22'];
const holed = (request: CandleRequest): Row[] =>
  candlesOf(request, (time) => {
    const minute = (time % 86_400) / 60;
    return minute >= 540 && minute < 660 && minute !== 600 && minute !== 601;
  });

beforeEach(() => {
  served.answer = holed;
});

function copy(from: string, to: string): void {
  for (const [one, other] of [
    [from, to],
    [state(from), state(to)],
  ] as const) {
    if (existsSync(one)) copyFileSync(one, other);
  }
}

describe.each(['csv', 'ndjson'] as const)('a .%s file', (format) => {
  it('equals the printed output, without other files when complete', async () => {
    const path = fresh(format);
    const { code, stdout } = await run([...RANGE, '--out', path, '-o', 'json']);
    expect(code).toBe(0);
    const printed = await run([...RANGE, '-o', format]);
    expect(readFileSync(path, 'utf8')).toBe(printed.stdout);
    expect(readdirSync(folder).filter((name) => name.includes('state'))).toEqual([]);
    expect(JSON.parse(stdout)).toEqual({
      file: path,
      symbol: 'EUR/USD',
      period: 'm1',
      complete: true,
      candles: printed.stdout.trimEnd().split('\n').length - Number(format === 'csv'),
      first: '2025-12-22T09:00:00Z',
      last: '2026-01-14T10:59:00Z',
      // On 18 days, in 14 nights and 3 weekends between them, and before the first and after the last candle.
      gaps: 18 + 14 + 3 + 2,
      missing: 18 * 2 + 14 * 22 * 60 + 3 * (655 + 645) + 9 * 60 + 60,
    });
  });
});

describe('a file whose download is killed', () => {
  /** Downloads to the file, and returns what a kill would leave while each of the answers is awaited. */
  async function downloaded(path: string): Promise<readonly string[]> {
    const left: string[] = [];
    served.answer = (request) => {
      const snapshot = fresh();
      copy(path, snapshot);
      left.push(snapshot);
      return holed(request);
    };
    await run([...RANGE, '--out', path]);
    served.answer = holed;
    return left;
  }

  const resume = (path: string, hours: number) =>
    run([...RANGE, '--out', path, '--resume', '-o', 'json'], { now: () => NOW + hours * 3_600_000 });

  it('is resumed with the same bytes, at another time of the day', async () => {
    const path = fresh();
    const left = await downloaded(path);
    const bytes = readFileSync(path);
    expect(left).toHaveLength(4);
    for (const [index, snapshot] of left.entries()) {
      // In the middle of a write.
      if (existsSync(snapshot) && index > 1) appendFileSync(snapshot, bytes.subarray(1000, 1100 + index));
      const { code, stdout } = await resume(snapshot, index);
      expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { complete: true } });
      expect(readFileSync(snapshot).equals(bytes)).toBe(true);
      expect(existsSync(state(snapshot))).toBe(false);
    }
  });
});

describe('an interrupted file', () => {
  /** A file with one window, started with these arguments. */
  async function begun(args: readonly string[] = RANGE): Promise<string> {
    const path = fresh();
    served.answer = (request) => (served.asked.length > 1 ? 'Not now' : holed(request));
    served.asked.length = 0;
    const { code, stderr } = await run([...args, '--out', path]);
    expect(code).toBe(10);
    expect(stderr).toMatch(/has \d+ candles so far: repeat the command with --resume/);
    served.asked.length = 0;
    served.answer = holed;
    return path;
  }

  it.each([
    [['eurusd', 'm5', '--since', '2025-12-22'], 'was started with period m1, not m5'],
    [['eurusd', 'm1', '--since', '2025-12-23'], 'with from 2025-12-22, not 2025-12-23'],
    [[...RANGE, '--until', '2026-01-01'], 'with to unset, not 2026-01-01'],
    [[...RANGE, '--price', 'bid'], 'with price both, not bid'],
    [[...RANGE, '--include-partial'], 'with includePartial false, not true'],
  ])('is not resumed with other options: %j', async (args, text) => {
    const path = await begun();
    const content = (): string[] => [path, state(path)].map((file) => readFileSync(file, 'utf8'));
    const before = content();
    const { code, stderr } = await run([...args, '--out', path, '--resume']);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(served.asked).toEqual([]);
    expect(content()).toEqual(before);
  });

  it('need not have its range repeated, and counts a relative time from the first run', async () => {
    const whole = fresh();
    await run(['EUR/USD', 'm1', '--since', '20d', '--until', '1d', '--out', whole]);
    const later = { now: () => NOW + 7_200_000 };
    for (const range of [[], ['--since', '20d'], ['--since', '20d', '--until', '1d'], ['--until', '1d']]) {
      const path = await begun(['EUR/USD', 'm1', '--since', '20d', '--until', '1d']);
      expect((await run(['EUR/USD', 'm1', ...range, '--out', path, '--resume'], later)).code).toBe(0);
      expect(readFileSync(path).equals(readFileSync(whole))).toBe(true);
    }
  });

  it('is only overwritten with --force', async () => {
    const path = await begun();
    const refused = await run([...RANGE, '--out', path]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('complete it with --resume') });
    expect((await run([...RANGE, '--out', path, '--force', '--price', 'mid'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^time,open,high,low,close,tick-qty\n/);
    for (const more of [[], ['--resume']]) {
      const again = await run([...RANGE, '--out', path, ...more]);
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
    }
  });

  it('is not resumed if the file was changed', async () => {
    const path = await begun();
    const before = readFileSync(path);
    for (const changed of [before.subarray(0, 500), before.toString().replaceAll('\n', '\r\n'), '']) {
      writeFileSync(path, changed);
      const { code, stderr } = await run([...RANGE, '--out', path, '--resume']);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('it was changed') });
      expect(readFileSync(path).equals(Buffer.from(changed))).toBe(true);
    }
    rmSync(path);
    expect(await run([...RANGE, '--out', path, '--resume'])).toMatchObject({ code: 2 });
    expect(existsSync(path)).toBe(false);
    expect(served.asked).toEqual([]);
  });

  it('is not resumed without its state', async () => {
    const path = await begun();
    const wrong = '{"request":{},"range":{"from":1,"to":2,"now":3},"length":-1,"tail":""}';
    for (const text of ['', '{', '[]', 'null', '{}', wrong]) {
      writeFileSync(state(path), text);
      const { code, stderr } = await run([...RANGE, '--out', path, '--resume']);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('does not say how much') });
    }
  });

  it('is not continued while another process writes to it', async () => {
    const path = await begun();
    served.answer = (request) => {
      if (served.asked.length === 2) appendFileSync(path, 'x');
      return holed(request);
    };
    const { code, stderr } = await run([...RANGE, '--out', path, '--resume']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('another process changed') });
    served.answer = holed;
    expect((await run([...RANGE, '--out', path, '--resume'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe((await run([...RANGE, '-o', 'csv'])).stdout);
  });
});

it('starts no file if the first request fails or the symbol is unknown', async () => {
  const path = fresh();
  served.answer = () => 'No candles today';
  expect(await run([...RANGE, '--out', path])).toMatchObject({ code: 3 });
  expect(await run(['XXX/YYY', 'm1', '--since', '2d', '--out', path])).toMatchObject({ code: 5 });
  expect([existsSync(path), existsSync(state(path))]).toEqual([false, false]);
});

it('can be resumed after an interruption', async () => {
  const path = fresh();
  const stop = new AbortController();
  served.answer = (request) => {
    if (served.asked.length === 3) stop.abort(new SvcError('interrupted', 'interrupted'));
    return holed(request);
  };
  const { code, stderr } = await run([...RANGE, '--out', path], { signal: stop.signal });
  expect(code).toBe(130);
  expect(stderr).toContain('repeat the command with --resume');
  served.answer = holed;
  expect((await run([...RANGE, '--out', path, '--resume'])).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe((await run([...RANGE, '-o', 'csv'])).stdout);
});

it('does not replace a file that appeared meanwhile', async () => {
  const path = fresh();
  served.answer = (request) => {
    writeFileSync(path, 'precious');
    return holed(request);
  };
  expect(await run([...RANGE, '--out', path])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already exists'),
  });
  expect(readFileSync(path, 'utf8')).toBe('precious');
  expect(existsSync(state(path))).toBe(false);
});

it('exits 1 with --fail-on-gap, and the file is complete', async () => {
  const path = fresh();
  expect((await run([...RANGE, '--out', path, '--fail-on-gap'])).code).toBe(1);
  expect(existsSync(state(path))).toBe(false);
});

it('is reported as without gaps if there is none', async () => {
  served.answer = (request) => candlesOf(request);
  const range = 'eurusd m1 --since 2026-01-13 --until 2026-01-14 --out'.split(' ');
  expect(await run([...range, fresh()])).toMatchObject({ code: 0, stdout: expect.stringMatching(/GAPS +0\n/) });
});
