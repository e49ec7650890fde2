/** Requests the candles of windows, and refuses responses that do not match the request. */
import { SvcError } from '../../../errors.ts';
import { MOST_CANDLES, type Trading } from '../client.ts';
import { GatewayRefusal } from '../gateway/failed-answer.ts';
import type { Candle } from '../schema.ts';
import type { Period } from './periods.ts';
import { type CandleWindow, halves } from './windows.ts';

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
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000Z', 'Z');
}
