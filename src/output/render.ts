/** Renders one value in one of many formats. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { parseJsonText } from '../json-object.ts';
import { cellLine, cellTone } from './cells.ts';
import { escapeText, jsonByteFilter } from './escape.ts';
import { type Renderer, renderCsv, renderIds, renderJson, renderNdjson, renderTsv, renderYaml } from './formats.ts';
import { GAP } from './lines.ts';
import { compileQuery } from './query.ts';
import {
  chartForm,
  columnsHint,
  findColumn,
  isColumnar,
  type ListSubject,
  type Printed,
  type Subject,
  selectColumns,
  shape,
} from './shape.ts';
import { renderTable } from './table.ts';
import { displayWidth, type Painter, painter, wrap } from './terminal.ts';
import {
  type AnyOutput,
  type Cell,
  type ChartOutput,
  type ChartPicture,
  type Format,
  type Frame,
  type OutputOptions,
  RawBytes,
  RawJson,
  type Rendering,
  type Snapshot,
} from './types.ts';
import { BatchWriter } from './writer.ts';

export interface Rendered {
  /** How many rows were printed; undefined if the service's bytes were printed uncounted. */
  readonly rows: number | undefined;
  /** Columns that did not fit the terminal. */
  readonly dropped: readonly string[];
  /** Values that all rows share, which no row shows. */
  readonly shared: readonly string[];
  /** How many rows `--limit` omitted, as far as is known. */
  readonly cut: number;
}

const UNCOUNTED: Rendered = { rows: undefined, dropped: [], shared: [], cut: 0 };

const RENDERERS: Readonly<Record<Format, Renderer>> = {
  table: renderTable,
  wide: renderTable,
  json: renderJson,
  ndjson: renderNdjson,
  csv: renderCsv,
  tsv: renderTsv,
  yaml: renderYaml,
  id: renderIds,
};

/**
 * The options have passed `checkOutputOptions`. Other problems, such as an unknown field, are
 * refused before anything is printed, except by ndjson.
 */
export async function render(
  value: unknown,
  declared: Rendering,
  options: OutputOptions,
  sink: OutStream,
): Promise<Rendered> {
  const output = declared as Rendering<unknown>;
  const { format } = options;
  if (output.kind === 'watch') {
    const { renderWatch } = await import('./watch.ts');
    await renderWatch(value as AsyncIterable<Snapshot<unknown>>, output, options, sink);
    return UNCOUNTED;
  }
  if (output.kind === 'screen') {
    const { renderScreen } = await import('./full-screen.ts');
    await renderScreen(value as AsyncIterable<Frame>, options, sink);
    return UNCOUNTED;
  }
  if (output.kind === 'chart' && chartForm(options) === 'drawing') {
    return drawChart(output.chart(value), options, sink);
  }
  if (value instanceof RawJson && format === 'json' && isWhole(options)) return passThrough(value, sink);
  if (value instanceof RawBytes && isExact(options, sink)) {
    await sink.write(value.bytes);
    return UNCOUNTED;
  }
  const { subject, cut } = await shape(await decode(value), output, options);
  // An array or a document is useful only when it is complete; lines are useful at once.
  const byLine = format !== 'json' && format !== 'yaml';
  const out = new BatchWriter(sink, byLine && subject.kind === 'list' && Symbol.asyncIterator in subject.rows);
  // Rows that arrive over time cannot be laid out in columns, unless `--columns` names some.
  const live = subject.kind === 'list' && subject.live !== undefined && options.columns === undefined;
  const renderer = live && (format === 'table' || format === 'wide') ? renderLive : RENDERERS[format];
  const { rows, dropped = [], shared = [] } = await out.during(renderer(subject, options, out));
  return { rows, dropped, shared, cut };
}

async function drawChart(picture: ChartPicture, options: OutputOptions, sink: OutStream): Promise<Rendered> {
  const { chartLines } = await import('./chart/terminal.ts');
  const lines = await chartLines(picture, options);
  await sink.write(lines.map((line) => `${line}\n`).join(''));
  return { ...UNCOUNTED, rows: lines.length };
}

function isWhole({ query, fields, sort, limit }: OutputOptions): boolean {
  return query === undefined && fields === undefined && sort === undefined && limit === undefined;
}

function isExact({ format, query }: OutputOptions, sink: OutStream): boolean {
  return !sink.isTTY && query === undefined && format !== 'json' && format !== 'ndjson' && format !== 'yaml';
}

async function passThrough(value: RawJson, sink: OutStream): Promise<Rendered> {
  const filter = jsonByteFilter();
  let last: number | undefined;
  for await (const chunk of value.bytes) {
    const safe = filter(chunk);
    if (safe.length === 0) continue;
    last = safe[safe.length - 1];
    await sink.write(safe);
    if (sink.closed) break;
  }
  const rest = filter();
  if (rest.length > 0) await sink.write(rest);
  if (last !== 0x0a || rest.length > 0) await sink.write('\n');
  return UNCOUNTED;
}

/** Text and JSON that are still the service's bytes become values. */
async function decode(value: unknown): Promise<unknown> {
  if (value instanceof RawJson) return parseJsonText(await textOf(value));
  return value instanceof RawBytes ? new TextDecoder().decode(value.bytes) : value;
}

