/** What a format renders: a value after `--sort`, the list's `--limit`, then `--query` or `--fields`. */
import { SvcError } from '../errors.ts';
import { isObject } from '../json-object.ts';
import { compileQuery } from './query.ts';
import {
  type Cell,
  type Column,
  collectRows,
  type Format,
  type ListOutput,
  type OutputOf,
  type OutputOptions,
  type RecordOutput,
  type Rows,
} from './types.ts';

export interface Shaped {
  readonly subject: Subject;
  /** How many rows `--limit` omitted, as far as is known without further requests. */
  readonly cut: number;
}

/** Charts are drawn elsewhere; here are their rows or value. */
export async function shape(value: unknown, output: OutputOf<unknown>, options: OutputOptions): Promise<Shaped> {
  if (output.kind === 'list') return shapeList(value as Rows<unknown>, output, options);
  if (output.kind === 'chart' && chartForm(options) === 'rows') {
    return shapeList(output.rows(value), output.list, options);
  }
  if (options.query !== undefined) return { subject: subjectOf((await compileQuery(options.query))(value)), cut: 0 };
  if (options.fields !== undefined) {
    const fields = new Fields(options.fields);
    const picked = fields.pick(value);
    fields.refuseUnknown();
    return { subject: subjectOf(picked), cut: 0 };
  }
  if (output.kind === 'text' && typeof value !== 'number') {
    return { subject: { kind: 'text', text: String(value) }, cut: 0 };
  }
  if (output.kind !== 'record') return { subject: subjectOf(value), cut: 0 };
  const line = options.columns === undefined ? output.line : undefined;
  const columns = selectColumns(output, options);
  return { subject: { kind: 'record', value, columns, id: output.id, line }, cut: 0 };
}

async function shapeList(all: Rows<unknown>, output: ListOutput<unknown>, options: OutputOptions): Promise<Shaped> {
  let rows = options.sort === undefined ? all : sortRows(await collectRows(all), options.sort, output);
  const { limit, query, fields } = options;
  let cut = 0;
  if (limit !== undefined) {
    if (Array.isArray(rows)) cut = Math.max(0, rows.length - limit);
    rows = Array.isArray(rows) ? rows.slice(0, limit) : takeFirst(rows, limit);
  }
  if (query !== undefined) return { subject: subjectOf((await compileQuery(query))(await collectRows(rows))), cut };
  if (fields !== undefined) return { subject: await project(rows, fields, options), cut };
  return { subject: { ...output, rows, columns: selectColumns(output, options), named: true }, cut };
}

/** Only NDJSON gets each row as it comes: the others print nothing if a field is unknown. */
async function project(rows: Rows<unknown>, names: readonly string[], options: OutputOptions): Promise<ListSubject> {
  const fields = new Fields(names);
  const picked = pickRows(rows, fields);
  return {
    kind: 'list',
    rows: options.format === 'ndjson' ? picked : await collectRows(picked),
    columns: names.map(keyColumn),
    named: true,
    id: idOf,
  };
}

async function* pickRows(rows: Rows<unknown>, fields: Fields): AsyncGenerator<unknown> {
  for await (const row of rows) yield fields.pick(row);
  fields.refuseUnknown();
}

/** The paths of `--fields`, and which of them occurred. */
class Fields {
  readonly #names: readonly string[];
  readonly #unseen: Set<string>;
  #sample: unknown;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#unseen = new Set(names);
  }

  /** An object keyed by the given paths; null if this value lacks one. */
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
    throw new SvcError('usage', `--fields: there is no field "${unknown}" in the response`, {
      hint: `fields: ${pathsOf(this.#sample).slice(0, 60).join(', ')}`,
    });
  }
}

async function* takeFirst(rows: Rows<unknown>, limit: number): AsyncGenerator<unknown> {
  if (limit <= 0) return;
  let count = 0;
  for await (const row of rows) {
    yield row;
    if (++count >= limit) return;
  }
}

/** `--query` applies to what json prints; `--fields` and line formats apply to rows. */
export function chartForm({ format, query, fields }: OutputOptions): 'drawing' | 'value' | 'rows' {
  if (query !== undefined) return 'value';
  if (fields !== undefined) return 'rows';
  if (format === 'table' || format === 'wide') return 'drawing';
  return format === 'json' || format === 'yaml' ? 'value' : 'rows';
}

/**
 * A key with dots is first tried as one name. A number selects an item of an array, and any other
 * name that field of every item.
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

/** The paths of a value, two levels deep: enough for a suggestion. */
function pathsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? Object.keys(inner).map((name) => `${key}.${name}`) : [key],
  );
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Numbers precede times (rank 1), which precede other text; missing values always come last. */
interface Key {
  readonly rank: 0 | 1 | 2;
  readonly amount: number;
  readonly text: string;
}

/** Numbers sort by value, times by instant, text naturally (`disk9` before `disk10`). The sort is stable. */
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
  if (column !== undefined) return (row) => keyOf(column.order?.(row) ?? column.cell(row));
  const read = (row: unknown) => keyOf(valueAt(row, name));
  if (rows.length === 0 || rows.some((row) => read(row) !== undefined)) return read;
  throw new SvcError('usage', `--sort: there is no column or field "${name}"`, {
    hint: `${columnsHint(output)}; any field of -o json also works`,
  });
}

