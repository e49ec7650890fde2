/** Where orders are carried out: at once, or when a price is reached; and what is pushed of it. */

import type { TradeTrap } from '../traps.ts';
import type { Book } from './book.ts';
import { type Instrument, isForex, rounded } from './instruments.ts';
import type { Market } from './market.ts';
import type { Outbox } from './outbox.ts';
import { CANCELED, EXECUTING, isEntry, type Order, type Trade } from './records.ts';
import { accountRow, closedRow, orderRow, profit, summaryRow, tradeRow } from './table-rows.ts';

/** Between an order's steps, divided by `fast`. */
const STEP_MS = 30;
/** Of an order at market, from its answer to its last push; with room for three parts. */
export const EXECUTION_MS = 6 * STEP_MS;
/** Of a thousand, in dollars. */
export const COMMISSION = 0.04;

export interface DeskOptions {
  readonly book: Book;
  readonly market: Market;
  readonly outbox: Outbox;
  readonly traps: ReadonlySet<TradeTrap>;
  readonly now: () => number;
  readonly fast: number;
}

export class MatchingEngine {
  readonly #options: DeskOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Orders at market whose time has come while nothing was traded. */
  readonly #due = new Set<Order>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  accept(order: Order): void {
    this.#options.book.orders.set(order.orderId, order);
    this.#tellOrder(order, 'I');
    if (!isEntry(order)) this.#later(() => this.execute(order));
  }

  changed(order: Order): void {
    this.#tellOrder(order, 'U');
  }

  /** Of one that trails only what has changed is told. */
  rateChanged({ orderId, isBuy, rate }: Order): void {
    const rates = { buy: isBuy ? rate : 0, sell: isBuy ? 0 : rate };
    this.#options.outbox.row('Order', { t: 3, orderId, ...rates, action: 'U' });
  }

  /** With it those that live and end together with it. */
  cancel(order: Order): void {
    for (const one of new Set([order, ...this.#options.book.groupOf(order)])) this.#end(one, CANCELED);
  }

  tradeChanged(trade: Trade): void {
    const { outbox, market } = this.#options;
    const { stop, stopMove, limit } = tradeRow(trade, market);
    outbox.row('OpenPosition', { t: 1, tradeId: trade.tradeId, stop, stopMove, limit, action: 'U' });
  }

  /** Now, at the prices of now; what waits in its group is canceled. */
  execute(order: Order): void {
    const { book, traps, outbox } = this.#options;
    if (!book.orders.has(order.orderId)) return;
    if (traps.has('market-closed')) {
      this.#due.add(order);
      return;
    }
    this.#due.delete(order);
    if (order.closes !== undefined && !book.trades.has(order.closes)) {
      this.#end(order, CANCELED);
      return;
    }
    for (const other of book.groupOf(order)) if (other !== order) this.#end(other, CANCELED);
    order.status = EXECUTING;
    outbox.row('Order', { t: 3, orderId: order.orderId, status: EXECUTING, action: 'U' });
    const parts = traps.has('partial-fills') ? thirds(order) : [order.amountK];
    const isKilled = traps.has('fok-killed') && ['FOK', 'IOC'].includes(order.timeInForce);
    if (isKilled) parts.splice(order.timeInForce === 'IOC' && parts.length > 1 ? -1 : 0);
    // the status stays at "executing" even when all is done
    this.#fillParts(order, parts, order.tradeId, isKilled ? CANCELED : EXECUTING);
  }

  /** Those whose time came while nothing was traded. */
  catchUp(): void {
    for (const order of [...this.#due]) this.execute(order);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #later(run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, STEP_MS / this.#options.fast);
    this.#timers.add(timer);
  }

  #fillParts(order: Order, [part, ...others]: readonly number[], tradeId: string, lastStatus: number): void {
    if (part !== undefined) this.#fill(order, part, tradeId);
    if (others.length === 0) this.#end(order, lastStatus);
    else this.#later(() => this.#fillParts(order, others, this.#options.book.newTradeId(), lastStatus));
  }

  #fill(order: Order, part: number, tradeId: string): void {
    const { book, market, outbox } = this.#options;
    const { account, instrument, isBuy, orderId } = order;
    const { bid, ask } = market.quote(instrument);
    const rate = isEntry(order) ? order.rate : isBuy ? ask : bid;
    outbox.row('Order', { t: 3, orderId, tradeId, status: EXECUTING, action: 'U' });
    const opposite = [...book.trades.values()].filter((trade) =>
      order.closes === undefined
        ? account.hedging !== 'Y' &&
          trade.account === account &&
          trade.instrument === instrument &&
          trade.isBuy !== isBuy
        : trade.tradeId === order.closes,
    );
    let left = part;
    for (const trade of opposite) {
      const amount = Math.min(left, trade.amountK);
      if (amount > 0) this.#reduce(trade, amount, rate);
      left = rounded(left - amount, 3);
    }
    if (left > 0 && order.closes === undefined) this.#open(order, left, tradeId, rate);
    this.#tellSums(order.account, instrument);
  }

  #open(order: Order, amountK: number, tradeId: string, open: number): void {
    const { book, market, outbox, now } = this.#options;
    const { account, instrument, isBuy, stop, limit } = order;
    const trade: Trade = {
      tradeId,
      account,
      instrument,
      isBuy,
      amountK,
      open,
      time: now(),
      commission: rounded(amountK * COMMISSION, 2),
      roll: 0,
      stop: stop && { ...stop },
      limit: limit && { ...limit },
      trailedFrom: open,
    };
    book.trades.set(tradeId, trade);
    outbox.row('OpenPosition', { ...tradeRow(trade, market), action: 'I' });
  }

  #reduce(trade: Trade, amountK: number, close: number): void {
    const { book, market, outbox, now } = this.#options;
    const { tradeId, account } = trade;
    const grossPL = profit(trade, amountK, close);
    const commission = rounded(amountK * COMMISSION * 2, 2);
    const closed = { trade: { ...trade }, amountK, commission, close, closeTime: now(), grossPL };
    trade.amountK = rounded(trade.amountK - amountK, 3);
    account.balance += grossPL - commission;
    book.closed.push(closed);
    if (trade.amountK === 0) {
      book.trades.delete(tradeId);
      outbox.row('OpenPosition', { t: 1, tradeId, action: 'D' });
    } else {
      const { amountK: left, grossPL: open, usedMargin } = tradeRow(trade, market);
      outbox.row('OpenPosition', { t: 1, tradeId, amountK: left, grossPL: open, usedMargin, action: 'U' });
    }
    outbox.row('ClosedPosition', { ...closedRow(closed), action: 'I' });
  }

  #end(order: Order, status: number): void {
    order.status = status;
    this.#due.delete(order);
    if (this.#options.book.orders.delete(order.orderId)) this.#tellOrder(order, 'D');
  }

  #tellOrder(order: Order, action: 'I' | 'U' | 'D'): void {
    this.#options.outbox.row('Order', { ...orderRow(order), action });
  }

  #tellSums(account: Order['account'], instrument: Instrument): void {
    const { book, market, outbox } = this.#options;
    const trades = [...book.trades.values()];
    outbox.row('Account', { ...accountRow(account, trades, market), action: 'U' });
    outbox.row('Summary', { ...summaryRow(instrument, trades, market), action: 'U' });
  }
}

/** In three, where there is enough of it. */
function thirds({ instrument, amountK }: Order): number[] {
  const unit = isForex(instrument) ? 1 : 0.001;
  const units = Math.round(amountK / unit);
  const third = Math.max(1, Math.floor(units / 3));
  const parts = units < 3 ? Array<number>(units).fill(1) : [third, third, units - 2 * third];
  return parts.map((part) => rounded(part * unit, 3));
}
