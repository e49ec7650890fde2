/** The requests that trade (doc 3 §4; the rest follows the public implementation). */
import { isEntry, type Order, type Trade } from './book.ts';
import { type Base, type Form, limitAt, refusal, refused, stopAt } from './form.ts';
import type { Exchange, MatchingEngine } from './matching-engine.ts';
import { fundsOf, marginOf } from './table-rows.ts';

const AT_MARKET = ['GTC', 'DAY', 'IOC', 'FOK'] as const;
const IN_RANGE = ['IOC', 'FOK'] as const;
const ENTRY = ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'] as const;

type Terms = Pick<Order, 'type' | 'timeInForce' | 'range'>;

type OrderHandlers = Readonly<Record<string, (form: Form) => unknown>>;

/** By method and path; each handler returns the `data` of the response. */
export function orderHandlers(exchange: Exchange, matching: MatchingEngine): OrderHandlers {
  return {
    ...openingHandlers(exchange, matching),
    ...closingHandlers(exchange, matching),
    ...changingHandlers(exchange, matching),
  };
}

function tradeOf({ book }: Exchange, form: Form): Trade {
  const trade = book.trades.get(form.text('trade_id'));
  if (trade === undefined) throw refused(1, 'The specified trade does not exist');
  return trade;
}

function entryOf({ book }: Exchange, id: string): Order {
  const order = book.orders.get(id);
  if (order === undefined || !isEntry(order)) throw refused(1, `No order with id ${id}`, [id]);
  return order;
}

function openingHandlers(exchange: Exchange, matching: MatchingEngine): OrderHandlers {
  const { book, market, now } = exchange;
  return {
    'POST /trading/open_trade': (form) => {
      const side = sideOf(form, exchange);
      const { account, instrument, isBuy } = side;
      const terms = termsOf(form, 'OM', 'OR');
      const exits = exitsOf(form, { ...side, rate: market.rate(instrument, isBuy) }, form.trail('trailing_step'));
      const { equity, used } = fundsOf(account, [...book.trades.values()], market);
      if (marginOf(side, market) > equity - used) throw refusal('ORA-20113: insufficient margin');
      return toPlaced(matching.place({ ...side, ...terms, ...exits }));
    },
    'POST /trading/create_entry_order': (form) => {
      const side = sideOf(form, exchange);
      const { instrument, isBuy } = side;
      const isRange = form.oneOf('order_type', ['Entry', 'RangeEntry']) === 'RangeEntry';
      const range = isRange ? (form.number('range') ?? 0) : 0;
      const timeInForce = form.oneOf('time_in_force', ENTRY);
      const expires = form.expiry(timeInForce, now());
      const rate = requireRate(form.requiredNumber('rate'));
      const exits = exitsOf(form, { ...side, rate }, form.trail('trailing_stop_step'));
      const trail = form.trail('trailing_step');
      const trailedFrom = market.rate(instrument, isBuy);
      const type = entryTypeOf(isBuy, rate, trailedFrom, trail);
      const entry = { ...side, ...exits, type, timeInForce, expires, rate, range, trail, trailedFrom };
      return toPlaced(matching.place(entry));
    },
  };
}

/** What is bought or sold; without a side it is bought. */
function sideOf(form: Form, { book }: Exchange): Pick<Order, 'account' | 'instrument' | 'isBuy' | 'amountK'> {
  const account = form.account(book);
  const instrument = form.instrument();
  const isBuy = form.flag('is_buy', true);
  return { account, instrument, isBuy, amountK: form.amount(account, instrument) };
}

function exitsOf(form: Form, base: Base, trail: number): Pick<Order, 'stop' | 'limit'> {
  const isInPips = form.flag('is_in_pips', false);
  const stop = stopAt(form.number('stop'), isInPips, base, trail);
  return { stop, limit: limitAt(form.number('limit'), isInPips, base) };
}

