/** Labels of the Order table's codes, as in the public implementation; unknown codes stay codes. */
import type { OpenPosition, Order } from './schema.ts';

const TYPES: Readonly<Record<string, string>> = {
  S: 'stop',
  ST: 'trailing stop',
  L: 'limit',
  SE: 'stop entry',
  LE: 'limit entry',
  STE: 'trailing stop entry',
  LTE: 'trailing limit entry',
  C: 'close',
  CM: 'close at market',
  CR: 'close in range',
  O: 'open',
  OM: 'open at market',
  OR: 'open in range',
  M: 'margin call',
};

const STATES: readonly string[] = [
  'unknown',
  'waiting',
  'in process',
  'canceled',
  'requoted',
  'margin call',
  'executing',
  'pending',
  'equity stop',
  'executed',
  'activated',
];

/** Numbers of states. */
export const CANCELED = 3;
export const EXECUTED = 9;

export function orderTypeText(type: string | undefined): string | undefined {
  return type !== undefined && Object.hasOwn(TYPES, type) ? TYPES[type] : type;
}

/** Attached stops and limits, closing orders and margin calls. */
const OPENS_NOTHING = /^(?:ST?|L|C[MR]?|M)$/;

export function opensNothing({ type = '' }: Pick<Order, 'type'>): boolean {
  return OPENS_NOTHING.test(type);
}

/** A filled order may show "executing" for ever: only its positions tell. */
export function orderStateText(status: number | undefined): string | undefined {
  return status === undefined ? undefined : (STATES[status] ?? String(status));
}

/** What an order, a position or a summary row trades. */
export interface Traded {
  readonly currency?: string | undefined;
  readonly isBuy?: boolean | undefined;
  readonly amountK?: number | undefined;
}

/** The side is a word everywhere. */
export function sideOf(isBuy: boolean | undefined): 'buy' | 'sell' | undefined {
  if (isBuy === undefined) return undefined;
  return isBuy ? 'buy' : 'sell';
}

/** `buy 10K EUR/USD`. */
export function tradedText({ currency, isBuy, amountK }: Traded): string {
  return [sideOf(isBuy), amountK === undefined ? undefined : `${amountK}K`, currency]
    .filter((part) => part !== undefined)
    .join(' ');
}

export function sideText(isBuy: boolean | undefined): string {
  return sideOf(isBuy) ?? '?';
}

/** The table has one rate per side; the other one is 0. */
export function orderRate({ isBuy, buy, sell }: Pick<Order, 'isBuy' | 'buy' | 'sell'>): number | undefined {
  return (isBuy ? buy : sell) || buy || sell;
}

/** `order 390285837 (buy 5K EUR/USD, limit entry at 1.15, stop 1.146, limit 1.158)`. */
export function orderText(order: Pick<Order, 'orderId'> & Partial<Order>): string {
  const { orderId, isBuy, amountK, currency, type, stopRate, limitRate } = order;
  const rate = orderRate({ isBuy, buy: order.buy, sell: order.sell });
  const parts = [
    `${sideText(isBuy)} ${amountK ?? '?'}K ${currency ?? '?'}`,
    `${orderTypeText(type) ?? 'order'}${rate ? ` at ${rate}` : ''}`,
    ...exitText('stop', stopRate, order.stop),
    ...exitText('limit', limitRate, order.limit),
  ];
  return `order ${orderId} (${parts.join(', ')})`;
}

/** Before its rate is known, an order has only the distance in pips. */
function exitText(name: string, rate: number | undefined, pips: number | undefined): readonly string[] {
  if (rate) return [`${name} ${rate}`];
  return pips ? [`${name} ${pips} pips`] : [];
}

/** `buy 5K EUR/USD (trade 170162801)`. */
export function positionText({ isBuy, amountK, currency, tradeId }: OpenPosition): string {
  return `${sideText(isBuy)} ${amountK ?? '?'}K ${currency ?? '?'} (trade ${tradeId})`;
}
