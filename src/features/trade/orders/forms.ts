/** The form of each trading request: doc 3 §4 first, then those of the public implementation. */
import { SvcError } from '../../../errors.ts';
import type { Decimal, Distance, Exits, Side, TimeInForce } from './rules.ts';

/** Every value is sent as is; undefined fields are not sent: no stop is no field, never 0. */
export type OrderForm = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface OrderTerms {
  readonly side: Side;
  readonly amount: number;
  readonly tif: TimeInForce;
  readonly stop?: Distance | undefined;
  readonly limit?: Distance | undefined;
  /** Trailing of the attached stop: 1 is dynamic. */
  readonly trail?: number | undefined;
  /** In pips. */
  readonly range?: Decimal | undefined;
  /** Of an entry order. */
  readonly rate?: Decimal | undefined;
  /** As `expiration` writes it. */
  readonly expires?: string | undefined;
}

interface OrderPlace {
  readonly accountId: string;
  readonly symbol: string;
}

/** `POST /trading/open_trade`. */
export function marketForm(order: OrderPlace & OrderTerms): OrderForm {
  const { accountId, symbol, side, amount, tif, range, stop, limit, trail } = order;
  return {
    account_id: accountId,
    symbol,
    // The gateway buys if the field is missing.
    is_buy: String(side === 'buy'),
    rate: '0',
    amount: String(amount),
    order_type: range === undefined ? 'AtMarket' : 'MarketRange',
    time_in_force: tif,
    at_market: range?.text,
    stop: stopField(stop),
    trailing_step: trail?.toString(),
    limit: limit?.text,
    is_in_pips: unitField(stop, limit),
  };
}

/** `POST /trading/create_entry_order`. */
export function entryForm(order: OrderPlace & OrderTerms & { readonly rate: Decimal }): OrderForm {
  const { accountId, symbol, side, rate, amount, tif, stop, trail, limit, range, expires } = order;
  return {
    account_id: accountId,
    symbol,
    is_buy: String(side === 'buy'),
    rate: rate.text,
    amount: String(amount),
    order_type: range === undefined ? 'Entry' : 'RangeEntry',
    time_in_force: tif,
    stop: stopField(stop),
    trailing_stop_step: trail?.toString(),
    // Required even without a stop or limit.
    is_in_pips: unitField(stop, limit) ?? 'true',
    limit: limit?.text,
    range: range?.text,
    expiration: expires,
  };
}

/** In pips a stop is a loss, so it is negative for both sides. */
function stopField(stop: Distance | undefined): string | undefined {
  return stop?.unit === 'pips' ? `-${stop.text}` : stop?.text;
}

/** Undefined if there is neither. */
function unitField(stop: Distance | undefined, limit: Distance | undefined): 'true' | 'false' | undefined {
  const unit = (stop ?? limit)?.unit;
  if (unit === undefined) return undefined;
  return unit === 'pips' ? 'true' : 'false';
}

/** An opening order always has a side: the gateway takes a form without one for a buy. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  '/trading/open_trade': ['is_buy'],
  '/trading/create_entry_order': ['is_buy'],
  '/trading/simple_oco': ['is_buy', 'is_buy2'],
};

/** The side field that is missing or invalid. */
export function missingSide(path: string, form: OrderForm): string | undefined {
  for (const field of SIDES[path.replace(/\/+$/, '')] ?? []) {
    const values = [form[field] ?? []].flat();
    if (values.length !== 1 || !/^(?:true|false)$/.test(values[0] ?? '')) return field;
  }
  return undefined;
}

export function checkForm(path: string, form: OrderForm): void {
  const field = missingSide(path, form);
  if (field !== undefined) throw new SvcError('internal', `${path} without ${field}; nothing was sent`);
}

/** At market, or within a range in pips. */
type ClosingTerms = Pick<OrderTerms, 'tif' | 'range'>;

/** `POST /trading/close_trade`. */
export function closeForm(tradeId: string, amount: number, { tif, range }: ClosingTerms): OrderForm {
  return {
    trade_id: tradeId,
    rate: '0',
    amount: String(amount),
    at_market: range?.text,
    order_type: range === undefined ? 'AtMarket' : 'MarketRange',
    time_in_force: tif,
  };
}

/** `POST /trading/close_all_for_symbol`: without a symbol all open trades of the account. */
export function closeAllForm(accountId: string, symbol: string | undefined, tif: TimeInForce): OrderForm {
  return {
    account_id: accountId,
    forSymbol: symbol === undefined ? 'false' : 'true',
    symbol: symbol ?? '',
    order_type: 'AtMarket',
    time_in_force: tif,
  };
}

interface OrderTermsChange {
  readonly rate: string;
  /** In pips; 0 for none. */
  readonly range: string;
  readonly amount: number;
}

/** `POST /trading/change_order`: unchanged values are sent, too. */
export function changeOrderForm(orderId: string, { rate, range, amount }: OrderTermsChange): OrderForm {
  return { order_id: orderId, rate, range, amount: String(amount) };
}

/** `POST /trading/change_order_stop_limit`: a side that is not sent stays as it is. */
export function orderExitsForm(orderId: string, { stop, limit, trail }: Exits): OrderForm {
  return {
    order_id: orderId,
    limit: limit?.text,
    is_limit_in_pips: unitField(undefined, limit),
    stop: stopField(stop),
    is_stop_in_pips: unitField(stop, undefined),
    trailing_step: trail?.toString(),
  };
}

export type Exit = Distance | 'none';

/** `POST /trading/change_trade_stop_limit`: one of the two at a time; a rate of 0 removes it. */
export function tradeExitForm(
  tradeId: string,
  side: 'stop' | 'limit',
  exit: Exit,
  trail: number | undefined,
): OrderForm {
  const price = exit === 'none' ? undefined : exit;
  return {
    trade_id: tradeId,
    is_stop: side === 'stop' ? 'true' : 'false',
    rate: (side === 'stop' ? stopField(price) : price?.text) ?? '0',
    is_in_pips: unitField(price, undefined) ?? 'false',
    trailing_step: trail?.toString() ?? '0',
  };
}
