import { listCommand } from '../../../cli/command.ts';
import { ORDER_LIST, withAmounts } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { tradedText } from '../order-text.ts';
import { listed, offersToShow, ROW_FLAGS, rowFilter } from '../tables/lookups.ts';

export const tradeOrdersList = listCommand({
  id: 'trade orders list',
  summary: 'List open orders',
  description:
    'Pending entry orders, and the stops and limits of positions. A pending order may already show a trade id, but that id is only reserved: nothing is traded yet.',
  effect: 'read',
  service: 'trade',
  flags: {
    type: { type: 'string', value: 'type', help: 'Filter by type, such as SE or LE' },
    ...ROW_FLAGS,
  },
  examples: [
    { run: 'svc trade orders list', why: 'List all open orders' },
    { run: 'svc trade orders list --symbol EUR/USD -q', why: 'Print the ids for one symbol' },
  ],
  output: ORDER_LIST,
  offers: (order) => ({ orders: [{ value: order.orderId, note: tradedText(order) }] }),
  async run(input, ctx) {
    return withTrading(ctx, async (open) => {
      const filter = await rowFilter(input, open);
      const orders = await open.trading.model('Order');
      const type = input.type?.toUpperCase();
      const rows = filter(orders).filter((order) => type === undefined || order.type === type);
      return rows.length > 0
        ? { value: withAmounts(rows, await offersToShow(open, ctx)) }
        : listed({ value: rows, of: orders, as: ORDER_LIST }, input);
    });
  },
});
