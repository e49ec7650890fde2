import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halves, longestWindow, windowsBack, windowsForward } from '../../../../src/features/trade/candles/reader.ts';
import { findPeriod, PERIODS } from '../../../../src/features/trade/candles/series.ts';

const SECOND = fc.integer({ min: 0, max: 2_000_000_000 });
const PERIOD = fc.constantFrom(...PERIODS);

/** Doc 3 §8, by hand. */
const DAYS: Readonly<Record<string, number>> = {
  m1: 16,
  m5: 56,
  m15: 212,
  m30: 316,
  H1: 624,
  H2: 1224,
  H3: 2056,
  H4: 2664,
  H6: 3632,
  H8: 5128,
};

describe('windows from the oldest to the newest', () => {
  it('cover the range exactly, each within both limits', () => {
    fc.assert(
      fc.property(SECOND, fc.integer({ min: 0, max: 60_000_000 }), PERIOD, (from, length, period) => {
        const to = from + length;
        const windows = windowsForward({ from, to }, period);
        expect(windows[0]?.from).toBe(from);
        expect(windows.at(-1)?.to).toBe(to);
        for (const [index, window] of windows.entries()) {
          expect(window.to).toBeGreaterThanOrEqual(window.from);
          const next = windows[index + 1];
          if (next === undefined) continue;
          expect(next.from).toBe(window.to + 1);
          // No candle is at the end, which a gateway may exclude.
          expect(next.from % 60).toBe(0);
        }
        const days = DAYS[period.name];
        if (days === undefined) {
          expect(windows).toHaveLength(1);
          return;
        }
        for (const { from: start, to: end } of windows) {
          expect(end - start).toBeLessThanOrEqual(days * 86_400);
          expect(Math.floor((end - start) / (period.ms / 1000)) + 1).toBeLessThan(10_000);
        }
      }),
    );
  });

  it('have the length of the candles of one request, which is always within the limit of days', () => {
    const days = Object.fromEntries(
      PERIODS.map((period) => [period.name, Math.floor((longestWindow(period) ?? 0) / 8640) / 10]),
    );
    expect(days).toEqual({
      m1: 6.9,
      m5: 34.7,
      m15: 104.1,
      m30: 208.3,
      H1: 416.6,
      H2: 833.2,
      H3: 1249.8,
      H4: 1666.5,
      H6: 2499.7,
      H8: 3333,
      D1: 0,
      W1: 0,
      M1: 0,
    });
  });

  it('make a year of minutes 53 requests', () => {
    const [from, to] = [Date.UTC(2025, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000 - 1];
    expect(windowsForward({ from, to }, findPeriod('m1'))).toHaveLength(53);
  });
});

describe('windows from the newest to the oldest', () => {
  it('follow each other without a gap, down to 1970', () => {
    fc.assert(
      fc.property(SECOND, fc.integer({ min: 1, max: 20_000 }), PERIOD, (to, count, period) => {
        let end = to + 1;
        let seen = 0;
        for (const window of windowsBack(to, count, period)) {
          expect(window.to).toBe(end - 1);
          expect(window.from).toBeLessThanOrEqual(window.to);
          const longest = longestWindow(period);
          if (longest !== undefined) expect(window.to - window.from).toBeLessThanOrEqual(longest);
          end = window.from;
          if (++seen === 20) return;
        }
        expect(end).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('begin with the length that the candles need, more over a weekend', () => {
    const first = (at: string, count: number): number => {
      const [window] = windowsBack(Date.parse(at) / 1000, count, findPeriod('m1'));
      return window === undefined ? 0 : Math.round((window.to - window.from) / 60);
    };
    expect(first('2026-11-18T12:00:00Z', 100)).toBe(102);
    // Monday morning in New York: a hundred minutes ago it was open. Sunday evening: it was not.
    expect(first('2026-11-22T22:30:00Z', 100)).toBe(3 * 1440 + 153);
    // Never more than one request may bring.
    expect(first('2026-11-18T12:00:00Z', 1_000_000)).toBe(9999);
  });
});

describe('halves', () => {
  it('add up to the whole, split at a full minute, until they cannot be split', () => {
    fc.assert(
      fc.property(SECOND, fc.integer({ min: 0, max: 100_000 }), (from, length) => {
        const window = { from, to: from + length };
        const cut = halves(window);
        if (cut === undefined) {
          expect(length).toBeLessThan(120);
          return;
        }
        const [older, newer] = cut;
        expect([older.from, newer.to]).toEqual([window.from, window.to]);
        expect(newer.from).toBe(older.to + 1);
        expect(newer.from % 60).toBe(0);
        expect(older.to).toBeGreaterThanOrEqual(older.from);
        expect(newer.to).toBeGreaterThanOrEqual(newer.from);
      }),
    );
  });
});
