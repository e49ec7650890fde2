/** The form of each request that trades, field by field: those of doc 3 §4 first and in its order, then those seen on the public implementation. */
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

/** At market, or within so many pips. */
export interface Closing {
  readonly tif: TimeInForce;
  readonly range: Decimal | undefined;
}

/** `POST /trading/close_trade`. */
export function closeForm(tradeId: string, amount: number, { tif, range }: Closing): OrderForm {
  return {
    trade_id: tradeId,
    rate: '0',
    amount: String(amount),
    at_market: range?.text,
    order_type: range === undefined ? 'AtMarket' : 'MarketRange',
    time_in_force: tif,
  };
}

/** `POST /trading/close_all_for_symbol`: without a symbol everything that the account has open. */
export function closeAllForm(accountId: string, symbol: string | undefined, tif: TimeInForce): OrderForm {
  return {
    account_id: accountId,
    forSymbol: symbol === undefined ? 'false' : 'true',
    symbol: symbol ?? '',
    order_type: 'AtMarket',
    time_in_force: tif,
  };
}

export interface OrderTermsChange {
  /** As it is sent. */
  readonly rate: string;
  /** In pips; 0 for none. */
  readonly range: string;
  readonly amount: number;
  /** Of the entry itself. */
  readonly trailEntry?: number | undefined;
}

/** `POST /trading/change_order`: what stays as it is has to be sent, too. */
export function changeOrderForm(orderId: string, { rate, range, amount, trailEntry }: OrderTermsChange): OrderForm {
  return { order_id: orderId, rate, range, amount: String(amount), trailing_step: trailField(trailEntry) };
}

export interface ExitsChange {
  readonly stop: Distance | undefined;
  readonly limit: Distance | undefined;
  /** Of the stop: 1 is dynamic. */
  readonly trail: number | undefined;
}

/** `POST /trading/change_order_stop_limit`: a side that is left out stays as it is. */
export function orderExitsForm(orderId: string, { stop, limit, trail }: ExitsChange): OrderForm {
  return {
    order_id: orderId,
    limit: limit?.text,
    is_limit_in_pips: unitField(undefined, limit),
    stop: stopField(stop),
    is_stop_in_pips: unitField(stop, undefined),
    trailing_step: trailField(trail),
  };
}

/** A place for a stop or a limit, or that there is to be none. */
export type Exit = Distance | 'none';

/** `POST /trading/change_trade_stop_limit`: one of the two at a time; a rate of 0 takes it away. */
export function tradeExitForm(
  tradeId: string,
  side: 'stop' | 'limit',
  exit: Exit,
  trail: number | undefined,
): OrderForm {
  return {
    trade_id: tradeId,
    is_stop: side === 'stop' ? 'true' : 'false',
    rate: exit === 'none' ? '0' : side === 'stop' ? stopField(exit) : exit.text,
    is_in_pips: exit === 'none' ? 'false' : unitField(exit, undefined),
    trailing_step: trailField(trail) ?? '0',
  };
}

/** One of the two orders of which the first that is filled ends the other. */
export interface OcoLeg {
  readonly side: Side;
  readonly rate: Decimal;
  readonly stop: Distance | undefined;
  readonly limit: Distance | undefined;
  /** Of the attached stop. */
  readonly trail: number | undefined;
  /** Of the entry itself. */
  readonly trailEntry: number | undefined;
}

export interface OcoTerms {
  readonly accountId: string;
  readonly symbol: string;
  readonly amount: number;
  readonly tif: TimeInForce;
  readonly expires: string | undefined;
}

/** `POST /trading/simple_oco`: the fields of the second order end in 2. */
export function ocoForm(
  { accountId, symbol, amount, tif, expires }: OcoTerms,
  legs: readonly [OcoLeg, OcoLeg],
): OrderForm {
  const form: Record<string, OrderForm[string]> = {
    account_id: accountId,
    symbol,
    amount: String(amount),
    is_in_pips: legs.map(({ stop, limit }) => unitField(stop, limit)).find((unit) => unit !== undefined) ?? 'true',
    time_in_force: tif,
    expiration: expires,
  };
  for (const [index, { side, rate, stop, limit, trail, trailEntry }] of legs.entries()) {
    const suffix = index === 0 ? '' : '2';
    form[`is_buy${suffix}`] = sideField(side);
    form[`rate${suffix}`] = rate.text;
    form[`stop${suffix}`] = stopField(stop);
    form[`limit${suffix}`] = limit?.text;
    form[`trailing_step${suffix}`] = trailField(trailEntry);
    form[`trailing_stop_step${suffix}`] = trailField(trail);
  }
  return form;
}
