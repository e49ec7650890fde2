/** Sums of money, exact to the last digit of what the gateway sent. */
import type { Flag } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';

export const TOTAL_FLAG = { type: 'boolean', help: 'Add a row of totals' } as const satisfies Flag;

interface TotalInput {
  readonly total: boolean;
  readonly limit?: number | undefined;
}

/** With a last row whose `key` is `total`. A sum of which a row lacks a part is left out. */
export function withTotal<Row extends { readonly isTotal?: boolean | undefined }, Key extends keyof Row & string>(
  rows: readonly Row[],
  key: Key,
  sums: readonly (keyof Row & string)[],
  { total, limit }: TotalInput,
): readonly Row[] {
  if (!total) return rows;
  if (limit !== undefined) {
    throw new SvcError('usage', '--total adds up all rows: it cannot be used with --limit');
  }
  const parts = sums.flatMap((name) => {
    const values = rows.map((row) => row[name]);
    return values.every((value) => typeof value === 'number') ? [[name, exactSum(values)]] : [];
  });
  return [...rows, { [key]: 'total', isTotal: true, ...Object.fromEntries(parts) } as unknown as Row];
}

/** `toFixed` writes no digits beyond this. */
const LARGEST = 1e21;

/** The exact decimal sum: 0.1 and 0.2 make 0.3. */
export function exactSum(values: readonly number[]): number {
  if (values.some((value) => Math.abs(value) >= LARGEST)) return values.reduce((sum, value) => sum + value, 0);
  const digits = Math.max(0, ...values.map((value) => decimals(value)));
  const sum = values.reduce((all, value) => all + BigInt(value.toFixed(digits).replace('.', '')), 0n);
  return Number(`${sum}e-${digits}`);
}

/** The number of decimals: 7 for 1e-7. */
function decimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(100, Math.max(0, fraction.length - Number(exponent)));
}
