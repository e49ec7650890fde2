/** Values as one line of bars. */

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
export function extent(values: readonly (number | null)[]): readonly [low: number, high: number] {
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
