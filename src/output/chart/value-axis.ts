/** The value axis: round values, with the fewest decimals that distinguish them. */

export interface ValueTick {
  readonly value: number;
  readonly text: string;
}

/** 1, 2 or 5 times a power of ten. */
export interface Step {
  readonly mantissa: number;
  readonly exponent: number;
}

/** With more ticks below a value, its position among them is not exact. */
const MOST_STEPS = 1e12;
/** Up to here, powers of ten and `Number.toFixed` are exact. */
const MOST_DECIMALS = 20;

/** The steps in order, from `least`; none if numbers are not exact for them. */
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
  const first = Math.ceil(snap(inSteps(low, step)));
  const last = Math.floor(snap(inSteps(high, step)));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => toTick(first + index, step));
}

function inSteps(value: number, { mantissa, exponent }: Step): number {
  return exponent < 0 ? (value * 10 ** -exponent) / mantissa : value / (mantissa * 10 ** exponent);
}

/** 0.29 is 28.999999999999996 hundredths, and should be 29. */
function snap(count: number): number {
  const whole = Math.round(count);
  return Math.abs(count - whole) < 1e-9 ? whole : count;
}

function toTick(count: number, { mantissa, exponent }: Step): ValueTick {
  const decimals = Math.max(0, -exponent);
  const value = exponent < 0 ? (count * mantissa) / 10 ** decimals : count * mantissa * 10 ** exponent;
  return { value, text: value.toFixed(decimals) };
}

export interface RowScale {
  /** The label of each row from the top; undefined for a row without one. */
  readonly labels: readonly (string | undefined)[];
  /** The row of dots of a value, from the top. */
  readonly dotOf: (value: number) => number;
}

/** Rows of dots in a row of text. */
export const DOTS_PER_ROW = 4;
/** A tick is in the middle of its row. */
const MIDDLE = 1.5;

/** Ticks two to four rows apart, whichever uses the height best. Constants are in the middle. */
export function rowScale(low: number, high: number, rows: number): RowScale {
  const labels = (labelOf: (row: number) => string | undefined) =>
    Array.from({ length: rows }, (_, row) => labelOf(row));
  const dotAt = (row: number): number =>
    Math.min(rows * DOTS_PER_ROW - 1, Math.max(0, Math.round(row * DOTS_PER_ROW + MIDDLE)));
  if (low === high) {
    const middle = Math.floor(rows / 2);
    return {
      labels: labels((row) => (row === middle ? String(low) : undefined)),
      dotOf: () => middle * DOTS_PER_ROW + 1,
    };
  }
  let best: Rows | undefined;
  for (const apart of [3, 2, 4]) {
    const found = rowsOf(low, high, rows, apart);
    // Three rows look best, unless others show more.
    if (found !== undefined && (best === undefined || found.used > best.used * 1.05)) best = found;
  }
  if (best === undefined) {
    // No round values fit: both ends are labeled, unrounded.
    const ends = new Map([
      [rows - 1, String(low)],
      [0, String(high)],
    ]);
    return {
      labels: labels((row) => ends.get(row)),
      dotOf: (value) => dotAt((1 - fraction(value, low, high)) * (rows - 1)),
    };
  }
  const { rowAt, labelOf } = best;
  return { labels: labels(labelOf), dotOf: (value) => dotAt(rowAt(value)) };
}

interface Rows {
  readonly labelOf: (row: number) => string | undefined;
  readonly rowAt: (value: number) => number;
  /** The number of rows that the values take. */
  readonly used: number;
}

/** By the finest step with `apart` rows between ticks; undefined if fewer than two ticks fit. */
function rowsOf(low: number, high: number, rows: number, apart: number): Rows | undefined {
  for (const step of stepsFrom(((high - low) / rows) * apart, Math.max(Math.abs(low), Math.abs(high)))) {
    const inRows = (value: number): number => inSteps(value, step) * apart;
    const lowest = Math.floor(snap(inRows(low)));
    const spare = rows - 1 - (Math.ceil(snap(inRows(high))) - lowest);
    if (spare < 0) continue;
    const top = rows - 1 - Math.floor(spare / 2) + lowest;
    const labelOf = (row: number): string | undefined => {
      const height = top - row;
      // Prices have no ticks below zero.
      return height % apart !== 0 || (height < 0 && low >= 0) ? undefined : toTick(height / apart, step).text;
    };
    const ticks = Array.from({ length: rows }, (_, row) => labelOf(row)).filter((label) => label !== undefined);
    if (ticks.length < 2) return undefined;
    return { labelOf, rowAt: (value) => top - inRows(value), used: inRows(high) - inRows(low) };
  }
  return undefined;
}

/** The height of a value, from 0 to 1. The difference of two large numbers may overflow. */
export function fraction(value: number, low: number, high: number): number {
  if (low === high) return 0.5;
  const range = high - low;
  return Number.isFinite(range) ? (value - low) / range : (value / 2 - low / 2) / (high / 2 - low / 2);
}
