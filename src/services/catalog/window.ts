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

/** What one request asks for. */
export interface Part {
  readonly from: number;
  readonly points: number;
  readonly dateFrom: string;
  readonly dateTo: string;
}

/** Points stand at `from`, and an interval apart: the last may be before `to`. */
export function pointsIn({ from, to, interval }: Window): number {
  return Math.floor((to - from) / STEP_MS[interval]) + 1;
}

/**
 * Parts of at most so many points, whose answers one after the other are the answer for the whole: each begins a step after the last
 * point of the one before. It ends a microsecond, the finest that the service keeps, before the next begins: the service leaves out
 * what is after `date_to`, and the last point stands for all of its interval.
 */
export function partsOf(window: Window, most: number): readonly Part[] {
  const step = STEP_MS[window.interval];
  const all = pointsIn(window);
  return Array.from({ length: Math.ceil(all / most) }, (_, index) => {
    const from = window.from + index * most * step;
    const points = Math.min(most, all - index * most);
    const last = index * most + points === all;
    const dateTo = last ? wireTime(window.to) : justBefore(from + points * step);
    return { from, points, dateFrom: wireTime(from), dateTo };
  });
}

export function checkWindow({ from, to }: Window): void {
  if (from <= to) return;
  throw new SvcError('invalid_value', `--from is ${wireTime(from)}, after --to, ${wireTime(to)}`);
}

function justBefore(ms: number): string {
  return new Date(ms - 1).toISOString().replace('Z', '999Z');
}

/** Of -30d, or now, the milliseconds are noise in every date: only those that somebody wrote are kept. */
export function plainInstant(ms: number, typed: readonly string[]): number {
  return typed.some((text) => /:\d\d\.\d/.test(text)) ? ms : Math.floor(ms / 1000) * 1000;
}

/** RFC 3339 in UTC: the service refuses times without their zone. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
