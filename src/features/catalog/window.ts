/** The time that a series covers, and how the service divides it. */
import { SvcError } from '../../errors.ts';
import type { SeriesInterval } from './client.ts';

export const INTERVALS = ['1h', '6h', '1d', '7d'] as const satisfies readonly SeriesInterval[];

const HOUR = 3_600_000;

export const STEP_MS: Readonly<Record<SeriesInterval, number>> = {
  '1h': HOUR,
  '6h': 6 * HOUR,
  '1d': 24 * HOUR,
  '7d': 168 * HOUR,
};

/** The public implementation refuses a request for more. */
export const MOST_POINTS = 20_000;

export interface Window {
  /** Milliseconds since 1970; both ends are included. */
  readonly from: number;
  readonly to: number;
  readonly interval: SeriesInterval;
}

/** Points stand at `from`, and an interval apart: the last may be before `to`. */
export function pointsIn({ from, to, interval }: Window): number {
  return Math.floor((to - from) / STEP_MS[interval]) + 1;
}

export function bucketDates(window: Window): readonly string[] {
  const step = STEP_MS[window.interval];
  return Array.from({ length: pointsIn(window) }, (_, index) => wireTime(window.from + index * step));
}

/** The Monday by which weeks are counted. */
const MONDAY = Date.UTC(1970, 0, 5);

/** The whole hour, quarter of a day, day or week in UTC that a time is in. */
export function bucketStart(ms: number, interval: SeriesInterval): number {
  const [step, origin] = [STEP_MS[interval], interval === '7d' ? MONDAY : 0];
  return origin + Math.floor((ms - origin) / step) * step;
}

export function checkWindow({ from, to }: Window): void {
  if (from <= to) return;
  throw new SvcError('invalid_value', `--from is ${wireTime(from)}, after --to, ${wireTime(to)}`);
}

/** Of -30d, or now, the milliseconds are noise in every date. */
export function plainInstant(
  given: { readonly ms: number; readonly relative?: true } | undefined,
  otherwise: number,
): number {
  if (given !== undefined && !given.relative) return given.ms;
  return Math.floor((given?.ms ?? otherwise) / 1000) * 1000;
}

/** RFC 3339 in UTC: the service refuses times without their zone. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
