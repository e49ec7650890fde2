/** The time axis: instants at which a calendar or a clock is full, and what they are called. */
import { displayWidth } from '../terminal.ts';
import { position, type Window } from './runs.ts';

export type ShownTime = 'utc' | 'local';

export interface TimeTick {
  readonly at: number;
  /** `14:00`, `Jan 15`, `Jan`, `2026`. */
  readonly text: string;
  /** What the text leaves out: `2026-01-15`, `2026`; empty where it says all. */
  readonly context: string;
}

interface Step {
  readonly unit: 'ms' | 'day' | 'week' | 'month' | 'year';
  readonly size: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 1970 began on a Thursday, weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY;
/** What `Date` knows. */
const LAST_INSTANT = 8.64e15;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const LENGTHS: Readonly<Record<Step['unit'], number>> = {
  ms: 1,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
};

const STEPS: readonly Step[] = [
  ...steps('ms', [1, 2, 5, 10, 20, 50, 100, 200, 500]),
  ...steps(
    'ms',
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((seconds) => seconds * 1000),
  ),
  ...steps(
    'ms',
    [1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ),
  ...steps('day', [1, 2]),
  ...steps('week', [1, 2]),
  ...steps('month', [1, 2, 3, 6]),
  ...steps('year', [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]),
];

function steps(unit: Step['unit'], sizes: readonly number[]): readonly Step[] {
  return sizes.map((size) => ({ unit, size }));
}

/**
 * The ticks of the finest step whose texts stand `gap` apart, where a text of `width(text)` stands on an axis that is `length` long.
 * None where there is no room for two.
 */
export function timeTicks(
  window: Window,
  time: ShownTime,
  { length, gap, width = displayWidth }: { length: number; gap: number; width?: (text: string) => number },
): readonly TimeTick[] {
  const span = window.to - window.from;
  if (!(span > 0) || Math.max(Math.abs(window.from), Math.abs(window.to)) > LAST_INSTANT - DAY) return [];
  for (const step of STEPS) {
    // No text is shorter than a year.
    if ((span / (LENGTHS[step.unit] * step.size)) * (width('2026') + gap) > length * 1.5) continue;
    const ticks = [...ticksOf(step, window, time)];
    if (ticks.length < 2) return [];
    if (standApart(ticks)) return ticks;
  }
  return [];

  function standApart(ticks: readonly TimeTick[]): boolean {
    return ticks.every(({ at, text }, index) => {
      const next = ticks[index + 1];
      if (next === undefined) return true;
      const distance = (position(next.at, window) - position(at, window)) * length;
      return distance >= (width(text) + width(next.text)) / 2 + gap;
    });
  }
}

function* ticksOf(step: Step, { from, to }: Window, time: ShownTime): Generator<TimeTick> {
  let wall = floor(from + offset(from, time), step);
  for (;;) {
    const at = instant(wall, time);
    if (at > to) return;
    // No clock shows an hour that a change to summer time leaves out.
    const shown = step.unit !== 'ms' || at + offset(at, time) === wall;
    if (at >= from && shown) yield { at, ...textsOf(wall, step) };
    wall = next(wall, step);
  }
}

/** Milliseconds that the zone's clocks are ahead of UTC. */
function offset(at: number, time: ShownTime): number {
  return time === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE;
}

/** When the clocks show this. */
function instant(wall: number, time: ShownTime): number {
  return wall - offset(wall - offset(wall, time), time);
}

function floor(wall: number, { unit, size }: Step): number {
  if (unit === 'week') {
    const length = size * 7 * DAY;
    return Math.floor((wall - FIRST_MONDAY) / length) * length + FIRST_MONDAY;
  }
  if (unit === 'ms' || unit === 'day') {
    const length = size * LENGTHS[unit];
    return Math.floor(wall / length) * length;
  }
  const date = new Date(wall);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return unit === 'month' ? monthStart(year, month - (month % size)) : monthStart(Math.floor(year / size) * size, 0);
}

function next(wall: number, { unit, size }: Step): number {
  const date = new Date(wall);
  if (unit === 'month') return monthStart(date.getUTCFullYear(), date.getUTCMonth() + size);
  if (unit === 'year') return monthStart(date.getUTCFullYear() + size, 0);
  return wall + size * LENGTHS[unit];
}

/** `Date.UTC` takes the years of the first century for those of the last. */
function monthStart(year: number, month: number): number {
  const start = new Date(0).setUTCFullYear(year, month, 1);
  return Number.isNaN(start) ? (year < 0 ? -LAST_INSTANT : LAST_INSTANT) : start;
}

function textsOf(wall: number, { unit, size }: Step): Pick<TimeTick, 'text' | 'context'> {
  const date = new Date(wall);
  const year = String(date.getUTCFullYear());
  const month = MONTHS[date.getUTCMonth()] ?? '';
  if (unit === 'year') return { text: year, context: '' };
  if (unit === 'month') return { text: month, context: year };
  if (unit !== 'ms') return { text: `${month} ${date.getUTCDate()}`, context: year };
  const [day = '', clock = ''] = date.toISOString().split('T');
  return { text: clock.slice(0, size >= MINUTE ? 5 : size >= 1000 ? 8 : 12), context: day };
}

/** `UTC`, or how far the zone's clocks are from it: `UTC+03:00`. */
export function zoneName(at: number, time: ShownTime): string {
  const minutes = offset(at, time) / MINUTE;
  if (!minutes) return 'UTC';
  const distance = Math.abs(minutes);
  const hours = String(Math.floor(distance / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${hours}:${String(distance % 60).padStart(2, '0')}`;
}

/** Of a window: both where the clocks change in it. */
export function zoneNames({ from, to }: Window, time: ShownTime): string {
  const [first, last] = [zoneName(from, time), zoneName(to, time)];
  return first === last ? last : `${first}, then ${last}`;
}

/** `from 2026-01-15 14:00 to 2026-01-16 UTC` */
export function windowText({ from, to }: Window, time: ShownTime): string {
  const [first, last] = [zoneName(from, time), zoneName(to, time)];
  const zone = first === last ? '' : ` ${first}`;
  return `from ${instantText(from, time)}${zone} to ${instantText(to, time)} ${last}`;
}

/** `2026-01-15 14:00`, without the time of day where it is midnight. */
export function instantText(at: number, time: ShownTime): string {
  const wall = at + offset(at, time);
  if (!(Math.abs(wall) <= LAST_INSTANT)) return String(at);
  const [day = '', clock = ''] = new Date(wall).toISOString().split('T');
  const shown = clock.replace(/(?::00)?\.000Z$|0*Z$/, '');
  return shown === '00:00' ? day : `${day} ${shown}`;
}
