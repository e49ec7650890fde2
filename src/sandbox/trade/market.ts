/** The prices: a walk that looks random and is the same whenever it is asked for, and the quotes of now, which deviate a little. */
import { INSTRUMENTS, type Instrument, roundedRate } from './instruments.ts';
import { DAY_MS, dayStart, MINUTE_MS } from './trading-days.ts';

export interface Quote {
  readonly bid: number;
  readonly ask: number;
  /** Of the trading day. */
  readonly high: number;
  readonly low: number;
  readonly at: number;
}

/** The part of the last deviation that stays with the next tick. */
const STAYS = 0.9;
const DEVIATION = 0.02;
/** Points of the day so far that show its high and low. */
const SAMPLES = 16;

export class Market {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #quotes = new Map<Instrument, Quote>();
  readonly #deviations = new Map<Instrument, number>();
  readonly #fixed = new Map<Instrument, number>();

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
    const start = dayStart(now());
    for (const instrument of INSTRUMENTS) {
      const day = Array.from({ length: SAMPLES }, (_, index) =>
        curvePrice(instrument, start + ((now() - start) * index) / SAMPLES),
      );
      this.#set(instrument, curvePrice(instrument, now()), Math.max(...day), Math.min(...day));
    }
  }

  quote(instrument: Instrument): Quote {
    const quote = this.#quotes.get(instrument);
    if (quote === undefined) throw new Error(`no price of ${instrument.symbol}`);
    return quote;
  }

  /** What a buyer pays, or a seller gets. */
  rate(instrument: Instrument, isBuy: boolean): number {
    const { bid, ask } = this.quote(instrument);
    return isBuy ? ask : bid;
  }

  tick(): void {
    for (const instrument of INSTRUMENTS) {
      const { high, low } = this.quote(instrument);
      const deviation =
        STAYS * (this.#deviations.get(instrument) ?? 0) + (this.#random() - 0.5) * instrument.volatility * DEVIATION;
      this.#deviations.set(instrument, deviation);
      const bid = this.#fixed.get(instrument) ?? curvePrice(instrument, this.#now()) * (1 + deviation);
      this.#set(instrument, bid, high, low);
    }
  }

  /** From the next tick on, this is the bid. */
  fix(instrument: Instrument, bid: number): void {
    this.#fixed.set(instrument, bid);
  }

  #set(instrument: Instrument, price: number, high: number, low: number): void {
    const bid = roundedRate(instrument, price);
    this.#quotes.set(instrument, {
      bid,
      ask: roundedRate(instrument, bid + instrument.spread * instrument.pip),
      high: roundedRate(instrument, Math.max(high, bid)),
      low: roundedRate(instrument, Math.min(low, bid)),
      at: this.#now(),
    });
  }
}

/** Waves from minutes to years, each four times as long as the one before. */
const WAVES = Array.from({ length: 10 }, (_, index) => 2 * MINUTE_MS * 4 ** index);

/** The bid at a time, not rounded. */
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
