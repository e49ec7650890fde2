/** Prices that walk at random, always the same way for the same seed. */
import { seededRandom } from '../random.ts';
import { INSTRUMENTS } from './instruments.ts';
import type { PriceSource } from './market.ts';
import { DAY_MS } from './trading-days.ts';

interface WalkOptions {
  readonly seed: number;
  /** 1 is usual; 10 moves ten times as far. */
  readonly volatility: number;
  /** How much time of the market passes with each tick. */
  readonly tickMs: number;
}

/** The price stays within this factor of where it started. */
const MAX_DRIFT = Math.log(3);

export function randomWalk({ seed, volatility, tickMs }: WalkOptions): PriceSource {
  const walkers = INSTRUMENTS.map((instrument) => {
    const deviation = instrument.volatility * volatility * Math.sqrt(tickMs / DAY_MS);
    // The drift is the logarithm of the price as a part of the first.
    return { instrument, deviation, random: seededRandom(seed * 8191 + instrument.offerId), drift: 0 };
  });
  return {
    start: () => INSTRUMENTS.map((instrument) => ({ instrument, bid: instrument.price })),
    next() {
      for (const walker of walkers) walker.drift = addStep(walker.drift, gaussian(walker.random) * walker.deviation);
      return walkers.map(({ instrument, drift }) => ({ instrument, bid: instrument.price * Math.exp(drift) }));
    },
  };
}

/** A step that would lead too far away leads back. */
function addStep(from: number, step: number): number {
  const to = Math.abs(from + step) > MAX_DRIFT ? from - step : from + step;
  return Math.max(-MAX_DRIFT, Math.min(MAX_DRIFT, to));
}

/** Of mean 0 and deviation 1 (Box and Muller). */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