function closingHandlers(exchange: Exchange, matching: MatchingEngine): OrderHandlers {
  const { book } = exchange;
  const close = ({ account, instrument, isBuy, tradeId }: Trade, amountK: number, terms: Terms) =>
    toPlaced(matching.place({ account, instrument, isBuy: !isBuy, amountK, ...terms, tradeId, closes: tradeId }));
  return {
    'POST /trading/close_trade': (form) => {
      const trade = tradeOf(exchange, form);
      const terms = termsOf(form, 'CM', 'CR');
      const { account, instrument } = trade;
      if (account.hedging !== 'Y') throw refused(12, 'A trade of this account is closed by an opposite one');
      const amountK = form.amount(account, instrument);
      if (amountK > trade.amountK) throw refused(13, 'The amount is larger than the trade', [String(trade.amountK)]);
      return close(trade, amountK, terms);
    },
    // Without a symbol, everything of the account.
    'POST /trading/close_all_for_symbol': (form) => {
      const account = form.account(book);
      const only = form.flag('forSymbol', true) ? form.instrument() : undefined;
      const terms = termsOf(form, 'CM', 'CR');
      return [...book.trades.values()]
        .filter((trade) => trade.account === account && (only === undefined || trade.instrument === only))
        .map((trade) => close(trade, trade.amountK, terms));
    },
    'POST /trading/delete_order': (form) => {
      matching.cancel(entryOf(exchange, form.text('order_id')));
      return null;
    },
  };
}

function changingHandlers(exchange: Exchange, matching: MatchingEngine): OrderHandlers {
  const { market } = exchange;
  return {
    'POST /trading/change_order': (form) => {
      const order = entryOf(exchange, form.text('order_id'));
      const { account, instrument, isBuy } = order;
      const amountK = form.amount(account, instrument);
      const rate = requireRate(form.number('rate') ?? order.rate);
      const trail = form.number('trailing_step') === undefined ? order.trail : form.trail('trailing_step');
      const trailedFrom = market.rate(instrument, isBuy);
      const type = entryTypeOf(isBuy, rate, trailedFrom, trail);
      Object.assign(order, { type, amountK, rate, trail, trailedFrom, range: form.number('range') ?? order.range });
      matching.pushOrder(order, 'U');
      return null;
    },
    // A rate of 0 removes the stop or the limit.
    'POST /trading/change_trade_stop_limit': (form) => {
      const trade = tradeOf(exchange, form);
      const { instrument, isBuy } = trade;
      const isInPips = form.flag('is_in_pips', false);
      const trail = form.trail('trailing_step');
      const value = form.requiredNumber('rate') || undefined;
      const price = market.rate(instrument, !isBuy);
      // Pips count from the opening rate; a rate must be on the right side of the current price.
      const base = { instrument, isBuy, rate: isInPips ? trade.open : price };
      if (form.flag('is_stop', true)) {
        trade.stop = stopAt(value, isInPips, base, trail);
        trade.trailedFrom = price;
      } else trade.limit = limitAt(value, isInPips, base);
      matching.pushTradeChange(trade);
      return null;
    },
    // A missing side stays as it is; 0 removes it.
    'POST /trading/change_order_stop_limit': (form) => {
      const order = entryOf(exchange, form.text('order_id'));
      const [stop, limit] = [form.number('stop'), form.number('limit')];
      const trail = form.trail('trailing_step');
      const newStop = stopAt(stop || undefined, form.flag('is_stop_in_pips', false), order, trail);
      const newLimit = limitAt(limit || undefined, form.flag('is_limit_in_pips', false), order);
      if (stop !== undefined) order.stop = newStop;
      if (limit !== undefined) order.limit = newLimit;
      matching.pushOrder(order, 'U');
      return [stop, limit].filter((value) => value !== undefined).map(() => toPlaced(order));
    },
  };
}

/** The id is a number here, and a text everywhere else. */
function toPlaced({ orderId }: Order) {
  return { type: 0, orderId: Number(orderId) };
}

function termsOf(form: Form, atMarket: string, inRange: string): Terms {
  const isRange = form.oneOf('order_type', ['AtMarket', 'MarketRange']) === 'MarketRange';
  const timeInForce = form.oneOf('time_in_force', isRange ? IN_RANGE : AT_MARKET);
  return { type: isRange ? inRange : atMarket, timeInForce, range: isRange ? form.requiredNumber('at_market') : 0 };
}

function requireRate(rate: number): number {
  if (rate > 0) return rate;
  throw refusal('ORA-20105: order price is invalid');
}

function entryTypeOf(isBuy: boolean, rate: number, price: number, trail: number): string {
  const kind = isBuy === rate < price ? 'L' : 'S';
  return `${kind}${trail === 0 ? '' : 'T'}E`;
}
