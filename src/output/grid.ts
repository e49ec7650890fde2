/** The texts of a table, laid out. */
import type { Painter } from './terminal.ts';
import type { Tone } from './types.ts';
import { displayWidth, shorten } from './width.ts';

export interface GridColumn {
  /** Which of a row's cells. */
  readonly index: number;
  /** The header, escaped. */
  readonly title: string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

export interface GridRow {
  /** Escaped, and as long as they are. */
  readonly cells: readonly string[];
  readonly tones: readonly (Tone | undefined)[] | undefined;
}

export interface Grid {
  readonly columns: readonly GridColumn[];
  readonly headers: boolean;
  readonly rows: readonly GridRow[];
  readonly paint: Painter;
}

/** The longest table that goes through cli-table3: its time grows faster than the table. */
const SHORT = 100;
/** What both printers measure alike. */
const PLAIN = /^[\x20-\x7e…]*$/;

/** One line per row, without a line end. */
export async function gridLines(grid: Grid): Promise<Iterable<string>> {
  return grid.rows.length <= SHORT && isPlain(grid) ? libraryLines(grid) : ownLines(grid);
}

/** The layout of short tables. Its measure of text is older than ours, so it gets only what both take for the same width. */
export async function libraryLines(grid: Grid): Promise<Iterable<string>> {
  const { default: Table } = await import('cli-table3');
  const none = '';
  const table = new Table({
    colAligns: grid.columns.map(({ align }) => align),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: ' '.repeat(GAP),
    },
  });
  if (grid.headers) table.push(grid.columns.map(({ title, width }) => grid.paint(shorten(title, width), 'strong')));
  for (const { cells, tones } of grid.rows) {
    table.push(grid.columns.map(({ index, width }) => grid.paint(shorten(cells[index] ?? '', width), tones?.[index])));
  }
  return table.length === 0 ? [] : table.toString().split('\n').map(trimEnd);
}

/** The same lines, row by row. */
export function* ownLines({ columns, headers, rows, paint }: Grid): Generator<string> {
  const gap = ' '.repeat(GAP);
  if (headers) {
    yield trimEnd(columns.map((column) => padded(column, column.title, 'strong', paint)).join(gap));
  }
  for (const { cells, tones } of rows) {
    let line = '';
    for (const column of columns) {
      line +=
        (column === columns[0] ? '' : gap) + padded(column, cells[column.index] ?? '', tones?.[column.index], paint);
    }
    yield trimEnd(line);
  }
}

function padded({ width, align }: GridColumn, cell: string, tone: Tone | undefined, paint: Painter): string {
  const full = displayWidth(cell);
  const text = full > width ? shorten(cell, width) : cell;
  const blanks = ' '.repeat(width - (full > width ? displayWidth(text) : full));
  return align === 'right' ? blanks + paint(text, tone) : paint(text, tone) + blanks;
}

/** The library leaves out a line without characters, so there must be a width everywhere. */
function isPlain({ columns, rows }: Grid): boolean {
  return (
    columns.every(({ title, width }) => width > 0 && PLAIN.test(title)) &&
    rows.every(({ cells }) => cells.every((cell) => PLAIN.test(cell)))
  );
}

function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end--;
  return end === line.length ? line : line.slice(0, end);
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
  readonly kept: readonly { readonly index: number; readonly width: number }[];
  readonly dropped: readonly string[];
}

export const GAP = 2;

/**
 * Columns shrink to a common cap as far as they may. Where that is not enough, those stay that fit beside the ones before them; the
 * first always stays, cut if it must be.
 */
export function fitColumns(columns: readonly ColumnSize[], width: number | undefined): Fit {
  if (width === undefined)
    return { kept: columns.map(({ natural }, index) => ({ index, width: natural })), dropped: [] };
  const kept: number[] = [];
  const dropped: string[] = [];
  let room = width + GAP;
  for (const [index, { name, least }] of columns.entries()) {
    if (index > 0 && least + GAP > room) {
      dropped.push(name);
      continue;
    }
    kept.push(index);
    room -= least + GAP;
  }
  const [first] = columns;
  if (first !== undefined && first.least > width) return { kept: [{ index: 0, width }], dropped };
  const widths = shrink(
    kept.map((index) => columns[index] as ColumnSize),
    width,
  );
  return { kept: kept.map((index, place) => ({ index, width: widths[place] ?? 0 })), dropped };
}

function shrink(columns: readonly ColumnSize[], width: number): readonly number[] {
  let low = 0;
  let high = columns.reduce((most, { natural }) => Math.max(most, natural), 0);
  while (low < high) {
    const cap = Math.ceil((low + high) / 2);
    if (total(columns, cap) <= width) low = cap;
    else high = cap - 1;
  }
  let spare = width - total(columns, low);
  return columns.map((column) => {
    const capped = widthAt(column, low);
    if (spare === 0 || capped < low || capped >= column.natural) return capped;
    spare--;
    return capped + 1;
  });
}

function total(columns: readonly ColumnSize[], cap: number): number {
  return columns.reduce((sum, column) => sum + widthAt(column, cap), GAP * Math.max(0, columns.length - 1));
}

function widthAt({ natural, least }: ColumnSize, cap: number): number {
  return Math.max(least, Math.min(natural, cap));
}
