/** The time that a series covers, and how the service divides it. */
import { SvcError } from '../../errors.ts';
import type { SeriesInterval } from './client.ts';

export const INTERVALS = ['1h', '6h', '1d', '7d'] as const satisfies readonly SeriesInterval[];

const HOUR = 3_600_000;

export const INTERVAL_MS: Readonly<Record<SeriesInterval, number>> = {
  '1h': HOUR,
  '6h': 6 * HOUR,
  '1d': 24 * HOUR,
  '7d': 168 * HOUR,
};

/** The public implementation refuses a request for more. */
export const MOST_POINTS = 20_000;

/** Milliseconds since 1970, both ends included. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Points stand at `from`, and an interval apart: the last may be before `to`. */
export function pointsIn({ from, to }: Window, interval: SeriesInterval): number {
  return Math.floor((to - from) / INTERVAL_MS[interval]) + 1;
}

export function checkWindow({ from, to }: Window): void {
  if (from <= to) return;
  throw new SvcError('invalid_value', `--from is ${wireTime(from)}, after --to, ${wireTime(to)}`);
}

/** RFC 3339 in UTC: the service refuses times without their zone. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
