/** Reads the candles of a command, in several sessions if necessary, and records what is missing. */
import type { RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { openTradingSession, type TradingSession } from '../gateway/trading-session.ts';
import type { Candle } from '../schema.ts';
import { FOREX, findOffer, isPair } from '../symbols.ts';
import type { BegunFile } from './appended-file.ts';
import { type CandleGap, GapFinder, STALE } from './gaps.ts';
import {
  type CandleSource,
  type CandleWindow,
  type Chunk,
  readChunks,
  timeText,
  windowsBack,
  windowsForward,
  windowText,
} from './reader.ts';
import { isFinished, type Period, series, timeOf } from './series.ts';

/** The session of a reading, which is opened again if it is lost. */
class CandleSession {
  readonly #ctx: RunContext;
  #open: TradingSession | undefined;

  constructor(ctx: RunContext) {
    this.#ctx = ctx;
  }

  async open(): Promise<TradingSession> {
    this.#open ??= await openTradingSession(this.#ctx, {});
    return this.#open;
  }

  async renew(): Promise<void> {
    this.#ctx.notice('the session was lost; reconnecting');
    await this.end();
    await this.#ctx.sleep(RENEWAL_MS, this.#ctx.signal);
  }

  async end(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.session.close();
  }
}

export interface CandleRequest {
  readonly offerId: string;
  readonly symbol: string;
  readonly period: Period;
  /** Trading hours are only known for forex. */
  readonly isForex: boolean;
  /** Unix seconds, `to` not included. Undefined: the newest `last` before `to`. */
  readonly from: number | undefined;
  /** Where the range begins, also if a part of it has been read before. */
  readonly asked: number | undefined;
  readonly to: number;
  readonly last: number;
  readonly includePartial: boolean;
  /** Candles that end after this are unfinished. Milliseconds since 1970. */
  readonly now: number;
  /** The range ends now, so the newest candles may be stale. */
  readonly untilNow: boolean;
}

export interface CandleInput {
  readonly symbol: string;
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
  readonly last: number | undefined;
  readonly includePartial: boolean;
}

export type CandleRange = Pick<CandleRequest, 'from' | 'to' | 'last' | 'includePartial' | 'now' | 'untilNow'>;

const USUAL_LAST = 100;
const DAY_MS = 86_400_000;
/** The time that may pass between parsing a relative time and reading the clock. */
const SAME_MOMENT_MS = 5000;

/** A resumed file keeps its range: `-30d` means what it meant at the start. */
export function candleRange(
  { from, to, last = USUAL_LAST, includePartial }: CandleInput,
  period: Period,
  begun: BegunFile | undefined,
  ctx: Pick<RunContext, 'now'>,
): CandleRange {
  const now = begun?.begunAt ?? ctx.now();
  const resumed = (given: Instant | undefined, name: 'from' | 'to'): number | undefined => {
    const before = Date.parse(String(begun?.request[name]));
    if (begun === undefined || Number.isNaN(before)) return given?.ms;
    const isAsFar = given !== undefined && Math.abs(ctx.now() - given.ms - (now - before)) < SAME_MOMENT_MS;
    return given === undefined || isAsFar ? before : given.ms;
  };
  const start = resumed(from, 'from');
  // The unfinished day has a time in the future.
  const end = resumed(to, 'to') ?? now + 1 + (includePartial && period.ms >= DAY_MS ? period.ms : 0);
  if (start !== undefined && start > now) throw new SvcError('invalid_value', '--from is in the future');
  if (start !== undefined && start >= end) throw new SvcError('invalid_value', '--from must be before --to');
  return {
    from: start === undefined ? undefined : Math.max(0, Math.ceil(start / 1000)),
    to: Math.ceil(end / 1000),
    last,
    includePartial,
    now,
    untilNow: begun === undefined && end >= now,
  };
}

export interface CandleBatch {
  /** Everything up to here has been read; Unix seconds. */
  readonly through: number;
  readonly candles: readonly Candle[];
}

/** Times of the first and last candle, in Unix seconds. */
export interface PartRead {
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly gaps: readonly CandleGap[];
}

/** Stored beside a file that is not complete. */
export interface ResumePoint extends PartRead {
  /** Everything up to here has been read; Unix seconds. */
  readonly through: number;
}

const RENEWAL_MS = 1000;
/** Consecutive empty windows that mean the start of the history. */
const MOST_EMPTY = 2;
/** Markets close for less than this. */
const HOLIDAYS_S = 7 * 86_400;

export class CandleReading {
  readonly gaps: GapFinder;
  /** Whether windows are missing. */
  isPartial = false;
  first: number | undefined;
  last: number | undefined;
  readonly request: CandleRequest;
  readonly #ctx: RunContext;
  readonly #session: CandleSession;
  #begins: number | undefined;

  /** `before`: continue after this part. */
  constructor(request: CandleRequest, session: CandleSession, ctx: RunContext, before?: PartRead) {
    this.request = request;
    this.#session = session;
    this.#ctx = ctx;
    this.gaps = new GapFinder(request.period, before?.last, before?.gaps);
    this.first = before?.first;
    this.last = before?.last;
  }

  /** In order of time. `stops`: ends at the first failed window. */
  async *batches(stops = false): AsyncGenerator<CandleBatch, void, void> {
    const { from, to } = this.request;
    try {
      if (from === undefined) yield await this.#newest();
      else yield* this.#forward({ from, to: to - 1 }, stops);
    } finally {
      this.#ctx.progress(0);
    }
  }

  close(): Promise<void> {
    return this.#session.end();
  }

  /** Reports gaps and stale data, once everything is read. */
  report(): void {
    const { isForex, untilNow } = this.request;
    if (isForex && !this.isPartial) this.#addEdges();
    if (this.#begins !== undefined) this.#ctx.notice(`the history begins at ${timeText(this.#begins)}`);
    if (isForex) this.#reportGaps();
    if (isForex && untilNow) this.#reportStaleData();
  }

  #addEdges(): void {
    const { asked, to, last, period, now } = this.request;
    // Without any candle, as many as were asked for are missing.
    const from = asked ?? (this.first === undefined ? to - (last * period.ms) / 1000 : undefined);
    this.gaps.addEdges({ from, to, first: this.first, last: this.last, now });
  }

  #reportGaps(): void {
    const { gaps, missing } = this.gaps;
    if (gaps.length === 0) return;
    const many = `${missing} ${missing === 1 ? 'candle is' : 'candles are'} missing in ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'}`;
    this.#ctx.notice(`${many} in trading hours (holidays are not known): list them with --gaps`);
  }

  #reportStaleData(): void {
    if (this.last === undefined) return;
    const { symbol, now } = this.request;
    const late = this.gaps.between(this.last, now / 1000);
    if (late === undefined || late.candles < STALE) return;
    this.#ctx.notice(
      `the newest candle of ${symbol} is from ${timeText(this.last)}, and ${late.candles} after it are missing: the response may be a cached one`,
    );
  }

  code(failsOnGap: boolean): ErrorCode | undefined {
    if (this.isPartial) return 'partly_done';
    return failsOnGap && this.gaps.gaps.length > 0 ? 'condition_false' : undefined;
  }

  async *#forward(range: CandleWindow, stops: boolean): AsyncGenerator<CandleBatch, void, void> {
    const { period, now } = this.request;
    // No label is later than the end of the current candle.
    const end = Math.min(range.to, Math.ceil((now + period.ms) / 1000));
    const windows = windowsForward({ from: range.from, to: end }, period);
    // A progress bar would disturb rows on a terminal.
    const { wants } = this.#ctx;
    const bar = this.#ctx.progress(wants.terminal && !wants.table ? 0 : windows.length);
    let tried = range.from;
    let isEmpty = false;
    for await (const chunk of readChunks(this.#source(), windows, () => this.#session.renew())) {
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
        this.#noteBeginning(candles, range.from, isEmpty);
        isEmpty = true;
      }
      this.#count(candles);
      yield { through: tried, candles };
    }
    const rest = { from: tried + 1, to: windows.at(-1)?.to ?? tried };
    if (rest.from < rest.to) this.#ctx.notice(`${windowText(rest)} was not requested`);
  }

  /** The history begins with the first candle if windows before it are empty, or if it comes long after the start. */
  #noteBeginning([first]: readonly Candle[], from: number, isEmptyBefore: boolean): void {
    if (first === undefined) return;
    const isLate = timeOf(first) - from > HOLIDAYS_S + this.request.period.ms / 1000;
    if (isEmptyBefore || isLate) this.#begins = timeOf(first);
  }

  async #newest(): Promise<CandleBatch> {
    const { to, last, period } = this.request;
    const found: Candle[] = [];
    let empty = 0;
    for await (const chunk of readChunks(this.#source(), windowsBack(to - 1, last, period), () =>
      this.#session.renew(),
    )) {
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
    const { offerId, period } = this.request;
    return {
      offerId,
      period,
      trading: { candles: async (query) => (await this.#session.open()).trading.candles(query) },
    };
  }

  #wanted(candles: readonly Candle[]): readonly Candle[] {
    const { includePartial, period, now } = this.request;
    return series(candles).filter((candle) => includePartial || isFinished(candle, period, now));
  }

  #count(candles: readonly Candle[]): void {
    const [first] = candles;
    const last = candles.at(-1);
    if (first === undefined || last === undefined) return;
    this.first ??= timeOf(first);
    this.last = timeOf(last);
    if (this.request.isForex) this.gaps.add(candles);
  }

  #leaveOut({ window, error }: Chunk): void {
    this.isPartial = true;
    this.#ctx.notice(`${windowText(window)} could not be read: ${error?.message ?? ''}`);
  }
}

