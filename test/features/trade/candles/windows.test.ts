import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPeriod, PERIODS, type Period, planWindows } from '../../../../src/features/trade/candles/plan.ts';

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

const forward = (from: number, to: number, period: Period) => [...planWindows({ from, to: to + 1, last: 100, period })];
const back = (to: number, last: number, period: Period) => planWindows({ from: undefined, to: to + 1, last, period });

describe('windows from the oldest to the newest', () => {
  it('cover the range exactly, each within both limits', () => {
    fc.assert(
      fc.property(SECOND, fc.integer({ min: 0, max: 60_000_000 }), PERIOD, (from, length, period) => {
        const to = from + length;
        const windows = forward(from, to, period);
        expect(windows[0]?.from).toBe(from);
        expect(windows.at(-1)?.to).toBe(to);
        for (const [index, window] of windows.entries()) {
          expect(window.to).toBeGreaterThanOrEqual(window.from);
          expect(Math.floor((window.to - window.from) / (period.ms / 1000)) + 1).toBeLessThan(10_000);
          const days = DAYS[period.name] ?? Number.POSITIVE_INFINITY;
          expect(window.to - window.from).toBeLessThanOrEqual(days * 86_400);
          const next = windows[index + 1];
          if (next === undefined) continue;
          expect(next.from).toBe(window.to + 1);
          // No candle is at the end, which a gateway may exclude.
          expect(next.from % 60).toBe(0);
        }
      }),
    );
  });

  it('make a year of minutes 53 requests, and decades of days two', () => {
    const [from, to] = [Date.UTC(2025, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000 - 1];
    expect(forward(from, to, findPeriod('m1'))).toHaveLength(53);
    expect(forward(0, to, findPeriod('D1'))).toHaveLength(3);
  });

  it('go on after what has been read, to nothing if that is everything', () => {
    const range = { from: 600, to: 3_000_000, last: 100, period: findPeriod('m1') };
    const [first, ...others] = planWindows(range);
    expect([...planWindows(range, first?.to)]).toEqual(others);
    expect([...planWindows(range, range.to - 1)]).toEqual([]);
  });
});

describe('windows from the newest to the oldest', () => {
  it('follow each other without a gap, down to 1970', () => {
    fc.assert(
      fc.property(SECOND, fc.integer({ min: 1, max: 20_000 }), PERIOD, (to, count, period) => {
        let end = to + 1;
        let seen = 0;
        for (const window of back(to, count, period)) {
          expect(window.to).toBe(end - 1);
          expect(window.from).toBeLessThanOrEqual(window.to);
          expect((window.to - window.from) / (period.ms / 1000)).toBeLessThan(10_000);
          end = window.from;
          if (++seen === 20) return;
        }
        expect(end).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('begin with a length for the candles and a weekend, and never more than one request may bring', () => {
    const first = (count: number): number => {
      const [window] = back(Date.UTC(2026, 10, 18, 12) / 1000, count, findPeriod('m1'));
      return window === undefined ? 0 : Math.round((window.to - window.from) / 60);
    };
    expect(first(100)).toBe(153);
    expect(first(1_000_000)).toBe(9950);
  });
});
