/** Candlesticks, for terminals and for SVG: hollow if the price rose, filled if it fell, a cross if it is unchanged. */
import type { ChartCandle, ChartPicture } from '../types.ts';
import type { PlotRow } from './plot.ts';
import { DOTS } from './value-axis.ts';

/** One or more candles, drawn as one. */
export interface Candlestick extends Omit<ChartCandle, 'at' | 'until'> {
  /** Its place from the left: from 0 to the number of places. */
  readonly place: number;
}

export interface Candlesticks {
  readonly sticks: readonly Candlestick[];
  /** How many candles are one. */
  readonly each: number;
  /** The places of the window; the last may be in part outside. */
  readonly places: number;
}

/** Merges candles that are too many for `most` places: the first opens, the last closes. Times without a candle have empty places. */
export function candlesticks({ candles, from, to }: ChartPicture, most: number): Candlesticks {
  const { periodMs = 1, list = [] } = candles ?? {};
  const span = Math.max(periodMs, to - from);
  const each = Math.max(1, Math.ceil(span / periodMs / Math.max(1, most) - 1e-9));
  const sticks: Candlestick[] = [];
  for (const { at, until, ...prices } of list) {
    const place = Math.floor((Math.min((at + until) / 2, to - 1) - from) / (each * periodMs));
    const last = sticks.at(-1);
    if (last?.place !== place) sticks.push({ place, ...prices });
    else {
      const { open } = last;
      const [high, low] = [Math.max(last.high, prices.high), Math.min(last.low, prices.low)];
      sticks[sticks.length - 1] = { place, open, high, low, close: prices.close };
    }
  }
  return { sticks, each, places: span / (each * periodMs) };
}

/** The colors of series that mean rising and falling, in every palette. */
export const RISING = 2;
export const FALLING = 4;

interface Glyphs {
  readonly rising: string;
  readonly falling: string;
  readonly wick: string;
  /** A wick in the lower or the upper half of a cell. */
  readonly lower: string;
  readonly upper: string;
  /** Opened and closed at the same price; with a wick; below or above. */
  readonly same: readonly [alone: string, both: string, below: string, above: string];
}

const DRAWN: Glyphs = { rising: '║', falling: '█', wick: '│', lower: '╷', upper: '╵', same: ['─', '┼', '┬', '┴'] };
const ASCII: Glyphs = { rising: 'O', falling: '#', wick: '|', lower: '|', upper: '|', same: ['-', '+', '+', '+'] };

function seriesOf({ open, close }: Pick<Candlestick, 'open' | 'close'>): number {
  return close < open ? FALLING : RISING;
}

/** Each candlestick is one cell wide, and in a cell of its own. */
export function plotCandles(
  { sticks, places }: Candlesticks,
  dot: (value: number) => number,
  { cells, rows, ascii }: { readonly cells: number; readonly rows: number; readonly ascii: boolean },
): readonly PlotRow[] {
  const field = Array.from({ length: rows }, (): (PlotRow[number] | undefined)[] => Array(cells).fill(undefined));
  const width = cells / places;
  for (const stick of sticks) {
    const cell = Math.min(cells - 1, Math.floor(stick.place * width + (width - 1) / 2 + 1e-9));
    for (const [row, text] of cellsOf(stick, dot, ascii ? ASCII : DRAWN)) {
      const line = field[row];
      if (line !== undefined) line[cell] = { text, series: seriesOf(stick) };
    }
  }
  return field;
}

function* cellsOf(stick: Candlestick, dot: (value: number) => number, glyphs: Glyphs): Generator<[number, string]> {
  const { open, high, low, close } = stick;
  const [top, bottom] = [dot(high), dot(low)];
  const [bodyTop, bodyBottom] = [dot(Math.max(open, close)), dot(Math.min(open, close))];
  const rowOf = (at: number): number => Math.floor(at / DOTS);
  const inRow = (row: number, first: number, last: number): number =>
    Math.max(0, Math.min(last, row * DOTS + DOTS - 1) - Math.max(first, row * DOTS) + 1);
  const body = (row: number): number => inRow(row, bodyTop, bodyBottom);
  const all = Array.from({ length: rowOf(bottom) - rowOf(top) + 1 }, (_, index) => rowOf(top) + index);
  // The body is never hidden, however short it is.
  const most = Math.max(...all.map(body));
  const shown = all.filter((row) => body(row) >= Math.min(most, DOTS / 2));
  for (const row of all) {
    const [isTop, isBottom] = [row === all[0], row === all.at(-1)];
    if (shown.includes(row)) yield [row, bodyGlyph(stick, isTop, isBottom, glyphs)];
    else yield [row, inRow(row, top, bottom) > DOTS / 2 ? glyphs.wick : wickGlyph(isTop, isBottom, glyphs)];
  }
}

function bodyGlyph(
  { open, close }: Candlestick,
  isTop: boolean,
  isBottom: boolean,
  { same, ...glyphs }: Glyphs,
): string {
  if (open !== close) return close < open ? glyphs.falling : glyphs.rising;
  if (isTop) return same[isBottom ? 0 : 2];
  return same[isBottom ? 3 : 1];
}

/** The glyph of a cell that the wick fills to less than a half. */
function wickGlyph(isTop: boolean, isBottom: boolean, { lower, upper, wick }: Glyphs): string {
  if (isTop) return lower;
  return isBottom ? upper : wick;
}

/** `║ rising  █ falling  2 candles each` */
export function candleKey(
  { each }: Candlesticks,
  ascii: boolean,
  paint: (text: string, series: number) => string,
): string {
  const { rising, falling } = ascii ? ASCII : DRAWN;
  const key = `${paint(rising, RISING)} rising  ${paint(falling, FALLING)} falling`;
  return each === 1 ? key : `${key}  ${each} candles each`;
}
