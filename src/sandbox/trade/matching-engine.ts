/** Executes orders, at once or when a price is reached, and pushes what happens. */
import type { TradeTrap } from '../traps.ts';
import {
  type Book,
  CANCELED,
  COMMISSION,
  EXECUTING,
  type Exit,
  isEntry,
  type Order,
  type OrderDraft,
  type Trade,
} from './book.ts';
import { isForex, round, roundRate } from './instruments.ts';
import type { Market } from './market.ts';
import type { Outbox } from './outbox.ts';
import { accountRow, closedRow, closingRateOf, orderRow, profitOf, summaryRow, tradeRow } from './table-rows.ts';

/** Between the steps of an order, divided by `fast`. */
const STEP_MS = 30;
/** From the response to an order at market to its last push, with time for three parts. */
export const EXECUTION_MS = 6 * STEP_MS;

export interface Exchange {
  readonly book: Book;
  readonly market: Market;
  readonly outbox: Outbox;
  readonly traps: ReadonlySet<TradeTrap>;
  readonly now: () => number;
  readonly fast: number;
}

export class MatchingEngine {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  place(draft: OrderDraft): Order {
    const { book, now } = this.#exchange;
    const order = book.addOrder(draft, now());
    const [amountK = order.amountK] = this.#partsOf(order);
    if (!isEntry(order)) {
      order.fill = { tradeId: order.tradeId, amountK };
      this.#later(() => this.#execute(order));
    }
    this.pushOrder(order, 'I');
    return order;
  }

  pushTradeChange(trade: Trade): void {
    const { market, outbox } = this.#exchange;
    outbox.pushRow('OpenPosition', { ...tradeRow(trade, market), action: 'U' });
  }

  /** Cancels the orders of the same group, too. */
  cancel(order: Order): void {
    this.#end(order, CANCELED);
    for (const other of this.#exchange.book.orders.values()) {
      if (other.ocoBulkId !== 0 && other.ocoBulkId === order.ocoBulkId) this.#end(other, CANCELED);
    }
  }

  /** Call this after each tick: executes what the prices reach, and moves what trails. */
  check(): void {
    const { book, now } = this.#exchange;
    for (const order of book.orders.values()) {
      if (order.status === EXECUTING) continue;
      if (order.expires !== undefined && order.expires <= now()) this.cancel(order);
      else if (!isEntry(order) || this.#isReached(order)) this.#execute(order);
      else this.#trailEntry(order);
    }
    for (const trade of book.trades.values()) this.#checkExits(trade);
  }

  #later(run: () => void): void {
    setTimeout(run, STEP_MS / this.#exchange.fast).unref();
  }

  #isReached({ type, isBuy, rate, instrument }: Order): boolean {
    const price = this.#exchange.market.rate(instrument, isBuy);
    return type.startsWith('L') === isBuy ? price <= rate : price >= rate;
  }