function compareKeys(a: Key, b: Key, compareText: (a: string, b: string) => number): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  // Beyond 2^53 different integers compare equal: order and account numbers.
  const exact = a.rank !== 2 && (Number.isSafeInteger(a.amount) || !Number.isInteger(a.amount));
  return exact ? 0 : compareText(a.text, b.text);
}

function keyOf(value: unknown): Key | undefined {
  const text = keyText(value);
  if (text === '' || Number.isNaN(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || NUMBER.test(text)) {
    return { rank: 0, amount: Number(typeof value === 'boolean' ? value : text), text };
  }
  const instant = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? { rank: 2, amount: 0, text } : { rank: 1, amount: instant, text };
}

function keyText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(keyText).join(' ').trim();
  if (typeof value !== 'object') return String(value);
  if ('amount' in value && 'text' in value) return String(value.amount ?? '');
  if ('time' in value && typeof value.time === 'string') return value.time;
  if ('text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value);
}

export interface ListSubject extends Pick<ListOutput<unknown>, 'id' | 'live' | 'json'> {
  readonly kind: 'list';
  readonly rows: Rows<unknown>;
  /** None if the rows are not objects: then there is no header either. */
  readonly columns: readonly Column<unknown>[];
  /** False if the columns are numbered, not named. */
  readonly named: boolean;
}

export interface RecordSubject extends Pick<RecordOutput<unknown>, 'kind' | 'columns' | 'id'> {
  readonly value: unknown;
  readonly line?: RecordOutput<unknown>['line'] | undefined;
}

export interface TextSubject {
  readonly kind: 'text';
  readonly text: string;
}

export interface ScalarSubject {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

export type Subject = ListSubject | RecordSubject | TextSubject | ScalarSubject;

export interface Printed {
  readonly rows: number;
  /** Columns that did not fit the terminal. */
  readonly dropped?: readonly string[];
  /** Values that all rows share, which no row shows. */
  readonly shared?: readonly string[];
}

/** A value of any shape: arrays become lists, objects records, with a column per key. */
export function subjectOf(value: unknown): Subject {
  if (Array.isArray(value)) return listOf(value);
  if (isObject(value)) return { kind: 'record', value, columns: Object.keys(value).map(keyColumn), id: idOf };
  return { kind: 'scalar', value: value as ScalarSubject['value'] };
}

function listOf(rows: readonly unknown[]): ListSubject {
  if (rows.length > 0 && rows.every(isObject)) {
    const keys = new Set(rows.flatMap((row) => Object.keys(row)));
    return { kind: 'list', rows, columns: [...keys].map(keyColumn), named: true, id: idOf };
  }
  // `[].[name, state]` makes rows of values without names.
  const width = rows.reduce<number>((most, row) => Math.max(most, Array.isArray(row) ? row.length : 1), 0);
  const columns = Array.from(
    { length: width },
    (_, index): Column<unknown> => ({
      name: String(index),
      cell: (row) => plainCell((Array.isArray(row) ? row : [row])[index]),
      shrinks: true,
    }),
  );
  return { kind: 'list', rows, columns, named: false, id: idOf };
}

export function keyColumn(key: string): Column<unknown> {
  return {
    name: key,
    cell: (row) => (isObject(row) && Object.hasOwn(row, key) ? plainCell(row[key]) : undefined),
    shrinks: true,
  };
}

/** Nested values are shown as JSON. */
function plainCell(value: unknown): Cell {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(plainCell);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value as Cell;
}

/** The id of rows that are no longer the command's own. */
export function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

type Columned<Row> = ListOutput<Row> | RecordOutput<Row>;

/** Those that `--columns` names, in its order, or all; only a plain table omits the wide ones. */
export function selectColumns<Row>(output: Columned<Row>, options: OutputOptions): readonly Column<Row>[] {
  if (options.columns === undefined || !isColumnar(options.format)) {
    return options.format === 'table' ? output.columns.filter((column) => column.wide !== true) : output.columns;
  }
  return options.columns.map((name) => {
    const column = findColumn(output, name);
    if (column !== undefined) return column;
    throw new SvcError('usage', `--columns: there is no column "${name}"`, { hint: columnsHint(output) });
  });
}

/** The formats that `--columns` applies to. */
export function isColumnar(format: Format): boolean {
  return format === 'table' || format === 'wide' || format === 'csv' || format === 'tsv';
}

/** A declared column, or one of a family: `label:instance`. */
export function findColumn<Row>(output: Columned<Row>, name: string): Column<Row> | undefined {
  const declared = output.columns.find((column) => column.name === name);
  if (declared !== undefined || output.kind !== 'list' || output.families === undefined) return declared;
  const [family = '', ...argument] = name.split(':');
  return Object.hasOwn(output.families, family) && argument.join(':') !== ''
    ? output.families[family]?.(argument.join(':'))
    : undefined;
}

export function columnsHint(output: Columned<never>): string {
  const families = output.kind === 'list' ? Object.keys(output.families ?? {}) : [];
  const names = [...output.columns.map(({ name }) => name), ...families.map((family) => `${family}:<name>`)];
  return `columns: ${names.join(', ')}`;
}