/** Looks up the symbol, and prepares the reading of its candles, or of those that an interrupted file lacks. The caller closes it. */
export async function openReading(
  input: CandleInput & { readonly gaps: boolean; readonly failOnGap: boolean },
  { period, ...range }: CandleRange & Pick<CandleRequest, 'period'>,
  ctx: RunContext,
  begun?: BegunFile,
): Promise<CandleReading> {
  const session = new CandleSession(ctx);
  try {
    const offer = await findCandleOffer(input.symbol, await session.open());
    if ((input.gaps || input.failOnGap) && !offer.isForex) {
      const option = input.gaps ? '--gaps' : '--fail-on-gap';
      throw new SvcError('invalid_value', `${option}: trading hours are only known for forex, not for ${offer.symbol}`);
    }
    const before = begun?.mark as ResumePoint | undefined;
    const from = before === undefined ? range.from : (before.last ?? before.through + 1);
    return new CandleReading({ ...range, ...offer, period, from, asked: range.from }, session, ctx, before);
  } catch (error) {
    await session.end();
    throw error;
  }
}

/** Offer ids differ from host to host. */
async function findCandleOffer(
  symbol: string,
  open: TradingSession,
): Promise<Pick<CandleRequest, 'symbol' | 'offerId' | 'isForex'>> {
  const { currency, offerId, instrumentType } = findOffer(await open.trading.model('Offer'), symbol);
  if (offerId === undefined) throw new SvcError('bad_answer', `the gateway's offer of ${currency} has no id`);
  return {
    symbol: currency,
    offerId: String(offerId),
    isForex: instrumentType === undefined ? isPair(currency) : instrumentType === FOREX,
  };
}
