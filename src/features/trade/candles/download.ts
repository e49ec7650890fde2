/** Downloads windows of candles, and refuses responses that do not match the request. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { MOST_CANDLES } from '../client.ts';
import { openTradingSession, type TradingSession } from '../gateway/trading-session.ts';
import type { Candle } from '../schema.ts';
import { FOREX, findOffer, isPair } from '../symbols.ts';
import { type CandleRequest, type CandleWindow, isFinished, longestMs, timeText, windowText } from './plan.ts';
import { TICKS, timeOf } from './rows.ts';

/** A symbol, and the session that its candles are read in. */
export interface CandleSource {
  readonly symbol: string;
  /** Offer ids differ from host to host. */
  readonly offerId: string;
  /** Trading hours are only known for forex. */
  readonly isForex: boolean;
  readonly open: TradingSession;
}

interface SourceInput {
  readonly symbol: string;
  readonly gaps: boolean;
  readonly failOnGap: boolean;
}

/** Connects and finds the symbol. `downloadCandles` closes the session. */
export async function openSource(input: SourceInput, ctx: RunContext): Promise<CandleSource> {
  const open = await openTradingSession(ctx, {});
  try {
    const offer = findOffer(await open.trading.model('Offer'), input.symbol);
    const { currency: symbol, offerId, instrumentType } = offer;
    if (offerId === undefined) throw new SvcError('bad_answer', `the gateway's offer of ${symbol} has no id`);
    const isForex = instrumentType === undefined ? isPair(symbol) : instrumentType === FOREX;
    if ((input.gaps || input.failOnGap) && !isForex) {
      const option = input.gaps ? '--gaps' : '--fail-on-gap';
      throw new SvcError('invalid_value', `${option}: trading hours are only known for forex, not for ${symbol}`);
    }
    return { symbol, offerId: String(offerId), isForex, open };
  } catch (error) {
    await open.session.close();
    throw error;
  }
}

export interface CandleBatch {
  /** Everything up to here has been read; Unix seconds. */
  readonly through: number;
  readonly candles: readonly Candle[];
}

/** The candles of the planned windows, in the order of time. Closes the session of the source. */
export async function* downloadCandles(
  source: CandleSource,
  request: CandleRequest,
  windows: Iterable<CandleWindow>,
  ctx: RunContext,
): AsyncGenerator<CandleBatch, void, void> {
  try {
    if (request.from !== undefined) yield* readWindows([...windows], source, request, ctx);
    else yield { through: request.to - 1, candles: await readNewest(windows, source, request) };
  } finally {
    await source.open.session.close();
  }
}

/** Ends before an unreadable window: what came is a complete beginning. Throws without one. */
async function* readWindows(
  windows: readonly CandleWindow[],
  source: CandleSource,
  request: CandleRequest,
  ctx: RunContext,
): AsyncGenerator<CandleBatch, void, void> {
  let read = 0;
  try {
    for (const window of windows) {
      yield { through: window.to, candles: await readWindow(window, source, request) };
      read += 1;
    }
  } catch (error) {
    if (read === 0 || ctx.signal.aborted || !(error instanceof SvcError)) throw error;
    const rest = { from: windows[read]?.from ?? request.to, to: request.to - 1 };
    ctx.warn(`${windowText(rest)} could not be read: ${error.message}`);
  }
}

/** Consecutive empty windows that mean the start of the history. */
const MOST_EMPTY = 2;

async function readNewest(
  windows: Iterable<CandleWindow>,
  source: CandleSource,
  request: CandleRequest,
): Promise<readonly Candle[]> {
  const newestFirst: Candle[] = [];
  let empty = 0;
  for (const window of windows) {
    const candles = await readWindow(window, source, request);
    newestFirst.push(...candles.toReversed());
    empty = candles.length === 0 ? empty + 1 : 0;
    if (newestFirst.length >= request.last || empty === MOST_EMPTY) break;
  }
  return newestFirst.slice(0, request.last).reverse();
}

/** Sorted, once each, and finished unless unfinished ones are wanted. */
async function readWindow(
  window: CandleWindow,
  { offerId, open }: CandleSource,
  { period, includePartial, now }: CandleRequest,
): Promise<readonly Candle[]> {
  const received = await open.trading.candles({ offerId, period: period.name, ...window });
  checkResponse(received, window, longestMs(period) / 1000);
  const wanted = received.filter((candle) => {
    const time = timeOf(candle);
    return time >= window.from && time <= window.to && (includePartial || isFinished(time, period, now));
  });
  return sortCandles(wanted);
}

/** A gateway that ignores the range returns the newest candles. Candles across the window's ends are fine. */
function checkResponse(candles: readonly Candle[], window: CandleWindow, slack: number): void {
  const stray = candles.map(timeOf).find((time) => time < window.from - slack || time > window.to + slack);
  if (stray !== undefined) {
    throw new SvcError(
      'bad_answer',
      `the gateway ignored the range ${windowText(window)} and returned a candle of ${timeText(stray)}`,
    );
  }
  if (candles.length < MOST_CANDLES) return;
  throw new SvcError(
    'bad_answer',
    `the gateway returned ${candles.length} candles for ${windowText(window)}: some may be missing`,
  );
}

/** In the order of time. Of two candles for the same time, the one with more ticks. */
export function sortCandles(candles: readonly Candle[]): readonly Candle[] {
  const byTime = new Map<number, Candle>();
  for (const candle of candles) {
    const other = byTime.get(timeOf(candle));
    if (other === undefined || (candle[TICKS] ?? 0) > (other[TICKS] ?? 0)) byTime.set(timeOf(candle), candle);
  }
  return [...byTime.values()].sort((a, b) => timeOf(a) - timeOf(b));
}
