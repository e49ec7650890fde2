/**
 * Finds the candles that are missing although forex was traded. Holidays are not known: their
 * candles count as missing.
 */
import type { RunContext } from '../../../cli/command.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { ListOutput, Zone } from '../../../output/types.ts';
import { daysLater, isClosedThroughout, marketDayStart, marketHours } from '../market-hours.ts';
import type { CandleProgress } from '../schema.ts';
import type { CandleBatch, CandleSource } from './download.ts';
import { type CandleRequest, DAY_MS, longestMs, type Period, timeText } from './plan.ts';
import { timeOf } from './rows.ts';

/** Times as the gateway gives them, in seconds. */
export type CandleGap = CandleProgress['gaps'][number];

/** A single missing candle at the end may still arrive. */
const LATE = 2;
/** Markets close for less than this. */
const LONGEST_HOLIDAYS_S = (7 * DAY_MS) / 1000;
/** After the earliest opening time, when forex is certainly open. */
const OPENING_MS = 15 * 60_000;
const CLOCK_CHANGES_MS = 2 * 3_600_000;

/** Which candles of a request have been read, and which are missing. */
export class Coverage {
  readonly request: CandleRequest;
  readonly source: Pick<CandleSource, 'symbol' | 'isForex'>;
  progress: CandleProgress;
  /** Whether the end of the range could not be read. */
  isPartial = false;

  /** Goes on from the progress of an interrupted download. */
  constructor(request: CandleRequest, source: Coverage['source'], before: CandleProgress) {
    this.request = request;
    this.source = source;
    this.progress = { ...before, gaps: [...before.gaps] };
  }

  get gaps(): readonly CandleGap[] {
    return this.progress.gaps;
  }

  get missing(): number {
    return this.gaps.reduce((sum, { candles }) => sum + candles, 0);
  }

  exitCode(failsOnGap: boolean): ErrorCode | undefined {
    if (this.isPartial) return 'partly_done';
    return failsOnGap && this.gaps.length > 0 ? 'condition_false' : undefined;
  }

  /** Passes batches on, finds the gaps in them and between them, and reports them at the end. */
  async *follow(
    batches: AsyncIterable<CandleBatch>,
    ctx: Pick<RunContext, 'notice'>,
  ): AsyncGenerator<CandleBatch, void, void> {
    for await (const batch of batches) {
      this.#add(batch);
      yield batch;
    }
    this.isPartial = this.progress.through !== this.request.to - 1;
    if (this.source.isForex && !this.isPartial) this.#addEdges();
    this.#report(ctx);
  }

  #add({ through, candles }: CandleBatch): void {
    let { first, last } = this.progress;
    const { gaps } = this.progress;
    for (const candle of candles) {
      const time = timeOf(candle);
      const gap = last === undefined ? undefined : findGap(this.request.period, last, time);
      if (gap !== undefined && this.source.isForex) gaps.push(gap);
      first ??= time;
      last = time;
    }
    this.progress = { through, candles: this.progress.candles + candles.length, first, last, gaps };
  }

  /** Before the first candle and after the last one, or the complete range if there is none. */
  #addEdges(): void {
    const { from, to, now, period, last: count } = this.request;
    const { first, last, gaps } = this.progress;
    const after = timeAfter(this.request);
    // Without any candle, as many as were asked for are missing.
    const start = from ?? (first === undefined ? to - (count * period.ms) / 1000 : undefined);
    const leading = start === undefined ? undefined : findGap(period, timeBefore(start, first, period), first ?? after);
    if (leading !== undefined) gaps.unshift(leading);
    const trailing = last === undefined ? undefined : findGap(period, last, after);
    if (trailing === undefined) return;
    if (to * 1000 <= now || trailing.candles >= LATE) gaps.push({ ...trailing, to });
  }

  #beginsLate(first: number): boolean {
    const { from, last, period } = this.request;
    if (from === undefined) return this.progress.candles < last;
    return first - from > LONGEST_HOLIDAYS_S + period.ms / 1000;
  }

  #report({ notice }: Pick<RunContext, 'notice'>): void {
    const { first, last, gaps } = this.progress;
    const { missing } = this;
    if (first !== undefined && this.#beginsLate(first)) notice(`the history begins at ${timeText(first)}`);
    if (missing > 0) {
      const candles = missing === 1 ? '1 candle is' : `${missing} candles are`;
      const places = gaps.length === 1 ? '1 gap' : `${gaps.length} gaps`;
      notice(`${candles} missing in ${places} in trading hours (holidays are not known): list them with --gaps`);
    }
    const late = gaps.at(-1);
    const { to, now } = this.request;
    if (late === undefined || last === undefined || late.from < last || to * 1000 <= now) return;
    notice(
      `the newest candle of ${this.source.symbol} is from ${timeText(last)}, and ${late.candles} after it are missing: the response may be a cached one`,
    );
  }
}

