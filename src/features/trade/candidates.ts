/** Completion candidates from the gateway's tables. */

import { sideOf } from './order-text.ts';
import type { Account, Instrument, Offer, OpenPosition, Order } from './schema.ts';
import type { Traded } from './totals.ts';

interface Named {
  readonly value: string;
  readonly note?: string;
}

export function accountCandidates({ accountId, accountName }: Account): { readonly accounts: readonly Named[] } {
  return { accounts: [noted(accountId, accountName)] };
}

export function offerCandidates({ currency }: Offer): { readonly symbols: readonly Named[] } {
  return { symbols: [{ value: currency }] };
}

export function instrumentCandidates({ symbol, visible }: Instrument): { readonly symbols: readonly Named[] } {
  return { symbols: [noted(symbol, visible === false ? 'hidden' : undefined)] };
}

export function orderCandidates(order: Order): { readonly orders: readonly Named[] } {
  return { orders: [noted(order.orderId, tradedText(order))] };
}

export function tradeCandidates(row: OpenPosition): { readonly trades: readonly Named[] } {
  return { trades: row.isTotal ? [] : [noted(row.tradeId, tradedText(row))] };
}

function tradedText({ currency, isBuy, amountK }: Traded): string {
  return [sideOf(isBuy), amountK === undefined ? undefined : `${amountK}K`, currency]
    .filter((word) => word !== undefined)
    .join(' ');
}

function noted(value: string, note: string | undefined): Named {
  return note ? { value, note } : { value };
}
