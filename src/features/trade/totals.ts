/** Sums of money, exact to the last digit of what the gateway sent. */
import type { Flag } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { exactSum } from '../../output/decimal.ts';
import type { OpenPosition, Order, Summary } from './schema.ts';

export const TOTAL_FLAG = { type: 'boolean', help: 'Add a row of totals' } as const satisfies Flag;

interface TotalInput {
  readonly total: boolean;
  readonly limit?: number | undefined;
}

/** With a last row whose `key` is `total`. */
export function withTotal<Row extends { readonly isTotal?: boolean | undefined }, Key extends keyof Row & string>(
  rows: readonly Row[],
  key: Key,
  sums: readonly (keyof Row & string)[],
  { total, limit }: TotalInput,
): readonly Row[] {
  if (!total) return rows;
  checkWhole(limit);
  return [...rows, totalOf(rows, key, sums)];
}

function checkWhole(limit: number | undefined): void {
  if (limit === undefined) return;
  throw new SvcError('usage', '--total adds up all rows: it cannot be used with --limit');
}

/** A sum of which a row lacks a part is left out. Amounts are added if all are of one side of one symbol. */
export function totalOf<Row extends object, Key extends keyof Row & string>(
  rows: readonly Row[],
  key: Key,
  sums: readonly (keyof Row & string)[],
): Row {
  const [first = {}] = rows as readonly Traded[];
  const { currency, isBuy, amountK } = first;
  const isSame = (row: Traded): boolean => row.currency === currency && row.isBuy === isBuy;
  const isOneSide = isBuy !== undefined && amountK !== undefined && (rows as readonly Traded[]).every(isSame);
  const names = isOneSide ? [...sums, 'amountK'] : sums;
  const parts = names.flatMap((name) => {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[name]);
    return values.every((value) => typeof value === 'number') ? [[name, exactSum(values)]] : [];
  });
  const traded = isOneSide ? { currency, isBuy } : {};
  return { [key]: 'total', isTotal: true, ...traded, ...Object.fromEntries(parts) } as unknown as Row;
}

export interface Traded {
  readonly currency?: string | undefined;
  readonly isBuy?: boolean | undefined;
  readonly amountK?: number | undefined;
}

/** With a row of totals for each side of each symbol. */
export function withTotalsBySide(rows: readonly Order[], { total, limit }: TotalInput): readonly Order[] {
  if (!total) return rows;
  checkWhole(limit);
  const sides = new Map<string, Order[]>();
  for (const row of rows) {
    const side = `${row.currency} ${row.isBuy}`;
    sides.set(side, [...(sides.get(side) ?? []), row]);
  }
  return [...rows, ...[...sides.values()].map((side) => totalOf(side, 'orderId', []))];
}

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
