/** What at the gateway may be an order whose answer was lost: there is no id of ours to find it by. */
import { sideField } from './order-forms.ts';
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

/** An order of which the journal has the id. */
interface AcceptedOrder {
  readonly at: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly order_ids: readonly string[];
}

interface Seen {
  readonly orders: readonly Order[];
  readonly positions: readonly OpenPosition[];
}

/**
 * Those of the same account, symbol and side, of no more than the amount (parts may be filled), and not older than the sending. An order
 * that was accepted earlier is another one; of a position nobody can tell which order it came from.
 */
export function orderCandidates(
  lost: LostOrder,
  sentAt: number,
  { orders, positions }: Seen,
  accepted: readonly AcceptedOrder[] = [],
): readonly OrderCandidate[] {
  const known = new Set(accepted.flatMap(({ order_ids }) => order_ids));
  const alike = accepted.filter(
    ({ at, form }) =>
      Date.parse(at) >= sentAt - CLOCK_SLACK_MS &&
      form['account_id'] === lost.accountId &&
      form['symbol'] === lost.symbol &&
      form['is_buy'] === sideField(lost.side),
  );
  const earlier = alike.flatMap(({ order_ids }) => order_ids);
  const fits = (row: Order | OpenPosition): boolean =>
    (row.accountId === undefined || row.accountId === lost.accountId) &&
    row.currency === lost.symbol &&
    row.isBuy === (lost.side === 'buy') &&
    (row.amountK === undefined || row.amountK <= lost.amount) &&
    // A time that cannot be read rules nothing out.
    (tableTime(row.time) ?? sentAt) >= sentAt - CLOCK_SLACK_MS;
  return [
    ...orders
      .filter((row) => fits(row) && !known.has(row.orderId))
      .map((row) => candidate('order', row.orderId, row, lost)),
    ...positions.filter(fits).map((row) => candidate('position', row.tradeId, row, lost, earlier)),
  ];
}

function candidate(
  kind: OrderCandidate['kind'],
  id: string,
  { amountK, time }: Order | OpenPosition,
  { side, symbol }: LostOrder,
  earlier: readonly string[] = [],
): OrderCandidate {
  const at = tableTime(time);
  const when = at === undefined ? '' : `, ${new Date(at).toISOString()}`;
  const name = kind === 'order' ? 'order' : 'position with trade id';
  const or = earlier.length === 0 ? '' : `, if it is not of order ${earlier.join(' or ')}, which was accepted before`;
  return { kind, id, text: `${name} ${id} (${side} ${amountK ?? '?'}K ${symbol}${when})${or}` };
}
