/** Candles that are missing although forex was traded. Holidays are unknown: their candles count as missing. */

import { daysLater, isClosedThroughout, marketDayStart, marketHours } from '../market-hours.ts';
import type { Candle } from '../schema.ts';
import { type Period, timeOf } from './series.ts';

const HOUR_MS = 3_600_000;
/** After the earliest opening time, when it is certainly open. */
const OPENING_MS = 15 * 60_000;

/** Times as the gateway gives them, in seconds. */
export interface CandleGap {
  /** The first missing candle. */
  readonly from: number;
  /** The first candle after the gap. */
  readonly to: number;
  readonly candles: number;
}

interface Edges {
  /** Undefined if only the newest candles were asked for. */
  readonly from: number | undefined;
  readonly to: number;
  /** Of the candles that were read. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A single missing candle may still arrive. */
export const STALE = 2;

export class GapFinder {
  readonly gaps: CandleGap[] = [];
  /** All missing candles. */
  missing = 0;
  readonly #period: Period;
  #last: number | undefined;
  /** The latest hours asked for: most gaps are close together. */
  #openFrom = 0;
  #openUntil = 0;

  /** Continues after the time `last` with the gaps found before. */
  constructor(period: Period, last?: number, found: readonly CandleGap[] = []) {
    this.#period = period;
    this.#last = last;
    for (const gap of found) this.#keep(gap);
  }

  /** The next candles, by time. */
  add(candles: readonly Candle[]): void {
    for (const candle of candles) {
      const time = timeOf(candle);
      const gap = this.#last === undefined ? undefined : this.between(this.#last, time);
      if (gap !== undefined) this.#keep(gap);
      this.#last = time;
    }
  }

  /** The candles that are missing before the first one, or in the complete range if there is none. Seconds; `to` is not included. */
  addEdges({ from, to, first, last, now }: Edges): void {
    const leading =
      from === undefined ? undefined : this.between(this.#before(from, first), first ?? this.#after(to, now));
    if (leading !== undefined) {
      this.gaps.unshift(leading);
      this.missing += leading.candles;
    }
    const trailing = last === undefined ? undefined : this.between(last, this.#after(to, now));
    // The newest candle may still arrive.
    const isLate = trailing !== undefined && (to * 1000 <= now || trailing.candles >= STALE);
    if (isLate) this.#keep({ ...trailing, to });
  }

  /** The time of the candle before the first one that the range can have. Without a candle, by the usual times. */
  #before(from: number, first: number | undefined): number {
    const { name, ms } = this.#period;
    const known = first ?? Math.ceil((from * 1000) / ms) * (ms / 1000);
    if (name === 'D1' && first === undefined) return marketDayStart(from * 1000 - 1) / 1000;
    const steps = Math.floor(((known - from) * 1000) / ms) + 1;
    return name === 'D1' ? daysLater(known * 1000, -steps) / 1000 : known - (steps * ms) / 1000;
  }

  /** For `between`: right after the last candle of the range that is finished. */
  #after(to: number, now: number): number {
    const { name, ms } = this.#period;
    if (name === 'D1') return Math.min(to, (now + 1) / 1000) + 7200;
    return Math.min(ms > 24 * HOUR_MS ? to : to - 1 + ms / 1000, now / 1000);
  }

  /** The next candles do not follow directly: the gap is known already. */
  skip(): void {
    this.#last = undefined;
  }

  /** The candles missing between two candles. */
  between(earlier: number, later: number): CandleGap | undefined {
    const { name, ms } = this.#period;
    const [from, to] = [earlier * 1000, later * 1000];
    if (to - from <= ms) return undefined;
    const found = name === 'D1' ? missingDays(from, to) : this.#missingPeriods(from, to);
    return found.candles === 0 ? undefined : { from: found.first / 1000, to: later, candles: found.candles };
  }

  #missingPeriods(earlier: number, later: number): Missing {
    const { ms } = this.#period;
    return ms > 24 * HOUR_MS ? missingLong(earlier, later, ms) : this.#slots(earlier, later);
  }

  #keep(gap: CandleGap): void {
    this.gaps.push(gap);
    this.missing += gap.candles;
  }

  /** Slots of candles during which the market was open at least for a moment. */
  #slots(earlier: number, later: number): Missing {
    const { ms } = this.#period;
    let candles = 0;
    let first = 0;
    for (let slot = earlier + ms; slot + ms <= later; ) {
      const opens = this.#opening(slot);
      if (opens >= slot + ms) {
        slot += Math.floor((opens - slot) / ms) * ms;
        continue;
      }
      const until = opens > slot ? slot + 1 : Math.min(later - ms + 1, this.#openUntil);
      const count = Math.ceil((until - slot) / ms);
      if (candles === 0) first = slot;
      candles += count;
      slot += count * ms;
    }
    return { candles, first };
  }

  /** When it is certainly open, at this time or later. */
  #opening(at: number): number {
    if (at >= this.#openFrom && at < this.#openUntil) return at;
    const { state, opensAt, closesAt } = marketHours(at);
    if (state === 'closed') return opensAt + OPENING_MS;
    if (state === 'opening') return opensAt;
    this.#openFrom = at;
    this.#openUntil = closesAt;
    return at;
  }
}

interface Missing {
  readonly candles: number;
  readonly first: number;
}

/** Labeled by their end; an hour shorter or longer on the days when clocks change. */
function missingDays(earlier: number, later: number): Missing {
  let candles = 0;
  let first = 0;
  for (let end = daysLater(earlier, 1); end < later - 2 * HOUR_MS; end = daysLater(end, 1)) {
    if (isClosedThroughout(daysLater(end, -1), end)) continue;
    if (candles === 0) first = end;
    candles++;
  }
  return { candles, first };
}

/** Weeks and months, which vary in length. */
function missingLong(earlier: number, later: number, ms: number): Missing {
  return { candles: Math.max(0, Math.round((later - earlier) / ms) - 1), first: earlier + ms };
}
