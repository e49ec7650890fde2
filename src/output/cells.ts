/** From a cell to its text. */
import { type Clock, showTime } from './times.ts';
import type { Cell, Tone } from './types.ts';

export interface CellText {
  /** Not escaped yet. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A cell's values, one by one: none for an undefined cell or an empty list. */
export function cellValues(cell: Cell, clock: Clock): readonly CellText[] {
  if (cell === undefined) return [];
  if (isList(cell)) return cell.flatMap((part) => cellValues(part, clock));
  if (cell === null) return [{ text: '', tone: undefined }];
  if (typeof cell !== 'object') return [{ text: String(cell), tone: undefined }];
  return [{ text: 'time' in cell ? showTime(cell.time, clock) : cell.text, tone: cell.tone }];
}

/** A cell in one line. Not escaped yet. */
export function cellLine(cell: Cell, clock: Clock): string {
  if (typeof cell === 'string') return cell;
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell);
  if (isList(cell)) return cell.map((part) => cellLine(part, clock)).join(' ');
  return 'time' in cell ? showTime(cell.time, clock) : cell.text;
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
