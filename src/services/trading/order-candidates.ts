/** What at the gateway may be an order whose answer was lost: there is no id of ours to find it by. */
import type { Side } from './order-rules.ts';
import type { OrderCandidate } from './placing.ts';
import type { OpenPosition, Order } from './schema.ts';
import { tableTime } from './table-time.ts';

export interface LostOrder {
  readonly accountId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly amount: number;
}

/** Clocks differ: what is shown in vain does less harm than what is left out. */
const CLOCK_SLACK_MS = 120_000;

/** Those of the same account, symbol and side, of no more than the amount (parts may be filled), and not older than the sending. */
export function orderCandidates(
  lost: LostOrder,
  sentAt: number,
  { orders, positions }: { readonly orders: readonly Order[]; readonly positions: readonly OpenPosition[] },
): readonly OrderCandidate[] {
  const fits = (row: Order | OpenPosition): boolean =>
    (row.accountId === undefined || row.accountId === lost.accountId) &&
    row.currency === lost.symbol &&
    row.isBuy === (lost.side === 'buy') &&
    (row.amountK === undefined || row.amountK <= lost.amount) &&
    // A time that cannot be read rules nothing out.
    (tableTime(row.time) ?? sentAt) >= sentAt - CLOCK_SLACK_MS;
  return [
    ...orders.filter(fits).map((row): OrderCandidate => candidate('order', row.orderId, row, lost)),
    ...positions.filter(fits).map((row): OrderCandidate => candidate('position', row.tradeId, row, lost)),
  ];
}

function candidate(
  kind: OrderCandidate['kind'],
  id: string,
  { amountK, time }: Order | OpenPosition,
  { side, symbol }: LostOrder,
): OrderCandidate {
  const at = tableTime(time);
  const when = at === undefined ? '' : `, ${new Date(at).toISOString()}`;
  const name = kind === 'order' ? 'order' : 'position with trade id';
  return { kind, id, text: `${name} ${id} (${side} ${amountK ?? '?'}K ${symbol}${when})` };
}
