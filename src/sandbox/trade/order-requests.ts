/** The requests that trade (doc 3 §4; those that the document only mentions as seen on the public implementation). */

import type { Book } from './book.ts';
import type { Form } from './form.ts';
import { INSTRUMENTS, type Instrument } from './instruments.ts';
import type { Market } from './market.ts';
import type { MatchingEngine } from './matching-engine.ts';
import { accountOf, amountOf, expiryOf, instrumentOf, limitOf, sideOf, stopOf, trailOf } from './order-fields.ts';
import { type Account, IN_PROCESS, isEntry, type Order, type Trade, WAITING } from './records.ts';
import { noSuchOrder, noSuchTrade, Refused, refused } from './refusals.ts';
import { accountRow, marginOf } from './table-rows.ts';

export interface OrderRequestsOptions {
  readonly book: Book;
  readonly matching: MatchingEngine;
  readonly market: Market;
  readonly now: () => number;
}

type Placed = { readonly type: 0; readonly orderId: number };

const AT_MARKET = ['GTC', 'DAY', 'IOC', 'FOK'] as const;
const IN_RANGE = ['IOC', 'FOK'] as const;
const ENTRY = ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'] as const;

export class OrderRequests {
  readonly #options: OrderRequestsOptions;
  /** By path; each returns what stands in `data`. */
  readonly handlers: Readonly<Record<string, (form: Form) => unknown>> = {
    '/trading/open_trade': (form) => this.#openTrade(form),
    '/trading/close_trade': (form) => this.#closeTrade(form),
    '/trading/create_entry_order': (form) => this.#createEntry(form),
    '/trading/change_order': (form) => this.#changeOrder(form),
    '/trading/delete_order': (form) => this.#deleteOrder(form),
    '/trading/change_trade_stop_limit': (form) => this.#changeTrade(form),
    '/trading/change_order_stop_limit': (form) => this.#changeOrderExits(form),
    '/trading/simple_oco': (form) => this.#simpleOco(form),
    '/trading/add_to_oco': (form) => this.#addToOco(form),
    '/trading/remove_from_oco': (form) => this.#regroup(form.texts('orderIds'), 0),
    '/trading/edit_oco': (form) => this.#editOco(form),
    '/trading/close_all_for_symbol': (form) => this.#closeAll(form),
  };

  constructor(options: OrderRequestsOptions) {
    this.#options = options;
  }

