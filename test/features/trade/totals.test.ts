/** Sums of money and amounts, against sums of whole numbers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OpenPosition } from '../../../src/features/trade/schema.ts';
import { POSITION_SUMS, summaryOf, withTotal } from '../../../src/features/trade/totals.ts';
import { exactSum, fixedText } from '../../../src/output/decimal.ts';

/** An amount as the gateway may send it, and the same in units of 10^-8, the most decimals here. */
interface Amount {
  readonly value: number;
  readonly units: bigint;
}

const amount: fc.Arbitrary<Amount> = fc
  .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: 0, max: 8 }))
  .map(([digits, decimals]) => ({
    value: Number(`${digits}e-${decimals}`),
    units: BigInt(digits) * 10n ** BigInt(8 - decimals),
  }));

/** Written by hand, digit by digit: `-12.34000000`. */
function written(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(9, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** To the cent, as in school: away from zero from half a cent on. */
function centsOf(units: bigint): string {
  const text = written((units < 0n ? -units : units) + 500_000n).slice(0, -6);
  return units < 0n && Number(text) !== 0 ? `-${text}` : text;
}

const row = fc.record({
  ...{ grossPL: amount, com: amount, roll: amount, usedMargin: amount, amountK: amount },
  ...{ isBuy: fc.boolean(), currency: fc.constantFrom('EUR/USD', 'USD/JPY') },
});
type AmountName = 'grossPL' | 'com' | 'roll' | 'usedMargin' | 'amountK';

test('the totals of 1,000 random tables equal those of integers, also as shown', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (table) => {
      const rows: OpenPosition[] = table.map(({ grossPL, com, roll, usedMargin, amountK, ...rest }, at) => ({
        ...{ ...rest, tradeId: String(at), grossPL: grossPL.value, com: com.value, roll: roll.value },
        ...{ usedMargin: usedMargin.value, amountK: amountK.value },
      }));
      const unitsOf = (name: AmountName, of = table) => of.reduce((sum, one) => sum + one[name].units, 0n);
      const total = withTotal(rows, 'tradeId', POSITION_SUMS).at(-1);
      for (const name of POSITION_SUMS) {
        expect(total?.[name]).toBe(Number(written(unitsOf(name))));
        expect(fixedText(total?.[name] ?? 0, 2)).toBe(centsOf(unitsOf(name)));
      }
      for (const { currency, grossPL, plBuy, amountKBuy, netPL } of summaryOf(rows)) {
        const own = table.filter((one) => one.currency === currency);
        const buys = own.filter(({ isBuy }) => isBuy);
        const sums = [unitsOf('grossPL', own), unitsOf('grossPL', buys), unitsOf('amountK', buys)];
        const net = unitsOf('grossPL', own) - unitsOf('com', own) + unitsOf('roll', own);
        expect([grossPL, plBuy, amountKBuy, netPL]).toEqual([...sums, net].map((units) => Number(written(units))));
      }
    }),
    { numRuns: 1000 },
  );
});

test('amounts are added up where all rows are of one side of one symbol', () => {
  const of = (tradeId: string, isBuy: boolean, amountK?: number) => ({ tradeId, currency: 'EUR/USD', isBuy, amountK });
  const totalOf = (...rows: OpenPosition[]) => withTotal(rows, 'tradeId', []).at(-1);
  expect(totalOf(of('1', true, 0.1), of('2', true, 0.2))).toEqual({
    tradeId: 'total',
    isTotal: true,
    currency: 'EUR/USD',
    isBuy: true,
    amountK: 0.3,
  });
  expect(totalOf(of('1', true, 0.1), of('2', true))).not.toHaveProperty('amountK');
  expect(totalOf(of('1', true, 0.1), of('2', false, 0.2))).not.toHaveProperty('amountK');
});

test.each([
  [1.005, 2, '1.01'],
  [-1.005, 2, '-1.01'],
  [-0.004, 2, '0.00'],
  [2.5, 0, '3'],
  [1e-7, 2, '0.00'],
  [1e21, 2, '1e+21'],
  [1.10005, 4, '1.1001'],
  [5, 2, '5.00'],
])('%d to %d decimals is %s', (value, decimals, text) => {
  expect(fixedText(value, decimals)).toBe(text);
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

test('sums both sides of each symbol, with rates weighted by amount', () => {
  const row = (fields: Partial<OpenPosition>): OpenPosition => ({ tradeId: '1', ratePrecision: 5, ...fields });
  expect(
    summaryOf(
      [
        row({ currency: 'EUR/USD', isBuy: true, amountK: 10, open: 1.1, grossPL: 0.1, com: 1, roll: 0.25 }),
        row({ currency: 'USD/JPY', isBuy: false, amountK: 5, open: 150.5, grossPL: -2, com: 0.5, ratePrecision: 3 }),
        row({ currency: 'EUR/USD', isBuy: true, amountK: 30, open: 1.2, grossPL: 0.2 }),
        row({ currency: 'EUR/USD', isBuy: false, amountK: 0.5, open: 1.3, grossPL: -3.3 }),
      ],
      { accountId: '7' },
    ),
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
