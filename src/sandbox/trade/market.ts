/** The prices: each follows a curve that is the same in every run, counted from its start. */
import { INSTRUMENTS, type Instrument, roundRate } from './instruments.ts';
import { DAY_MS } from './trading-days.ts';

interface Quote {
  readonly bid: number;
  readonly ask: number;
  /** Since the start. */
  readonly high: number;
  readonly low: number;
  readonly at: number;
}

interface MarketOptions {
  readonly now: () => number;
  /** Prices are those of whole ticks, so that two runs see the same. */
  readonly tickMs: number;
  /** How many times as fast prices move from the start on. */
  readonly fast: number;
}

export class Market {
  readonly #options: MarketOptions;
  readonly #startedAt: number;
  readonly #quotes = new Map<Instrument, Quote>();
  readonly #fixed = new Map<Instrument, number>();

  constructor(options: MarketOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    for (const instrument of INSTRUMENTS) this.#setQuote(instrument, instrument.price);
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
    for (const instrument of INSTRUMENTS) {
      const price = this.#fixed.get(instrument) ?? this.priceAt(instrument, this.#startedAt + ticks * tickMs);
      this.#setQuote(instrument, price);
    }
  }

  /** From the next tick on, this is the bid. */
  fix(instrument: Instrument, bid: number): void {
    this.#fixed.set(instrument, bid);
  }

  /** The bid of the curve, not rounded. */
  priceAt(instrument: Instrument, ms: number): number {
    const sinceStart = ms - this.#startedAt;
    const walked = walkOf(instrument.offerId, sinceStart > 0 ? sinceStart * this.#options.fast : sinceStart);
    return instrument.price * Math.exp(walked * instrument.volatility);
  }

  #setQuote(instrument: Instrument, price: number): void {
    const bid = roundRate(instrument, price);
    const { high = bid, low = bid } = this.#quotes.get(instrument) ?? {};
    this.#quotes.set(instrument, {
      bid,
      ask: roundRate(instrument, bid + instrument.spread * instrument.pip),
      high: Math.max(high, bid),
      low: Math.min(low, bid),
      at: this.#options.now(),
    });
  }
}

/** Milliseconds of waves from seconds to months. */
const WAVES = [1900, 7300, 31_000, 127_000, 509_000, 2_039_000, 8_191_000, 32_749_000, 131_071_000, 524_287_000];

/** How far a walk is from where it started; it moves by about 1 a day. */
function walkOf(seed: number, ms: number): number {
  let sum = 0;
  for (const [index, length] of WAVES.entries()) {
    const phase = seed * (index + 1);
    // As in a random walk, four times as long is twice as far.
    const height = Math.sqrt(length / DAY_MS) / 2;
    sum += height * (Math.sin((2 * Math.PI * ms) / length + phase) - Math.sin(phase));
  }
  return sum;
}
