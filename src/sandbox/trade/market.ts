/** The prices of now: around the walk that candles are cut from, a little beside it. */
import { INSTRUMENTS, type Instrument, rounded } from './instruments.ts';
import { curvePrice } from './price-curve.ts';
import { dayStart } from './trading-days.ts';

export interface Quote {
  readonly bid: number;
  readonly ask: number;
  /** Of the trading day. */
  readonly high: number;
  readonly low: number;
  readonly at: number;
}

/** How much of the last deviation stays with the next tick. */
const STAYS = 0.9;
const DEVIATION = 0.02;
/** Looks at the day so far, to know how high and how low it was. */
const SAMPLES = 16;

export class Market {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #quotes = new Map<Instrument, Quote>();
  readonly #deviations = new Map<Instrument, number>();
  readonly #held = new Map<Instrument, number>();

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
    for (const instrument of INSTRUMENTS) {
      const start = dayStart(now());
      const so = Array.from({ length: SAMPLES }, (_, index) =>
        curvePrice(instrument, start + ((now() - start) * index) / SAMPLES),
      );
      this.#set(instrument, curvePrice(instrument, now()), Math.max(...so), Math.min(...so));
    }
  }

  quote(instrument: Instrument): Quote {
    const quote = this.#quotes.get(instrument);
    if (quote === undefined) throw new Error(`no price of ${instrument.symbol}`);
    return quote;
  }

  tick(): void {
    for (const instrument of INSTRUMENTS) {
      const { high, low } = this.quote(instrument);
      const deviation =
        STAYS * (this.#deviations.get(instrument) ?? 0) + (this.#random() - 0.5) * instrument.volatility * DEVIATION;
      this.#deviations.set(instrument, deviation);
      const bid = this.#held.get(instrument) ?? curvePrice(instrument, this.#now()) * (1 + deviation);
      this.#set(instrument, bid, high, low);
    }
  }

  /** The bid is this from the next tick on, and stays there. */
  hold(instrument: Instrument, bid: number): void {
    this.#held.set(instrument, bid);
  }

  #set(instrument: Instrument, price: number, high: number, low: number): void {
    const { digits, pip, spread } = instrument;
    const bid = rounded(price, digits);
    this.#quotes.set(instrument, {
      bid,
      ask: rounded(bid + spread * pip, digits),
      high: rounded(Math.max(high, bid), digits),
      low: rounded(Math.min(low, bid), digits),
      at: this.#now(),
    });
  }
}
