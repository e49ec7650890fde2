/** The window of a price history: how fine it is asked for, and in how many requests. */
import { SvcError } from '../../errors.ts';

export const INTERVALS = ['1h', '6h', '1d', '7d'] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR = 3_600_000;
export const STEP_MS: Readonly<Record<Interval, number>> = {
  '1h': HOUR,
  '6h': 6 * HOUR,
  '1d': 24 * HOUR,
  '7d': 168 * HOUR,
};

/** The service refuses more in one answer (seen on the public implementation). */
export const MOST_POINTS = 20_000;

/** What a chart and its reader can take in: a fortnight by hours, three months by quarters of a day, a year by days. */
const READABLE_POINTS = 400;

/** More is a slip of the pen: 28 years by hours. */
const MOST_REQUESTS = 12;

export interface Span {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

export interface Window extends Span {
  readonly interval: Interval;
}

/** As many as the service answers with (seen on the public implementation): one for each step that begins in the window. */
export function pointCount({ from, to }: Span, interval: Interval): number {
  return Math.floor((to - from) / STEP_MS[interval]) + 1;
}

/** The finest that a reader can take in. */
export function suitableInterval(span: Span): Interval {
  return INTERVALS.find((interval) => pointCount(span, interval) <= READABLE_POINTS) ?? '7d';
}

/** Throws `invalid_value` where there is nothing in it, or far too much. */
export function windowOf(span: Span, interval: Interval | 'auto'): Window {
  if (span.from > span.to) {
    throw new SvcError('invalid_value', `--from ${iso(span.from)} is after --to ${iso(span.to)}`, {
      hint: 'swap the two',
    });
  }
  const window = { ...span, interval: interval === 'auto' ? suitableInterval(span) : interval };
  const count = pointCount(window, window.interval);
  if (count > MOST_POINTS * MOST_REQUESTS) {
    throw new SvcError(
      'invalid_value',
      `that is ${count} points a source; svc asks for ${MOST_POINTS * MOST_REQUESTS} at most`,
      {
        hint: 'take a coarser --interval, or a later --from',
      },
    );
  }
  return window;
}

/** One request's part of a window. */
export interface Part {
  readonly dateFrom: string;
  readonly dateTo: string;
  /** How many points it brings. */
  readonly points: number;
  /** The time of its first point. */
  readonly from: number;
}

/**
 * The parts of a window, each with no more points than one answer may have. A part begins where a point of the whole window is, so
 * that together they have the same points; it ends a microsecond, the finest that the service keeps, before the next begins, so
 * that what happened just before that still counts and nothing counts twice.
 */
export function partsOf(window: Window, most: number = MOST_POINTS): readonly Part[] {
  const step = STEP_MS[window.interval];
  const total = pointCount(window, window.interval);
  return Array.from({ length: Math.ceil(total / most) }, (_, index) => {
    const from = window.from + index * most * step;
    const next = from + most * step;
    const last = (index + 1) * most >= total;
    return {
      dateFrom: iso(from),
      dateTo: last ? iso(window.to) : iso(next - 1).replace('Z', '999Z'),
      points: last ? total - index * most : most,
      from,
    };
  });
}

/** The time of each point of a window. */
export function pointTimes(window: Window): readonly string[] {
  const step = STEP_MS[window.interval];
  return Array.from({ length: pointCount(window, window.interval) }, (_, index) => iso(window.from + index * step));
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** For people: without the milliseconds that are none, and without the midnight of whole days. */
export function spanText({ from, to }: Span): string {
  const texts = [from, to].map((ms) => iso(ms).replace('.000Z', 'Z'));
  return texts.join(' to ');
}
