import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Run, stretchesOf, type Window } from '../../../src/output/chart/stretches.ts';
import type { ChartSeries } from '../../../src/output/types.ts';
import { series } from './pictures.ts';

const WINDOW = { from: 0, to: 100 };

const runsOf = (one: ChartSeries, window: Window, columns: number): readonly Run[] =>
  stretchesOf(one, window, columns).flat();

interface Place {
  readonly at: readonly number[];
  readonly values: readonly (number | null)[];
  readonly until: number;
  readonly columns: number;
}

/** A value is where it begins, or one column further where it counts at the middle of that one alone. */
function expectDrawn(runs: readonly Run[], { at, columns }: Place, index: number, value: number): void {
  const start = at[index] ?? 0;
  if (start > WINDOW.to) return;
  const columnOf = (hair: number): number => Math.min(columns - 1, Math.floor((start / 100) * columns + hair));
  const [first, last] = [columnOf(-1e-9), columnOf(1e-9)];
  const near = runs.filter(({ column }) => first <= column && column <= last + 1);
  expect(near.some(({ low, high }) => low <= value && value <= high)).toBe(true);
}

/** What is drawn in a column is a value there. */
function expectKnown({ column, low, high, last }: Run, { at, values, until, columns }: Place): void {
  const [left, right] = [(column * 100) / columns, ((column + 1) * 100) / columns];
  const there = values.some((value, index) => {
    const [start, end] = [at[index] ?? 0, at[index + 1] ?? until];
    return value !== null && start <= right + 1e-9 && end >= left - 1e-9;
  });
  expect(there).toBe(true);
  expect(low <= last && last <= high).toBe(true);
}

describe('a line of a chart', () => {
  test('a value lasts until the next, and the step into it is part of its column', () => {
    const runs = runsOf(series({ at: [0, 20], values: [1, 3], until: 40 }), WINDOW, 10);
    expect(runs).toEqual([
      { column: 0, low: 1, high: 1, last: 1 },
      { column: 1, low: 1, high: 1, last: 1 },
      { column: 2, low: 1, high: 3, last: 3 },
      { column: 3, low: 3, high: 3, last: 3 },
    ]);
  });

  test('a gap within a column separates both sides', () => {
    const stretches = stretchesOf(series({ at: [0, 4, 6], values: [1, null, 9], until: 10 }), WINDOW, 10);
    expect(stretches).toEqual([[{ column: 0, low: 1, high: 1, last: 1 }], [{ column: 0, low: 9, high: 9, last: 9 }]]);
  });

  test('an earlier value is drawn from the start of the window, unless it ended there', () => {
    const columns = (at: number[], until: number): number[] =>
      runsOf(series({ at, values: at.map(() => 1), until }), WINDOW, 4).map(({ column }) => column);
    expect(columns([-50], 30)).toEqual([0]);
    expect(columns([-50], 40)).toEqual([0, 1]);
    expect(columns([-50], 0)).toEqual([]);
    expect(columns([100], 200)).toEqual([3]);
    expect(columns([101], 200)).toEqual([]);
    expect(columns([50], 50)).toEqual([2]);
  });

  test('a gap as wide as a column leaves a column empty', () => {
    const part = fc.double({ min: 1, max: 6, noNaN: true });
    // Of a number near 6.5 the sixteenth digit is rounded: 1 more than 5.499999999999999 is not quite 1 more then.
    const wide = fc.double({ min: 1 + 1e-12, max: 6, noNaN: true });
    fc.assert(
      fc.property(part, wide, part, fc.integer({ min: 5, max: 40 }), (before, gap, after, columns) => {
        // A value for the last half column shares its column with the gap before it.
        fc.pre(before + gap + after <= columns);
        const column = WINDOW.to / columns;
        const at = [0, before * column, (before + gap) * column];
        const until = (before + gap + after) * column;
        const runs = runsOf(series({ at, values: [1, null, 2], until }), WINDOW, columns);
        const [first, second] = [1, 2].map((value) => runs.filter(({ low }) => low === value).map((run) => run.column));
        if (second?.[0] === undefined) return;
        expect(second[0] - (first?.at(-1) ?? 0)).toBeGreaterThan(1);
      }),
    );
  });

  test('every value is in its column, and nothing is drawn for null', () => {
    const point = fc.record({
      length: fc.integer({ min: 0, max: 15 }),
      value: fc.option(fc.integer({ min: 0, max: 9 })),
    });
    fc.assert(
      fc.property(fc.array(point, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (points, columns) => {
        const at: number[] = [];
        let time = 0;
        for (const { length } of points) {
          at.push(time);
          time += length;
        }
        const values = points.map(({ value }) => value);
        const runs = runsOf(series({ at, values, until: time }), WINDOW, columns);
        const place = { at, values, until: time, columns };
        for (const [index, value] of values.entries()) if (value !== null) expectDrawn(runs, place, index, value);
        for (const run of runs) expectKnown(run, place);
        expect(runs.map(({ column }) => column)).toEqual(runs.map(({ column }) => column).sort((a, b) => a - b));
      }),
    );
  });
});
