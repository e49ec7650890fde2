/** Sums of open positions, against sums in whole cents. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summaryOf } from '../../../src/features/trade/commands/positions-list.ts';
import type { OpenPosition } from '../../../src/features/trade/schema.ts';
import { exactSum } from '../../../src/features/trade/totals.ts';

const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });

test('a sum of cents is the decimal that whole cents make', () => {
  fc.assert(
    fc.property(fc.array(cents), (amounts) => {
      const sum = amounts.reduce((all, amount) => all + amount, 0);
      expect(exactSum(amounts.map((amount) => amount / 100))).toBe(sum / 100 + 0);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [[0.1, 0.2], 0.3],
  [[-1.23, -0.34], -1.57],
  [[1e-7, 2e-7], 3e-7],
  [[1e300, 1], 1e300],
  [[5], 5],
  [[], 0],
])('%j make %d', (values, sum) => {
  expect(exactSum(values)).toBe(sum);
});

test('both sides of each symbol are summed up, and the rates weighed by amount', () => {
  const row = (fields: Partial<OpenPosition>): OpenPosition => ({ tradeId: '1', ratePrecision: 5, ...fields });
  expect(
    summaryOf('7', [
      row({ currency: 'EUR/USD', isBuy: true, amountK: 10, open: 1.1, grossPL: 0.1, com: 1, roll: 0.25 }),
      row({ currency: 'USD/JPY', isBuy: false, amountK: 5, open: 150.5, grossPL: -2, com: 0.5, ratePrecision: 3 }),
      row({ currency: 'EUR/USD', isBuy: true, amountK: 30, open: 1.2, grossPL: 0.2 }),
      row({ currency: 'EUR/USD', isBuy: false, amountK: 0.5, open: 1.3, grossPL: -3.3 }),
    ]),
  ).toEqual([
    {
      accountId: '7',
      currency: 'EUR/USD',
      ratePrecision: 5,
      amountKBuy: 40,
      amountKSell: 0.5,
      amountK: 39.5,
      avgBuy: 1.175,
      avgSell: 1.3,
      plBuy: 0.3,
      plSell: -3.3,
      grossPL: -3,
      netPL: -3.75,
    },
    {
      accountId: '7',
      currency: 'USD/JPY',
      ratePrecision: 3,
      amountKBuy: 0,
      amountKSell: 5,
      amountK: -5,
      avgBuy: 0,
      avgSell: 150.5,
      plBuy: 0,
      plSell: -2,
      grossPL: -2,
      netPL: -2.5,
    },
  ]);
});
