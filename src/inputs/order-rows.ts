/** What is known of an order that waits. */

import { orderText } from '../services/trading/order-words.ts';
import type { Account, Order } from '../services/trading/schema.ts';
import type { PlannedRequest } from './planned-requests.ts';
import type { Desk } from './trading-desk.ts';

export function accountOf({ accountId }: Pick<Order, 'accountId'>, desk: Desk): Promise<Account> {
  return desk.account(accountId);
}

/** What is seen of it after an answer that was lost. */
export function standing(id: string): NonNullable<PlannedRequest['details']['seen']> {
  return async (trading) => {
    const row = (await trading.model('Order')).find(({ orderId }) => orderId === id);
    return row === undefined ? `order ${id} stands no more` : `it stands now as ${orderText(row)}`;
  };
}
