/** A market that moves at random, always the same way for the same seed. */
import { seededRandom } from '../random.ts';
import { INSTRUMENTS, type Instrument, roundedRate } from './instruments.ts';
import type { Move, PriceSource } from './market.ts';
import { DAY_MS, HOUR_MS } from './trading-days.ts';

interface WalkOptions {
  readonly seed: number;
  /** 1 is usual; 10 moves ten times as far. */
  readonly volatility: number;
  /** How much time of the market passes with each tick. */
  readonly tickMs: number;
}

/** A market starts when its week does. */
const WEEK_MS = 7 * DAY_MS;
const FRIDAY_MS = 5 * DAY_MS;
/** Of the ticks in which a symbol may move. */
const MOVES = 0.7;
/** Once in a while the price jumps: so many times as far. */
const [JUMPS, JUMP] = [0.002, 6];
/** A weekend moves the price as far as so many days. */
const WEEKEND_DAYS = 3;
/** Spreads are wide for so long after a weekend. */
const REOPENING_MS = HOUR_MS / 12;
/** And this much wider. */
const REOPENING_SPREADS = 4;
/** The price stays within this factor of where it started. */
const MOST_DRIFT = Math.log(3);

interface Walker {
  readonly instrument: Instrument;
  readonly random: () => number;
  /** The logarithm of the price as a part of the first. */
  at: number;
  /** Of the market: of the last move. */
  movedAt: number;
}

export function randomWalk({ seed, volatility, tickMs }: WalkOptions): PriceSource {
  const walkers = INSTRUMENTS.map((instrument): Walker => {
    return { instrument, random: seededRandom(seed * 8191 + instrument.offerId), at: 0, movedAt: 0 };
  });
  let time = 0;
  const isOpenAt = ({ always }: Instrument, ms: number): boolean => always || ms % WEEK_MS < FRIDAY_MS;

  const walk = (walker: Walker, days: number): void => {
    const { random, instrument } = walker;
    const far = random() < JUMPS ? JUMP : 1;
    const step = gaussian(random) * instrument.volatility * volatility * Math.sqrt(days) * far;
    // What would lead too far away leads back.
    const next = Math.abs(walker.at + step) > MOST_DRIFT ? walker.at - step : walker.at + step;
    walker.at = Math.max(-MOST_DRIFT, Math.min(MOST_DRIFT, next));
    walker.movedAt = time;
  };

  const moveOf = ({ instrument, at, random }: Walker, more: Partial<Move>, widening = 1): Move => {
    const bid = roundedRate(instrument, instrument.price * Math.exp(at));
    const spread = instrument.spread * widening * (1 + random() ** 4 / 2);
    return { instrument, bid, ask: bid + spread * instrument.pip, ...more };
  };

  /** From `before` until now; undefined if the price does not move. */
  const step = (walker: Walker, before: number, isNewDay: boolean): Move | undefined => {
    const { instrument, random } = walker;
    const wasOpen = isOpenAt(instrument, before);
    if (!isOpenAt(instrument, time)) {
      // Clients see that it closes, by a last push of the same price.
      return wasOpen ? moveOf(walker, {}) : undefined;
    }
    if (wasOpen && !isNewDay && random() >= MOVES) return undefined;
    walk(walker, wasOpen ? (time - walker.movedAt) / DAY_MS : WEEKEND_DAYS);
    const isFirstHours = !instrument.always && time > WEEK_MS && time % WEEK_MS < REOPENING_MS;
    return moveOf(walker, { isNewDay }, !wasOpen || isFirstHours ? REOPENING_SPREADS : 1);
  };

  return {
    isOpen: (instrument) => isOpenAt(instrument, time),
    start: () =>
      walkers.map((walker) => {
        const far = walker.instrument.price * walker.instrument.volatility * volatility * 0.3;
        const { price } = walker.instrument;
        const day = { high: price + far * walker.random(), low: Math.max(price / 3, price - far * walker.random()) };
        return moveOf(walker, day);
      }),
    next() {
      const before = time;
      time += tickMs;
      const isNewDay = Math.floor(before / DAY_MS) < Math.floor(time / DAY_MS);
      return walkers.flatMap((walker) => step(walker, before, isNewDay) ?? []);
    },
  };
}

/** Of mean 0 and deviation 1 (Box and Muller). */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