  #openTrade(form: Form): Placed {
    const { book, market } = this.#options;
    const account = accountOf(form, book);
    const instrument = instrumentOf(form.text('symbol'));
    const isBuy = sideOf(form);
    const { type, timeInForce, range } = terms(form, 'OM', 'OR');
    const amountK = amountOf(form, 'amount', account, instrument);
    const { bid, ask } = market.quote(instrument);
    const around = { instrument, isBuy, rate: isBuy ? ask : bid };
    const isInPips = form.flag('is_in_pips') ?? false;
    const trail = trailOf(form, 'trailing_step');
    const stop = stopOf(form.number('stop'), isInPips, trail, around);
    const limit = limitOf(form.number('limit'), isInPips, around);
    const used = marginOf({ instrument, amountK }, market);
    const { usableMargin } = accountRow(account, [...book.trades.values()], market);
    if (used > Number(usableMargin)) throw new Refused('ORA-20113: insufficient margin');
    return this.#place({ account, instrument, isBuy, amountK, type, timeInForce, range, stop, limit });
  }

  #closeTrade(form: Form): Placed {
    const trade = this.#trade(form.text('trade_id'));
    const { type, timeInForce, range } = terms(form, 'CM', 'CR');
    const { account, instrument } = trade;
    if (account.hedging !== 'Y') throw refused(12, 'A trade of this account is closed by an opposite one');
    const amountK = amountOf(form, 'amount', account, instrument);
    if (amountK > trade.amountK) throw refused(13, 'The amount is larger than the trade', [String(trade.amountK)]);
    return this.#close(trade, amountK, { type, timeInForce, range });
  }

  #close(trade: Trade, amountK: number, terms: Pick<Order, 'type' | 'timeInForce' | 'range'>): Placed {
    const { account, instrument, isBuy, tradeId } = trade;
    return this.#place({ account, instrument, isBuy: !isBuy, amountK, ...terms, tradeId, closes: tradeId });
  }

  #createEntry(form: Form): Placed {
    const account = accountOf(form, this.#options.book);
    return this.#entry(form, account, '', 0);
  }

  /** `suffix` is `2` for the second order of a pair. */
  #entry(form: Form, account: Account, suffix: string, ocoBulkId: number): Placed {
    return this.#place(this.#entryOf(form, account, suffix, ocoBulkId));
  }

  #entryOf(form: Form, account: Account, suffix: string, ocoBulkId: number): Draft {
    const { market, now } = this.#options;
    const instrument = instrumentOf(form.text('symbol'));
    const isBuy = sideOf(form, suffix);
    const kind = suffix === '' && ocoBulkId === 0 ? form.oneOf('order_type', ['Entry', 'RangeEntry']) : 'Entry';
    const timeInForce = form.oneOf('time_in_force', ENTRY);
    const amountK = amountOf(form, 'amount', account, instrument);
    const rate = Number(form.text(`rate${suffix}`));
    if (!(rate > 0)) throw new Refused('ORA-20105: order price is invalid');
    const { bid, ask } = market.quote(instrument);
    const price = isBuy ? ask : bid;
    const around = { instrument, isBuy, rate };
    const isInPips = form.flag('is_in_pips') ?? false;
    const trail = trailOf(form, `trailing_step${suffix}`);
    const stopTrail = trailOf(form, `trailing_stop_step${suffix}`);
    return {
      account,
      instrument,
      isBuy,
      amountK,
      type: entryType(isBuy, rate, price, trail),
      timeInForce,
      expires: expiryOf(form, timeInForce, now()),
      rate,
      range: kind === 'RangeEntry' ? (form.number('range') ?? 0) : 0,
      stop: stopOf(form.number(`stop${suffix}`), isInPips, stopTrail, around),
      limit: limitOf(form.number(`limit${suffix}`), isInPips, around),
      trail,
      trailedFrom: price,
      ocoBulkId,
    };
  }

  #changeOrder(form: Form): null {
    const { market, matching } = this.#options;
    const order = this.#waiting(form.text('order_id'));
    const { account, instrument, isBuy } = order;
    const amountK = amountOf(form, 'amount', account, instrument);
    const rate = form.number('rate') ?? order.rate;
    if (!(rate > 0)) throw new Refused('ORA-20105: order price is invalid');
    const trail = form.number('trailing_step') === undefined ? order.trail : trailOf(form, 'trailing_step');
    const { bid, ask } = market.quote(instrument);
    order.type = entryType(isBuy, rate, isBuy ? ask : bid, trail);
    Object.assign(order, { amountK, rate, trail, range: form.number('range') ?? order.range });
    matching.changed(order);
    return null;
  }

  #deleteOrder(form: Form): null {
    this.#options.matching.cancel(this.#waiting(form.text('order_id')));
    return null;
  }

  /** A rate of 0 takes it away. */
  #changeTrade(form: Form): null {
    const { market, matching } = this.#options;
    const trade = this.#trade(form.text('trade_id'));
    const { instrument, isBuy } = trade;
    const isStop = form.flag('is_stop') ?? true;
    const isInPips = form.flag('is_in_pips') ?? false;
    const trail = trailOf(form, 'trailing_step');
    const value = Number(form.text('rate'));
    const { bid, ask } = market.quote(instrument);
    const price = isBuy ? bid : ask;
    // pips are counted from where the trade was opened, a price must be on the right side of the one of now
    const around = { instrument, isBuy, rate: isInPips ? trade.open : price };
    if (isStop) trade.stop = value === 0 ? undefined : stopOf(value, isInPips, trail, around);
    else trade.limit = value === 0 ? undefined : limitOf(value, isInPips, around);
    if (isStop) trade.trailedFrom = price;
    matching.tradeChanged(trade);
    return null;
  }

  /** A side that is left out stays as it is. */
  #changeOrderExits(form: Form): readonly Placed[] {
    const order = this.#waiting(form.text('order_id'));
    const [stop, limit] = [form.number('stop'), form.number('limit')];
    const trail = trailOf(form, 'trailing_step');
    const changed = {
      ...(stop === undefined
        ? {}
        : { stop: stop === 0 ? undefined : stopOf(stop, form.flag('is_stop_in_pips') ?? false, trail, order) }),
      ...(limit === undefined
        ? {}
        : { limit: limit === 0 ? undefined : limitOf(limit, form.flag('is_limit_in_pips') ?? false, order) }),
    };
    Object.assign(order, changed);
    this.#options.matching.changed(order);
    return Object.keys(changed).map(() => placed(order));
  }

  #simpleOco(form: Form): readonly Placed[] {
    const { book } = this.#options;
    const account = accountOf(form, book);
    const group = book.newGroup();
    // both are looked at before one of them is there
    const drafts = ['', '2'].map((suffix) => this.#entryOf(form, account, suffix, group));
    return drafts.map((draft) => this.#place(draft));
  }

  #addToOco(form: Form): readonly null[] {
    const group = form.number('ocoBulkId') ?? 0;
    return this.#regroup(form.texts('orderIds'), group === 0 ? this.#options.book.newGroup() : group);
  }

  #editOco(form: Form): readonly null[] {
    const added = this.#regroup(form.texts('addOrderIds'), Number(form.text('ocoBulkId')));
    return [...added, ...this.#regroup(form.texts('removeOrderIds'), 0)];
  }

  #regroup(ids: readonly string[], group: number): readonly null[] {
    const orders = ids.map((id) => this.#waiting(id));
    for (const order of orders) {
      order.ocoBulkId = group;
      this.#options.matching.changed(order);
    }
    return orders.map(() => null);
  }

  /** Everything of the account, where it is not for one symbol. */
  #closeAll(form: Form): readonly Placed[] {
    const { book } = this.#options;
    const account = accountOf(form, book);
    const only = (form.flag('forSymbol') ?? true) ? instrumentOf(form.text('symbol')) : undefined;
    const conditions = terms(form, 'CM', 'CR');
    const wanted: readonly Instrument[] = only === undefined ? INSTRUMENTS : [only];
    return [...book.trades.values()]
      .filter((trade) => trade.account === account && wanted.includes(trade.instrument))
      .map((trade) => this.#close(trade, trade.amountK, conditions));
  }

  #trade(id: string): Trade {
    const trade = this.#options.book.trades.get(id);
    if (trade === undefined) throw noSuchTrade();
    return trade;
  }

  #waiting(id: string): Order {
    const order = this.#options.book.orders.get(id);
    if (order === undefined || !isEntry(order)) throw noSuchOrder(id);
    return order;
  }

  #place(draft: Draft): Placed {
    const { book, matching, now } = this.#options;
    const order: Order = {
      tradeId: book.newTradeId(),
      expires: undefined,
      rate: 0,
      range: 0,
      stop: undefined,
      limit: undefined,
      trail: 0,
      trailedFrom: 0,
      ocoBulkId: 0,
      closes: undefined,
      ...draft,
      orderId: book.newOrderId(),
      status: isEntry(draft) ? WAITING : IN_PROCESS,
      time: now(),
    };
    matching.accept(order);
    return placed(order);
  }
}

type Draft = Pick<Order, 'account' | 'instrument' | 'isBuy' | 'amountK' | 'type' | 'timeInForce'> & Partial<Order>;

/** A number here, a text wherever else it is told. */
function placed({ orderId }: Order): Placed {
  return { type: 0, orderId: Number(orderId) };
}

function terms(form: Form, atMarket: string, inRange: string): Pick<Order, 'type' | 'timeInForce' | 'range'> {
  const isRange = form.oneOf('order_type', ['AtMarket', 'MarketRange']) === 'MarketRange';
  const timeInForce = form.oneOf('time_in_force', isRange ? IN_RANGE : AT_MARKET);
  const range = isRange ? Number(form.text('at_market')) : 0;
  return { type: isRange ? inRange : atMarket, timeInForce, range };
}

function entryType(isBuy: boolean, rate: number, price: number, trail: number): string {
  const kind = isBuy === rate < price ? 'L' : 'S';
  return `${kind}${trail === 0 ? '' : 'T'}E`;
}
