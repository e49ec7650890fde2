/** The time that a series covers, and how the service divides it. */
import { SvcError } from '../../errors.ts';
import type { SeriesInterval } from './api.ts';

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

/** What a chart and its reader can take in: a fortnight by hours, three months by quarters of a day, a year by days. */
const READABLE_POINTS = 400;

/** More than 27 years by hours is a typing error. */
const LONGEST_HISTORY = 240_000;

interface Span extends Omit<Window, 'interval'> {
  /** Where `from` is counted from now, or from `to`: its buckets start at whole hours, days or weeks, whenever the command runs. */
  readonly relative: boolean;
}

/** `auto`: the finest that a reader can take in. Throws `invalid_value` where nothing is in the window, or far too much. */
export function historyWindow({ relative, ...span }: Span, wanted: SeriesInterval | 'auto'): Window {
  const interval = wanted === 'auto' ? suitableInterval(span) : wanted;
  const window = { from: relative ? bucketStart(span.from, interval) : span.from, to: span.to, interval };
  checkWindow({ ...window, from: span.from });
  const points = pointsIn(window);
  if (points > LONGEST_HISTORY) {
    throw new SvcError(
      'invalid_value',
      `the range has ${points} points of ${interval}; the maximum is ${LONGEST_HISTORY}`,
      {
        hint: 'use a longer --interval, or a later --from',
      },
    );
  }
  return window;
}

export function suitableInterval(span: Omit<Window, 'interval'>): SeriesInterval {
  return INTERVALS.find((interval) => pointsIn({ ...span, interval }) <= READABLE_POINTS) ?? '7d';
}
