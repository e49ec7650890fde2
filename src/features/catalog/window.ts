/** The time that a series covers, and how the service divides it. */
import type { Instant } from '../../cli/flags.ts';
import { UTC } from '../../cli/time.ts';
import { SvcError } from '../../errors.ts';
import type { Zone } from '../../output/types.ts';
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
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Included. */
  readonly to: number;
  readonly interval: SeriesInterval;
}

/** A window whose points are hours, quarters of a day, days or weeks of a time zone. */
export interface CalendarWindow extends Window {
  readonly zone: Zone;
  /** The start of each point, `from` first. A day may have 23 or 25 hours. */
  readonly starts: readonly number[];
  /** Where the last point ends. What is observed then is not in it. */
  readonly end: number;
}

/** Where points stand at `from`, and an interval apart: the last may be before `to`. */
export function pointsIn({ from, to, interval }: Window): number {
  return Math.floor((to - from) / STEP_MS[interval]) + 1;
}

export function bucketDates({ starts, zone }: CalendarWindow): readonly string[] {
  return starts.map((at) => zone.text(at));
}

/** The Monday by which weeks are counted. */
const MONDAY = Date.UTC(1970, 0, 5);

/** Where the hour, quarter of a day, day or week that a time is in begins. */
export function bucketStart(ms: number, interval: SeriesInterval, zone: Zone): number {
  const clock = ms + zone.offset(ms);
  const into = clock - bucketClock(clock, interval);
  const first = zone.instant(clock - into);
  // An hour that the clocks repeat is two hours. If they skip its first half, as on Lord Howe
  // Island, the rest is one.
  return interval === '1h' ? Math.max(ms - into, first) : first;
}

function bucketClock(clock: number, interval: SeriesInterval): number {
  const [step, origin] = [STEP_MS[interval], interval === '7d' ? MONDAY : 0];
  return origin + Math.floor((clock - origin) / step) * step;
}

function nextStart(start: number, interval: SeriesInterval, zone: Zone): number {
  if (interval === '1h') return bucketStart(start + HOUR, interval, zone);
  const next = bucketClock(start + zone.offset(start), interval) + STEP_MS[interval];
  return zone.instant(next);
}

export function checkWindow({ from, to }: Window): void {
  if (from <= to) return;
  throw new SvcError('invalid_value', `--since is ${wireTime(from)}, after --until, ${wireTime(to)}`);
}

/** In -30d or now, milliseconds are noise in dates. A day alone begins when it does in the zone. */
export function plainInstant(given: Omit<Instant, 'iso'> | undefined, otherwise: number, zone: Zone): number {
  if (given?.date) return zone.instant(given.ms);
  if (given !== undefined && !given.relative) return given.ms;
  return Math.floor((given?.ms ?? otherwise) / 1000) * 1000;
}

/** RFC 3339 in UTC: the service refuses times without their zone. */
export function wireTime(ms: number): string {
  return UTC.text(ms);
}

/** Whether a time was not given in UTC but as a day or a duration: its user sees what it means. */
export function isResolved(given: Instant | undefined, ms: number): boolean {
  return given !== undefined && given.text !== wireTime(ms);
}

/** What a terminal shows: four days by hours, three weeks by quarter days, three months by days. */
const READABLE_POINTS = 100;

/** By weeks it is every window that there is. */
const MOST_WINDOW_POINTS = 1_000_000;

/** `exclusive`: without `to`. Throws `invalid_value` if it has too many intervals, or none. */
export function calendarWindow(
  { from, to, interval }: Window,
  zone: Zone,
  { exclusive = false }: { readonly exclusive?: boolean | undefined } = {},
): CalendarWindow {
  checkWindow({ from, to, interval });
  const points = pointsIn({ from, to, interval });
  if (points > MOST_WINDOW_POINTS) {
    throw new SvcError(
      'invalid_value',
      `the range has ${points} points of ${interval}; the maximum is ${MOST_WINDOW_POINTS}`,
      { hint: 'use a longer --interval, or a later --since' },
    );
  }
  const starts: number[] = [];
  const begin = bucketStart(from, interval, zone);
  let end = begin;
  do {
    starts.push(end);
    end = nextStart(end, interval, zone);
  } while (exclusive ? end < to : end <= to);
  return { from: begin, to, interval, zone, starts, end };
}

/** The finest interval that a reader can take in. */
export function suitableInterval(span: Omit<Window, 'interval'>): SeriesInterval {
  return INTERVALS.find((interval) => pointsIn({ ...span, interval }) <= READABLE_POINTS) ?? '7d';
}
