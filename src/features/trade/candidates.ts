/** The values that prompts offer, from the rows of the gateway's tables. */
import type { Candidates } from '../../cli/flags.ts';
import { sideOf, type Traded } from './order-text.ts';
import type { Account, Instrument, Offer, OpenPosition, Order } from './schema.ts';

export function accountCandidates({ accountId, accountName }: Account): Candidates {
  return { accounts: [{ value: accountId, note: accountName }] };
}

export function offerCandidates({ currency }: Offer): Candidates {
  return { symbols: [{ value: currency }] };
}

export function instrumentCandidates({ symbol, visible }: Instrument): Candidates {
  return { symbols: [{ value: symbol, note: visible === false ? 'hidden' : undefined }] };
}

export function orderCandidates(order: Order): Candidates {
  return { orders: [{ value: order.orderId, note: tradedText(order) }] };
}

export function tradeCandidates(row: OpenPosition): Candidates {
  return { trades: [{ value: row.tradeId, note: tradedText(row) }] };
}

function tradedText({ currency, isBuy, amountK }: Traded): string {
  return [sideOf(isBuy), amountK === undefined ? undefined : `${amountK}K`, currency]
    .filter((part) => part !== undefined)
    .join(' ');
}