/** The time of the candle before the first one that a range can have. If no candle came, by the usual times. */
function timeBefore(from: number, first: number | undefined, period: Period): number {
  const { name, ms } = period;
  if (first === undefined) {
    return name === 'D1' ? marketDayStart(from * 1000 - 1) / 1000 : ((Math.ceil((from * 1000) / ms) - 1) * ms) / 1000;
  }
  const steps = Math.floor(((first - from) * 1000) / longestMs(period)) + 1;
  return name === 'D1' ? daysLater(first * 1000, -steps) / 1000 : first - (steps * ms) / 1000;
}

/** Right after the last finished candle that a range can have. */
function timeAfter({ to, now, period: { name, ms } }: CandleRequest): number {
  if (name === 'D1') return Math.min(to, (now + 1) / 1000) + CLOCK_CHANGES_MS / 1000;
  return Math.min(ms > DAY_MS ? to : to - 1 + ms / 1000, now / 1000);
}

/** The candles missing between two candles. */
export function findGap({ name, ms }: Period, earlier: number, later: number): CandleGap | undefined {
  const [from, to] = [earlier * 1000, later * 1000];
  if (to - from <= ms) return undefined;
  const missing = name === 'D1' ? missingDays(from, to) : missingPeriods(from, to, ms);
  return missing.candles === 0 ? undefined : { from: missing.first / 1000, to: later, candles: missing.candles };
}

interface Missing {
  readonly candles: number;
  readonly first: number;
}

/** Labeled by their end; an hour shorter or longer on the days when clocks change. */
function missingDays(earlier: number, later: number): Missing {
  let candles = 0;
  let first = 0;
  for (let end = daysLater(earlier, 1); end < later - CLOCK_CHANGES_MS; end = daysLater(end, 1)) {
    if (isClosedThroughout(daysLater(end, -1), end)) continue;
    if (candles === 0) first = end;
    candles++;
  }
  return { candles, first };
}

function missingPeriods(earlier: number, later: number, ms: number): Missing {
  const first = earlier + ms;
  // Weeks and months vary in length.
  if (ms > DAY_MS) return { candles: Math.max(0, Math.round((later - earlier) / ms) - 1), first };
  const end = Math.floor((later - earlier) / ms);
  // A weekend is longer than two days. Most gaps are found here, without many reads of a clock.
  const isShort = later - earlier < 2 * DAY_MS;
  if (isShort && isOpen(first) && isOpen(earlier + (end - 1) * ms)) return { candles: end - 1, first };
  return missingInWeeks(earlier, end, ms);
}

function isOpen(at: number): boolean {
  return marketHours(at).state === 'open';
}

/**
 * Periods of which the market was open for a moment at least. The first is number 1; `end` is the
 * number after the last.
 */
function missingInWeeks(earlier: number, end: number, ms: number): Missing {
  let candles = 0;
  let first = 0;
  for (let at = earlier + ms; at < earlier + end * ms; ) {
    const opens = openingAfter(at);
    const closes = marketHours(opens).closesAt;
    const from = Math.max(1, Math.floor((opens - earlier) / ms));
    const to = Math.min(end, Math.ceil((closes - earlier) / ms));
    if (to > from && candles === 0) first = earlier + from * ms;
    candles += Math.max(0, to - from);
    at = closes;
  }
  return { candles, first };
}

/** When the market is certainly open, at this time or later. */
function openingAfter(at: number): number {
  const { state, opensAt } = marketHours(at);
  if (state === 'open') return at;
  return state === 'closed' ? opensAt + OPENING_MS : opensAt;
}

interface GapRow {
  readonly symbol: string;
  readonly period: string;
  /** The first missing candle, and the first one after it. */
  readonly from: string;
  readonly to: string;
  readonly candles: number;
}

/** Reads all batches, and lists what is missing in them. */
export async function listGaps(
  batches: AsyncIterable<CandleBatch>,
  { gaps, source, request }: Coverage,
  zone: Zone,
): Promise<readonly GapRow[]> {
  for await (const _batch of batches);
  return gaps.map(({ from, to, candles }) => ({
    symbol: source.symbol,
    period: request.period.name,
    from: timeText(from, zone),
    to: timeText(to, zone),
    candles,
  }));
}

export const GAP_LIST: ListOutput<GapRow> = {
  kind: 'list',
  columns: [
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'period', cell: ({ period }) => period },
    { name: 'from', cell: ({ from }) => from },
    { name: 'to', cell: ({ to }) => to },
    { name: 'candles', cell: ({ candles }) => candles, align: 'right' },
  ],
  id: ({ from }) => from,
  empty: 'no gaps',
};
