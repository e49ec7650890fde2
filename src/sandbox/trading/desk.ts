/** Where orders are carried out: at once, or when a price is reached; and what is pushed of it. */

import type { Book } from './book.ts';
import { type Instrument, isForex, rounded } from './instruments.ts';
import type { Market } from './market.ts';
import type { Outbox } from './outbox.ts';
import { CANCELED, EXECUTING, type Exit, IN_PROCESS, isEntry, type Order, type Trade } from './records.ts';
import { accountRow, closedRow, closingRate, orderRow, profit, summaryRow, tradeRow } from './table-rows.ts';
import type { TradingTrap } from './traps.ts';

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
  readonly traps: ReadonlySet<TradingTrap>;
  readonly now: () => number;
  readonly fast: number;
}

export class Desk {
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
    if (!isEntry(order)) this.#later(() => this.#execute(order));
  }

  changed(order: Order): void {
    this.#tellOrder(order, 'U');
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

  /** What the prices of now bring about. */
  look(): void {
    const { book, now } = this.#options;
    for (const order of [...this.#due]) this.#execute(order);
    for (const order of [...book.orders.values()].filter(isEntry)) {
      if (order.status === EXECUTING || !book.orders.has(order.orderId)) continue;
      if (order.expires !== undefined && order.expires <= now()) this.#end(order, CANCELED);
      else if (this.#isReached(order)) this.#execute(order);
      else this.#follow(order);
    }
    for (const trade of [...book.trades.values()]) this.#checkExits(trade);
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

  #execute(order: Order): void {
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
    const rates = { buy: isBuy ? order.rate : 0, sell: isBuy ? 0 : order.rate };
    this.#options.outbox.row('Order', { t: 3, orderId: order.orderId, ...rates, action: 'U' });
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
    this.tradeChanged(trade);
  }

  #exit(trade: Trade, type: 'S' | 'L', { rate, trail }: Exit): void {
    const { book, now } = this.#options;
    const order: Order = {
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
    };
    this.accept(order);
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

/** How far a trailing order goes for a price that has moved so far: whole steps of tenths of a pip. */
function steps({ pip }: Instrument, trail: number, moved: number): number {
  const step = (trail * pip) / 10;
  return Math.trunc(moved / step + Math.sign(moved) * 1e-9) * step;
}
