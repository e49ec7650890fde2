/** The printers of tables: both take the same cells and widths, and print the same lines. */
import { displayWidth, NARROW, type Painter, shorten, withoutTrailingBlanks } from './terminal.ts';
import type { Tone } from './types.ts';

/** Between two columns. */
export const GAP = '  ';
/** Longer tables use our own printer: for 10,000 rows 0.02 s instead of cli-table3's 1.3 s. */
const MOST_LIBRARY_LINES = 200;

/** A text that is escaped and fits on one line. */
export interface LineCell {
  readonly text: string;
  readonly tone: Tone | undefined;
  readonly width: number;
}

export interface LineColumn {
  readonly width: number;
  readonly align?: 'right' | undefined;
}

export type TableLine = readonly LineCell[];

export const NO_CELL: LineCell = { text: '', tone: undefined, width: 0 };

export function lineCell(text: string, tone: Tone | undefined): LineCell {
  return { text, tone, width: displayWidth(text) };
}

export function cutCell(cell: LineCell, width: number): LineCell {
  return cell.width <= width ? cell : lineCell(shorten(cell.text, width), cell.tone);
}

/** Each column is as wide as its widest cell, or wider. */
export async function printLines(
  columns: readonly LineColumn[],
  lines: readonly TableLine[],
  paint: Painter,
): Promise<readonly string[]> {
  if (lines.length <= MOST_LIBRARY_LINES && isMeasuredAlike(lines)) return libraryLines(columns, lines, paint);
  return lines.map((cells) => printLine(columns, cells, paint));
}

/**
 * cli-table3 has other widths for several scripts and newer emoji, and cuts what it measures too
 * wide. It also needs quadratic time for a text whose width is not its length.
 */
function isMeasuredAlike(lines: readonly TableLine[]): boolean {
  return lines.every((cells) => cells.every(({ text }) => NARROW.test(text)));
}

const BORDERLESS = {
  top: '',
  'top-left': '',
  'top-mid': '',
  'top-right': '',
  bottom: '',
  'bottom-left': '',
  'bottom-mid': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

async function libraryLines(
  columns: readonly LineColumn[],
  lines: readonly TableLine[],
  paint: Painter,
): Promise<readonly string[]> {
  if (lines.length === 0) return [];
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: columns.map(({ width }) => width),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    chars: BORDERLESS,
  });
  for (const cells of lines) table.push(cells.map(({ text, tone }) => paint(text, tone)));
  return table.toString().split('\n').map(withoutTrailingBlanks);
}

/** The line that cli-table3 would print. */
export function printLine(columns: readonly LineColumn[], cells: TableLine, paint: Painter): string {
  let line = '';
  for (const [index, { text, tone, width }] of cells.entries()) {
    const column = columns[index];
    const blanks = ' '.repeat((column?.width ?? width) - width);
    const painted = paint(text, tone);
    line += (index === 0 ? '' : GAP) + (column?.align === 'right' ? blanks + painted : painted + blanks);
  }
  return withoutTrailingBlanks(line);
}
