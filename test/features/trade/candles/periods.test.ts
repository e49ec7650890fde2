import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPeriod, PERIODS } from '../../../../src/features/trade/candles/plan.ts';

it('are the thirteen of the document, with its limits', () => {
  expect(PERIODS.map(({ name, maxDaysBack, maxCandles }) => [name, maxDaysBack, maxCandles])).toEqual([
    ['m1', 16, 10_000],
    ['m5', 56, 10_000],
    ['m15', 212, 10_000],
    ['m30', 316, 10_000],
    ['H1', 624, 10_000],
    ['H2', 1224, 10_000],
    ['H3', 2056, 10_000],
    ['H4', 2664, 10_000],
    ['H6', 3632, 10_000],
    ['H8', 5128, 10_000],
    ['D1', undefined, undefined],
    ['W1', undefined, undefined],
    ['M1', undefined, undefined],
  ]);
});

describe('findPeriod', () => {
  it('distinguishes a minute from a month, and accepts hours, days and weeks in either case', () => {
    expect(findPeriod('m1').ms).toBe(60_000);
    expect(findPeriod('M1').ms).toBe(30 * 86_400_000);
    for (const [text, name] of [
      ['h1', 'H1'],
      ['h8', 'H8'],
      ['d1', 'D1'],
      ['w1', 'W1'],
    ] as const) {
      expect(findPeriod(text).name).toBe(name);
    }
  });

  it.each(['M5', 'M15', 'M30', '1m', 'h5', 'H', '', 'm1 ', 'constructor'])('refuses %s', (text) => {
    expect(() => findPeriod(text)).toThrow(
      expect.objectContaining({ code: 'invalid_value', hint: expect.stringContaining('m1 is a minute, M1 a month') }),
    );
  });

  it('finds only periods by their exact name', () => {
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
