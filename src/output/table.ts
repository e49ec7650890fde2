/** `-o table` and `-o wide`: rows below upper-case headers, or the lines of one record. */
import { type CellText, cellLine, cellTone, cellValues } from './cells.ts';
import { escapeText } from './escape.ts';
import { briefLength, type ColumnSize, columnSize, fitColumns, GAP, requireAll, shortenCells } from './fit.ts';
import { writePlain } from './formats.ts';
import type { ListSubject, Printed, RecordSubject, Subject } from './subject.ts';
import { displayWidth, type Painter, painter, shorten, withoutTrailingBlanks, wrap } from './terminal.ts';
import type { Cell, Column, OutputOptions } from './types.ts';
import type { BatchWriter } from './writer.ts';

/** For 10,000 rows cli-table3 needs 1.3 s and our own printer 0.02 s, which therefore prints longer tables. */
const MOST_LIBRARY_ROWS = 200;
/** Nobody compares all rows of a longer table. */
const MOST_COMPARED = 500;
/** On a narrower terminal rows that do not fit have two lines. */
const TWO_LINES_BELOW = 100;
const INDENT = '    ';

export async function renderTable(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const { lines, ...printed } = await (subject.kind === 'list'
    ? layOut(subject, options)
    : layOutRecord(subject, options));
  await out.writeRows(lines, (line) => `${line}\n`);
  return printed;
}

interface LaidOut extends Printed {
  readonly lines: Iterable<string>;
}

/** The lines of a table, headers among them; none where there are no rows. With `height`, no more rows than fit into so many lines below the header. */
export async function layOut(
  subject: ListSubject,
  options: OutputOptions,
  height = Number.POSITIVE_INFINITY,
): Promise<LaidOut> {
  const { columns, rows, shared } = await readContents(subject, options);
  if (rows.length === 0) return { rows: 0, lines: [] };
  const headers = options.headers && subject.named;
  const titles = columns.map(({ name }) => (headers ? escapeText(name.toUpperCase()) : ''));
  const sizes = measureColumns(columns, titles, rows, options);
  const natural = sizes.reduce((sum, size) => sum + size.natural + GAP.length, -GAP.length);
  const { width = Number.POSITIVE_INFINITY } = options;
  // Cells that fit need no second measurement, as in a pipe, where all do.
  const isWrapped = options.columns !== undefined && natural > width;
  const below = columnsBelow(columns, natural, options);
  const above = [...columns.keys()].filter((index) => !below.includes(index));
  const { fitted, dropped, common } = fitCells(rows, sizes, above, isWrapped, width);
  const paint = await painter(options.color);
  const secondOf = (row: readonly CellText[]) => below.map((index) => row[index] ?? NO_CELL);
  const seconds = below.length === 0 ? [] : rows.map((row) => secondLine(secondOf(row), width, paint));
  const widths = fitted.map((column) => column.width);
  const linesOf = (cells: readonly CellText[]) => (isWrapped ? wrapRow(cells, widths) : [cells]);
  const rowLines = rows.map((_, row) => linesOf(fitted.map(({ cells }) => cells[row] ?? NO_CELL)));
  const count = rowsWithin(
    rowLines.map(({ length }, row) => length + (seconds[row] ? 1 : 0)),
    height,
  );
  const grid: Grid = {
    columns: fitted.map(({ index, width }) => ({ width, align: columns[index]?.align })),
    rows: [
      ...(headers ? linesOf(fitted.map(({ index }) => ({ text: titles[index] ?? '', tone: 'strong' }))) : []),
      ...rowLines.slice(0, count).flat(),
    ],
    paint,
  };
  const firsts = await gridLines(grid);
  const lines = below.length === 0 ? firsts : interleave(firsts, headers ? ['', ...seconds] : seconds);
  return { rows: count, dropped, shared: [...shared, ...common], lines };
}

/** The columns that a table has, and the cells of its rows in full length. */
interface Contents {
  readonly columns: readonly Column<unknown>[];
  readonly rows: readonly (readonly CellText[])[];
  /** Values that all rows share, which no row shows. */
  readonly shared: readonly string[];
}

/** Whether the rows may leave something out: `--columns` and wide show each row completely. */
function isPlain({ format, columns }: OutputOptions): boolean {
  return format === 'table' && columns === undefined;
}

