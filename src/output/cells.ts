/** Turns a cell into text. */
import type { Cell, Tone } from './types.ts';

/** How cells become text. */
export interface CellStyle extends Clock {
  /** Numbers are printed in full. */
  readonly exact?: true;
}

export interface CellText {
  /** Not escaped. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** The values of a cell; none for an undefined cell or an empty list. */
export function cellValues(cell: Cell, style: CellStyle): readonly CellText[] {
  if (cell === undefined) return [];
  if (isList(cell)) return cell.flatMap((part) => cellValues(part, style));
  if (cell === null) return [{ text: '', tone: undefined }];
  if (typeof cell !== 'object') return [{ text: String(cell), tone: undefined }];
  return [{ text: objectText(cell, style), tone: cell.tone }];
}

/** A cell in one line. Not escaped. */
export function cellLine(cell: Cell, style: CellStyle): string {
  if (typeof cell === 'string') return cell;
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell);
  if (isList(cell)) return cell.map((part) => cellLine(part, style)).join(' ');
  return objectText(cell, style);
}

function objectText(cell: Exclude<Cell, Primitive | readonly Cell[]>, style: CellStyle): string {
  // `50000.00` is no rounded number.
  if ('amount' in cell && style.exact && Number(cell.text || 'none') !== cell.amount) return String(cell.amount ?? '');
  return 'time' in cell ? showTime(cell.time, style) : cell.text;
}

/** Undefined where there is no time, or the zero time of Go. */
export function timeCell(time: string | null | undefined): Cell {
  return time && !time.startsWith('0001-01-01') ? { time } : undefined;
}

type Primitive = string | number | boolean | null | undefined;

/** Several values in one line have a tone only if all have the same. */
export function cellTone(cell: Cell): Tone | undefined {
  if (typeof cell !== 'object' || cell === null) return undefined;
  if (!isList(cell)) return cell.tone;
  const tone = cellTone(cell[0]);
  return cell.every((part) => cellTone(part) === tone) ? tone : undefined;
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

interface Clock {
  /** `iso` is the time as the service wrote it. */
  readonly time: 'relative' | 'utc' | 'local' | 'iso';
  readonly now: number;
}

const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `text` is RFC 3339, as are all styles but `relative`; other text is shown unchanged. */
export function showTime(text: string, { time, now }: Clock): string {
  // A time in UTC keeps its digits: services send nanoseconds.
  if (time === 'iso' || (time === 'utc' && text.endsWith('Z'))) return text;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return text;
  if (time === 'relative') return relativeTime(ms, now);
  return time === 'local' ? localTime(ms) : new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** `3m ago`, `in 2h15m`, `now`: at most two adjacent units, seconds only alone; rounded. */
function relativeTime(ms: number, now: number): string {
  const distance = distanceText(Math.abs(ms - now) / 1000);
  if (distance === '') return 'now';
  return ms < now ? `${distance} ago` : `in ${distance}`;
}

function distanceText(exact: number): string {
  const first = UNITS.findIndex(([, size]) => exact >= size);
  // Seconds next to minutes would only flicker.
  const units =
    first < 0 ? UNITS.slice(-1) : UNITS.slice(first, Math.max(first + 1, Math.min(first + 2, UNITS.length - 1)));
  const [, smallest] = units.at(-1) ?? UNITS[4];
  let seconds = Math.round(exact / smallest) * smallest;
  // 59.7 minutes are an hour.
  if (seconds >= (UNITS[first - 1]?.[1] ?? Number.POSITIVE_INFINITY)) return distanceText(seconds);
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}

function localTime(ms: number): string {
  const date = new Date(ms);
  const offset = -date.getTimezoneOffset();
  const wall = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${wall}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}
