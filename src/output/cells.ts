/** From a cell to its text. */
import { sparkline } from './chart/sparkline.ts';
import { type Clock, showTime } from './times.ts';
import type { Cell, Spark, Tone } from './types.ts';

/** How cells become texts. */
export interface CellStyle extends Clock {
  readonly ascii?: boolean;
  /** A value stands for the drawing it is in. */
  readonly exact?: true;
}

export interface CellText {
  /** Not escaped yet. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A cell's values, one by one: none for an undefined cell or an empty list. */
export function cellValues(cell: Cell, style: CellStyle): readonly CellText[] {
  if (cell === undefined) return [];
  if (isList(cell)) return cell.flatMap((part) => cellValues(part, style));
  if (cell === null) return [{ text: '', tone: undefined }];
  if (typeof cell !== 'object') return [{ text: String(cell), tone: undefined }];
  return [{ text: objectText(cell, style), tone: cell.tone }];
}

/** A cell in one line. Not escaped yet. */
export function cellLine(cell: Cell, style: CellStyle): string {
  if (typeof cell === 'string') return cell;
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell);
  if (isList(cell)) return cell.map((part) => cellLine(part, style)).join(' ');
  return objectText(cell, style);
}

function objectText(cell: Exclude<Cell, Primitive | readonly Cell[]>, style: CellStyle): string {
  if ('spark' in cell) return style.exact ? String(cell.spark.at(-1) ?? '') : sparkText(cell, style);
  if ('amount' in cell && style.exact) return String(cell.amount ?? '');
  return 'time' in cell ? showTime(cell.time, style) : cell.text;
}

type Primitive = string | number | boolean | null | undefined;

const USUAL_BARS = 16;

function sparkText({ spark, bars = USUAL_BARS }: Spark, { ascii = false }: CellStyle): string {
  return sparkline(spark, Math.min(bars, spark.length), ascii);
}

/** Several values in a line have a tone only where all have the same. */
export function cellTone(cell: Cell): Tone | undefined {
  if (typeof cell !== 'object' || cell === null) return undefined;
  if (!isList(cell)) return cell.tone;
  const [tone, ...others] = cell.map(cellTone);
  return others.every((other) => other === tone) ? tone : undefined;
}

/** A cell for a value of any shape: what has parts of its own is shown as JSON. */
export function plainCell(value: unknown): Cell {
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== 'object') ? value.map(plainCell) : JSON.stringify(value);
  }
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
    ? value
    : String(value);
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}
