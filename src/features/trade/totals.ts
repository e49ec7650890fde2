/** Sums of money, exact to the last digit of what the gateway sent. */
import type { Flag } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { exactSum } from '../../output/decimal.ts';
import type { Order } from './schema.ts';

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
