import { listCommand } from '../../../cli/command.ts';
import { orderCandidates } from '../candidates.ts';
import { ORDER_LIST } from '../columns.ts';
import { listed, ROW_FLAGS, rowFilter } from '../trading-rows.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

export const tradeOrders = listCommand({
  id: 'trade orders',
  summary: 'List the orders that stand',
  description:
    'Entry orders that wait, and the stops and limits of positions. An order has an ORDER-ID at once; a TRADE-ID that stands in a waiting order is only reserved, and nothing is traded yet. What the letters and numbers of types and states mean is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: {
    type: { type: 'string', value: 'type', help: 'Only those of this type, as SE or LE' },
    ...ROW_FLAGS,
    ...SESSION_FLAGS,
  },
  examples: [
    { run: 'svc trade orders', why: 'All that stand' },
    { run: 'svc trade orders --symbol EUR/USD -q', why: 'The ids of those of one symbol' },
  ],
  output: ORDER_LIST,
  offers: orderCandidates,
  async run(input, ctx) {
    return withTrading(ctx, input, async (open) => {
      const { apply } = await rowFilter(input, open);
      const orders = await open.trading.model('Order');
      // For commands that cancel, once the calls are used up.
      open.known.keep('Order', orders);
      const type = input.type?.toUpperCase();
      const rows = apply(orders).filter((order) => type === undefined || order.type === type);
      return rows.length > 0 ? { value: rows } : listed({ value: rows, of: orders, as: ORDER_LIST }, input);
    });
  },
});
