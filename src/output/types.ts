/** What a command says about its value so that every rendering can be made of it. */

export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];

/** How a column's text is to be taken, never a colour: `output/color.ts` maps it. */
export type Tone = 'bad' | 'warn' | 'good' | 'dim' | 'strong';

/**
 * One table cell. `time` is an RFC 3339 text, shown relative on a terminal and as it is elsewhere. An array is several
 * values: one line each in a record, joined by a blank in a row.
 */
export type Cell =
  | string
  | number
  | boolean
  | null
  | undefined
  | { readonly text: string; readonly tone: Tone }
  | { readonly time: string; readonly tone?: Tone }
  | readonly Cell[];

export interface Column<Row> {
  /** Lower case, kebab-case; the header is its upper-case form. */
  readonly name: string;
  readonly cell: (row: Row) => Cell;
  /** Shown only by `-o wide` (and csv and tsv, which have everything). */
  readonly wide?: true;
  /** May be shortened to fit a terminal; all others keep their width. */
  readonly flex?: true;
  /** Several values a cell: those that all rows have are told once beside a plain table, and left out of its rows. */
  readonly shared?: true;
  readonly align?: 'right';
}

/** A column named by the user that is not among the declared ones: `label:instance`. */
export type ColumnFamily<Row> = (argument: string) => Column<Row>;

export interface ListOutput<Row> {
  readonly kind: 'list';
  readonly columns: readonly Column<Row>[];
  /** `--columns label:instance` → `families.label('instance')`. */
  readonly families?: Readonly<Record<string, ColumnFamily<Row>>>;
  /** `-q` and `-o id`; a row without one prints nothing there. */
  readonly id: (row: Row) => string | undefined;
  /** What a table says instead of a bare header when there are no rows, on stderr. */
  readonly empty?: string;
  /** For rows that come over time: a table prints each at once as a line of these cells, and nothing where there are none. */
  readonly live?: (row: Row) => readonly Cell[];
  /** On a terminal no more of such lines are printed in a second: the others are counted. */
  readonly linesPerSecond?: number;
}

export interface RecordOutput<Value> {
  readonly kind: 'record';
  /** Printed as `NAME  value` lines; one whose cell is undefined or an empty list is left out. */
  readonly columns: readonly Column<Value>[];
  readonly id: (value: Value) => string | undefined;
  /** One line that says it all, printed in a table instead of the columns unless `--columns` names some. */
  readonly line?: (value: Value) => Cell;
}

/** Text that is itself the data (a path, a script, a token), or a bare number: printed as it is, a JSON value in json. */
export interface TextOutput {
  readonly kind: 'text';
}

export interface Change<Row> {
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Row;
}

/** What one look at the rows showed. */
export interface Glance<Row> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rows: readonly Row[];
  /** Since the look before; the first look has every row as `added`. */
  readonly changes: readonly Change<Row>[];
  /** Why nothing was seen: the rows are those of the look before. */
  readonly trouble?: string;
}

/** Rows that are looked at again and again: a table drawn anew on a terminal, else one line of JSON for each change. */
export interface WatchOutput<Row> {
  readonly kind: 'watch';
  readonly list: ListOutput<Row>;
  /** The key of the row in a change: `alert`. */
  readonly noun: string;
  /** What a change calls a row. */
  readonly title: (row: Row) => string;
  /** How often, as it was written: `5s`. */
  readonly every: string;
}

export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>;

/** Rows that come many at a time: a format that takes them so waits for nothing between two of them. */
export class RowBatches<Row> implements AsyncIterable<Row> {
  readonly batches: AsyncIterable<Iterable<Row>>;
  constructor(batches: AsyncIterable<Iterable<Row>>) {
    this.batches = batches;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, void> {
    for await (const batch of this.batches) yield* batch;
  }
}

/** The bytes of one JSON answer, complete and checked: they flow to stdout by way of the escaping byte filter. */
export class RawJson {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/**
 * Bytes that are themselves the data, as a body that was verified: exact in a pipe and in a file. A terminal gets them as text,
 * escaped, and `-o json`, `ndjson` and `yaml` as a text too. For outputs of kind `text`.
 */
export class RawBytes {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds outputs of every row type
export type AnyOutput = ListOutput<any> | RecordOutput<any> | TextOutput;

/** What a value may be printed as: a command's own output, or what an option makes of it. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Rendering = AnyOutput | WatchOutput<any>;

/** The global output options, resolved. */
export interface OutputOptions {
  readonly format: Format;
  readonly fields: readonly string[] | undefined;
  readonly query: string | undefined;
  readonly columns: readonly string[] | undefined;
  readonly headers: boolean;
  /** `-startsAt` for descending order. */
  readonly sort: string | undefined;
  /** A list command's own `--limit`. */
  readonly limit: number | undefined;
  readonly time: 'relative' | 'utc' | 'local' | 'iso';
  readonly color: 0 | 1 | 2 | 3;
  /** Of the terminal, or undefined where stdout is none: nothing is shortened then. */
  readonly width: number | undefined;
  readonly now: number;
}
