/** A chart in one line for each series: its name, a line of bars, its last value. */
import { escapeText } from '../escape.ts';
import type { ChartPicture, ChartSeries } from '../types.ts';
import { displayWidth } from '../width.ts';
import { fittingNames } from './fitting-names.ts';
import { runsOf, type Window } from './runs.ts';
import { meanOf, sparkline } from './sparkline.ts';

export interface SparkStyle {
  readonly width: number;
  readonly ascii: boolean;
}

const GAP = 2;
/** Fewer bars tell less than the texts beside them: those are left out first. */
const LEAST_BARS = 8;

export function sparkLines({ series, from, to }: ChartPicture, { width, ascii }: SparkStyle): readonly string[] {
  const window = { from, to };
  const lasts = series.map((one) => lastOf(one, window));
  const names = series.map(({ name }) => escapeText(name));
  const nameWidth = Math.min(Math.floor(width / 3), Math.max(0, ...names.map(displayWidth)));
  const lastWidth = Math.max(0, ...lasts.map((text) => text.length));
  const room = width - (nameWidth > 0 ? nameWidth + GAP : 0) - (lastWidth > 0 ? lastWidth + GAP : 0);
  if (room < LEAST_BARS) return series.map((one) => bars(one, window, width, ascii));
  const shown = fittingNames(names, nameWidth);
  return series.map((one, index) => {
    const name = shown[index] ?? '';
    const titled = nameWidth === 0 ? '' : name + ' '.repeat(nameWidth - displayWidth(name) + GAP);
    const line = bars(one, window, room, ascii);
    const last = lasts[index] ?? '';
    return last === ''
      ? `${titled}${line || 'no values'.slice(0, room)}`
      : `${titled}${line.padEnd(room + GAP)}${last.padStart(lastWidth)}`;
  });
}

/** Each column by its value that is furthest from the mean. */
function bars(series: ChartSeries, window: Window, count: number, ascii: boolean): string {
  const runs = runsOf(series, window, count);
  const mean = meanOf(series.values);
  const values = Array.from({ length: count }, (): number | null => null);
  for (const { column, low, high } of runs) {
    for (const value of [low, high]) {
      const before = values[column] ?? null;
      if (before === null || Math.abs(value - mean) >= Math.abs(before - mean)) values[column] = value;
    }
  }
  return sparkline(values, count, ascii).trimEnd();
}

function lastOf({ at, values }: ChartSeries, { from, to }: Window): string {
  for (let index = at.length - 1; index >= 0; index--) {
    const value = values[index];
    const start = at[index] ?? from;
    if (start <= to && value !== null && value !== undefined && Number.isFinite(value)) return String(value);
  }
  return '';
}
