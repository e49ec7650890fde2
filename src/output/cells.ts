/** From a cell to its text. */
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

/** `text` is RFC 3339; what is no time is shown as it is. All but `relative` are RFC 3339 again. */
export function showTime(text: string, { time, now }: Clock): string {
  const ms = Date.parse(text);
  if (time === 'iso' || Number.isNaN(ms)) return text;
  if (time === 'relative') return relativeTime(ms, now);
  if (time === 'local') return localTime(ms);
  // A time in UTC keeps the digits it came with: services send nanoseconds.
  return /Z$/.test(text) ? text : new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** `3m ago`, `in 2h15m`, `now`: at most two neighbouring units, seconds only alone, rounded towards now. */
function relativeTime(ms: number, now: number): string {
  let seconds = Math.floor(Math.abs(ms - now) / 1000);
  if (seconds === 0) return 'now';
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  let distance = '';
  for (const [unit, size] of UNITS.slice(first, unitAfter(first))) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) distance += `${count}${unit}`;
  }
  return ms < now ? `${distance} ago` : `in ${distance}`;
}

/** The end of the units shown: seconds beside minutes would only flicker. */
function unitAfter(first: number): number {
  return Math.min(first + 2, first < UNITS.length - 1 ? UNITS.length - 1 : UNITS.length);
}

function localTime(ms: number): string {
  const date = new Date(ms);
  const offset = -date.getTimezoneOffset();
  const wall = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${wall}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

const BLOCKS = [...'▁▂▃▄▅▆▇█'];
/** By how dark they are. */
const DENSITIES = [...'.:-=+*%#'];

/**
 * At most `bars` of them, each the value of its group that is furthest from the mean, so that no spike is lost. A gap is a blank,
 * the lowest value still a bar, and what never changes stands at mid-height.
 */
export function sparkline(values: readonly (number | null)[], bars: number, ascii: boolean): string {
  const [low, high] = extent(values);
  const mean = meanOf(values);
  const glyphs = ascii ? DENSITIES : BLOCKS;
  const count = Math.min(bars, values.length);
  let line = '';
  for (let bar = 0; bar < count; bar++) {
    const end = Math.floor(((bar + 1) * values.length) / count);
    const value = furthest(values, Math.floor((bar * values.length) / count), end, mean);
    line += value === undefined ? ' ' : (glyphs[level(value, low, high)] ?? ' ');
  }
  return line;
}

/** The least and the greatest; the other way round, and infinite, where there is none. */
function extent(values: readonly (number | null)[]): readonly [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** Of the numbers among them. Large ones are not summed up, which might be beyond all numbers. */
export function meanOf(values: readonly (number | null)[]): number {
  let mean = 0;
  let count = 0;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    count++;
    mean += value / count - mean / count;
  }
  return mean;
}

/** How far up a value stands, from 0 to 1. The distance of two large numbers may be beyond all numbers. */
export function fraction(value: number, low: number, high: number): number {
  if (low === high) return 0.5;
  const range = high - low;
  return Number.isFinite(range) ? (value - low) / range : (value / 2 - low / 2) / (high / 2 - low / 2);
}

function furthest(values: readonly (number | null)[], start: number, end: number, mean: number): number | undefined {
  let found: number | undefined;
  for (let index = start; index < end; index++) {
    const value = values[index];
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    if (found === undefined || Math.abs(value - mean) >= Math.abs(found - mean)) found = value;
  }
  return found;
}

function level(value: number, low: number, high: number): number {
  return low === high ? 3 : Math.round(fraction(value, low, high) * 7);
}
