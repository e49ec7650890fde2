/** Reads the candles that a command was asked for, in one session after the other if need be, and keeps account of what is missing. */
import type { RunContext } from '../../cli/command.ts';
import type { ErrorCode } from '../../errors.ts';
import { type CandleGap, GapFinder } from './candle-gaps.ts';
import { type CandleSource, type Chunk, readChunks, timeText, windowText } from './candle-reader.ts';
import { isFinished, series, timeOf } from './candle-series.ts';
import { type CandleWindow, windowsBack, windowsForward } from './candle-windows.ts';
import type { Period } from './periods.ts';
import type { Candle } from './schema.ts';
import { openTradingSession, type TradingOptions, type TradingSession } from './trading-session.ts';

export interface CandleRequest {
  readonly offerId: string;
  readonly symbol: string;
  readonly period: Period;
  /** Its hours are known. */
  readonly isForex: boolean;
  /** Undefined: the newest `last` until `to`. Both in seconds, `to` not included. */
  readonly from: number | undefined;
  readonly to: number;
  readonly last: number;
  readonly includePartial: boolean;
  /** Milliseconds since 1970: what was not over then is unfinished. */
  readonly now: number;
  /** It ends at the present: a candle that is missing at the end may be one that comes late. */
  readonly untilNow: boolean;
}

export interface CandleBatch {
  /** Until when all is read that there is; Unix seconds. */
  readonly through: number;
  readonly candles: readonly Candle[];
}

/** Times in Unix seconds, of the first candle and the last one. */
export interface PartRead {
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly gaps: readonly CandleGap[];
}

const RENEWAL_MS = 1000;
/** So many empty windows one after the other are the end of a history. */
const MOST_EMPTY = 2;
/** No market is shut for longer. */
const HOLIDAYS_S = 7 * 86_400;
/** One may still be on its way. */
const STALE = 2;

export class CandleReading {
  readonly gaps: GapFinder;
  /** Whether windows are missing. */
  isPartial = false;
  /** Of the first candle and the last one. */
  first: number | undefined;
  last: number | undefined;
  readonly #request: CandleRequest;
  readonly #ctx: RunContext;
  readonly #session: TradingOptions;
  #open: TradingSession;
  #begins: number | undefined;

  /** The session is closed with the reading. Where a part was read before, it goes on after that. */
  constructor(
    request: CandleRequest,
    open: TradingSession,
    session: TradingOptions,
    ctx: RunContext,
    before?: PartRead,
  ) {
    this.#request = request;
    this.#open = open;
    this.#session = session;
    this.#ctx = ctx;
    this.gaps = new GapFinder(request.period, before?.last, before?.gaps);
    this.first = before?.first;
    this.last = before?.last;
  }

  /** By time. `stops`: what comes after a window that failed is not wanted. Ends the session, however it is ended itself. */
  async *batches(stops = false): AsyncGenerator<CandleBatch, void, void> {
    const { from, to } = this.#request;
    try {
      if (from === undefined) yield await this.#newest();
      else yield* this.#forward({ from, to: to - 1 }, stops);
    } finally {
      this.#ctx.progress(0);
      await this.#open.session.close();
    }
  }

