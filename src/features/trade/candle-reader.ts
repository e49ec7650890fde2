/** Brings the candles of windows, and believes no answer that cannot be one to what was asked. */
import { SvcError } from '../../errors.ts';
import { type CandleWindow, halves } from './candle-windows.ts';
import { MOST_CANDLES, type Trading } from './client.ts';
import { GatewayRefusal } from './failed-answer.ts';
import type { Period } from './periods.ts';
import type { Candle } from './schema.ts';

export interface CandleSource {
  readonly trading: Pick<Trading, 'candles'>;
  readonly offerId: string;
  readonly period: Period;
}

export type Chunk =
  | { readonly window: CandleWindow; readonly candles: readonly Candle[]; readonly error?: undefined }
  | { readonly window: CandleWindow; readonly error: SvcError };

/** A window of 10,000 candles is then one of about eighty. */
const MOST_HALVINGS = 7;
const MOST_FAILURES = 3;
const MOST_RENEWALS = 2;

/** What one window fails with, and another need not. */
const OF_ONE_WINDOW: ReadonlySet<string> = new Set([
  'refused',
  'bad_answer',
  'server_error',
  'timeout',
  'answer_too_large',
]);

/**
 * The windows in their order, those that failed as such; no more of them after one by which all others would fail, too. Throws where
 * the first one fails. `renew` makes the session anew that `source` asks in, once it was lost.
 */
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
      // A session that was lost has an id that the gateway no longer knows.
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

/** As they come: in any order, some perhaps twice, none from outside. */
export function readWindow(source: CandleSource, window: CandleWindow): Promise<readonly Candle[]> {
  return readHalving(source, window, MOST_HALVINGS);
}

async function readHalving(source: CandleSource, window: CandleWindow, halvings: number): Promise<readonly Candle[]> {
  const { trading, offerId, period } = source;
  const parts = halvings > 0 ? halves(window) : undefined;
  try {
    const candles = await trading.candles({ offerId, period: period.name, ...window });
    checkRange(candles, window, period);
    // As many as a request may bring: which ones were left out is not told.
    if (candles.length !== MOST_CANDLES) {
      return candles.filter(([time = 0]) => time >= window.from && time <= window.to);
    }
    if (parts === undefined) {
      throw new SvcError('bad_answer', `the gateway answered ${MOST_CANDLES} candles for ${windowText(window)}`);
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

/** A gateway that does not take the range brings the newest candles instead. That of which the window's ends are part may be among them. */
function checkRange(candles: readonly Candle[], window: CandleWindow, { ms }: Period): void {
  const slack = ms / 1000;
  const stray = candles.find(([time = 0]) => time < window.from - slack || time > window.to + slack);
  if (stray === undefined) return;
  throw new SvcError(
    'bad_answer',
    `the gateway ignored the range: asked for candles of ${windowText(window)}, it answered with one of ${timeText(stray[0] ?? 0)}`,
  );
}

export function windowText({ from, to }: CandleWindow): string {
  return `${timeText(from)} to ${timeText(to)}`;
}

/** Of seconds; as they are where no calendar has them. */
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000Z', 'Z');
}
