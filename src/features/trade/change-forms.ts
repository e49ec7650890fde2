/** The forms of what changes or ends orders and positions that are there. The document does not show them: as seen on the public implementation. */
import { type OrderForm, sideField, stopField, trailField, unitField } from './order-forms.ts';
import type { Decimal, Distance, Side, TimeInForce } from './order-rules.ts';

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
