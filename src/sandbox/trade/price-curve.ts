/** Where a price is at a moment: a walk that looks random, and is the same whenever and in whatever piece it is asked for. */
import type { Instrument } from './instruments.ts';
import { DAY_MS, MINUTE_MS } from './trading-days.ts';

/** Waves from minutes to years, each four times as long as the one before. */
const WAVES = Array.from({ length: 10 }, (_, index) => 2 * MINUTE_MS * 4 ** index);

/** Bid, not rounded. */
export function curvePrice({ offerId, price, volatility }: Instrument, ms: number): number {
  let sum = 0;
  for (const [index, length] of WAVES.entries()) {
    const at = ms / length;
    const whole = Math.floor(at);
    const part = at - whole;
    const from = noise(offerId * 31 + index, whole);
    const to = noise(offerId * 31 + index, whole + 1);
    // as a walk goes: four times as long, twice as far
    sum += Math.sqrt(length / DAY_MS) * (from + (to - from) * part * part * (3 - 2 * part));
  }
  return price * Math.exp((volatility * sum) / 3);
}

/** From -1 to 1, always the same of the same numbers. */
export function noise(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  mixed ^= mixed >>> 15;
  return (mixed >>> 0) / 0x7fffffff - 1;
}
