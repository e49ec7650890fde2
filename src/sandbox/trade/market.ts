/** The prices: the quotes of now, from one of two sources, and before the start a curve that is the same whenever it is asked for. */
import { INSTRUMENTS, type Instrument, roundedRate } from './instruments.ts';
import { DAY_MS, dayStart, MINUTE_MS } from './trading-days.ts';

interface Quote {
  readonly bid: number;
  readonly ask: number;
  readonly high: number;
  readonly low: number;
  readonly at: number;
}

export interface Move {
  readonly instrument: Instrument;
  readonly bid: number;
  /** Of the trading day; by default those so far and this bid. */
  readonly high?: number | undefined;
  readonly low?: number | undefined;
}

export interface PriceSource {
  start(): readonly Move[];
  /** The next price of each symbol. */
  next(): readonly Move[];
}

export interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly ticks: number;
}

export class Market {
  /** Prices before this time are on the curve. */
  readonly startedAt: number;
  readonly #now: () => number;
  readonly #source: PriceSource;
  readonly #quotes = new Map<Instrument, Quote>();
  readonly #fixed = new Map<Instrument, number>();
  /** The first price as a part of the curve's, where it is another. */
  readonly #anchors = new Map<Instrument, number>();
  /** By minute; undefined if the prices stay on the curve. */
  readonly #bars: Map<Instrument, Map<number, Bar>> | undefined;

  constructor(now: () => number, source: PriceSource, isOnCurve = true) {
    this.#now = now;
    this.#source = source;
    this.startedAt = now();
    this.#bars = isOnCurve ? undefined : new Map(INSTRUMENTS.map((instrument) => [instrument, new Map()]));
    for (const move of source.start()) {
      this.#quotes.set(move.instrument, this.#quoteOf(move, move.bid, move.bid));
      const anchor = move.bid / curvePrice(move.instrument, now());
      if (!isOnCurve) this.#anchors.set(move.instrument, anchor);
    }
  }

  quote(instrument: Instrument): Quote {
    const quote = this.#quotes.get(instrument);
    if (quote === undefined) throw new Error(`no price of ${instrument.symbol}`);
    return quote;
  }

  rate(instrument: Instrument, isBuy: boolean): number {
    const { bid, ask } = this.quote(instrument);
    return isBuy ? ask : bid;
  }

  /** Moves every price by a tick. */
  move(): void {
    for (const { instrument, bid } of this.#source.next()) {
      const last = this.quote(instrument);
      const quote = this.#quoteOf({ instrument, bid: this.#fixed.get(instrument) ?? bid }, last.high, last.low);
      this.#quotes.set(instrument, quote);
      this.#record(instrument, quote.bid, last.bid);
    }
  }

  /** From the next tick on, this is the bid. */
  fix(instrument: Instrument, bid: number): void {
    this.#fixed.set(instrument, bid);
  }

  /** The bid at a time before the start, not rounded. */
  past(instrument: Instrument, ms: number): number {
    return curvePrice(instrument, ms) * (this.#anchors.get(instrument) ?? 1);
  }

  /** The prices since the start that are in this span; undefined if they stay on the curve. */
  bar(instrument: Instrument, from: number, end: number): Bar | undefined {
    const bars = this.#bars?.get(instrument);
    if (bars === undefined || end <= this.startedAt) return undefined;
    const minutes = [...bars].filter(([minute]) => minute * MINUTE_MS < end);
    const [, before] = minutes.findLast(([minute]) => minute * MINUTE_MS < from) ?? [];
    const within = minutes.filter(([minute]) => (minute + 1) * MINUTE_MS > from).map(([, bar]) => bar);
    const [first = before] = within;
    const close = (within.at(-1) ?? first)?.close ?? this.quote(instrument).bid;
    if (within.length === 0) return { open: close, high: close, low: close, close, ticks: 0 };
    return {
      open: first?.open ?? close,
      high: Math.max(...within.map(({ high }) => high)),
      low: Math.min(...within.map(({ low }) => low)),
      close,
      ticks: within.reduce((sum, { ticks }) => sum + ticks, 0),
    };
  }

  #record(instrument: Instrument, bid: number, last: number): void {
    const bars = this.#bars?.get(instrument);
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const { open, high, low, ticks } = bars?.get(minute) ?? { open: last, high: last, low: last, ticks: 0 };
    bars?.set(minute, { open, high: Math.max(high, bid), low: Math.min(low, bid), close: bid, ticks: ticks + 1 });
  }

  #quoteOf(move: Move, dayHigh: number, dayLow: number): Quote {
    const { instrument, high = dayHigh, low = dayLow } = move;
    const bid = roundedRate(instrument, move.bid);
    return {
      bid,
      ask: roundedRate(instrument, bid + instrument.spread * instrument.pip),
      high: roundedRate(instrument, Math.max(high, bid)),
      low: roundedRate(instrument, Math.min(low, bid)),
      at: this.#now(),
    };
  }
}

const STAYS = 0.9;
const DEVIATION = 0.02;
/** Points of the day so far that show its high and low. */
const SAMPLES = 16;

/** The calm market of a sandbox without options: it stays near the curve. */
export function calmPrices(now: () => number, random: () => number): PriceSource {
  const deviations = new Map<Instrument, number>();
  return {
    start: () =>
      INSTRUMENTS.map((instrument) => {
        const start = dayStart(now());
        const day = Array.from({ length: SAMPLES }, (_, index) =>
          curvePrice(instrument, start + ((now() - start) * index) / SAMPLES),
        );
        const bid = curvePrice(instrument, now());
        return { instrument, bid, high: Math.max(...day), low: Math.min(...day) };
      }),
    next: () =>
      INSTRUMENTS.map((instrument) => {
        const deviation =
          STAYS * (deviations.get(instrument) ?? 0) + (random() - 0.5) * instrument.volatility * DEVIATION;
        deviations.set(instrument, deviation);
        return { instrument, bid: curvePrice(instrument, now()) * (1 + deviation) };
      }),
  };
}

/** Waves from minutes to years, each four times as long as the one before. */
const WAVES = Array.from({ length: 10 }, (_, index) => 2 * MINUTE_MS * 4 ** index);

export function curvePrice({ offerId, price, volatility }: Instrument, ms: number): number {
  let sum = 0;
  for (const [index, length] of WAVES.entries()) {
    const at = ms / length;
    const whole = Math.floor(at);
    const part = at - whole;
    const from = noise(offerId * 31 + index, whole);
    const to = noise(offerId * 31 + index, whole + 1);
    // Like a random walk: four times as long, twice as far.
    sum += Math.sqrt(length / DAY_MS) * (from + (to - from) * part * part * (3 - 2 * part));
  }
  return price * Math.exp((volatility * sum) / 3);
}

/** From -1 to 1, always the same for the same numbers. */
export function noise(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  mixed ^= mixed >>> 15;
  return (mixed >>> 0) / 0x7fffffff - 1;
}
