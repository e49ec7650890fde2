/** Sums of money, exact to the last digit of what the gateway sent. */
import { exactSum } from '../../output/decimal.ts';
import type { OpenPosition, Summary } from './schema.ts';

/**
 * With a last row whose `key` is `total`. A sum of which a row lacks a part is left out. Amounts are added if all are of one side of
 * one symbol.
 */
export function withTotal<Row extends object>(
  rows: readonly Row[],
  key: string,
  sums: readonly string[],
): readonly Row[] {
  if (rows.length === 0) return rows;
  const [first = {}] = rows as readonly Traded[];
  const { currency, isBuy, amountK } = first;
  const isSame = (row: Traded): boolean => row.currency === currency && row.isBuy === isBuy;
  const isOneSide = isBuy !== undefined && amountK !== undefined && (rows as readonly Traded[]).every(isSame);
  const total: Record<string, unknown> = { [key]: 'total', isTotal: true, ...(isOneSide ? { currency, isBuy } : {}) };
  for (const name of isOneSide ? [...sums, 'amountK'] : sums) {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[name]);
    if (values.every((value) => typeof value === 'number')) total[name] = exactSum(values);
  }
  return [...rows, total as Row];
}

export interface Traded {
  readonly currency?: string | undefined;
  readonly isBuy?: boolean | undefined;
  readonly amountK?: number | undefined;
}

/** Amounts of different symbols cannot be added. */
export const POSITION_SUMS = ['grossPL', 'com', 'roll', 'usedMargin'] as const;
export const SUMMARY_SUMS = ['plSell', 'plBuy', 'grossPL', 'netPL'] as const;

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