  /** What else there is to know, once all is read. */
  tell(): void {
    const { isForex, untilNow, now, symbol } = this.#request;
    const { notice } = this.#ctx;
    const { gaps, missing } = this.gaps;
    if (this.#begins !== undefined) notice(`history begins at ${timeText(this.#begins)}: there is nothing before`);
    if (isForex && gaps.length > 0) {
      const many = `${missing} ${missing === 1 ? 'candle is' : 'candles are'} missing in ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'}`;
      notice(`${many} while forex was traded (holidays are not known): --gaps lists them`);
    }
    const late = untilNow && isForex && this.last !== undefined ? this.gaps.between(this.last, now / 1000) : undefined;
    if (late !== undefined && late.candles >= STALE) {
      notice(
        `the newest candle of ${symbol} is of ${timeText(this.last ?? 0)}, and ${late.candles} after it are missing: the gateway lets its answers be kept for a day, this may be an old one`,
      );
    }
  }

  code(failsOnGap: boolean): ErrorCode | undefined {
    if (this.isPartial) return 'partly_done';
    return failsOnGap && this.gaps.gaps.length > 0 ? 'condition_false' : undefined;
  }

  async *#forward(range: CandleWindow, stops: boolean): AsyncGenerator<CandleBatch, void, void> {
    const { period, now } = this.#request;
    // Nothing is labelled later than by the end of the candle of now.
    const end = Math.min(range.to, Math.ceil((now + period.ms) / 1000));
    const windows = windowsForward({ from: range.from, to: end }, period);
    // A line on a terminal that rows are running down is in their way.
    const { wants } = this.#ctx;
    const bar = this.#ctx.progress(wants.terminal && !wants.table ? 0 : windows.length);
    let tried = range.from;
    let isEmpty = false;
    for await (const chunk of readChunks(this.#source(), windows, () => this.#renew())) {
      bar.step();
      tried = chunk.window.to;
      if (chunk.error !== undefined) {
        this.#leaveOut(chunk);
        if (stops) return;
        this.gaps.skip();
        continue;
      }
      const candles = this.#wanted(chunk.candles);
      if (this.first === undefined) {
        const [first] = candles;
        if (first !== undefined && (isEmpty || timeOf(first) - range.from > HOLIDAYS_S + period.ms / 1000)) {
          this.#begins = timeOf(first);
        }
        isEmpty = true;
      }
      this.#count(candles);
      yield { through: tried, candles };
    }
    const rest = { from: tried + 1, to: windows.at(-1)?.to ?? tried };
    if (rest.from < rest.to) this.#ctx.notice(`${windowText(rest)} is not asked for any more`);
  }

  async #newest(): Promise<CandleBatch> {
    const { to, last, period } = this.#request;
    const found: Candle[] = [];
    let empty = 0;
    for await (const chunk of readChunks(this.#source(), windowsBack(to - 1, last, period), () => this.#renew())) {
      if (chunk.error !== undefined) {
        this.#leaveOut(chunk);
        break;
      }
      found.push(...this.#wanted(chunk.candles).toReversed());
      empty = chunk.candles.length === 0 ? empty + 1 : 0;
      if (found.length >= last || empty === MOST_EMPTY) break;
    }
    const candles = found.slice(0, last).reverse();
    if (empty === MOST_EMPTY && candles.length > 0) this.#begins = timeOf(candles[0] ?? []);
    this.#count(candles);
    return { through: to - 1, candles };
  }

  #source(): CandleSource {
    const { offerId, period } = this.#request;
    return { offerId, period, trading: { candles: (query) => this.#open.trading.candles(query) } };
  }

  #wanted(candles: readonly Candle[]): readonly Candle[] {
    const { includePartial, period, now } = this.#request;
    return series(candles).filter((candle) => includePartial || isFinished(candle, period, now));
  }

  #count(candles: readonly Candle[]): void {
    const [first] = candles;
    const last = candles.at(-1);
    if (first === undefined || last === undefined) return;
    this.first ??= timeOf(first);
    this.last = timeOf(last);
    if (this.#request.isForex) this.gaps.add(candles);
  }

  #leaveOut({ window, error }: Chunk): void {
    this.isPartial = true;
    this.#ctx.notice(`${windowText(window)} is left out: ${error?.message ?? ''}`);
  }

  async #renew(): Promise<void> {
    this.#ctx.notice('the session was lost, and is made anew');
    await this.#open.session.close();
    await this.#ctx.sleep(RENEWAL_MS, this.#ctx.signal);
    this.#open = await openTradingSession(this.#ctx, this.#session);
  }
}
