import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import {
  type CandleWindow,
  type Chunk,
  readChunks,
  readWindow,
  windowsForward,
} from '../../../../src/features/trade/candles/reader.ts';
import { findPeriod } from '../../../../src/features/trade/candles/series.ts';
import type { CandleQuery } from '../../../../src/features/trade/client.ts';
import { tradingError } from '../../../../src/features/trade/gateway/envelope.ts';
import { refusal } from '../../../../src/features/trade/gateway/failed-answer.ts';
import type { Candle } from '../../../../src/features/trade/schema.ts';

const START = Date.UTC(2026, 0, 5) / 1000;
const M1 = findPeriod('m1');
const candle = (time: number): Candle => [time, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const INVALID = refusal(tradingError('Invalid from/to parameneters.'), 'candles m1');

/** A candle each minute; how the gateway answers is up to the test. */
function minutes({ from, to }: CandleWindow): Candle[] {
  const found: Candle[] = [];
  for (let time = Math.ceil(from / 60) * 60; time <= to; time += 60) found.push(candle(time));
  return found;
}

function source(answer: (query: CandleQuery) => readonly Candle[]) {
  const asked: CandleWindow[] = [];
  const candles = async (query: CandleQuery): Promise<readonly Candle[]> => {
    asked.push({ from: query.from, to: query.to });
    expect(query).toMatchObject({ offerId: '1', period: 'm1' });
    return answer(query);
  };
  return { asked, source: { offerId: '1', period: M1, trading: { candles } } };
}

const window = (count: number): CandleWindow => ({ from: START, to: START + count * 60 - 1 });
const times = (candles: readonly Candle[]): number[] => candles.map(([time = 0]) => time);

describe('one window', () => {
  it('is one request', async () => {
    const { asked, source: at } = source(minutes);
    expect(await readWindow(at, window(9999))).toHaveLength(9999);
    expect(asked).toEqual([window(9999)]);
  });

  it('is split if the response has the maximum number of candles', async () => {
    const newest = (query: CandleQuery): Candle[] => minutes(query).slice(-10_000);
    const { asked, source: at } = source(newest);
    const read = await readWindow(at, window(25_000));
    expect(times(read)).toEqual(times(minutes(window(25_000))));
    expect(asked.map(({ from, to }) => Math.ceil((to - from) / 60))).toEqual([
      25_000, 12_500, 6250, 6250, 12_500, 6250, 6250,
    ]);
  });

  it('of exactly 10,000 candles is split, too, without losing or duplicating any', async () => {
    const { asked, source: at } = source(minutes);
    expect(times(await readWindow(at, window(10_000)))).toEqual(times(minutes(window(10_000))));
    expect(asked).toHaveLength(3);
  });

  it('is an invalid response if it stays full at any length', async () => {
    const { asked, source: at } = source(({ from }) => Array.from({ length: 10_000 }, () => candle(from)));
    await expect(readWindow(at, window(9999))).rejects.toMatchObject({ code: 'bad_answer' });
    expect(asked).toHaveLength(8);
  });

  it('is split if the range is refused as too long', async () => {
    const { source: at } = source((query) => {
      if (query.to - query.from > 86_400) throw INVALID;
      return minutes(query);
    });
    expect(times(await readWindow(at, window(9999)))).toEqual(times(minutes(window(9999))));
  });

  it('fails after a few requests if every range is refused', async () => {
    const { asked, source: at } = source(() => {
      throw INVALID;
    });
    await expect(readWindow(at, window(9999))).rejects.toBe(INVALID);
    expect(asked).toHaveLength(8);
  });

  it.each([
    ['older', -61],
    ['newer', 61],
  ])('is refused with a candle that is %s', async (_, offset) => {
    const stray = offset < 0 ? START + offset : START + 10 * 60 + offset;
    const { source: at } = source((query) => [...minutes(query), candle(stray)]);
    const failure = readWindow(at, window(10));
    await expect(failure).rejects.toMatchObject({ code: 'bad_answer' });
    await expect(failure).rejects.toThrow(/ignored the range.* 2026-01-05T00:00:00Z to 2026-01-05T00:09:59Z/);
  });

  it('excludes candles that cross its start or end', async () => {
    const { source: at } = source((query) => [candle(START - 60), ...minutes(query), candle(START + 600)]);
    expect(await readWindow(at, window(10))).toHaveLength(10);
  });

  it('does not read milliseconds as seconds', async () => {
    const { source: at } = source(() => [candle(START * 1000)]);
    await expect(readWindow(at, window(10))).rejects.toThrow(/ignored the range/);
  });
});

describe('several windows', () => {
  const windows = windowsForward({ from: START, to: START + 6 * 9999 * 60 - 1 }, M1);
  const all = async (failing: (index: number, tries: number) => SvcError | undefined) => {
    const renewed: number[] = [];
    const tries = new Map<number, number>();
    const { asked, source: at } = source((query) => {
      const index = windows.findIndex(({ from }) => from === query.from);
      tries.set(index, (tries.get(index) ?? 0) + 1);
      const error = failing(index, tries.get(index) ?? 0);
      if (error !== undefined) throw error;
      return [candle(query.from)];
    });
    const chunks: Chunk[] = [];
    for await (const chunk of readChunks(at, windows, async () => void renewed.push(1))) chunks.push(chunk);
    return { asked, renewed: renewed.length, ends: chunks.map(({ error }) => error?.code ?? 'read') };
  };
  const server = new SvcError('server_error', 'status 500');
  const lost = new SvcError('connection_lost', 'cut');

  it('are read one after the other', async () => {
    expect(windows).toHaveLength(6);
    expect(await all(() => undefined)).toMatchObject({ ends: Array(6).fill('read'), asked: windows });
  });

  it('continue after one that failed', async () => {
    const { ends } = await all((index) => (index === 2 ? server : undefined));
    expect(ends).toEqual(['read', 'read', 'server_error', 'read', 'read', 'read']);
  });

  it('end after three failures in a row', async () => {
    const { ends } = await all((index) => (index > 1 ? server : undefined));
    expect(ends).toEqual(['read', 'read', 'server_error', 'server_error', 'server_error']);
  });

  it('fail if the first fails', async () => {
    await expect(all(() => server)).rejects.toBe(server);
  });

  it('end after an interruption, which is not a failure of a window', async () => {
    const interrupted = new SvcError('interrupted', 'interrupted');
    await expect(all((index) => (index === 1 ? interrupted : undefined))).rejects.toBe(interrupted);
  });

  it.each(['connection_lost', 'unauthorized'] as const)('continue in a new session after %s', async (code) => {
    const error = new SvcError(code, 'gone');
    const { ends, renewed } = await all((index, tries) => (index === 3 && tries < 3 ? error : undefined));
    expect(ends).toEqual(Array(6).fill('read'));
    expect(renewed).toBe(2);
  });

  it('end if new sessions are lost, too', async () => {
    const { ends, renewed } = await all((index) => (index === 3 ? lost : undefined));
    expect(ends).toEqual(['read', 'read', 'read', 'connection_lost']);
    expect(renewed).toBe(2);
  });

  it('end at a common rate limit', async () => {
    const { ends } = await all((index) => (index === 1 ? new SvcError('limited', 'ORA-20301') : undefined));
    expect(ends).toEqual(['read', 'limited']);
  });
});