  #trailEntry(order: Order): void {
    const price = this.#exchange.market.rate(order.instrument, order.isBuy);
    if (followPrice(order, order, price)) this.pushOrder(order, 'U');
  }

  #checkExits(trade: Trade): void {
    const { book, market } = this.#exchange;
    const { stop, limit, isBuy } = trade;
    const price = closingRateOf(trade, market);
    const sign = isBuy ? 1 : -1;
    if ([...book.orders.values()].some(({ closes }) => closes === trade.tradeId)) return;
    if (stop !== undefined && (price - stop.rate) * sign <= 0) this.#exit(trade, 'S', stop);
    else if (limit !== undefined && (price - limit.rate) * sign >= 0) this.#exit(trade, 'L', limit);
    else if (stop !== undefined && followPrice(stop, trade, price)) this.pushTradeChange(trade);
  }

  #exit({ tradeId, account, instrument, isBuy, amountK }: Trade, type: 'S' | 'L', { rate, trail }: Exit): void {
    const terms = { type, timeInForce: 'GTC', rate, trail, tradeId, closes: tradeId };
    this.place({ account, instrument, isBuy: !isBuy, amountK, ...terms });
  }

  /** While the market is closed, an order waits for the tick that opens it. */
  #execute(order: Order): void {
    const { book, traps, outbox } = this.#exchange;
    const isOver = order.status === EXECUTING || !book.orders.has(order.orderId);
    if (isOver || traps.has('market-closed')) return;
    if (order.closes !== undefined && !book.trades.has(order.closes)) {
      this.#end(order, CANCELED);
      return;
    }
    order.status = EXECUTING;
    outbox.pushRow('Order', { t: 3, orderId: order.orderId, status: EXECUTING, action: 'U' });
    const parts = this.#partsOf(order);
    const isKilled = traps.has('fok-killed') && ['FOK', 'IOC'].includes(order.timeInForce);
    if (isKilled) parts.splice(order.timeInForce === 'FOK' ? 0 : -1);
    // The status stays "executing" even when everything is done.
    this.#fillParts(order, parts, order.tradeId, isKilled ? CANCELED : EXECUTING);
  }

  #partsOf(order: Order): number[] {
    return this.#exchange.traps.has('partial-fills') ? splitInThirds(order) : [order.amountK];
  }

  /** Fills one part after the other at the prices of the moment. */
  #fillParts(order: Order, [part, ...others]: readonly number[], tradeId: string, lastStatus: number): void {
    if (part !== undefined) this.#fill(order, part, tradeId);
    if (others.length === 0) this.#end(order, lastStatus);
    else this.#later(() => this.#fillParts(order, others, this.#exchange.book.newTradeId(), lastStatus));
  }

  #fill(order: Order, part: number, tradeId: string): void {
    const { book, market, outbox } = this.#exchange;
    const { account, instrument, isBuy } = order;
    const rate = isEntry(order) ? order.rate : market.rate(instrument, isBuy);
    order.fill = { tradeId, amountK: part };
    this.pushOrder(order, 'U');
    let left = part;
    for (const trade of this.#tradesClosedBy(order)) {
      const amount = Math.min(left, trade.amountK);
      if (amount > 0) this.#reduce(trade, amount, rate);
      left = round(left - amount, 3);
    }
    if (left > 0 && order.closes === undefined) this.#open(order, left, tradeId, rate);
    const trades = [...book.trades.values()];
    outbox.pushRow('Account', { ...accountRow(account, trades, market), action: 'U' });
    outbox.pushRow('Summary', { ...summaryRow(instrument, trades, market), action: 'U' });
  }

  /** An account that does not hedge closes opposite trades first, the oldest of them first. */
  #tradesClosedBy({ account, instrument, isBuy, closes }: Order): readonly Trade[] {
    const trades = [...this.#exchange.book.trades.values()];
    if (closes !== undefined) return trades.filter(({ tradeId }) => tradeId === closes);
    if (account.hedging === 'Y') return [];
    return trades.filter((one) => one.account === account && one.instrument === instrument && one.isBuy !== isBuy);
  }

  #open({ account, instrument, isBuy, stop, limit }: Order, amountK: number, tradeId: string, open: number): void {
    const { book, market, outbox, now } = this.#exchange;
    // Each trade of an order has its own stop and limit.
    const exits = { stop: stop && { ...stop }, limit: limit && { ...limit } };
    const trade = book.addTrade({ tradeId, account, instrument, isBuy, amountK, open, ...exits }, now());
    outbox.pushRow('OpenPosition', { ...tradeRow(trade, market), action: 'I' });
  }

  #reduce(trade: Trade, amountK: number, close: number): void {
    const { book, outbox, now } = this.#exchange;
    const { tradeId, account } = trade;
    const grossPL = profitOf({ ...trade, amountK }, close);
    const commission = round(amountK * COMMISSION * 2, 2);
    const closed = { ...trade, amountK, commission, close, closeTime: now(), grossPL };
    trade.amountK = round(trade.amountK - amountK, 3);
    account.balance += grossPL - commission;
    book.closed.push(closed);
    if (trade.amountK === 0) {
      book.trades.delete(tradeId);
      outbox.pushRow('OpenPosition', { t: 1, tradeId, action: 'D' });
    } else this.pushTradeChange(trade);
    outbox.pushRow('ClosedPosition', { ...closedRow(closed), action: 'I' });
  }

  #end(order: Order, status: number): void {
    order.status = status;
    if (this.#exchange.book.orders.delete(order.orderId)) this.pushOrder(order, 'D');
  }

  /** Once it is filled in part, the row has the trade and the amount of its latest fill. */
  pushOrder(order: Order, action: 'I' | 'U' | 'D'): void {
    this.#exchange.outbox.pushRow('Order', { ...orderRow(order), ...order.fill, action });
  }
}

function splitInThirds({ instrument, amountK }: Order): number[] {
  const unit = isForex(instrument) ? 1 : 0.001;
  const units = Math.round(amountK / unit);
  const third = Math.floor(units / 3);
  const parts = [third, third, units - 2 * third].filter((part) => part > 0);
  return parts.map((part) => round(part * unit, 3));
}

/** Moves a rate with a price that moves away, by steps of tenths of a pip. False if it stays. */
function followPrice(exit: Exit, from: Pick<Trade, 'instrument' | 'trailedFrom'>, price: number): boolean {
  if (exit.trail === 0) return false;
  const step = (exit.trail * from.instrument.pip) / 10;
  const change = (price - from.trailedFrom) / step;
  const moved = Math.trunc(change + Math.sign(change) * 1e-9) * step;
  if (moved === 0 || moved > 0 !== price > exit.rate) return false;
  from.trailedFrom += moved;
  exit.rate = roundRate(from.instrument, exit.rate + moved);
  return true;
}
