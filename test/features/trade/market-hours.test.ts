import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClosedThroughout, marketDayStart, marketHours } from '../../../src/features/trade/market-hours.ts';

const isoOf = (ms: number): string => new Date(ms).toISOString();

describe('the hours of forex, doc 3 §1', () => {
  it('change on the days on which the clocks of New York change', () => {
    const HOURS: Readonly<Record<string, readonly [state: string, opens: string, closes: string]>> = {
      // 2026-03-08 02:00: New York's clocks go forward, three weeks before Europe's.
      '2026-03-06T21:54:59Z': ['open', '2026-03-08T21:00:00.000Z', '2026-03-06T21:55:00.000Z'],
      '2026-03-06T21:55:00Z': ['closed', '2026-03-08T21:00:00.000Z', '2026-03-13T20:55:00.000Z'],
      '2026-03-08T20:59:59Z': ['closed', '2026-03-08T21:00:00.000Z', '2026-03-13T20:55:00.000Z'],
      '2026-03-08T21:00:00Z': ['opening', '2026-03-08T21:15:00.000Z', '2026-03-13T20:55:00.000Z'],
      '2026-03-08T21:15:00Z': ['open', '2026-03-15T21:00:00.000Z', '2026-03-13T20:55:00.000Z'],
      // 2026-11-01 02:00: they go back, a week after Europe's.
      '2026-10-30T20:55:00Z': ['closed', '2026-11-01T22:00:00.000Z', '2026-11-06T21:55:00.000Z'],
      '2026-11-01T21:30:00Z': ['closed', '2026-11-01T22:00:00.000Z', '2026-11-06T21:55:00.000Z'],
      '2026-11-01T22:14:59Z': ['opening', '2026-11-01T22:15:00.000Z', '2026-11-06T21:55:00.000Z'],
      // The last hour of a Sunday, a week before each change.
      '2040-03-05T04:00:00Z': ['open', '2040-03-11T21:00:00.000Z', '2040-03-09T21:55:00.000Z'],
      '2026-10-26T03:30:00Z': ['open', '2026-11-01T22:00:00.000Z', '2026-10-30T20:55:00.000Z'],
      '2026-07-01T12:00:00Z': ['open', '2026-07-05T21:00:00.000Z', '2026-07-03T20:55:00.000Z'],
      '2026-01-03T12:00:00Z': ['closed', '2026-01-04T22:00:00.000Z', '2026-01-09T21:55:00.000Z'],
    };
    const found = Object.keys(HOURS).map((time) => {
      const { state, opensAt, closesAt } = marketHours(Date.parse(time));
      return [time, [state, isoOf(opensAt), isoOf(closesAt)]];
    });
    expect(Object.fromEntries(found)).toEqual(HOURS);
  });

  it('open and close again within nine days', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2060, 0) }), (now) => {
        const { opensAt, closesAt } = marketHours(now);
        for (const next of [opensAt, closesAt]) {
          expect(next).toBeGreaterThan(now);
          expect(next - now).toBeLessThan(9 * 86_400_000);
        }
        expect(marketHours(closesAt - 1).state).toBe('open');
        expect(marketHours(closesAt).state).toBe('closed');
        expect(marketHours(opensAt).state).not.toBe('closed');
      }),
    );
  });

  it('tell a weekend from a gap', () => {
    const friday = Date.parse('2026-07-03T20:55:00Z');
    const sunday = Date.parse('2026-07-05T21:00:00Z');
    expect(isClosedThroughout(friday, sunday)).toBe(true);
    expect(isClosedThroughout(friday - 1, sunday)).toBe(false);
    expect(isClosedThroughout(friday, sunday + 1)).toBe(false);
  });
});

it('the trading day begins at 17:00 in New York', () => {
  const STARTS = {
    '2026-01-14T21:59:59.999Z': '2026-01-13T22:00:00.000Z',
    '2026-01-14T22:00:00.000Z': '2026-01-14T22:00:00.000Z',
    '2026-07-01T20:59:00.500Z': '2026-06-30T21:00:00.000Z',
    // New York's clocks go forward and back.
    '2026-03-08T20:59:00.000Z': '2026-03-07T22:00:00.000Z',
    '2026-11-01T21:30:00.000Z': '2026-10-31T21:00:00.000Z',
  };
  const found = Object.keys(STARTS).map((now) => [now, isoOf(marketDayStart(Date.parse(now)))]);
  expect(Object.fromEntries(found)).toEqual(STARTS);
});
