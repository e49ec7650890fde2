/** What terminal and SVG charts draw: a title, and series reduced to the columns. */
import type { ChartPicture, ChartSeries } from '../types.ts';

export type Window = Pick<ChartPicture, 'from' | 'to'>;

/** A series within one column without a gap. */
export interface Run {
  readonly column: number;
  /** Its range, including the step into it. */
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

/** Runs without a gap between them. */
export type Stretch = readonly Run[];

export function titleOf({ title, unit }: ChartPicture): string {
  return [title, unit].filter(Boolean).join(', ');
}

/** From 0 at the start of the window to 1 at its end; the middle of a window of one instant. */
export function position(ms: number, { from, to }: Window): number {
  return to > from ? Math.min(1, Math.max(0, (ms - from) / (to - from))) : 0.5;
}

/** By time. The minimum and maximum of each column are preserved, and so is every spike. */
export function stretchesOf({ at, values, until }: ChartSeries, window: Window, columns: number): readonly Stretch[] {
  const stretches: Run[][] = [];
  let stretch: Run[] | undefined;
  for (let index = 0; index < at.length; index++) {
    const start = at[index] ?? window.to;
    const end = Math.max(start, at[index + 1] ?? until);
    const value = values[index];
    if (isOutside(start, end, window) || value === null || value === undefined || !Number.isFinite(value)) {
      stretch = undefined;
      continue;
    }
    if (stretch === undefined) {
      stretch = [];
      stretches.push(stretch);
    }
    const covered = columnsOf(position(start, window) * columns, position(end, window) * columns, columns);
    addValue(stretch, value, covered);
  }
  return stretches;
}

/** A value that ends where the window begins is outside, unless it lasts no time. */
function isOutside(start: number, end: number, { from, to }: Window): boolean {
  return start > to || end < from || (end === from && start < end);
}

/** Continues the last run if it is in the first column, which also has the step into the value. */
function addValue(stretch: Run[], value: number, [first, last]: readonly [first: number, last: number]): void {
  const open = stretch.at(-1);
  const before = open?.column === first ? open : { low: open?.last ?? value, high: open?.last ?? value };
  if (before === open) stretch.pop();
  const low = Math.min(before.low, value);
  const high = Math.max(before.high, value);
  stretch.push({ column: first, low, high, last: value });
  for (let column = first + 1; column <= last; column++) {
    stretch.push({ column, low: value, high: value, last: value });
  }
}

/**
 * A column shows the value at its middle, so that values and gaps keep their proportions. A spike
 * between two middles goes to the column that has most of it.
 */
function columnsOf(left: number, right: number, columns: number): readonly [first: number, last: number] {
  const first = Math.round(left);
  const last = Math.round(right) - 1;
  if (first <= last) return [first, last];
  const only = Math.min(columns - 1, Math.floor((left + right) / 2));
  return [only, only];
}

/** The minimum and maximum; infinite, with swapped signs, if there are no values. */
export function rangeOf(all: readonly (readonly Stretch[])[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const run of all.flat(2)) {
    low = Math.min(low, run.low);
    high = Math.max(high, run.high);
  }
  return [low, high];
}

export function rangeIn({ series, ...window }: ChartPicture): readonly [low: number, high: number] {
  return rangeOf(series.map((one) => stretchesOf(one, window, 1)));
}

/** Whether its line would be a dot. Equal levels are drawn alike. */
export function isPoint(stretch: Stretch, columns: number, levelOf: (value: number) => number): boolean {
  const [first] = stretch;
  const last = stretch.at(-1);
  if (first === undefined || last === undefined || last.column - first.column >= columns) return false;
  return stretch.every(({ low, high }) => levelOf(low) === levelOf(first.low) && levelOf(high) === levelOf(first.low));
}
