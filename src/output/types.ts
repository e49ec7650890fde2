/** What a command says about its value so that every format can render it. */

/** The clocks of a time zone. */
export interface Zone {
  /** `Europe/Berlin`, `UTC`. */
  readonly name: string;
  /** Milliseconds that its clocks are ahead of UTC at a time in milliseconds since 1970. */
  offset(at: number): number;
  /**
   * The moment when its clocks show a time, given as if it were UTC: the first of two such moments,
   * or the end of the gap that leaves it out.
   */
  instant(clock: number): number;
  /** RFC 3339 with the zone's offset: `2026-11-01T00:00:00+01:00`. */
  text(at: number): string;
}

export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];

/** How to read a column's text; `output/terminal.ts` maps it to colors. */
export type Tone = 'bad' | 'warn' | 'good' | 'dim' | 'strong';

/**
 * `time` is RFC 3339, shown relative on a terminal. An array is several values: a line for each in
 * a record, joined by a space in a row.
 */
export type Cell =
  | string
  | number
  | boolean
  | null
  | undefined
  /** `below`: on a line of its own, where a terminal shows rows that arrive over time. */
  | { readonly text: string; readonly tone: Tone; readonly below?: true }
  | { readonly time: string; readonly tone?: Tone }
  | Amount
  | readonly Cell[];

/** People read it rounded or in a sentence; pipes, csv, tsv and `--sort` use the number. */
export interface Amount {
  readonly amount: number | null;
  readonly text: string;
  readonly tone?: Tone;
}

/** A plain table leaves out columns without text, but the first. */
export interface Column<Row> {
  /** Lower case, kebab-case; the header is its upper-case form. */
  readonly name: string;
  readonly cell: (row: Row) => Cell;
  /** What `--sort` goes by. Where it is undefined the cell counts, after all numbers. */
  readonly order?: (row: Row) => number | undefined;
  /** Shown only by `-o wide`, csv and tsv. */
  readonly wide?: true;
  /** It may be cut to fit a terminal. */
  readonly shrinks?: true;
  /** A narrow terminal drops it only after all others; an id it never drops. */
  readonly vital?: true;
  /** Commands also take the beginning of this id: a terminal shows its first 8 characters. */
  readonly brief?: true;
  /** Below 100 columns it is on a second line of its row, unless all columns fit into one. */
  readonly below?: true;
  /** Of several values, those that all rows share are printed once beside a plain table. */
  readonly shared?: true;
  readonly align?: 'right';
}

/** A column that the user names beyond the declared ones: `label:instance`. */
export type ColumnFamily<Row> = (argument: string) => Column<Row>;

export interface ListOutput<Row> {
  readonly kind: 'list';
  readonly columns: readonly Column<Row>[];
  /** `--columns label:instance` → `families.label('instance')`. */
  readonly families?: Readonly<Record<string, ColumnFamily<Row>>>;
  /** For `-q` and `-o id`; a row without one prints nothing. */
  readonly id: (row: Row) => string | undefined;
  /** Printed on stderr instead of a bare header if there are no rows. */
  readonly empty?: string;
  /** For rows that arrive over time: a table prints each at once as a line, if it has cells. */
  readonly live?: (row: Row) => readonly Cell[];
  /** One line of JSON, if its text exists already. Unsafe characters are still escaped. */
  readonly json?: (row: Row) => string;
}

export interface RecordOutput<Value> {
  readonly kind: 'record';
  /** Printed as `NAME  value` lines; undefined cells and empty lists are omitted. */
  readonly columns: readonly Column<Value>[];
  readonly id: (value: Value) => string | undefined;
  /** One line in a table instead of the columns, unless `--columns` names some. */
  readonly line?: (value: Value) => Cell;
}

/** Text that is itself the data, such as a path or a token, or a bare number. */
export interface TextOutput {
  readonly kind: 'text';
}

export interface Change<Row> {
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Row;
}

/** The rows at one moment, and the changes since the previous one. */
export interface Snapshot<Row> {
  readonly at: number;
  /** When the rows were read, if not now; null if they never were. */
  readonly readAt?: number | null;
  readonly rows: readonly Row[];
  /** Since the previous snapshot; in the first every row is `added`. */
  readonly changes: readonly Change<Row>[];
  /** Why there is nothing new: the rows are those of the previous snapshot. */
  readonly error?: string | undefined;
  /** The service became unreachable, or silent, for this reason; or it is as usual again. */
  readonly outage?: { readonly event: 'unreachable' | 'stale' | 'recovered'; readonly reason?: string } | undefined;
  /** The line below the table: what is shown, and how fresh it is. How to end it follows. */
  readonly footer?: string | undefined;
}

/** Rows read repeatedly: a redrawn table on a terminal, otherwise a line of JSON per change. */
export interface WatchOutput<Row> {
  readonly kind: 'watch';
  readonly list: ListOutput<Row>;
  /** The key of the row in a change: `alert`. */
  readonly noun: string;
  /** What a change calls a row. */
  readonly title: (row: Row) => string;
  /** The interval as typed: `5s`. Undefined if the service pushes changes. */
  readonly every?: string;
}

