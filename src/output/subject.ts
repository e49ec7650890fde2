/** What a format renders: a value after `--query` and `--fields`, with the columns of its rows. */
import { SvcError } from '../errors.ts';
import { isObject } from '../json-object.ts';
import type { Cell, Column, Format, ListOutput, OutputOptions, RecordOutput, Rows } from './types.ts';

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
