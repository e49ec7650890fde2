/** `--sort [-]key`: by a column, or by a dotted path into the rows. */
import { SvcError } from '../errors.ts';
import { columnNames, findColumn } from './columns.ts';
import { valueAt } from './field-path.ts';
import type { Cell, ListOutput } from './types.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Numbers stand before times, times before other text, what is missing last in either direction. */
type Key =
  | { readonly rank: 0 | 1; readonly amount: number; readonly text: string }
  | { readonly rank: 2; readonly text: string };

/**
 * The rows in a new array, sorted by the first key, then the second, and so on. Numbers go by amount, times by instant, other text
 * naturally (`disk9` before `disk10`); equal rows keep their order.
 */
export function sortRows(
  rows: readonly unknown[],
  sorts: readonly string[],
  output: ListOutput<unknown>,
): readonly unknown[] {
  const directions = sorts.map((sort) => (sort.startsWith('-') ? -1 : 1));
  const readers = sorts.map((sort) => keyReader(sort.replace(/^-/, ''), rows, output));
  const keyed = rows.map((row) => ({ row, keys: readers.map((read) => read(row)) }));
  const compareText = new Intl.Collator('en', { numeric: true }).compare;
  keyed.sort((a, b) => {
    for (const [index, direction] of directions.entries()) {
      const [left, right] = [a.keys[index], b.keys[index]];
      const order =
        left === undefined || right === undefined
          ? Number(left === undefined) - Number(right === undefined)
          : direction * compareKeys(left, right, compareText);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function keyReader(
  name: string,
  rows: readonly unknown[],
  output: ListOutput<unknown>,
): (row: unknown) => Key | undefined {
  const column = findColumn(output, name);
  if (column !== undefined) return (row) => keyOf(column.cell(row));
  const read = (row: unknown) => keyOf(valueAt(row, name));
  if (rows.length === 0 || rows.some((row) => read(row) !== undefined)) return read;
  throw new SvcError('usage', `--sort: there is no column or field "${name}"`, {
    hint: `columns: ${columnNames(output).join(', ')}; any field of -o json can be named, too`,
  });
}

function compareKeys(a: Key, b: Key, compareText: (a: string, b: string) => number): number {
  if (a.rank === 2 || b.rank === 2 || a.rank !== b.rank) {
    return a.rank === b.rank ? compareText(a.text, b.text) : a.rank - b.rank;
  }
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  // Beyond 2^53 different whole numbers look equal: order and account numbers.
  return Number.isSafeInteger(a.amount) || !Number.isInteger(a.amount) ? 0 : compareText(a.text, b.text);
}

function keyOf(value: unknown): Key | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Number.isNaN(Number(value)) ? undefined : { rank: 0, amount: Number(value), text: String(value) };
  }
  const text = keyText(value);
  if (text === '') return undefined;
  if (NUMBER.test(text)) return { rank: 0, amount: Number(text), text };
  if (TIME.test(text)) {
    const instant = Date.parse(text);
    if (!Number.isNaN(instant)) return { rank: 1, amount: instant, text };
  }
  return { rank: 2, text };
}

function keyText(value: Cell | unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(keyText).join(' ').trim();
  if (typeof value !== 'object') return String(value);
  if ('spark' in value && Array.isArray(value.spark)) return String(value.spark.at(-1) ?? '');
  if ('amount' in value && 'text' in value) return String(value.amount ?? '');
  if ('time' in value && typeof value.time === 'string') return value.time;
  if ('text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value);
}
