/** Cuts a range into windows, requests their candles, and refuses responses that do not match the request. */
import { UTC } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { MOST_CANDLES, type Trading } from '../client.ts';
import { GatewayRefusal } from '../gateway/failed-answer.ts';
import { marketHours } from '../market-hours.ts';
import type { Candle } from '../schema.ts';
import type { Period } from './series.ts';

export interface CandleSource {
  readonly trading: Pick<Trading, 'candles'>;
  readonly offerId: string;
  readonly period: Period;
}

export type Chunk =
  | { readonly window: CandleWindow; readonly candles: readonly Candle[]; readonly error?: undefined }
  | { readonly window: CandleWindow; readonly error: SvcError };

/** Cuts a window of 10,000 candles to about 80. */
const MOST_HALVINGS = 7;
const MOST_FAILURES = 3;
const MOST_RENEWALS = 2;

/** Failures that may concern a single window. */
const OF_ONE_WINDOW: ReadonlySet<string> = new Set([
  'refused',
  'bad_answer',
  'wrong_shape',
  'server_error',
  'timeout',
  'answer_too_large',
]);

/** The windows in order, failed ones included. Ends after a failure that concerns all windows, and throws if the first one fails. */
export async function* readChunks(
  source: CandleSource,
  windows: Iterable<CandleWindow>,
  renew: () => Promise<void>,
): AsyncGenerator<Chunk, void, void> {
  let isFirst = true;
  let failures = 0;
  for (const window of windows) {
    const chunk = await readChunk(source, window, renew, isFirst);
    yield chunk;
    isFirst = false;
    if (chunk.error === undefined) failures = 0;
    else if (!OF_ONE_WINDOW.has(chunk.error.code) || ++failures === MOST_FAILURES) return;
  }
}

async function readChunk(
  source: CandleSource,
  window: CandleWindow,
  renew: () => Promise<void>,
  isFirst: boolean,
): Promise<Chunk> {
  for (let renewals = 0; ; renewals++) {
    try {
      return { window, candles: await readWindow(source, window) };
    } catch (error) {
      if (isFirst || !(error instanceof SvcError) || isEnd(error)) throw error;
      // The gateway no longer knows the id of a lost session.
      const isLost = error.code === 'connection_lost' || error.code === 'unauthorized';
      if (!isLost || renewals === MOST_RENEWALS) return { window, error };
      await renew();
    }
  }
}

/** Interrupted, or a bug. */
function isEnd({ exit }: SvcError): boolean {
  return exit === 130 || exit === 143 || exit === 70;
}

/** In any order, perhaps with duplicates, never from outside the window. */
export function readWindow(source: CandleSource, window: CandleWindow): Promise<readonly Candle[]> {
  return readHalving(source, window, MOST_HALVINGS);
}

async function readHalving(source: CandleSource, window: CandleWindow, halvings: number): Promise<readonly Candle[]> {
  const { trading, offerId, period } = source;
  const parts = halvings > 0 ? halves(window) : undefined;
  try {
    const candles = await trading.candles({ offerId, period: period.name, ...window });
    checkRange(candles, window, period);
    // A full response may be incomplete.
    if (candles.length !== MOST_CANDLES) {
      return candles.filter(([time = 0]) => time >= window.from && time <= window.to);
    }
    if (parts === undefined) {
      throw new SvcError('bad_answer', `the gateway returned ${MOST_CANDLES} candles for ${windowText(window)}`);
    }
  } catch (error) {
    if (parts === undefined || !isTooLong(error)) throw error;
  }
  const [older, newer] = parts;
  return [...(await readHalving(source, older, halvings - 1)), ...(await readHalving(source, newer, halvings - 1))];
}

function isTooLong(error: unknown): boolean {
  return error instanceof GatewayRefusal && error.error?.fault === 'invalid_range';
}

/** A gateway that ignores the range returns the newest candles. Candles across the window's ends are fine. */
function checkRange(candles: readonly Candle[], window: CandleWindow, { ms }: Period): void {
  const slack = ms / 1000;
  const stray = candles.find(([time = 0]) => time < window.from - slack || time > window.to + slack);
  if (stray === undefined) return;
  throw new SvcError(
    'bad_answer',
    `the gateway ignored the range ${windowText(window)} and returned a candle of ${timeText(stray[0] ?? 0)}`,
  );
}

export function windowText({ from, to }: CandleWindow): string {
  return `${timeText(from)} to ${timeText(to)}`;
}

/** RFC 3339 of Unix seconds, or the number if it is out of range. */
export function timeText(seconds: number, zone = UTC): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : zone.text(date.getTime());
}

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
