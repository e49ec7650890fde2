/** Which candles are read: their period, their range, and the windows that it is read in. */
import { UTC } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { MOST_CANDLES } from '../client.ts';
import { daysLater } from '../market-hours.ts';
import type { CandleProgress } from '../schema.ts';

export interface Period {
  /** As the gateway expects it; `m1` is a minute and `M1` a month. */
  readonly name: string;
  /** Approximate for a month, and for a day when the clocks change. */
  readonly ms: number;
  /** Undefined without a limit. */
  readonly maxDaysBack?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const LONGEST_MONTH_MS = 31 * DAY_MS;

/** Doc 3 §8. */
export const PERIODS: readonly Period[] = [
  { name: 'm1', ms: MINUTE_MS, maxDaysBack: 16 },
  { name: 'm5', ms: 5 * MINUTE_MS, maxDaysBack: 56 },
  { name: 'm15', ms: 15 * MINUTE_MS, maxDaysBack: 212 },
  { name: 'm30', ms: 30 * MINUTE_MS, maxDaysBack: 316 },
  { name: 'H1', ms: HOUR_MS, maxDaysBack: 624 },
  { name: 'H2', ms: 2 * HOUR_MS, maxDaysBack: 1224 },
  { name: 'H3', ms: 3 * HOUR_MS, maxDaysBack: 2056 },
  { name: 'H4', ms: 4 * HOUR_MS, maxDaysBack: 2664 },
  { name: 'H6', ms: 6 * HOUR_MS, maxDaysBack: 3632 },
  { name: 'H8', ms: 8 * HOUR_MS, maxDaysBack: 5128 },
  { name: 'D1', ms: DAY_MS },
  { name: 'W1', ms: 7 * DAY_MS },
  { name: 'M1', ms: 30 * DAY_MS },
];

/** The document writes `h1`, gateways `H1`. Case is ignored if that cannot mean another period. */
export function findPeriod(text: string): Period {
  const name = /^[hdw]/.test(text) ? text.toUpperCase() : text;
  const found = PERIODS.find((period) => period.name === name);
  if (found !== undefined) return found;
  throw new SvcError('invalid_value', `there is no period ${text}`, {
    hint: `the periods are ${PERIODS.map((period) => period.name).join(', ')}; m1 is a minute, M1 a month`,
  });
}

/**
 * When the candle with this time begins and ends. On the public implementation, minutes and hours
 * carry their start and days (17:00 to 17:00 in New York) their end; weeks and months are not
 * known, and count as labeled by their start.
 */
export function spanOf(ms: number, { name, ms: length }: Period): readonly [at: number, until: number] {
  return name === 'D1' ? [daysLater(ms, -1), ms] : [ms, ms + length];
}

/** Weeks and months must be finished in any reading of their times. */
export function isFinished(seconds: number, period: Period, now: number): boolean {
  const at = seconds * 1000;
  return spanOf(at, { ...period, ms: longestMs(period) })[1] <= now;
}

export interface CandleRange {
  /** Unix seconds, `to` not included. Undefined: the newest `last` before `to`. */
  readonly from?: number | undefined;
  readonly to: number;
  /** Candles that end after this are unfinished. Milliseconds since 1970. */
  readonly now: number;
}

export interface CandleRequest extends CandleRange {
  readonly period: Period;
  readonly last: number;
  readonly includePartial: boolean;
}

interface RangeInput extends Pick<CandleRequest, 'period' | 'includePartial'> {
  readonly from: { readonly ms: number } | undefined;
  readonly to: { readonly ms: number } | undefined;
}

export function planRange({ period, includePartial, ...input }: RangeInput, now: number): CandleRange {
  const from = input.from?.ms;
  // The unfinished day has a time in the future, but none after its own end.
  const usual = now + 1 + (includePartial && period.ms >= DAY_MS ? period.ms : 0);
  const to = Math.min(input.to?.ms ?? usual, now + 1 + period.ms);
  if (from !== undefined && from > now) throw new SvcError('invalid_value', '--since is in the future');
  if (from !== undefined && from >= to) throw new SvcError('invalid_value', '--since must be before --until');
  const start = from === undefined ? undefined : Math.max(0, Math.ceil(from / 1000));
  return { from: start, to: Math.ceil(to / 1000), now };
}

export const NO_PROGRESS: CandleProgress = { candles: 0, gaps: [] };

/** Unix seconds, both included. */
export interface CandleWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Inner ends are whole minutes, like the times of candles: nothing is lost, whether or not a
 * gateway includes an end.
 */
const GRID_S = 60;
/** Below the limit, as gateways may repeat candles: after a full response, some may be missing. */
const PLANNED_CANDLES = MOST_CANDLES - 50;

/**
 * In seconds. "Max days back" limits the window, not its age: older candles are returned (seen on
 * the public implementation).
 */
function longestWindow({ ms, maxDaysBack = Number.POSITIVE_INFINITY }: Period): number {
  return Math.min(maxDaysBack * DAY_MS, PLANNED_CANDLES * ms) / 1000;
}

/**
 * Each within the limits of one request. The range goes on after `through`, if it is given. Without
 * a start, the newest window comes first.
 */
export function planWindows(
  { from, to, last, period }: Pick<CandleRequest, 'from' | 'to' | 'last' | 'period'>,
  through?: number,
): Iterable<CandleWindow> {
  const longest = longestWindow(period);
  if (from !== undefined) {
    const start = through === undefined ? from : through + 1;
    return windowsForward({ from: start, to: to - 1 }, longest);
  }
  // Half as long again as the candles: at a weekend there are none.
  const likely = (1.5 * (last + 2) * period.ms) / 1000;
  return windowsBack(to - 1, Math.min(longest, likely), longest);
}

function* windowsForward({ from, to }: CandleWindow, longest: number): Generator<CandleWindow, void, void> {
  for (let start = from; start <= to; ) {
    const next = Math.floor((start + longest) / GRID_S) * GRID_S;
    const end = Math.min(to, next - 1);
    yield { from: start, to: end };
    start = end + 1;
  }
}

/** Down to 1970. */
function* windowsBack(to: number, first: number, longest: number): Generator<CandleWindow, void, void> {
  let length = first;
  for (let end = to; end > 0; length = longest) {
    const start = Math.max(0, Math.ceil((end - length) / GRID_S) * GRID_S);
    yield { from: start, to: end };
    end = start - 1;
  }
}

export function windowText({ from, to }: CandleWindow): string {
  return `${timeText(from)} to ${timeText(to)}`;
}

/** RFC 3339 of Unix seconds, or the number if it is out of range. */
export function timeText(seconds: number, zone = UTC): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : zone.text(date.getTime());
}

/** Months differ in length. */
export function longestMs({ name, ms }: Period): number {
  return name === 'M1' ? LONGEST_MONTH_MS : ms;
}
