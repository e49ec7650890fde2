import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findPeriod,
  isFinished,
  PERIODS,
  type Period,
  planWindows,
} from '../../../../src/features/trade/candles/plan.ts';

/** The longest range of a request in days, by doc 3 §8. */
const DAYS: Readonly<Record<string, number | undefined>> = {
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
  D1: undefined,
  W1: undefined,
  M1: undefined,
};

describe('a period', () => {
  it('is one of the thirteen of the document, with its limit', () => {
    expect(PERIODS.map(({ name, maxDaysBack }) => [name, maxDaysBack])).toEqual(Object.entries(DAYS));
  });

  it('of hours, days or weeks may be written in either case, but a minute is not a month', () => {
    expect(findPeriod('m1').ms).toBe(60_000);
    expect(findPeriod('M1').ms).toBe(30 * 86_400_000);
    expect(['h1', 'h8', 'd1', 'w1'].map((text) => findPeriod(text).name)).toEqual(['H1', 'H8', 'D1', 'W1']);
  });

  it('is refused if there is none of that name', () => {
    for (const text of ['M5', 'M15', 'M30', '1m', 'h5', 'H', '', 'm1 ', 'constructor']) {
      expect(() => findPeriod(text), text).toThrow(
        expect.objectContaining({ code: 'invalid_value', hint: expect.stringContaining('m1 is a minute, M1 a month') }),
      );
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 4 }), (text) => {
        try {
          expect(findPeriod(text).name.toLowerCase()).toBe(text.toLowerCase());
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_value' });
        }
      }),
    );
  });
});

it('a candle is finished once its period is over; days and longer are named by their end', () => {
  const FINISHED = {
    'm1 2026-01-05T10:00:00Z 2026-01-05T10:00:59Z': false,
    'm1 2026-01-05T10:00:00Z 2026-01-05T10:01:00Z': true,
    'H4 2026-01-05T10:00:00Z 2026-01-05T13:59:59Z': false,
    'D1 2026-01-06T22:00:00Z 2026-01-06T21:59:59Z': false,
    'D1 2026-01-06T22:00:00Z 2026-01-06T22:00:00Z': true,
    'W1 2026-01-02T22:00:00Z 2026-01-09T21:59:59Z': false,
    'W1 2026-01-02T22:00:00Z 2026-01-09T22:00:00Z': true,
    'M1 2026-01-31T22:00:00Z 2026-02-28T23:00:00Z': false,
    'M1 2026-01-31T22:00:00Z 2026-03-03T22:00:00Z': true,
  };
  const found = Object.keys(FINISHED).map((candle) => {
    const [period = '', time = '', now = ''] = candle.split(' ');
    return [candle, isFinished(Date.parse(time) / 1000, findPeriod(period), Date.parse(now))];
  });
  expect(Object.fromEntries(found)).toEqual(FINISHED);
});

const SECOND = fc.integer({ min: 0, max: 2_000_000_000 });
const PERIOD = fc.constantFrom(...PERIODS);

const forward = (from: number, to: number, period: Period) => [...planWindows({ from, to: to + 1, last: 100, period })];
const back = (to: number, last: number, period: Period) => planWindows({ from: undefined, to: to + 1, last, period });

describe('the requests for a range', () => {
  it('cover it exactly, each within both limits', () => {
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

  it('are 53 for a year of minutes, and three for decades of days', () => {
    const [from, to] = [Date.UTC(2025, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000 - 1];
    expect(forward(from, to, findPeriod('m1'))).toHaveLength(53);
    expect(forward(0, to, findPeriod('D1'))).toHaveLength(3);
  });

  it('go on after what has been read', () => {
    const range = { from: 600, to: 3_000_000, last: 100, period: findPeriod('m1') };
    const [first, ...others] = planWindows(range);
    expect([...planWindows(range, first?.to)]).toEqual(others);
    expect([...planWindows(range, range.to - 1)]).toEqual([]);
  });
});

describe('the requests for the newest candles', () => {
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

  it('begin with a range that has a weekend to spare, and never ask for more than one response may have', () => {
    const first = (count: number): number => {
      const [window] = back(Date.UTC(2026, 10, 18, 12) / 1000, count, findPeriod('m1'));
      return window === undefined ? 0 : Math.round((window.to - window.from) / 60);
    };
    expect(first(100)).toBe(153);
    expect(first(1_000_000)).toBe(9950);
  });
});