async function readContents({ columns, rows: source }: ListSubject, options: OutputOptions): Promise<Contents> {
  // Of a long table only the texts stay in memory.
  const items: unknown[] = [];
  const rows: (readonly CellText[])[] = [];
  for await (const item of source) {
    if (items.length <= MOST_COMPARED) items.push(item);
    rows.push(gridCells(columns, item, options));
  }
  let contents: Contents = { columns, rows, shared: [] };
  if (isPlain(options)) {
    if (rows.length > 1 && rows.length <= MOST_COMPARED) contents = withoutSharedValues(contents, items, options);
    contents = withoutEmptyColumns(contents);
  }
  return withAdjustedCells(contents, options);
}

function withoutSharedValues({ columns, rows }: Contents, items: readonly unknown[], options: OutputOptions): Contents {
  const shared: string[] = [];
  const rest = columns.map((column) => withoutCommonValues(column, items, shared, options));
  const isSame = rest.every((column, index) => column === columns[index]);
  return { columns: rest, rows: isSame ? rows : items.map((item) => gridCells(rest, item, options)), shared };
}

function withoutEmptyColumns({ columns, rows, shared }: Contents): Contents {
  const isNeeded = columns.map(({ optional }, index) => !optional || rows.some((cells) => cells[index]?.text !== ''));
  return {
    columns: columns.filter((_, index) => isNeeded[index]),
    rows: rows.map((cells) => cells.filter((_, index) => isNeeded[index])),
    shared,
  };
}

function withAdjustedCells(contents: Contents, { width }: OutputOptions): Contents {
  let { rows } = contents;
  for (const [index, { align, brief }] of contents.columns.entries()) {
    if (align === 'right') rows = withPointsAligned(rows, index);
    if (brief && width !== undefined) rows = withBriefIds(rows, index);
  }
  return { ...contents, rows };
}

function measureColumns(
  columns: Contents['columns'],
  titles: readonly string[],
  rows: Contents['rows'],
  options: OutputOptions,
): readonly ColumnSize[] {
  // Where no column has to give way, nothing is compared.
  const isCompared = isPlain(options) && options.width !== undefined && rows.length <= MOST_COMPARED;
  return columns.map((column, index) => {
    const texts = rows.map((cells) => cells[index]?.text ?? '');
    return columnSize(column, titles[index] ?? '', texts, isCompared);
  });
}

/** The columns, by index, that are shown below the others: on a narrow terminal, if the rows do not fit into one line. */
function columnsBelow(columns: Contents['columns'], natural: number, options: OutputOptions): readonly number[] {
  const { width = Number.POSITIVE_INFINITY } = options;
  const isSplit = isPlain(options) && width < TWO_LINES_BELOW && width > 2 * INDENT.length && natural > width;
  return isSplit ? [...columns.keys()].filter((index) => columns[index]?.below) : [];
}

interface FittedColumns {
  readonly fitted: readonly { readonly index: number; readonly width: number; readonly cells: readonly CellText[] }[];
  readonly dropped: readonly string[];
  /** `name=value` of those that were dropped and have the same value in all rows. */
  readonly common: readonly string[];
}

/** Cuts the columns with these indexes to the width, and drops those that do not fit. If the cells wrap, all fit. */
function fitCells(
  rows: Contents['rows'],
  sizes: readonly ColumnSize[],
  indexes: readonly number[],
  isWrapped: boolean,
  width: number,
): FittedColumns {
  const available = indexes.flatMap((index) => sizes[index] ?? []);
  const { shown, dropped, common } = fitColumns(isWrapped ? requireAll(available) : available, width);
  const fitted = shown.map((column) => {
    const index = indexes[column.index] ?? 0;
    const cells = rows.map((row) => row[index] ?? NO_CELL);
    const isCut = !isWrapped && column.width < (sizes[index]?.natural ?? 0);
    const isCompared = rows.length <= MOST_COMPARED;
    return { index, width: column.width, cells: isCut ? shortenCells(cells, column.width, isCompared) : cells };
  });
  return { fitted, dropped, common };
}

/** The cells below a row in one line: the last has the space that it needs, if the others have a part of the line. */
function secondLine(cells: readonly CellText[], width: number, paint: Painter): string {
  const filled = cells.filter(({ text }) => text !== '');
  let free = width - INDENT.length;
  const part = Math.ceil((free * 0.4) / Math.max(1, filled.length - 1));
  const texts = filled.map((cell, index) => {
    const rest = filled.slice(index + 1).reduce((sum, cell) => sum + GAP.length + displayWidth(cell.text), 0);
    const cut = shorten(cell.text, rest === 0 ? free : Math.max(part, free - rest));
    free -= displayWidth(cut) + GAP.length;
    return paintCell(cut, cell, paint);
  });
  return texts.length === 0 ? '' : INDENT + texts.join(GAP);
}

