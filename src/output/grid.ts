/** The texts of a table, laid out. */
import type { Painter } from './color.ts';
import { GAP } from './fit.ts';
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
