/** A series cut into the columns of a drawing. */
import type { ChartSeries } from '../types.ts';

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What a series does within one column without a gap. */
export interface Run {
  readonly column: number;
  /** The range it goes through, the step into it included. */
  readonly low: number;
  readonly high: number;
  readonly last: number;
  /** There is a gap before it. */
  readonly fresh: boolean;
}

/** Where an instant stands between the first column and the last: 0 to 1. A window of one instant has it in the middle. */
export function position(ms: number, { from, to }: Window): number {
  return to > from ? Math.min(1, Math.max(0, (ms - from) / (to - from))) : 0.5;
}

/** In the order of time. Least and greatest of each column are kept, and so every spike, however many points a column stands for. */
export function runsOf({ at, values, until }: ChartSeries, window: Window, columns: number): readonly Run[] {
  const runs: Run[] = [];
  // The end of the column of the open run: most points of a long series need no more than to be compared with it.
  let edge = Number.NEGATIVE_INFINITY;
  let open: { column: number; low: number; high: number; last: number; fresh: boolean } | undefined;
  for (let index = 0; index < at.length; index++) {
    const start = at[index] ?? window.to;
    const end = Math.max(start, at[index + 1] ?? until);
    const value = values[index];
    const outside = start > window.to || end < window.from || (end === window.from && start < end);
    if (outside || value === null || value === undefined || !Number.isFinite(value)) {
      open = undefined;
      continue;
    }
    if (open !== undefined && end < edge) {
      if (value < open.low) open.low = value;
      if (value > open.high) open.high = value;
      open.last = value;
      continue;
    }
    const [first, last] = columnsOf(position(start, window) * columns, position(end, window) * columns, columns);
    if (open?.column === first) {
      open.low = Math.min(open.low, value);
      open.high = Math.max(open.high, value);
      open.last = value;
    } else {
      const before: number = open?.last ?? value;
      const low = Math.min(before, value);
      open = { column: first, low, high: Math.max(before, value), last: value, fresh: open === undefined };
      runs.push(open);
    }
    for (let column = first + 1; column <= last; column++) {
      open = { column, low: value, high: value, last: value, fresh: false };
      runs.push(open);
    }
    edge = window.from + ((last + 1) / columns) * (window.to - window.from);
  }
  return runs;
}

/**
 * A column belongs to what holds at its middle: neither a value nor a gap grows at the cost of the other, and a gap as wide as a column
 * is always seen. A value that holds at no middle, a spike, is in the column that most of it is in.
 */
function columnsOf(left: number, right: number, columns: number): readonly [first: number, last: number] {
  const first = Math.round(left);
  const last = Math.round(right) - 1;
  if (first <= last) return [first, last];
  const only = Math.min(columns - 1, Math.floor((left + right) / 2));
  return [only, only];
}

/** The least and the greatest of all; infinite, the other way round, where there is none. */
export function rangeOf(all: readonly (readonly Run[])[]): readonly [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const runs of all) {
    for (const run of runs) {
      if (run.low < low) low = run.low;
      if (run.high > high) high = run.high;
    }
  }
  return [low, high];
}
