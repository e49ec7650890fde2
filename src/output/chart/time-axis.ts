/** The time axis: ticks at round times, and their labels. */
import { displayWidth } from '../terminal.ts';
import type { Zone } from '../types.ts';
import { position, type Window } from './stretches.ts';

/** `local`: of this machine. */
export type ShownTime = 'utc' | 'local' | Zone;

export interface TimeTick {
  readonly at: number;
  /** `14:00`, `Jan 15`, `Jan`, `2026`. */
  readonly text: string;
  /** What the label omits: `2026-01-15`, `2026`; empty if it says everything. */
  readonly context: string;
}

/** A number of calendar months, or of milliseconds from an origin. */
type Step = { readonly months: number; readonly ms?: undefined } | { readonly ms: number; readonly origin: number };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY;
/** The range of `Date`. */
const LAST_INSTANT = 8.64e15;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const every = (ms: number, counts: readonly number[], origin = 0) =>
  counts.map((count): Step => ({ ms: ms * count, origin }));
const STEPS: readonly Step[] = [
  ...every(1, [1, 2, 5, 10, 20, 50, 100, 200, 500]),
  ...every(SECOND, [1, 2, 5, 10, 15, 30]),
  ...every(MINUTE, [1, 2, 5, 10, 15, 30]),
  ...every(HOUR, [1, 2, 3, 6, 12]),
  ...every(DAY, [1, 2]),
  ...every(7 * DAY, [1, 2], FIRST_MONDAY),
  ...[1, 2, 3, 6].map((months) => ({ months })),
  ...[1, 10, 100, 1000, 10_000].flatMap((years) => [1, 2, 5].map((count) => ({ months: 12 * years * count }))),
  { months: 12 * 100_000 },
];

/** The finest step with labels at least `gap` apart. Empty if fewer than two ticks fit. */
export function timeTicks(
  window: Window,
  time: ShownTime,
  { length, gap, width = displayWidth }: { length: number; gap: number; width?: (text: string) => number },
): readonly TimeTick[] {
  const span = window.to - window.from;
  if (!(span > 0) || Math.max(Math.abs(window.from), Math.abs(window.to)) > LAST_INSTANT - DAY) return [];
  for (const step of STEPS) {
    const size = step.ms ?? step.months * ((step.months < 12 ? 30 : 365 / 12) * DAY);
    // No label is shorter than a year.
    if ((span / size) * (width('2026') + gap) > length * 1.5) continue;
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

/** Ticks whose context differs from the previous tick's. */
export function newContexts<T extends Pick<TimeTick, 'context'>>(ticks: readonly T[]): readonly T[] {
  return ticks.filter(({ context }, index) => context !== '' && context !== ticks[index - 1]?.context);
}

function* ticksOf(step: Step, { from, to }: Window, time: ShownTime): Generator<TimeTick> {
  for (let clock = floorToStep(from + offsetAt(from, time), step); ; clock = advanceClock(clock, step)) {
    const at = instantOf(clock, time);
    if (at > to) return;
    // A change to summer time skips an hour.
    const shown = step.ms === undefined || step.ms >= DAY || at + offsetAt(at, time) === clock;
    if (at >= from && shown) yield { at, ...textsOf(clock, step) };
  }
}

/** The zone's offset from UTC in milliseconds. */
function offsetAt(at: number, time: ShownTime): number {
  if (time === 'utc') return 0;
  return time === 'local' ? -new Date(at).getTimezoneOffset() * MINUTE : time.offset(at);
}

/** The instant at which the clocks show this time. */
function instantOf(clock: number, time: ShownTime): number {
  return clock - offsetAt(clock - offsetAt(clock, time), time);
}

function floorToStep(clock: number, step: Step): number {
  if (step.ms !== undefined) return Math.floor((clock - step.origin) / step.ms) * step.ms + step.origin;
  const date = new Date(clock);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return monthStart(0, Math.floor(months / step.months) * step.months);
}

function advanceClock(clock: number, step: Step): number {
  if (step.ms !== undefined) return clock + step.ms;
  const date = new Date(clock);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + step.months);
}

/** `Date.UTC` maps the years 0 to 99 to the 20th century. */
function monthStart(year: number, month: number): number {
  const start = new Date(0).setUTCFullYear(year, month, 1);
  return Number.isNaN(start) ? Math.sign(year + month) * LAST_INSTANT : start;
}

function textsOf(clock: number, step: Step): Pick<TimeTick, 'text' | 'context'> {
  const date = new Date(clock);
  const year = String(date.getUTCFullYear());
  const month = MONTHS[date.getUTCMonth()] ?? '';
  if (step.ms === undefined) return step.months >= 12 ? { text: year, context: '' } : { text: month, context: year };
  if (step.ms >= DAY) return { text: `${month} ${date.getUTCDate()}`, context: year };
  const [day = '', hours = ''] = date.toISOString().split('T');
  const withSeconds = step.ms >= SECOND ? 8 : 12;
  return { text: hours.slice(0, step.ms >= MINUTE ? 5 : withSeconds), context: day };
}

/** `UTC`, or the zone's offset: `UTC+03:00`. */
export function zoneName(at: number, time: ShownTime): string {
  const minutes = offsetAt(at, time) / MINUTE;
  if (!minutes) return 'UTC';
  const distance = Math.abs(minutes);
  const hours = String(Math.floor(distance / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${hours}:${String(distance % 60).padStart(2, '0')}`;
}

/** For a window: both offsets if the clocks change in it. */
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

/** `2026-01-15 14:00`, without the time of day at midnight. */
export function instantText(at: number, time: ShownTime): string {
  const wall = at + offsetAt(at, time);
  if (!(Math.abs(wall) <= LAST_INSTANT)) return String(at);
  const [day = '', clock = ''] = new Date(wall).toISOString().split('T');
  const shown = clock.replace(/(?::00)?\.000Z$|0*Z$/, '');
  return shown === '00:00' ? day : `${day} ${shown}`;
}
