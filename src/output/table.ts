/** `-o table` and `-o wide`: rows below upper-case headers, or the lines of one record. */
import { type CellStyle, cellLine, cellTone, cellValues } from './cells.ts';
import { escapeText } from './escape.ts';
import { fitColumns, lineWidth, shrinkColumns, type TableColumn } from './fit.ts';
import { writePlain } from './formats.ts';
import { cutCell, GAP, type LineCell, lineCell, NO_CELL, printLines, type TableLine } from './lines.ts';
import type { ListSubject, Printed, RecordSubject, Subject } from './shape.ts';
import { painter, wrap } from './terminal.ts';
import { type Cell, type Column, collectRows, type OutputOptions, type Tone } from './types.ts';
import type { BatchWriter } from './writer.ts';

/** Nobody compares all rows of a longer table. */
const MOST_COMPARED = 500;
/** On a narrower terminal, rows that do not fit have two lines. */
const TWO_LINES_BELOW = 100;
const INDENT = '    ';
/** How much a terminal shows of an id that may be typed in part. */
const BRIEF_ID = 8;

export async function renderTable(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const { lines, ...printed } = await (subject.kind === 'list'
    ? layOut(subject, options)
    : layOutRecord(subject, options));
  if (lines.length > 0) await out.write(`${lines.join('\n')}\n`);
  return printed;
}

interface LaidOut extends Printed {
  readonly lines: readonly string[];
}

/** Includes the headers; empty without rows. `height` limits the lines below the headers. */
export async function layOut(
  subject: ListSubject,
  options: OutputOptions,
  height = Number.POSITIVE_INFINITY,
): Promise<LaidOut> {
  const rows = await collectRows(subject.rows);
  if (rows.length === 0) return { rows: 0, lines: [] };
  const { shown, below, isWrapped, dropped, shared } = fitRows(subject, rows, options);
  const paint = await painter(options.color);
  const linesOf = (cells: TableLine) => (isWrapped ? wrapCells(cells, shown) : [cells]);
  const headers = options.headers && subject.named ? linesOf(shown.map(({ title }) => title)) : [];
  const lines = [...headers];
  // What is below each line, if anything.
  const secondLines = headers.map(() => '');
  let count = 0;
  let free = height;
  for (; count < rows.length; count++) {
    const first = linesOf(cellsOf(shown, count));
    const second = secondLine(cellsOf(below, count), options.width)
      .map(({ text, tone }) => paint(text, tone))
      .join('');
    free -= first.length + (second === '' ? 0 : 1);
    if (free < 0) break;
    lines.push(...first);
    secondLines.push(second);
  }
  const printed = await printLines(shown, lines, paint);
  const all = below.length === 0 ? printed : interleave(printed, secondLines);
  return { rows: count, lines: all, dropped, shared };
}

/** The options that say what fits. */
type Fitting = CellStyle & Pick<OutputOptions, 'format' | 'columns' | 'fields' | 'query' | 'headers' | 'width'>;

/** The columns that fit, and those whose cells go on a second line. */
export function fitRows(subject: Pick<ListSubject, 'columns' | 'named'>, rows: readonly unknown[], options: Fitting) {
  const { columns, shared } = readColumns(subject, rows, options);
  const { common, ...fitted } = fitTable(columns, options);
  return { ...fitted, shared: [...shared, ...common] };
}

function interleave(firstLines: readonly string[], secondLines: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, line] of firstLines.entries()) {
    lines.push(line);
    const second = secondLines[index];
    if (second) lines.push(second);
  }
  return lines;
}

/** Whether rows may leave something out: wide and what the user names are complete. */
function isPlain({ format, columns, fields, query }: Fitting): boolean {
  return format === 'table' && columns === undefined && fields === undefined && query === undefined;
}

/** A plain table leaves out what all rows share, and columns without text except the first. */
function readColumns(
  { columns, named }: Pick<ListSubject, 'columns' | 'named'>,
  rows: readonly unknown[],
  options: Fitting,
) {
  const isComparable = isPlain(options) && rows.length > 1 && rows.length <= MOST_COMPARED;
  const shared: string[] = [];
  const read: TableColumn[] = [];
  for (const column of columns) {
    const values = rows.map(column.cell);
    const { rest, common } = column.shared && isComparable ? takeOutCommon(values) : { rest: values, common: [] };
    shared.push(...common);
    const cells = rest.map((value) => readCell(value, column, options));
    const isEmpty = cells.every(({ text }) => text === '');
    if (isEmpty && isPlain(options) && column !== columns[0]) continue;
    const title = lineCell(options.headers && named ? escapeText(column.name.toUpperCase()) : '', 'strong');
    read.push({ column, align: column.align, title, cells, width: Math.max(title.width, widthOf(cells)) });
  }
  return { columns: read, shared };
}

function readCell(cell: Cell, { brief }: Column<unknown>, options: Fitting): LineCell {
  const text = escapeText(cellLine(cell, options));
  const isBrief = brief === true && options.width !== undefined;
  return lineCell(isBrief ? text.replace(/\S+/g, (id) => id.slice(0, BRIEF_ID)) : text, cellTone(cell));
}

