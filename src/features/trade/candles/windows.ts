/** Cuts a time range into windows for one request each (doc 3 §8). */
import { MOST_CANDLES } from '../client.ts';
import { marketHours } from '../market-hours.ts';
import type { Period } from './periods.ts';

/** Unix seconds, both included. */
export interface CandleWindow {
  readonly from: number;
  readonly to: number;
}

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;
/** Inner ends are whole minutes, like the times of candles: nothing is lost, whether or not a gateway includes an end. */
const GRID_S = 60;

/**
 * The longest window in seconds; undefined without a limit. One candle less than the limit, so that a full response always means that some are missing. "Max
 * days back" limits the window, not its age: older candles are returned (seen on the public implementation).
 */
export function longestWindow({ ms, maxDaysBack, maxCandles }: Period): number | undefined {
  if (maxDaysBack === undefined || maxCandles === undefined) return undefined;
  return Math.min(maxDaysBack * DAY_S, (maxCandles - 1) * (ms / 1000));
}

/** Oldest to newest. */
export function windowsForward({ from, to }: CandleWindow, period: Period): readonly CandleWindow[] {
  const longest = longestWindow(period) ?? Number.POSITIVE_INFINITY;
  const windows: CandleWindow[] = [];
  for (let start = from; start <= to; ) {
    const next = Math.floor((start + longest) / GRID_S) * GRID_S;
    const end = Math.min(to, next - 1);
    windows.push({ from: start, to: end });
    start = end + 1;
  }
  return windows;
}

/** Newest to oldest, without end. The first has the likely length of `count` candles. */
export function* windowsBack(to: number, count: number, period: Period): Generator<CandleWindow, void, void> {
  const longest = longestWindow(period) ?? (MOST_CANDLES - 1) * (period.ms / 1000);
  let length = Math.min(longest, likelySpan(to * 1000, count, period) / 1000);
  for (let end = to; end > 0; length = longest) {
    const start = Math.max(0, Math.ceil((end - length) / GRID_S) * GRID_S);
    yield { from: start, to: end };
    end = start - 1;
  }
}

/** A weekend makes it longer. */
function likelySpan(end: number, count: number, { ms }: Period): number {
  const span = (count + 2) * ms;
  const { state, closesAt } = marketHours(end - span);
  return state === 'open' && closesAt >= end ? span : span * 1.5 + 3 * DAY_MS;
}

/** Undefined if it is too short to split. */
export function halves({ from, to }: CandleWindow): readonly [CandleWindow, CandleWindow] | undefined {
  const middle = Math.ceil((from + to) / 2 / GRID_S) * GRID_S;
  if (middle <= from || middle > to) return undefined;
  return [
    { from, to: middle - 1 },
    { from: middle, to },
  ];
}
