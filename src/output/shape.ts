/** What happens to the value before a format sees it: `--sort`, the list's `--limit`, then `--query` or `--fields`. */
import { SvcError } from '../errors.ts';
import { isObject } from '../json-object.ts';
import {
  columnNames,
  findColumn,
  idOf,
  keyColumn,
  type ListSubject,
  type Subject,
  selectColumns,
  subjectOf,
} from './subject.ts';
import type { AnyOutput, Cell, ListOutput, OutputOptions, RecordOutput, Rows, TextOutput } from './types.ts';

export interface Shaped {
  readonly subject: Subject;
  /** How many rows `--limit` left out, as far as is known without asking for more. */
  readonly cut: number;
}

/** A chart is drawn elsewhere: here are its rows, or its value. */
export async function shape(value: unknown, output: AnyOutput, options: OutputOptions): Promise<Shaped> {
  if (output.kind === 'chart') {
    if (chartForm(options) === 'rows') return shape(output.rows(value), output.list, options);
    return { subject: await one(value, { kind: 'record', columns: [], id: idOf }, options), cut: 0 };
  }
  if (output.kind !== 'list') return { subject: await one(value, output, options), cut: 0 };
  let rows = value as Rows<unknown>;
  if (options.sort !== undefined) {
    rows = sortRows(await collect(rows), options.sort, output);
  }
  let cut = 0;
  if (options.limit !== undefined) {
    if (Array.isArray(rows)) cut = Math.max(0, rows.length - options.limit);
    rows = Array.isArray(rows) ? rows.slice(0, options.limit) : first(rows, options.limit);
  }
  if (options.query !== undefined) {
    const { compileQuery } = await import('./query.ts');
    const query = await compileQuery(options.query);
    return { subject: subjectOf(query(await collect(rows))), cut };
  }
  if (options.fields !== undefined) return { subject: await project(rows, options.fields, options), cut };
  return {
    subject: {
      kind: 'list',
      rows,
      columns: selectColumns(output, options),
      named: true,
      id: output.id,
      live: output.live,
      linesPerSecond: output.linesPerSecond,
      json: output.json,
    },
    cut,
  };
}

async function one(value: unknown, output: RecordOutput<unknown> | TextOutput, options: OutputOptions) {
  if (options.query !== undefined) {
    const { compileQuery } = await import('./query.ts');
    return subjectOf((await compileQuery(options.query))(value));
  }
  if (options.fields !== undefined) {
    const fields = new Fields(options.fields);
    const picked = fields.pick(value);
    fields.refuseUnknown();
    return subjectOf(picked);
  }
  if (output.kind === 'text') {
    return typeof value === 'number' ? subjectOf(value) : ({ kind: 'text', text: String(value) } as const);
  }
  const columns = selectColumns(output, options);
  const line = options.columns === undefined ? output.line : undefined;
  return { kind: 'record', value, columns, id: output.id, line } as const;
}

/** NDJSON gets each row as it comes; the others wait for the last, so that nothing is written where a field is unknown. */
async function project(rows: Rows<unknown>, names: readonly string[], options: OutputOptions): Promise<ListSubject> {
  const fields = new Fields(names);
  const picked = picking(rows, fields);
  return {
    kind: 'list',
    rows: options.format === 'ndjson' ? picked : await collect(picked),
    columns: names.map(keyColumn),
    named: true,
    id: idOf,
  };
}

async function* picking(rows: Rows<unknown>, fields: Fields): AsyncGenerator<unknown> {
  for await (const row of rows) yield fields.pick(row);
  fields.refuseUnknown();
}

/** The paths of `--fields`, and which of them were seen. */
class Fields {
  readonly #names: readonly string[];
  readonly #unseen: Set<string>;
  #sample: unknown;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#unseen = new Set(names);
  }

  /** An object keyed by the paths as they were given; null where this value lacks one. */
  pick(value: unknown): Readonly<Record<string, unknown>> {
    this.#sample ??= value;
    return Object.fromEntries(
      this.#names.map((name) => {
        const found = valueAt(value, name);
        if (found !== undefined) this.#unseen.delete(name);
        return [name, found ?? null];
      }),
    );
  }

  /** An empty list has every field. */
  refuseUnknown(): void {
    const [unknown] = this.#unseen;
    if (this.#sample === undefined || unknown === undefined) return;
    throw new SvcError('usage', `--fields: there is no field "${unknown}" in the answer`, {
      hint: `fields: ${pathsOf(this.#sample).slice(0, 60).join(', ')}`,
    });
  }
}

async function* first(rows: Rows<unknown>, limit: number): AsyncGenerator<unknown> {
  if (limit <= 0) return;
  let count = 0;
  for await (const row of rows) {
    yield row;
    if (++count >= limit) return;
  }
}

async function collect(rows: Rows<unknown>): Promise<readonly unknown[]> {
  if (Array.isArray(rows)) return rows;
  const all: unknown[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** `--query` is asked of what json prints; whoever names fields or takes lines wants the rows. */
export function chartForm({ format, query, fields }: OutputOptions): 'drawing' | 'value' | 'rows' {
  if (query !== undefined) return 'value';
  if (fields !== undefined) return 'rows';
  if (format === 'table' || format === 'wide') return 'drawing';
  return format === 'json' || format === 'yaml' ? 'value' : 'rows';
}

/**
 * The value at `path`. A key that has dots itself is found first by its whole name; from an array a number takes one item, any
 * other name that field of every item.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value) && !/^\d+(\.|$)/.test(path)) {
    const found = value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
    return found.length === 0 ? undefined : found;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    if (!Object.hasOwn(value, head)) continue;
    const found = valueAt((value as Record<string, unknown>)[head], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths that a value offers, two levels deep: enough to find the one that was meant. */
function pathsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? Object.keys(inner).map((name) => `${key}.${name}`) : [key],
  );
}

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
function sortRows(rows: readonly unknown[], sorts: readonly string[], output: ListOutput<unknown>): readonly unknown[] {
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
