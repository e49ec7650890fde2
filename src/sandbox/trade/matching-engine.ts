/** Executes orders, at once or when a price is reached, and pushes what happens. */
import type { TradeTrap } from '../traps.ts';
import { type Book, CANCELED, EXECUTING, isEntry, type Order, type OrderDraft, type Trade } from './book.ts';
import { type Instrument, isForex, rounded, roundedRate } from './instruments.ts';
import type { Market } from './market.ts';
import { type Outbox, pick } from './outbox.ts';
import { accountRow, closedRow, closingRate, orderRow, profit, summaryRow, tradeRow } from './table-rows.ts';

/** Between the steps of an order, divided by `fast`. */
const STEP_MS = 30;
/** From the response to an order at market to its last push, with time for three parts. */
export const EXECUTION_MS = 6 * STEP_MS;
/** For a thousand, in dollars. */
export const COMMISSION = 0.04;

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
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Orders at market that are due while the market is closed. */
  readonly #due = new Set<Order>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  place(draft: OrderDraft): Order {
    const { book, now, traps } = this.#exchange;
    const order = book.addOrder(draft, now());
    const [amountK = order.amountK] = traps.has('partial-fills') && !isEntry(order) ? thirds(order) : [];
    order.fill = { tradeId: order.tradeId, amountK };
    this.#pushOrder(order, 'I');
    if (!isEntry(order)) this.#later(() => this.#execute(order));
    return order;
  }

  changed(order: Order): void {
    this.#pushOrder(order, 'U');
  }

  tradeChanged(trade: Trade): void {
    const row = pick(tradeRow(trade, this.#exchange.market), ['t', 'tradeId', 'stop', 'stopMove', 'limit']);
    this.#exchange.outbox.row('OpenPosition', { ...row, action: 'U' });
  }

  /** Cancels the orders of the same group, too. */
  cancel(order: Order): void {
    for (const one of new Set([order, ...this.#exchange.book.groupOf(order)])) this.#end(one, CANCELED);
  }

  /** Call this after each tick: executes what the prices reach, and moves what trails. */
  check(): void {
    const { book, now } = this.#exchange;
    for (const order of [...this.#due]) this.#execute(order);
    for (const order of [...book.orders.values()].filter(isEntry)) {
      if (order.status === EXECUTING || !book.orders.has(order.orderId)) continue;
      if (order.expires !== undefined && order.expires <= now()) this.cancel(order);
      else if (this.#isReached(order)) this.#execute(order);
      else this.#trailOrder(order);
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
    }, STEP_MS / this.#exchange.fast);
    this.#timers.add(timer);
  }

  #isReached({ type, isBuy, rate, instrument }: Order): boolean {
    const price = this.#exchange.market.rate(instrument, isBuy);
    return type.startsWith('L') === isBuy ? price <= rate : price >= rate;
  }

  /** A trailing entry keeps its distance when the price moves away from it. */
  #trailOrder(order: Order): void {
    const { instrument, isBuy, rate, trail } = order;
    if (trail === 0) return;
    const price = this.#exchange.market.rate(instrument, isBuy);
    const moved = trailSteps(instrument, trail, price - order.trailedFrom);
    if (moved === 0 || moved > 0 !== price > rate) return;
    order.trailedFrom += moved;
    order.rate = roundedRate(instrument, rate + moved);
    this.#exchange.outbox.row('Order', { ...pick(orderRow(order), ['t', 'orderId', 'buy', 'sell']), action: 'U' });
  }

  #checkExits(trade: Trade): void {
    const { book, market } = this.#exchange;
    const { stop, limit, isBuy, instrument } = trade;
    const price = closingRate(trade, market);
    const sign = isBuy ? 1 : -1;
    if ([...book.orders.values()].some(({ closes }) => closes === trade.tradeId)) return;
    if (stop !== undefined && (price - stop.rate) * sign <= 0) this.#exit(trade, 'S', stop.rate, stop.trail);
    else if (limit !== undefined && (price - limit.rate) * sign >= 0) this.#exit(trade, 'L', limit.rate, 0);
    else if (stop !== undefined && stop.trail !== 0) {
      const moved = trailSteps(instrument, stop.trail, price - trade.trailedFrom);
      if (moved * sign <= 0) return;
      trade.trailedFrom += moved;
      stop.rate = roundedRate(instrument, stop.rate + moved);
      this.tradeChanged(trade);
    }
  }

  #exit({ tradeId, account, instrument, isBuy, amountK }: Trade, type: 'S' | 'L', rate: number, trail: number): void {
    const terms = { type, timeInForce: 'GTC', rate, trail, tradeId, closes: tradeId };
    this.place({ account, instrument, isBuy: !isBuy, amountK, ...terms });
  }

  /** Executes at the current prices, and cancels the other orders of the group. */
  #execute(order: Order): void {
    const { book, traps, outbox } = this.#exchange;
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
    const { parts, isKilled } = this.#available(order);
    // The status stays "executing" even when everything is done.
    this.#fillParts(order, parts, order.tradeId, isKilled ? CANCELED : EXECUTING);
  }

  /** The parts in which an order is filled; FOK and IOC may be killed before all of them are. */
  #available(order: Order): { readonly parts: readonly number[]; readonly isKilled: boolean } {
    const { traps } = this.#exchange;
    const parts = traps.has('partial-fills') ? thirds(order) : [order.amountK];
    const isKilled = traps.has('fok-killed') && ['FOK', 'IOC'].includes(order.timeInForce);
    if (!isKilled) return { parts, isKilled };
    return { parts: order.timeInForce === 'FOK' ? [] : parts.slice(0, -1), isKilled };
  }

  #fillParts(order: Order, [part, ...others]: readonly number[], tradeId: string, lastStatus: number): void {
    if (part !== undefined) {
      const { instrument, isBuy } = order;
      const rate = isEntry(order) ? order.rate : this.#exchange.market.rate(instrument, isBuy);
      this.#fill(order, part, tradeId, rate);
    }
    if (others.length === 0) this.#end(order, lastStatus);
    else this.#later(() => this.#fillParts(order, others, this.#exchange.book.newTradeId(), lastStatus));
  }

  #fill(order: Order, part: number, tradeId: string, rate: number): void {
    const { book, market, outbox } = this.#exchange;
    const { account, instrument, isBuy, closes } = order;
    order.fill = { tradeId, amountK: part };
    this.#pushOrder(order, 'U');
    const isNetted = (trade: Trade): boolean =>
      account.hedging !== 'Y' && trade.account === account && trade.instrument === instrument && trade.isBuy !== isBuy;
    let left = part;
    for (const trade of [...book.trades.values()]) {
      if (closes === undefined ? !isNetted(trade) : trade.tradeId !== closes) continue;
      const amount = Math.min(left, trade.amountK);
      if (amount > 0) this.#reduce(trade, amount, rate);
      left = rounded(left - amount, 3);
    }
    if (left > 0 && closes === undefined) this.#open(order, left, tradeId, rate);
    const trades = [...book.trades.values()];
    outbox.row('Account', { ...accountRow(account, trades, market), action: 'U' });
    outbox.row('Summary', { ...summaryRow(instrument, trades, market), action: 'U' });
  }

  #open({ account, instrument, isBuy, stop, limit }: Order, amountK: number, tradeId: string, open: number): void {
    const { book, market, outbox, now } = this.#exchange;
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
    const { book, market, outbox, now } = this.#exchange;
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
      const row = pick(tradeRow(trade, market), ['t', 'tradeId', 'amountK', 'grossPL', 'usedMargin']);
      outbox.row('OpenPosition', { ...row, action: 'U' });
    }
    outbox.row('ClosedPosition', { ...closedRow(closed), action: 'I' });
  }

  #end(order: Order, status: number): void {
    order.status = status;
    this.#due.delete(order);
    if (this.#exchange.book.orders.delete(order.orderId)) this.#pushOrder(order, 'D');
  }

  /** Once it is filled in part, the row has the trade and the amount of its latest fill. */
  #pushOrder(order: Order, action: 'I' | 'U' | 'D'): void {
    this.#exchange.outbox.row('Order', { ...orderRow(order), ...order.fill, action });
  }
}

function thirds({ instrument, amountK }: Order): number[] {
  const unit = isForex(instrument) ? 1 : 0.001;
  const units = Math.round(amountK / unit);
  const third = Math.max(1, Math.floor(units / 3));
  const parts = units < 3 ? Array<number>(units).fill(1) : [third, third, units - 2 * third];
  return parts.map((part) => rounded(part * unit, 3));
}

/** How far a trailing order moves with a price that has moved so far: whole steps of tenths of a pip. */
function trailSteps({ pip }: Instrument, trail: number, moved: number): number {
  const step = (trail * pip) / 10;
  return Math.trunc(moved / step + Math.sign(moved) * 1e-9) * step;
}
