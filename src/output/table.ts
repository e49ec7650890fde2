/** `-o table` and `-o wide`: rows below upper-case headers, or the lines of one record. */
import { type CellText, cellLine, cellTone, cellValues } from './cells.ts';
import { escapeText } from './escape.ts';
import { writePlain } from './formats.ts';
import type { ListSubject, Printed, RecordSubject, Subject } from './subject.ts';
import { displayWidth, type Painter, painter, shorten, wrap } from './terminal.ts';
import type { Cell, Column, OutputOptions } from './types.ts';
import type { BatchWriter } from './writer.ts';

/** Between two columns. */
export const GAP = '  ';
/** A shortened column keeps this much, or its header. */
const LEAST = 8;
/** For 10,000 rows cli-table3 needs 1.3 s, and our own printer 0.02 s: longer tables are printed by ours. */
const MOST_LIBRARY_ROWS = 200;
/** In longer tables nobody compares all rows. */
const MOST_COMPARED = 500;

export async function renderTable(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const { lines, ...printed } = await (subject.kind === 'list' ? layOut(subject, options) : record(subject, options));
  await out.writeRows(lines, (line) => `${line}\n`);
  return printed;
}

interface LaidOut extends Printed {
  readonly lines: Iterable<string>;
}

/** The lines of a table, headers among them; none where there are no rows. */
export async function layOut(subject: ListSubject, options: OutputOptions): Promise<LaidOut> {
  let { columns } = subject;
  const cellsOf = (item: unknown): readonly CellText[] => columns.map(({ cell }) => gridCell(cell(item), options));
  // Of a long table only the texts stay in memory.
  const items: unknown[] = [];
  let rows: (readonly CellText[])[] = [];
  for await (const item of subject.rows) {
    if (items.length <= MOST_COMPARED) items.push(item);
    rows.push(cellsOf(item));
  }
  if (rows.length === 0) return { rows: 0, lines: [] };
  const shared: string[] = [];
  // `--columns` and wide show each row as it is.
  if (options.format === 'table' && options.columns === undefined && rows.length > 1 && rows.length <= MOST_COMPARED) {
    columns = columns.map((column) => withoutCommonValues(column, items, shared));
    if (shared.length > 0) rows = items.map(cellsOf);
  }
  for (const [index, { align }] of columns.entries()) if (align === 'right') rows = withPointsAligned(rows, index);
  const headers = options.headers && subject.named;
  const titles = columns.map(({ name }) => (headers ? escapeText(name.toUpperCase()) : ''));
  const sizes = columns.map(({ name, flex }, index) => {
    // cli-table3 gives a cell to an empty column, too.
    const title = Math.max(1, displayWidth(titles[index] ?? ''));
    const natural = rows.reduce((most, cells) => Math.max(most, displayWidth(cells[index]?.text ?? '')), title);
    return { name, natural, least: flex === true ? Math.min(natural, Math.max(LEAST, title)) : natural };
  });
  const { shown, dropped } = fitColumns(sizes, options.width);
  const header: Grid['rows'] = headers
    ? [shown.map(({ index }): CellText => ({ text: titles[index] ?? '', tone: 'strong' }))]
    : [];
  const grid: Grid = {
    columns: shown.map(({ index, width }) => ({ width, align: columns[index]?.align })),
    rows: header.concat(
      dropped.length === 0 ? rows : rows.map((cells) => shown.map(({ index }) => cells[index] ?? NO_CELL)),
    ),
    paint: await painter(options.color),
  };
  return { rows: rows.length, dropped, shared, lines: await gridLines(grid) };
}