/** The lines of a row whose cells wrap: nothing of it is cut off. */
function wrapRow(cells: readonly CellText[], widths: readonly number[]): readonly (readonly CellText[])[] {
  const wrappedCells = cells.map((cell, index) =>
    wrap(cell.text, widths[index] ?? 1).map((text): CellText => ({ ...cell, text })),
  );
  const height = wrappedCells.reduce((most, { length }) => Math.max(most, length), 1);
  return Array.from({ length: height }, (_, line) => wrappedCells.map((lines) => lines[line] ?? NO_CELL));
}

/** How many rows of these heights fit into so many lines. */
function rowsWithin(heights: readonly number[], height: number): number {
  let free = height;
  const first = heights.findIndex((lines) => {
    free -= lines;
    return free < 0;
  });
  return first < 0 ? heights.length : first;
}

function* interleave(firsts: Iterable<string>, seconds: readonly string[]): Generator<string> {
  let row = 0;
  for (const first of firsts) {
    yield first;
    const second = seconds[row++] ?? '';
    if (second !== '') yield second;
  }
}

/** A cell may have several ids. */
function withBriefIds(rows: Contents['rows'], column: number): Contents['rows'] {
  const idsOf = (cell: CellText | undefined) => cell?.text.split(' ') ?? [];
  const length = briefLength(rows.flatMap((cells) => idsOf(cells[column])));
  const shortenIds = (cell: CellText) => idsOf(cell).map((id) => id.slice(0, length));
  return rows.map((cells) =>
    cells.map((cell, index) => (index === column ? { ...cell, text: shortenIds(cell).join(' ') } : cell)),
  );
}

/** Numbers with fewer decimals than others in their column are padded with spaces. */
function withPointsAligned(rows: Contents['rows'], column: number): Contents['rows'] {
  const decimals = rows.map((cells) => /^[+-]?\d+(\.\d+)?$/.exec(cells[column]?.text ?? '')?.[1]?.length ?? 0);
  const most = decimals.reduce((longest, length) => Math.max(longest, length), 0);
  if (most === 0) return rows;
  return rows.map((cells, row) =>
    cells.map((cell, index) =>
      index === column && /\d$/.test(cell.text)
        ? { ...cell, text: cell.text + ' '.repeat(most - (decimals[row] ?? 0)) }
        : cell,
    ),
  );
}

const NO_CELL: CellText = { text: '', tone: undefined };
const NO_COLUMN: GridColumn = { width: 0 };

function gridCells(columns: Contents['columns'], row: unknown, options: OutputOptions): readonly CellText[] {
  return columns.map((column) => gridCell(column, row, options));
}

function gridCell(column: Column<unknown>, row: unknown, options: OutputOptions): CellText {
  const cell = column.cell(row);
  const text = cellLine(cell, options);
  return { text: escapeText(text), tone: cellTone(cell) };
}

/** Several values are shown one below the other. On a terminal long values wrap; nothing is cut off. */
async function layOutRecord(subject: RecordSubject, options: OutputOptions): Promise<LaidOut> {
  const paint = await painter(options.color);
  const { width = Number.POSITIVE_INFINITY, headers } = options;
  if (subject.line !== undefined) {
    const values = cellValues(subject.line(subject.value), options).flatMap((value) => wrapValue(value, width));
    return { rows: 1, lines: values.map(({ text, tone }) => paint(text, tone)) };
  }
  const fields = subject.columns
    .map((column) => ({ name: column.name, values: cellValues(column.cell(subject.value), options) }))
    .filter(({ values }) => values.length > 0);
  const most = Math.max(1, Math.floor(width / 2) - GAP.length);
  const names = fields.map(({ name }) =>
    headers ? wrapValue({ text: name.toUpperCase(), tone: 'strong' }, most) : [],
  );
  const nameWidth = Math.max(1, ...names.flat().map(({ text }) => displayWidth(text)));
  const valueWidth = Math.max(1, headers ? width - nameWidth - GAP.length : width);
  const rows = fields.flatMap(({ values }, index) => {
    const lines = values.flatMap((value) => wrapValue(value, valueWidth));
    const title = names[index] ?? [];
    return Array.from({ length: Math.max(lines.length, title.length) }, (_, line) => {
      const value = lines[line] ?? NO_CELL;
      return headers ? [title[line] ?? NO_CELL, value] : [value];
    });
  });
  const natural = rows.reduce((widest, cells) => Math.max(widest, displayWidth(cells.at(-1)?.text ?? '')), 1);
  const columns = headers ? [{ width: nameWidth }, { width: natural }] : [{ width: natural }];
  return { rows: 1, lines: await gridLines({ columns, rows, paint }) };
}