async function textOf(value: RawJson): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of value.bytes) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/**
 * Called before anything else happens. After a write it is too late to refuse an option, so with
 * `writes` a list is sorted by its columns only.
 */
export async function checkOutputOptions(
  declared: AnyOutput,
  options: OutputOptions,
  { writes = false }: { readonly writes?: boolean } = {},
): Promise<void> {
  const fields = options.fields === undefined ? undefined : '--fields';
  const shaping = options.query === undefined ? fields : '--query';
  if (options.query !== undefined && options.fields !== undefined) {
    throw new SvcError('usage', '--query and --fields cannot be used together');
  }
  if (shaping !== undefined && options.format === 'id') {
    throw new SvcError('usage', `-q and -o id print only ids, so ${shaping} does not apply`);
  }
  if (declared.kind === 'chart') checkChart(options);
  const output = declared.kind === 'chart' ? declared.list : declared;
  if (options.columns !== undefined) checkColumns(output, options, shaping);
  if (options.fields !== undefined && output.kind === 'text') {
    throw new SvcError('usage', '--fields: this command prints plain text, which has no fields');
  }
  for (const sort of options.sort ?? []) checkSort(output, sort, writes);
  if (options.query !== undefined) await compileQuery(options.query);
}

/** Options for rows do not apply if a chart is printed. */
function checkChart(options: OutputOptions): void {
  const form = chartForm(options);
  const sort = options.sort === undefined ? undefined : '--sort';
  const name = options.columns === undefined ? sort : '--columns';
  if (form === 'rows' || name === undefined) return;
  const printed = form === 'drawing' ? 'a chart is drawn' : 'one value is printed';
  throw new SvcError('usage', `${name} does not apply: ${printed}`, {
    hint: `it is for the rows that -o ${name === '--sort' ? 'csv, tsv and ndjson' : 'csv and tsv'} print`,
  });
}

type Plain = Exclude<AnyOutput, ChartOutput<never, never>>;

function checkColumns(output: Plain, options: OutputOptions, shaping: string | undefined): void {
  if (shaping !== undefined) {
    throw new SvcError('usage', `--columns names the command's own columns, which ${shaping} replaces`);
  }
  if (!isColumnar(options.format)) {
    throw new SvcError('usage', `--columns does not apply to -o ${options.format}`, {
      hint: 'it applies to table, wide, csv and tsv; --fields and --query apply to every format',
    });
  }
  if (output.kind === 'text') throw new SvcError('usage', '--columns: this command prints plain text');
  selectColumns(output, options);
}

function checkSort(output: Plain, sort: string, writes: boolean): void {
  if (output.kind !== 'list') throw new SvcError('usage', '--sort: this command does not print a list');
  const name = sort.replace(/^-/, '');
  if (name !== '' && (!writes || findColumn(output, name) !== undefined)) return;
  throw new SvcError('usage', name === '' ? '--sort: the name is empty' : `--sort: there is no column "${name}"`, {
    hint: columnsHint(output),
  });
}

async function renderLive(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const { rows, live: cells = () => [] } = subject as ListSubject;
  const paint = await painter(options.color);
  const { width } = options;
  const lineOf = (row: unknown): string =>
    width === undefined ? pipedLine(cells(row), options, paint) : terminalLines(cells(row), width, options, paint);
  return { rows: await out.writeRows(rows, lineOf) };
}

/** Nothing if all cells are empty. */
function pipedLine(cells: readonly Cell[], options: OutputOptions, paint: Painter): string {
  const parts: string[] = [];
  for (const cell of cells) {
    const part = escapeText(cellLine(cell, options));
    if (part !== '') parts.push(paint(part, cellTone(cell)));
  }
  return parts.length === 0 ? '' : `${parts.join(GAP)}\n`;
}

/** What does not fit goes below, and long lines are broken. */
function terminalLines(cells: readonly Cell[], width: number, options: OutputOptions, paint: Painter): string {
  let text = '';
  // Cells used on the last line so far.
  let taken = 0;
  for (const cell of cells) {
    const part = escapeText(cellLine(cell, options));
    if (part === '') continue;
    const tone = cellTone(cell);
    const needed = GAP.length + displayWidth(part);
    if (taken > 0 && taken + needed <= width && !isBelow(cell)) {
      text += GAP + paint(part, tone);
      taken += needed;
      continue;
    }
    for (const line of breakLine(part, taken === 0, width)) {
      text += (taken === 0 ? '' : `\n${GAP}`) + paint(line, tone);
      taken = (taken === 0 ? 0 : GAP.length) + displayWidth(line);
    }
  }
  return text === '' ? '' : `${text}\n`;
}

/** All lines but the first are indented, or all if a first part does not fit into one. */
function breakLine(part: string, isFirst: boolean, width: number): readonly string[] {
  return isFirst && displayWidth(part) <= width ? [part] : wrap(part, Math.max(1, width - GAP.length));
}

function isBelow(cell: Cell): boolean {
  return typeof cell === 'object' && cell !== null && 'below' in cell;
}
