/** Reads open orders by id. */

import type { Order } from '../schema.ts';
import { missingIds } from './flags.ts';
import type { TableCache, TableSnapshot } from './table-cache.ts';

/** Cached rows may be outdated unless `isFresh`. */
export interface OpenOrders extends TableSnapshot<Order> {
  readonly asked: readonly Order[];
}

/** Undefined if a rate limit prevents the read; throws if an order is missing. */
export async function openOrders(
  ids: readonly string[],
  cache: TableCache,
  { mustBeFresh = false }: { readonly mustBeFresh?: boolean } = {},
): Promise<OpenOrders | undefined> {
  const rowsOf = (rows: readonly Order[]) => ids.flatMap((id) => rows.find(({ orderId }) => orderId === id) ?? []);
  const isEnough = (rows: readonly Order[]) => !mustBeFresh && rowsOf(rows).length === ids.length;
  const seen = await cache.orders(isEnough);
  if (seen === undefined) return undefined;
  const found = rowsOf(seen.rows);
  const missing = ids.filter((id) => !found.some(({ orderId }) => orderId === id));
  if (missing.length === 0) return { ...seen, asked: found };
  throw missingIds('order', missing, 'it may have been filled or canceled: svc trade orders, svc trade positions');
}

function isGrouped({ ocoBulkId }: Pick<Order, 'ocoBulkId'>): boolean {
  return Number(ocoBulkId ?? 0) !== 0;
}

/** The other orders of its OCO group, which end with it. */
export function groupOf(order: Order, orders: readonly Order[]): readonly Order[] {
  if (!isGrouped(order)) return [];
  return orders.filter(({ ocoBulkId, orderId }) => ocoBulkId === order.ocoBulkId && orderId !== order.orderId);
}
