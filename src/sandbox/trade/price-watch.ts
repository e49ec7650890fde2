/** What prices bring about: entry orders that are reached, stops and limits, and all that trails. */
import type { Book } from './book.ts';
import { type Instrument, rounded } from './instruments.ts';
import type { Market } from './market.ts';
import type { MatchingEngine } from './matching-engine.ts';
import { EXECUTING, type Exit, IN_PROCESS, isEntry, type Order, type Trade } from './records.ts';
import { closingRate } from './table-rows.ts';

export interface PriceWatchOptions {
  readonly book: Book;
  readonly matching: MatchingEngine;
  readonly market: Market;
  readonly now: () => number;
}

export class PriceWatch {
  readonly #options: PriceWatchOptions;

  constructor(options: PriceWatchOptions) {
    this.#options = options;
  }

  /** To be asked after each tick. */
  look(): void {
    const { book, matching, now } = this.#options;
    matching.catchUp();
    for (const order of [...book.orders.values()].filter(isEntry)) {
      if (order.status === EXECUTING || !book.orders.has(order.orderId)) continue;
      if (order.expires !== undefined && order.expires <= now()) matching.cancel(order);
      else if (this.#isReached(order)) matching.execute(order);
      else this.#follow(order);
    }
    for (const trade of [...book.trades.values()]) this.#checkExits(trade);
  }

  #isReached({ type, isBuy, rate, instrument }: Order): boolean {
    const { bid, ask } = this.#options.market.quote(instrument);
    const isLimit = type.startsWith('L');
    if (isBuy) return isLimit ? ask <= rate : ask >= rate;
    return isLimit ? bid >= rate : bid <= rate;
  }

  /** A trailing entry keeps its distance where the price goes away from it. */
  #follow(order: Order): void {
    if (order.trail === 0) return;
    const { instrument, isBuy, rate } = order;
    const { bid, ask } = this.#options.market.quote(instrument);
    const price = isBuy ? ask : bid;
    const moved = steps(instrument, order.trail, price - order.trailedFrom);
    if (moved === 0 || moved > 0 !== price > rate) return;
    order.trailedFrom += moved;
    order.rate = rounded(rate + moved, instrument.digits);
    this.#options.matching.rateChanged(order);
  }

  #checkExits(trade: Trade): void {
    const { book, market } = this.#options;
    const { stop, limit, isBuy } = trade;
    const price = closingRate(trade, market);
    const sign = isBuy ? 1 : -1;
    if ([...book.orders.values()].some(({ closes }) => closes === trade.tradeId)) return;
    if (stop !== undefined && (price - stop.rate) * sign <= 0) this.#exit(trade, 'S', stop);
    else if (limit !== undefined && (price - limit.rate) * sign >= 0) this.#exit(trade, 'L', limit);
    else if (stop !== undefined && stop.trail !== 0) this.#trail(trade, stop, price);
  }

  #trail(trade: Trade, stop: Exit, price: number): void {
    const { instrument, isBuy } = trade;
    const sign = isBuy ? 1 : -1;
    const moved = steps(instrument, stop.trail, price - trade.trailedFrom);
    if (moved * sign <= 0) return;
    trade.trailedFrom += moved;
    stop.rate = rounded(stop.rate + moved, instrument.digits);
    this.#options.matching.tradeChanged(trade);
  }

  #exit(trade: Trade, type: 'S' | 'L', { rate, trail }: Exit): void {
    const { book, matching, now } = this.#options;
    matching.accept({
      orderId: book.newOrderId(),
      tradeId: trade.tradeId,
      account: trade.account,
      instrument: trade.instrument,
      isBuy: !trade.isBuy,
      type,
      status: IN_PROCESS,
      timeInForce: 'GTC',
      expires: undefined,
      time: now(),
      amountK: trade.amountK,
      rate,
      range: 0,
      stop: undefined,
      limit: undefined,
      trail,
      trailedFrom: 0,
      ocoBulkId: 0,
      closes: trade.tradeId,
    });
  }
}

/** How far a trailing order goes for a price that has moved so far: whole steps of tenths of a pip. */
function steps({ pip }: Instrument, trail: number, moved: number): number {
  const step = (trail * pip) / 10;
  return Math.trunc(moved / step + Math.sign(moved) * 1e-9) * step;
}