/** In the rest of a row, the rarest text comes first, because the end may be cut. */
function takeOutCommon(cells: readonly Cell[]) {
  const rows = cells.map((cell) => (Array.isArray(cell) ? cell.map(String) : []));
  const counts = new Map<string, number>();
  for (const texts of rows) {
    for (const text of new Set(texts)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const common = new Set<string>();
  for (const [text, count] of counts) if (count === rows.length) common.add(text);
  const rest: (readonly string[])[] = [];
  for (const texts of rows) {
    const own = texts.filter((text) => !common.has(text));
    rest.push(own.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)));
  }
  return { rest, common: [...common] };
}

/** Which columns are shown, how wide, and which are below their row on a line of their own. */
function fitTable(columns: readonly TableColumn[], options: Fitting) {
  const { width } = options;
  const everything = { shown: columns, below: [], isWrapped: false, dropped: [], common: [] };
  if (width === undefined || lineWidth(columns) <= width) return everything;
  if (options.columns !== undefined) return { ...everything, shown: shrinkColumns(columns, width), isWrapped: true };
  const isSplit = isPlain(options) && width < TWO_LINES_BELOW && width > 2 * INDENT.length;
  const below = isSplit ? columns.filter(({ column }) => column.below) : [];
  const above = columns.filter((column) => !below.includes(column));
  return { ...everything, ...fitColumns(above, width), below };
}

export function cellsOf(columns: readonly TableColumn[], row: number): TableLine {
  return columns.map(({ cells }) => cells[row] ?? NO_CELL);
}

/** The lines of a row whose cells wrap: nothing of it is cut off. */
function wrapCells(cells: TableLine, columns: readonly TableColumn[]): readonly TableLine[] {
  return linesFrom(cells.map(({ text, tone }, index) => wrapText(text, tone, columns[index]?.width ?? 1)));
}

/** Texts below each other, in columns side by side. */
function linesFrom(columns: readonly TableLine[]): readonly TableLine[] {
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => columns.map((cells) => cells[line] ?? NO_CELL));
}

function wrapText(text: string, tone: Tone | undefined, width: number): TableLine {
  return wrap(text, width).map((line) => lineCell(line, tone));
}

/** Each cell may take two fifths of what is left, or what the others do not need. */
export function secondLine(cells: TableLine, width = Number.POSITIVE_INFINITY): TableLine {
  const filled = cells.filter(({ text }) => text !== '');
  const parts: LineCell[] = [];
  let free = width - INDENT.length;
  let needed = filled.reduce((sum, cell) => sum + cell.width + GAP.length, 0);
  for (const cell of filled) {
    needed -= cell.width + GAP.length;
    const part = cutCell(cell, Math.max(free - needed, Math.ceil(free * 0.4)));
    parts.push(lineCell(parts.length === 0 ? INDENT : GAP, undefined), part);
    free -= part.width + GAP.length;
  }
  return parts;
}

/** Several values are shown one below the other. Long ones wrap on a terminal. */
async function layOutRecord({ value, columns, line }: RecordSubject, options: OutputOptions): Promise<LaidOut> {
  const paint = await painter(options.color);
  const { width = Number.POSITIVE_INFINITY, headers } = options;
  if (line !== undefined) {
    const lines: string[] = [];
    for (const { text, tone } of cellValues(line(value), options)) {
      for (const part of wrap(escapeText(text), width)) lines.push(paint(part, tone));
    }
    return { rows: 1, lines };
  }
  const fields = columns
    .map(({ name, cell }) => ({ name: escapeText(name.toUpperCase()), cell: cell(value) }))
    .filter(({ cell }) => cellValues(cell, options).length > 0);
  const mostTitle = Math.max(1, Math.floor(width / 2) - GAP.length);
  const titles = headers ? fields.map(({ name }) => wrapText(name, 'strong', mostTitle)) : [];
  const titleWidth = widthOf(titles.flat());
  const valueWidth = headers ? Math.max(1, width - titleWidth - GAP.length) : width;
  const values = fields.map(({ cell }) => wrapValues(cell, valueWidth, options));
  const lines = values.flatMap((cells, index) => linesFrom(headers ? [titles[index] ?? [], cells] : [cells]));
  const widths = [...(headers ? [titleWidth] : []), widthOf(values.flat())];
  return {
    rows: 1,
    lines: await printLines(
      widths.map((each) => ({ width: each })),
      lines,
      paint,
    ),
  };
}

function wrapValues(cell: Cell, width: number, options: OutputOptions): TableLine {
  return cellValues(cell, options).flatMap(({ text, tone }) => wrapText(escapeText(text), tone, width));
}

/** At least 1: cli-table3 gives a cell to an empty column, too. */
function widthOf(cells: TableLine): number {
  return cells.reduce((most, { width }) => Math.max(most, width), 1);
}
