import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Coverage, findGap } from '../../../../src/features/trade/candles/gaps.ts';
import { findPeriod, NO_PROGRESS, timeText } from '../../../../src/features/trade/candles/plan.ts';
import type { Candle } from '../../../../src/features/trade/schema.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const candle = (time: number, ticks = 1): Candle => [time, 1.1, 1.3, 1.4, 1.0, 1.2, 1.4, 1.5, 1.1, ticks];

describe('gaps between candles', () => {
  const between = (period: string, earlier: string, later: string) => {
    const gap = findGap(findPeriod(period), at(earlier), at(later));
    return gap === undefined ? undefined : `${timeText(gap.from)} ${gap.candles}`;
  };

  /** For each of these, `period earlier later`, what is missing between the two candles. */
  const gapsOf = (pairs: readonly string[]) =>
    Object.fromEntries(
      pairs.map((pair) => {
        const [period = '', earlier = '', later = ''] = pair.split(' ');
        return [pair, between(period, `${earlier}Z`, `${later}Z`)];
      }),
    );

  it('are not reported over a weekend, whatever the period and the clocks', () => {
    const pairs = [
      'm1 2026-01-09T21:59 2026-01-11T22:00',
      'm1 2026-07-10T20:59 2026-07-12T21:00',
      // New York alone changes its clocks, forward and back.
      'm1 2026-03-06T21:59 2026-03-08T21:00',
      'm1 2026-10-30T20:59 2026-11-01T22:00',
      // It ends a quarter of an hour late.
      'm1 2026-01-09T21:54 2026-01-11T22:15',
      'm5 2026-03-06T21:55 2026-03-08T21:00',
      'm30 2026-03-06T21:30 2026-03-08T21:00',
      'H1 2026-10-30T20:00 2026-11-01T22:00',
      'H2 2026-10-30T19:00 2026-11-01T22:00',
      'H3 2026-03-06T19:00 2026-03-08T21:00',
      'H4 2026-03-06T18:00 2026-03-08T21:00',
      'H6 2026-03-06T16:00 2026-03-08T21:00',
      'H8 2026-10-30T13:00 2026-11-01T22:00',
      'D1 2026-03-06T22:00 2026-03-09T21:00',
      'D1 2026-10-30T21:00 2026-11-02T22:00',
      'D1 2026-10-30T21:00 2026-11-01T22:00',
      'W1 2026-10-24T21:00 2026-10-31T21:00',
      'W1 2026-10-30T21:00 2026-11-06T22:00',
      'M1 2026-01-31T22:00 2026-02-28T22:00',
      'M1 2026-02-28T22:00 2026-03-31T21:00',
    ];
    expect(gapsOf(pairs)).toEqual(Object.fromEntries(pairs.map((pair) => [pair, undefined])));
  });

  it('are reported with their first candle and their length', () => {
    const GAPS = {
      'm1 2026-01-07T10:00 2026-01-07T10:04': '2026-01-07T10:01:00Z 3',
      'm1 2026-01-09T21:50 2026-01-11T22:00': '2026-01-09T21:51:00Z 4',
      'm1 2026-01-09T21:59 2026-01-11T22:20': '2026-01-11T22:15:00Z 5',
      // A week less the weekend: from Sunday 17:15 to Friday 16:55.
      'm1 2026-01-09T21:54 2026-01-18T22:00': '2026-01-11T22:15:00Z 7180',
      'H1 2026-10-30T20:00 2026-11-01T23:00': '2026-11-01T22:00:00Z 1',
      'H4 2026-01-06T02:00 2026-01-06T14:00': '2026-01-06T06:00:00Z 2',
      'H4 2026-03-06T18:00 2026-03-09T01:00': '2026-03-08T18:00:00Z 1',
      'D1 2026-01-06T22:00 2026-01-08T22:00': '2026-01-07T22:00:00Z 1',
      'D1 2026-03-05T22:00 2026-03-09T21:00': '2026-03-06T22:00:00Z 1',
      'W1 2026-10-24T21:00 2026-11-07T22:00': '2026-10-31T21:00:00Z 1',
      'M1 2026-01-31T22:00 2026-03-31T21:00': '2026-03-02T22:00:00Z 1',
    };
    expect(gapsOf(Object.keys(GAPS))).toEqual(GAPS);
  });

  it('are found wherever a download is resumed', async () => {
    const start = at('2026-01-07T10:00:00Z');
    const times = [0, 1, 2, 5, 6, 9].map((minute) => candle(start + minute * 60));
    const range = { from: start, to: start + 600, now: start * 1000 + 900_000 };
    const request = { ...range, period: findPeriod('m1'), last: 100, includePartial: false };
    const source = { symbol: 'EUR/USD', isForex: true };
    const ctx = { notice: () => {} };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: times.length }), async (cut) => {
        const first = new Coverage(request, source, NO_PROGRESS);
        async function* older() {
          yield { through: start + 300, candles: times.slice(0, cut) };
        }
        async function* newer() {
          yield { through: start + 599, candles: times.slice(cut) };
        }
        for await (const _batch of first.follow(older(), ctx));
        const second = new Coverage(request, source, first.progress);
        for await (const _batch of second.follow(newer(), ctx));
        expect([first.isPartial, second.isPartial]).toEqual([true, false]);
        expect(second.gaps.map(({ candles }) => candles)).toEqual([2, 2]);
        expect(second).toMatchObject({ missing: 4, progress: { candles: 6 } });
      }),
    );
  });

  it('equal those of a check of each minute of the week', () => {
    // Open for sure from Sunday 17:15 to Friday 16:55 in New York, in winter five hours behind.
    const isOpen = (time: number): boolean => {
      const minute = ((time - at('2026-01-04T05:00:00Z')) / 60) % (7 * 1440);
      return minute >= 17 * 60 + 15 && minute < 5 * 1440 + 16 * 60 + 55;
    };
    const base = at('2026-01-05T00:00:00Z');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_160 }), fc.integer({ min: 1, max: 12_000 }), (start, length) => {
        const [from, to] = [base + start * 60, base + (start + length) * 60];
        let missing = 0;
        for (let time = from + 60; time < to; time += 60) missing += Number(isOpen(time));
        expect(findGap(findPeriod('m1'), from, to)?.candles ?? 0).toBe(missing);
      }),
      { numRuns: 50 },
    );
  });
});
