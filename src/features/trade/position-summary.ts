/** Open positions summed up by symbol, and what is summed up of each table. */
import { exactSum } from '../../output/decimal.ts';
import type { OpenPosition, Summary } from './schema.ts';

/** Amounts of different symbols cannot be added. */
export const CLOSED_SUMS = ['grossPL', 'com', 'roll'] as const;
export const POSITION_SUMS = [...CLOSED_SUMS, 'usedMargin'] as const;
export const SUMMARY_SUMS = ['plSell', 'plBuy', 'grossPL', 'netPL'] as const;
export const ACCOUNT_SUMS = ['balance', 'equity', 'usableMargin', 'grossPL', 'dayPL'] as const;

/** One row for each symbol. `fields` are those that all rows have. */
export function summaryOf(positions: readonly OpenPosition[], fields: Partial<Summary> = {}): readonly Summary[] {
  const symbols = new Set(positions.map(({ currency = '' }) => currency));
  return [...symbols].map((currency) => {
    const rows = positions.filter((row) => (row.currency ?? '') === currency);
    const [buys, sells] = [rows.filter(({ isBuy }) => isBuy === true), rows.filter(({ isBuy }) => isBuy === false)];
    const precision = rows[0]?.ratePrecision;
    return {
      ...fields,
      currency,
      ...(precision === undefined ? {} : { ratePrecision: precision }),
      amountKSell: total(sells, 'amountK'),
      amountKBuy: total(buys, 'amountK'),
      amountK: exactSum([total(buys, 'amountK'), -total(sells, 'amountK')]),
      avgSell: average(sells, precision),
      avgBuy: average(buys, precision),
      plSell: total(sells, 'grossPL'),
      plBuy: total(buys, 'grossPL'),
      grossPL: total(rows, 'grossPL'),
      netPL: exactSum(rows.flatMap(({ grossPL = 0, com = 0, roll = 0 }) => [grossPL, -com, roll])),
    };
  });
}

function total(rows: readonly OpenPosition[], name: 'amountK' | 'grossPL'): number {
  return exactSum(rows.map((row) => row[name] ?? 0));
}

/** Average open rate weighted by amount; 0 if there is none. */
function average(rows: readonly OpenPosition[], precision = 5): number {
  const amount = total(rows, 'amountK');
  const weighed = rows.reduce((sum, { amountK = 0, open = 0 }) => sum + amountK * open, 0);
  return amount === 0 ? 0 : Number((weighed / amount).toFixed(precision));
}
