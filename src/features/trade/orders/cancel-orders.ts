/** The requests that cancel pending orders. */
import { SvcError } from '../../../errors.ts';
import { deleteOrder } from '../client.ts';
import { orderText } from '../order-text.ts';
import type { Order } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';
import type { PlannedRequest } from './placing.ts';
import { groupOf } from './rows.ts';
import type { TableCache, TableSnapshot } from './table-cache.ts';

/** Of the account; throws if they cannot be read. */
export async function planCancelAll(
  symbol: string | undefined,
  wanted: string | undefined,
  cache: TableCache,
): Promise<readonly PlannedRequest[]> {
  const { accountId } = await cache.account(wanted);
  // Cached rows may be outdated, but they still name what can be canceled.
  const seen = await cache.orders((rows) => rows.length > 0);
  if (seen === undefined) {
    throw new SvcError(cache.unreadCode, 'cannot read the pending orders now; nothing was sent', {
      hint: 'pass order ids, which needs no read: svc trade orders cancel <order-id>',
    });
  }
  const isOf = ({ currency = '' }: Order): boolean =>
    symbol === undefined || foldedSymbol(currency) === foldedSymbol(symbol);
  // A hidden symbol may have orders; one without orders must at least exist.
  if (symbol !== undefined && !seen.rows.some(isOf)) await cache.symbol(symbol);
  return cancelEach(
    seen.rows.filter((row) => row.isEntryOrder !== false && (row.accountId ?? accountId) === accountId && isOf(row)),
    seen,
  );
}

/** No request for orders that end with another one, if the rows are fresh. */
export function cancelEach(
  rows: readonly Order[],
  { rows: all, isFresh }: TableSnapshot<Order>,
): readonly PlannedRequest[] {
  const planned: PlannedRequest[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    if (gone.has(row.orderId)) continue;
    const along = isFresh ? groupOf(row, all) : [];
    for (const { orderId } of along) gone.add(orderId);
    planned.push(cancel(row, along, row.accountId));
  }
  return planned;
}

export function cancel(
  row: Pick<Order, 'orderId'> & Partial<Order>,
  along: readonly Order[],
  accountId: string | undefined,
): PlannedRequest {
  const { orderId } = row;
  const others = along.length === 0 ? '' : `; its OCO group ends with it: ${along.map(orderText).join('; ')}`;
  return {
    request: {
      endpoint: deleteOrder,
      form: { order_id: orderId },
      command: 'orders cancel',
      what: `to cancel order ${orderId}`,
      makesOrder: false,
    },
    accountId,
    does: `Cancel ${row.currency === undefined ? `order ${orderId}` : orderText(row)}${others}`,
    orderId,
    along: along.map((one) => one.orderId),
  };
}
