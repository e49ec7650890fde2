/** The form of each order, field by field: those of doc 3 §4 first and in its order, then those seen on the public implementation. */
import { SvcError } from '../../errors.ts';
import type { Decimal, Distance, Side, TimeInForce } from './order-rules.ts';

/** Every value is the text that is sent. What is undefined is not: no stop is no field, never 0. */
export type OrderForm = Readonly<Record<string, string | readonly string[] | undefined>>;

interface NewOrder {
  readonly accountId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly amount: number;
  readonly tif: TimeInForce;
  readonly stop?: Distance | undefined;
  readonly limit?: Distance | undefined;
  /** Of the attached stop: 1 is dynamic. */
  readonly trail?: number | undefined;
  /** In pips. */
  readonly range?: Decimal | undefined;
}

export type MarketOrder = NewOrder;

export interface EntryOrder extends NewOrder {
  readonly rate: Decimal;
  /** Of the entry itself. */
  readonly trailEntry?: number | undefined;
  /** As `expiration` writes it. */
  readonly expires?: string | undefined;
}

/** `POST /trading/open_trade`. */
export function marketForm({
  accountId,
  symbol,
  side,
  amount,
  tif,
  range,
  stop,
  limit,
  trail,
}: MarketOrder): OrderForm {
  return {
    account_id: accountId,
    symbol,
    is_buy: sideField(side),
    rate: '0',
    amount: String(amount),
    order_type: range === undefined ? 'AtMarket' : 'MarketRange',
    time_in_force: tif,
    at_market: range?.text,
    stop: stopField(stop),
    trailing_step: trailField(trail),
    limit: limit?.text,
    is_in_pips: unitField(stop, limit),
  };
}

/** `POST /trading/create_entry_order`. */
export function entryForm(order: EntryOrder): OrderForm {
  const { accountId, symbol, side, rate, amount, tif, stop, trail, limit, trailEntry, range, expires } = order;
  return {
    account_id: accountId,
    symbol,
    is_buy: sideField(side),
    rate: rate.text,
    amount: String(amount),
    order_type: range === undefined ? 'Entry' : 'RangeEntry',
    time_in_force: tif,
    stop: stopField(stop),
    trailing_stop_step: trailField(trail),
    // It has to be there even where it concerns nothing.
    is_in_pips: unitField(stop, limit) ?? 'true',
    limit: limit?.text,
    trailing_step: trailField(trailEntry),
    range: range?.text,
    expiration: expires,
  };
}

/** The gateway buys where it is left out. */
export function sideField(side: Side): 'true' | 'false' {
  return side === 'buy' ? 'true' : 'false';
}

export function trailField(trail: number | undefined): string | undefined {
  return trail === undefined ? undefined : String(trail);
}

/** In pips a stop is a loss, and so below zero, for both sides. */
export function stopField(stop: Distance | undefined): string | undefined {
  return stop?.unit === 'pips' ? `-${stop.text}` : stop?.text;
}

/** Undefined where there is neither. */
export function unitField(stop: Distance | undefined, limit: Distance | undefined): 'true' | 'false' | undefined {
  const unit = (stop ?? limit)?.unit;
  return unit === undefined ? undefined : unit === 'pips' ? 'true' : 'false';
}

/** The gateway takes a form without a side for a buy: one that opens something never goes out without it. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  '/trading/open_trade': ['is_buy'],
  '/trading/create_entry_order': ['is_buy'],
  '/trading/simple_oco': ['is_buy', 'is_buy2'],
};

export function checkForm(path: string, form: OrderForm): void {
  const field = missingSide(path, form);
  if (field !== undefined) throw new SvcError('internal', `${path} without ${field}; nothing was sent`);
}

/** The field of a side that should be in it, and is not or says neither. */
export function missingSide(path: string, form: OrderForm): string | undefined {
  return SIDES[path.replace(/\/+$/, '')]?.find((field) => !/^(?:true|false)$/.test([form[field] ?? []].flat().join()));
}