/** Blanks follow the numbers that have fewer decimals than others of their column. */
function withPointsAligned(rows: (readonly CellText[])[], column: number): (readonly CellText[])[] {
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

function gridCell(cell: Cell, options: OutputOptions): CellText {
  return { text: escapeText(cellLine(cell, options)), tone: cellTone(cell) };
}

/** Several values are one below the other. On a terminal long ones continue on the next line; nothing is cut off. */
async function record(subject: RecordSubject, options: OutputOptions): Promise<LaidOut> {
  const paint = await painter(options.color);
  const { width = Number.POSITIVE_INFINITY, headers } = options;
  if (subject.line !== undefined) {
    const values = cellValues(subject.line(subject.value), options).flatMap((value) => wrapped(value, width));
    return { rows: 1, lines: values.map(({ text, tone }) => paint(text, tone)) };
  }
  const fields = subject.columns
    .map(({ name, cell }) => ({ name, values: cellValues(cell(subject.value), options) }))
    .filter(({ values }) => values.length > 0);
  const most = Math.max(1, Math.floor(width / 2) - GAP.length);
  const names = fields.map(({ name }) => (headers ? wrapped({ text: name.toUpperCase(), tone: 'strong' }, most) : []));
  const nameWidth = Math.max(1, ...names.flat().map(({ text }) => displayWidth(text)));
  const valueWidth = Math.max(1, headers ? width - nameWidth - GAP.length : width);
  const rows = fields.flatMap(({ values }, index) => {
    const lines = values.flatMap((value) => wrapped(value, valueWidth));
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

function wrapped({ text, tone }: CellText, width: number): readonly CellText[] {
  return wrap(escapeText(text), width).map((line) => ({ text: line, tone }));
}

/** Takes the values that all rows have out of a column that is declared `shared`, and adds them to those of the others. */
function withoutCommonValues(column: Column<unknown>, rows: readonly unknown[], shared: string[]): Column<unknown> {
  if (column.shared !== true) return column;
  const [first = [], ...others] = rows.map((row) => texts(column.cell(row)));
  const sets = others.map((list) => new Set(list));
  const common = new Set(first.filter((text) => sets.every((set) => set.has(text))));
  if (common.size === 0) return column;
  shared.push(...common);
  return { ...column, cell: (row) => texts(column.cell(row)).filter((text) => !common.has(text)) };
}

function texts(cell: Cell): readonly string[] {
  return Array.isArray(cell) ? cell.filter((part) => typeof part === 'string') : [];
}

export interface GridColumn {
  readonly width: number;
  readonly align?: 'right' | undefined;
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  /** Of escaped texts, as long as they are; headers are a row, too. */
  readonly rows: readonly (readonly CellText[])[];
  readonly paint: Painter;
}

/** One line per row, without a line end. */
async function gridLines(grid: Grid): Promise<Iterable<string>> {
  return grid.rows.length <= MOST_LIBRARY_ROWS ? libraryLines(grid) : ownLines(grid);
}

/** As wide as the text, in ASCII: cli-table3 needs quadratic time for a text whose width is not its length. */
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
      const { text, tone } = cells[index] ?? NO_CELL;
      return { text: shorten(text, width), tone };
    }),
  );
  for (const cells of shown) table.push(cells.map(standIn));
  const painted = shown
    .flat()
    .map((cell) => colored(cell, paint))
    .values();
  const drawn = table.toString().replace(STAND_IN, () => painted.next().value ?? '');
  return rows.length === 0 ? [] : drawn.split('\n').map(trimEnd);
}

/** The same lines, row by row. */
export function* ownLines({ columns, rows, paint }: Grid): Generator<string> {
  for (const cells of rows) yield alignedLine(columns, cells, paint);
}

export function alignedLine(columns: readonly GridColumn[], cells: readonly CellText[], paint: Painter): string {
  let line = '';
  for (let index = 0; index < columns.length; index++) {
    const { width, align } = columns[index] ?? NO_COLUMN;
    const { text, tone } = cells[index] ?? NO_CELL;
    const natural = displayWidth(text);
    const shown = natural > width ? shorten(text, width) : text;
    const blanks = ' '.repeat(Math.max(0, width - (natural > width ? displayWidth(shown) : natural)));
    const visible = colored({ text: shown, tone }, paint);
    line += (index === 0 ? '' : GAP) + (align === 'right' ? blanks + visible : visible + blanks);
  }
  return trimEnd(line);
}

/** The blanks behind a number have no colour, so that they can be cut off at the end of a line. */
function colored({ text, tone }: CellText, paint: Painter): string {
  const visible = trimEnd(text);
  return paint(visible, tone) + text.slice(visible.length);
}

function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end--;
  return line.slice(0, end);
}

interface ColumnSize {
  readonly name: string;
  /** What header and cells need. */
  readonly natural: number;
  /** What is left of it at least: the same as `natural` where the column must not be shortened. */
  readonly least: number;
}

interface Fit {
  /** The columns that stay, in their order, by index. */
  readonly shown: readonly { readonly index: number; readonly width: number }[];
  readonly dropped: readonly string[];
}

/** The next command needs an id: its column is never dropped, nor is the first. */
const ID_COLUMN = /^(id|.*-id)$/;

/** The widest columns shrink first, as far as they may. Of those that still do not fit, the last are dropped. */
export function fitColumns(columns: readonly ColumnSize[], width = Number.POSITIVE_INFINITY): Fit {
  const ids = columns.filter(({ name }, index) => index > 0 && ID_COLUMN.test(name));
  const allFit = width > ids.length * (1 + GAP.length);
  const isNeeded = (index: number): boolean => index === 0 || (allFit && ID_COLUMN.test(columns[index]?.name ?? ''));
  let free = width + GAP.length;
  for (const [index, { least }] of columns.entries()) if (isNeeded(index)) free -= least + GAP.length;
  const shown: { index: number; width: number; least: number }[] = [];
  const dropped: string[] = [];
  for (const [index, { name, natural, least }] of columns.entries()) {
    const fits = isNeeded(index) || least + GAP.length <= free;
    if (fits) shown.push({ index, width: Math.min(natural, width), least: Math.min(least, width) });
    else dropped.push(name);
    if (fits && !isNeeded(index)) free -= least + GAP.length;
  }
  let excess = shown.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  for (; excess > 0; excess--) {
    // Where not even the ids fit, they share the line.
    const shrinking = shown.filter((column) => column.width > column.least);
    const candidates = shrinking.length > 0 ? shrinking : shown.filter((column) => column.width > 1);
    const widest = candidates.reduce((most, column) => (column.width >= most.width ? column : most));
    widest.width--;
  }
  return { shown, dropped };
}
