/** The value axis: round values that tell where a line stands, written with the fewest decimals that tell them apart. */
import { fraction } from '../cells.ts';

export interface ValueTick {
  readonly value: number;
  readonly text: string;
}

/** 1, 2 or 5 times a power of ten. */
export interface Step {
  readonly mantissa: number;
  readonly exponent: number;
}

/** With more of them below a value, where it stands among them is not known well enough. */
const MOST_STEPS = 1e12;
/** Up to here powers of ten and `Number.toFixed` are exact. */
const MOST_DECIMALS = 20;

/** The steps in their order, from `least` on; none where numbers are not exact for them. */
export function* stepsFrom(least: number, largest: number): Generator<Step> {
  if (!Number.isFinite(least)) return;
  let exponent = Math.floor(Math.log10(least));
  while (exponent >= -MOST_DECIMALS && exponent <= MOST_DECIMALS) {
    for (const mantissa of [1, 2, 5]) {
      const step = { mantissa, exponent };
      if (mantissa * 10 ** exponent < least * (1 - 1e-9)) continue;
      const count = inSteps(largest, step);
      if (count > MOST_STEPS || count * mantissa * 10 ** Math.max(0, exponent) > Number.MAX_SAFE_INTEGER) return;
      yield step;
    }
    exponent++;
  }
}

/** The ticks of a step from `low` to `high`, ascending. */
export function ticksBetween(low: number, high: number, step: Step): readonly ValueTick[] {
  const first = Math.ceil(snapped(inSteps(low, step)));
  const last = Math.floor(snapped(inSteps(high, step)));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => tick(first + index, step));
}

function inSteps(value: number, { mantissa, exponent }: Step): number {
  return exponent < 0 ? (value * 10 ** -exponent) / mantissa : value / (mantissa * 10 ** exponent);
}

/** 0.29 is 28.999999999999996 hundredths, and is meant to be 29. */
function snapped(count: number): number {
  const whole = Math.round(count);
  return Math.abs(count - whole) < 1e-9 ? whole : count;
}

function tick(count: number, { mantissa, exponent }: Step): ValueTick {
  const decimals = Math.max(0, -exponent);
  const value = exponent < 0 ? (count * mantissa) / 10 ** decimals : count * mantissa * 10 ** exponent;
  return { value, text: value.toFixed(decimals) };
}

export interface RowScale {
  /** By row from the top; undefined where nothing is written. */
  readonly labels: readonly (string | undefined)[];
  /** A value's dot from the top; a row has four. */
  readonly dot: (value: number) => number;
}

export const DOTS = 4;
/** A tick stands in the middle of its row. */
const MIDDLE = 1.5;

/** Ticks two to four rows apart, whichever makes the most of the height. What never changes stands in the middle. */
export function rowScale(low: number, high: number, rows: number): RowScale {
  if (low === high) {
    const middle = Math.floor(rows / 2);
    return { labels: labelsAt(rows, [[middle, String(low)]]), dot: () => middle * DOTS + 1 };
  }
  let best: Rows | undefined;
  for (const apart of [3, 2, 4]) {
    const found = rowsOf(low, high, rows, apart);
    // Three rows look best, unless others show more.
    if (found !== undefined && (best === undefined || found.used > best.used * 1.05)) best = found;
  }
  return best ?? endsOnly(low, high, rows);
}

interface Rows extends RowScale {
  /** How many rows the values take. */
  readonly used: number;
}

function rowsOf(low: number, high: number, rows: number, apart: number): Rows | undefined {
  const range = high - low;
  for (const step of stepsFrom((range / rows) * apart, Math.max(Math.abs(low), Math.abs(high)))) {
    const inRows = (value: number): number => inSteps(value, step) * apart;
    const lowest = Math.floor(snapped(inRows(low)));
    const spare = rows - 1 - (Math.ceil(snapped(inRows(high))) - lowest);
    if (spare < 0) continue;
    const bottom = rows - 1 - Math.floor(spare / 2);
    const rowAt = (value: number): number => bottom - (inRows(value) - lowest);
    // Nothing below zero is written beside prices.
    const least = low >= 0 ? Math.max(0, valueAt(rows - 1)) : valueAt(rows - 1);
    const ticks = ticksBetween(least, valueAt(0), step);
    if (ticks.length < 2) return undefined;
    return {
      labels: labelsAt(
        rows,
        ticks.map(({ value, text }) => [Math.round(rowAt(value)), text]),
      ),
      dot: (value) => dotAt(rowAt(value), rows),
      used: inRows(high) - inRows(low),
    };

    function valueAt(row: number): number {
      const { mantissa, exponent } = step;
      return ((bottom - row + lowest) / apart) * mantissa * 10 ** exponent;
    }
  }
  return undefined;
}

/** Where round values are of no use: both ends, as they are. */
function endsOnly(low: number, high: number, rows: number): RowScale {
  return {
    labels: labelsAt(rows, [
      [0, String(high)],
      [rows - 1, String(low)],
    ]),
    dot: (value) => dotAt((1 - fraction(value, low, high)) * (rows - 1), rows),
  };
}

function dotAt(row: number, rows: number): number {
  return Math.min(rows * DOTS - 1, Math.max(0, Math.round(row * DOTS + MIDDLE)));
}

function labelsAt(rows: number, placed: readonly (readonly [row: number, text: string])[]): RowScale['labels'] {
  const labels: (string | undefined)[] = Array.from({ length: rows }, () => undefined);
  for (const [row, text] of placed) labels[row] = text;
  return labels;
}
