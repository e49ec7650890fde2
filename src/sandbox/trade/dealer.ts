/** How a moving market fills orders: with slippage, in parts, or not at all, and always the same with the same seed. */

import { seededRandom } from '../random.ts';
import { isEntry, type Order } from './book.ts';
import { isForex, rounded, roundedRate } from './instruments.ts';
import type { Market } from './market.ts';

/** Of new orders at market. */
const REJECTED = 0.02;
/** Of what is filled at the current price. */
const SLIPS = 0.4;
/** Of the fills that slip. */
const IN_FAVOUR = 0.2;
/** In spreads. */
const MOST_SLIP = 0.6;
/** In lots of 10,000: what is available at one price. */
const [LEAST, MOST] = [5, 60];

export class Dealer {
  readonly #random: () => number;
  readonly #market: Market;

  constructor(market: Market, seed: number) {
    this.#market = market;
    this.#random = seededRandom(seed * 8191 - 1);
  }

  rejects({ type }: Order): boolean {
    return type.startsWith('O') && this.#random() < REJECTED;
  }

  /** More than is available at one price is filled at several. */
  parts({ instrument, amountK }: Order): number[] {
    const unit = isForex(instrument) ? 10 : instrument.maxQuantity / 100_000;
    const parts: number[] = [];
    for (let left = amountK; left > 0; ) {
      const available = rounded(unit * (LEAST + Math.floor(this.#random() * (MOST - LEAST))), 3);
      const part = Math.max(Math.min(left, available), 0.001);
      parts.push(part);
      left = rounded(left - part, 3);
    }
    return parts;
  }

  /** A limit is filled at its rate or a better one, anything else at the current price. */
  rate(order: Order): number {
    const { instrument, isBuy, type, rate } = order;
    const market = this.#market.rate(instrument, isBuy);
    const isLimit = type.startsWith('L') && (isEntry(order) || order.closes !== undefined);
    if (isLimit) return isBuy ? Math.min(rate, market) : Math.max(rate, market);
    const { bid, ask } = this.#market.quote(instrument);
    const slip = this.#random() < SLIPS ? this.#random() * MOST_SLIP * (ask - bid) : 0;
    const against = isBuy === this.#random() < IN_FAVOUR ? -1 : 1;
    return roundedRate(instrument, market + against * slip);
  }

  /** A market range order is not filled at a rate that is worse than its range allows. */
  isOutOfRange({ instrument, isBuy, type, range, quoted }: Order, rate: number): boolean {
    const worse = (isBuy ? rate - quoted : quoted - rate) / instrument.pip;
    return type.endsWith('R') && rounded(worse, 1) > range;
  }
}
