import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UTC } from '../../../../src/cli/time.ts';
import { sortCandles } from '../../../../src/features/trade/candles/download.ts';
import { candleRow } from '../../../../src/features/trade/candles/rows.ts';
import type { Candle } from '../../../../src/features/trade/schema.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const candle = (time: number, ticks = 1): Candle => [time, 1.1, 1.3, 1.4, 1.0, 1.2, 1.4, 1.5, 1.1, ticks];

describe('the candles of a range', () => {
  it('are sorted, and of two at one time the one with more ticks is used', () => {
    const some = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 9 })));
    fc.assert(
      fc.property(some, (pairs) => {
        const result = sortCandles(pairs.map(([time, ticks]) => candle(time, ticks)));
        const times = result.map(([time = 0]) => time);
        expect(times).toEqual([...new Set(pairs.map(([time]) => time))].sort((a, b) => a - b));
        for (const one of result) {
          const ticks = pairs.filter(([time]) => time === one[0]).map(([, count]) => count);
          expect(one[9]).toBe(Math.max(...ticks));
        }
      }),
    );
  });
});

describe('the row of a candle', () => {
  const one: Candle = [
    at('2026-01-05T10:00:00Z'),
    1.10001,
    1.10003,
    1.10009,
    1.1,
    1.10011,
    1.10014,
    1.10019,
    1.1001,
    42,
  ];
  const row = (price: 'bid' | 'ask' | 'both' | 'mid') => candleRow(one, { price, zone: UTC });

  it('names the values that the gateway returns by position', () => {
    expect(row('both')).toEqual({
      time: '2026-01-05T10:00:00Z',
      bid_open: 1.10001,
      bid_high: 1.10009,
      bid_low: 1.1,
      bid_close: 1.10003,
      ask_open: 1.10011,
      ask_high: 1.10019,
      ask_low: 1.1001,
      ask_close: 1.10014,
      tick_qty: 42,
    });
    expect(row('bid')).toEqual({
      time: '2026-01-05T10:00:00Z',
      open: 1.10001,
      high: 1.10009,
      low: 1.1,
      close: 1.10003,
      tick_qty: 42,
    });
    expect(row('ask')).toMatchObject({ open: 1.10011, high: 1.10019, low: 1.1001, close: 1.10014 });
  });

  it('has a mid price without rounding errors', () => {
    expect(row('mid')).toMatchObject({ open: 1.10006, high: 1.10014, low: 1.10005, close: 1.100085 });
  });
});