/** A line of a full screen: texts and their tones, one behind the other. */
export type ScreenLine = readonly { readonly text: string; readonly tone?: Tone | undefined }[];

/** What a full screen shows, for a terminal of this size. */
export type Frame = (size: { readonly columns: number; readonly rows: number }) => readonly ScreenLine[];

/** A full screen at a terminal, frame by frame. The command reads the keys and ends it. */
export interface ScreenOutput {
  readonly kind: 'screen';
}

/** What a chart shows of one thing over time. Non-finite numbers count as null. */
export interface ChartSeries {
  /** The legend; may contain remote text. */
  readonly name: string;
  /** Milliseconds since 1970, ascending. */
  readonly at: readonly number[];
  /** Value k applies from `at[k]` until `at[k + 1]`: null is a gap. */
  readonly values: readonly (number | null)[];
  /** Until when the last value applies. */
  readonly until: number;
}

export interface ChartPicture {
  readonly title: string;
  readonly series: readonly ChartSeries[];
  /** The unit of all values: `EUR`. */
  readonly unit?: string | undefined;
  /** The window in milliseconds since 1970: values outside are not drawn. */
  readonly from: number;
  readonly to: number;
  /** The zone of the time axis; default UTC. */
  readonly zone?: Zone | undefined;
  /** The width in terminal cells, including the axis; default: the terminal. */
  readonly width?: number | undefined;
  /** Lines of the plot, without title and time axis; default 15. */
  readonly height?: number | undefined;
  /** The table below, which is the legend. */
  readonly facts: ChartFacts;
}

/** One row for each series, in their order. */
export interface ChartFacts {
  readonly columns: readonly Column<never>[];
  readonly rows: readonly unknown[];
}

/**
 * table and wide print the drawing. csv, tsv, ndjson, ids, `--fields`, `--sort` and `--columns` use
 * the rows; json, yaml and `--query` use the value itself.
 */
export interface ChartOutput<Value, Row> {
  readonly kind: 'chart';
  readonly chart: (value: Value) => ChartPicture;
  readonly rows: (value: Value) => Iterable<unknown>;
  readonly list: ListOutput<Row>;
}

export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>;

/** Rows that come many at a time: a format need not wait between two of one batch. */
export class RowBatches<Row> implements AsyncIterable<Row> {
  readonly batches: AsyncIterable<Iterable<Row>>;
  constructor(batches: AsyncIterable<Iterable<Row>>) {
    this.batches = batches;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, void> {
    for await (const batch of this.batches) yield* batch;
  }
}

/** Rows that are there already are one batch. */
export async function* batchesOf<Row>(rows: Rows<Row>): AsyncGenerator<Iterable<Row>, void, void> {
  if (rows instanceof RowBatches) yield* (rows as RowBatches<Row>).batches;
  else if (Symbol.iterator in rows) yield rows;
  else for await (const row of rows) yield [row];
}

export async function collectRows<Row>(rows: Rows<Row>): Promise<readonly Row[]> {
  if (Array.isArray(rows)) return rows;
  const all: Row[] = [];
  for await (const batch of batchesOf(rows)) {
    for (const row of batch) all.push(row);
  }
  return all;
}

/** One complete and checked JSON answer: its bytes flow to stdout through the escaping filter. */
export class RawJson {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/**
 * Bytes that are themselves the data: exact in a pipe and in a file, escaped text on a terminal and
 * in `-o json`, `ndjson` and `yaml`. For outputs of kind `text`.
 */
export class RawBytes {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export type OutputOf<Row> = ListOutput<Row> | RecordOutput<Row> | TextOutput | ChartOutput<Row, Row>;

/** An output for rows of any type. */
export type AnyOutput = OutputOf<never>;

/** What a value may be printed as: a command's own output, or what an option makes of it. */
export type Rendering<Row = never> = OutputOf<Row> | WatchOutput<Row> | ScreenOutput;

/** The global output options, resolved. */
export interface OutputOptions {
  readonly format: Format;
  /** By -o: a watch then draws its table in a pipe, too. */
  readonly isChosen?: boolean;
  readonly fields: readonly string[] | undefined;
  readonly query: string | undefined;
  readonly columns: readonly string[] | undefined;
  readonly headers: boolean;
  /** `-startsAt` is descending order. The first key takes precedence. */
  readonly sort: readonly string[] | undefined;
  /** A list command's own `--limit`. */
  readonly limit: number | undefined;
  readonly time: 'relative' | 'utc' | 'local' | 'iso';
  readonly color: 0 | 1 | 2 | 3;
  /** The width of the terminal; undefined where stdout is none: nothing is shortened then. */
  readonly width: number | undefined;
  /** Stdout is no terminal: numbers are not rounded. */
  readonly exact?: true;
  /** The width of drawings, which have one everywhere. */
  readonly canvas: number;
  /** Drawings are made of ASCII only. */
  readonly ascii: boolean;
  /** TERM=dumb: nothing may move the cursor or clear the screen. */
  readonly dumb?: boolean;
  /** What ends a watch, which its footer says. */
  readonly endKey?: string;
  readonly now: number;
}
