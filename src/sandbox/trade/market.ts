/** The prices: each follows a curve that is always the same for the same seed. */
import { INSTRUMENTS, type Instrument, roundRate } from './instruments.ts';
import { DAY_MS, dayStart } from './trading-days.ts';

interface Quote {
  readonly bid: number;
  readonly ask: number;
  readonly high: number;
  readonly low: number;
  readonly at: number;
}

export interface Movement {
  readonly seed: number;
  /** 1 is usual: half a percent a day for a pair of currencies. */
  readonly volatility: number;
}

interface MarketOptions extends Movement {
  readonly now: () => number;
  /** Prices are those of whole ticks, so that two runs see the same. */
  readonly tickMs: number;
  /** How many times as fast prices move from the start on. */
  readonly fast: number;
}

/** Points of the day so far that show its high and low. */
const SAMPLES = 16;

export class Market {
  readonly #options: MarketOptions;
  readonly #startedAt: number;
  readonly #quotes = new Map<Instrument, Quote>();
  readonly #fixed = new Map<Instrument, number>();

  constructor(options: MarketOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    const midnight = dayStart(this.#startedAt);
    const stepMs = (this.#startedAt - midnight) / SAMPLES;
    for (const instrument of INSTRUMENTS) {
      const day = Array.from({ length: SAMPLES }, (_, index) => this.priceAt(instrument, midnight + index * stepMs));
      this.#setQuote(instrument, instrument.price, Math.max(...day), Math.min(...day));
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

  /** Moves every price to the current tick. */
  move(): void {
    const { now, tickMs } = this.#options;
    const ticks = Math.round((now() - this.#startedAt) / tickMs);
    for (const [instrument, { high, low }] of this.#quotes) {
      const bid = this.#fixed.get(instrument) ?? this.priceAt(instrument, this.#startedAt + ticks * tickMs);
      this.#setQuote(instrument, bid, high, low);
    }
  }

  /** From the next tick on, this is the bid. */
  fix(instrument: Instrument, bid: number): void {
    this.#fixed.set(instrument, bid);
  }

  /** The bid of the curve, not rounded. */
  priceAt(instrument: Instrument, ms: number): number {
    const { seed, volatility, fast } = this.#options;
    const sinceStart = ms - this.#startedAt;
    const walked = walkOf(seed * 8191 + instrument.offerId * 31, sinceStart > 0 ? sinceStart * fast : sinceStart);
    return instrument.price * Math.exp(foldDrift(walked * instrument.volatility * volatility));
  }

  #setQuote(instrument: Instrument, price: number, dayHigh: number, dayLow: number): void {
    const bid = roundRate(instrument, price);
    this.#quotes.set(instrument, {
      bid,
      ask: roundRate(instrument, bid + instrument.spread * instrument.pip),
      high: roundRate(instrument, Math.max(dayHigh, bid)),
      low: roundRate(instrument, Math.min(dayLow, bid)),
      at: this.#options.now(),
    });
  }
}

/** Waves from a quarter of a second to half a year, each four times as long as the one before. */
const WAVES = Array.from({ length: 14 }, (_, index) => 250 * 4 ** index);

/** How far a walk is from where it started; it moves by about 1 a day. */
function walkOf(seed: number, ms: number): number {
  let sum = 0;
  for (const [index, length] of WAVES.entries()) {
    const whole = Math.floor(ms / length);
    const part = ms / length - whole;
    const from = noise(seed + index, whole);
    const to = noise(seed + index, whole + 1);
    const height = from + (to - from) * part * part * (3 - 2 * part);
    // As in a random walk, four times as long is twice as far.
    sum += Math.sqrt(length / DAY_MS) * (height - noise(seed + index, 0));
  }
  return sum;
}

const MAX_DRIFT = Math.log(3);

/** Keeps a price within a third and three times that of the start. */
function foldDrift(drift: number): number {
  return MAX_DRIFT * Math.sin(drift / MAX_DRIFT);
}

/** From -1 to 1, always the same for the same numbers. */
function noise(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  mixed ^= mixed >>> 15;
  return (mixed >>> 0) / 0x7fffffff - 1;
}