function wrapValue({ text, ...rest }: CellText, width: number): readonly CellText[] {
  return wrap(escapeText(text), width).map((line) => ({ ...rest, text: line }));
}

/**
 * Takes the values that all rows have out of a column that is declared `shared`, and adds them to those of the others. On a terminal, which may cut the
 * rest, the values that the fewest rows have come first.
 */
function withoutCommonValues(
  column: Column<unknown>,
  rows: readonly unknown[],
  shared: string[],
  { width }: OutputOptions,
): Column<unknown> {
  if (column.shared !== true) return column;
  const counts = new Map<string, number>();
  for (const text of rows.flatMap((row) => [...new Set(textsOf(column.cell(row)))])) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const countOf = (text: string): number => counts.get(text) ?? 0;
  for (const [text, count] of counts) if (count === rows.length) shared.push(text);
  const rest = (row: unknown) => textsOf(column.cell(row)).filter((text) => countOf(text) < rows.length);
  const cell = (row: unknown) => (width === undefined ? rest(row) : rest(row).sort((a, b) => countOf(a) - countOf(b)));
  return { ...column, cell };
}

function textsOf(cell: Cell): readonly string[] {
  return Array.isArray(cell) ? cell.filter((part) => typeof part === 'string') : [];
}

export interface GridColumn {
  readonly width: number;
  readonly align?: 'right' | undefined;
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  /** The cells have escaped texts in full length; headers are a row, too. */
  readonly rows: readonly (readonly CellText[])[];
  readonly paint: Painter;
}

/** One line per row, without a line end. */
async function gridLines(grid: Grid): Promise<Iterable<string>> {
  return grid.rows.length <= MOST_LIBRARY_ROWS ? libraryLines(grid) : ownLines(grid);
}

/** ASCII stand-ins of the same width: cli-table3 needs quadratic time for a text whose width is not its length. */
const STAND_IN = /#_*|\u0300/g;

function standIn({ text }: CellText): string {
  const width = displayWidth(text);
  return width === 0 ? '\u0300' : '#'.padEnd(width, '_');
}

const BORDERS = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) =>
  ['', '-left', '-mid', '-right'].map((corner) => side + corner),
);

/** cli-table3 lays out stand-ins, so that it measures no text. */
export async function libraryLines({ columns, rows, paint }: Grid): Promise<readonly string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: columns.map(({ width }) => width),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    chars: { ...Object.fromEntries(BORDERS.map((name) => [name, ''])), middle: GAP },
  });
  const shown = rows.map((cells) =>
    columns.map(({ width }, index) => {
      const cell = cells[index] ?? NO_CELL;
      return { ...cell, text: shorten(cell.text, width) };
    }),
  );
  for (const cells of shown) table.push(cells.map(standIn));
  const painted = shown
    .flat()
    .map((cell) => paintCell(cell.text, cell, paint))
    .values();
  const drawn = table.toString().replace(STAND_IN, () => painted.next().value ?? '');
  return rows.length === 0 ? [] : drawn.split('\n').map(withoutTrailingBlanks);
}

/** Prints the lines that cli-table3 would print, row by row. */
export function* ownLines({ columns, rows, paint }: Grid): Generator<string> {
  for (const cells of rows) yield alignedLine(columns, cells, paint);
}

export function alignedLine(columns: readonly GridColumn[], cells: readonly CellText[], paint: Painter): string {
  let line = '';
  for (let index = 0; index < columns.length; index++) {
    const { width, align } = columns[index] ?? NO_COLUMN;
    const cell = cells[index] ?? NO_CELL;
    const natural = displayWidth(cell.text);
    const shown = natural > width ? shorten(cell.text, width) : cell.text;
    const blanks = ' '.repeat(Math.max(0, width - (natural > width ? displayWidth(shown) : natural)));
    const visible = paintCell(shown, cell, paint);
    line += (index === 0 ? '' : GAP) + (align === 'right' ? blanks + visible : visible + blanks);
  }
  return withoutTrailingBlanks(line);
}

/** Paints as much of a cell as is shown. Padding after a number has no color, so that it can be trimmed at the end of a line. */
function paintCell(text: string, { tone }: CellText, paint: Painter): string {
  const visible = withoutTrailingBlanks(text);
  return paint(visible, tone) + text.slice(visible.length);
}
