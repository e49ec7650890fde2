/** How columns of a table share the width of a terminal: it goes to what tells rows apart. */
import { cutCell, GAP, type LineCell, type LineColumn, lineCell } from './lines.ts';
import { shortenMiddle } from './terminal.ts';
import type { Column } from './types.ts';

export interface TableColumn extends LineColumn {
  readonly column: Column<unknown>;
  readonly title: LineCell;
  readonly cells: readonly LineCell[];
}

/** The next command needs an id, so none is cut or dropped. Services write `tradeId`, `event_id`. */
const ID_COLUMN = /^(id|fingerprint)$|[-_]ids?$|[a-z]I[dD]s?$/;
/** A column that shrinks has this width at least, or that of its title. */
const LEAST = 8;

export interface Fit {
  readonly shown: readonly TableColumn[];
  /** The names of the columns that were dropped. */
  readonly dropped: readonly string[];
  /** `name=value` of those that were dropped and have one value in all rows. */
  readonly common: readonly string[];
}

/** Drops columns until the others fit, at least when they shrink. */
export function fitColumns(columns: readonly TableColumn[], width: number): Fit {
  const shown = [...columns];
  const dropped: string[] = [];
  const common: string[] = [];
  while (lineWidth(shown) > width) {
    const column = leastNeeded(shown, width);
    if (column === undefined) break;
    shown.splice(shown.indexOf(column), 1);
    const { name } = column.column;
    if (isUniform(column)) common.unshift(`${name}=${column.cells[0]?.text || 'none'}`);
    else dropped.unshift(name);
  }
  return { shown: shrinkColumns(shown, width).map(cutColumn), dropped, common };
}

/** First a column with one text in all rows, then the last if shrinking would not suffice. */
function leastNeeded(columns: readonly TableColumn[], width: number): TableColumn | undefined {
  const droppable = columns.slice(1).filter(({ column }) => !ID_COLUMN.test(column.name));
  const usual = droppable.filter(({ column }) => !column.vital);
  const uniform = usual.findLast(isUniform);
  const least = columns.reduce((sum, column) => sum + leastWidth(column) + GAP.length, -GAP.length);
  if (uniform !== undefined || least <= width) return uniform;
  // Only where there is not even one cell for each, an id goes.
  const last = lineWidth(columns.map(() => ({ width: 1 }))) > width ? columns.slice(1).at(-1) : undefined;
  return usual.at(-1) ?? droppable.findLast(isUniform) ?? droppable.at(-1) ?? last;
}

function isUniform({ cells }: TableColumn): boolean {
  return cells.length > 1 && cells.every(({ text }) => text === cells[0]?.text);
}

export function shrinkColumns(columns: readonly TableColumn[], width: number): readonly TableColumn[] {
  const widths = columns.map((column) => Math.min(column.width, width));
  shrinkWidths(widths, columns.map(leastWidth), width);
  // Where not even the ids fit, all columns shrink.
  shrinkWidths(
    widths,
    columns.map(() => 1),
    width,
  );
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 1 }));
}

/** Takes one from the widest that is above its least width until they fit. */
function shrinkWidths(widths: number[], least: readonly number[], width: number): void {
  const columns = widths.map((one) => ({ width: one }));
  for (let excess = lineWidth(columns) - width; excess > 0; excess--) {
    let widest = -1;
    for (const [index, one] of widths.entries()) {
      if (one > (least[index] ?? 1) && one >= (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
}

/** Cuts the cells at their end, or in the middle where more of them stay different that way. */
function cutColumn({ title, cells, width, ...column }: TableColumn): TableColumn {
  const ends = cells.map((cell) => cutCell(cell, width));
  const cut = { ...column, width, title: cutCell(title, width) };
  if (width < LEAST || countTexts(ends) === countTexts(cells)) return { ...cut, cells: ends };
  const middles = cells.map(({ text, tone }) => lineCell(shortenMiddle(text, width), tone));
  return { ...cut, cells: countTexts(middles) > countTexts(ends) ? middles : ends };
}

function countTexts(cells: readonly LineCell[]): number {
  return new Set(cells.map(({ text }) => text)).size;
}

function leastWidth({ column, title, width }: TableColumn): number {
  return column.shrinks && !ID_COLUMN.test(column.name) ? Math.min(width, Math.max(LEAST, title.width)) : width;
}

export function lineWidth(columns: readonly LineColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}
