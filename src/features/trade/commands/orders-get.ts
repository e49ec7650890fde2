import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { ORDER_COLUMNS, withAmounts } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { checkOrderId } from '../orders/rules.ts';
import { offersToShow } from '../tables/lookups.ts';

export const tradeOrdersGet = recordCommand({
  id: 'trade orders get',
  summary: 'Show an open order',
  description: 'For an order that was filled or canceled, see svc trade positions and svc trade journal.',
  effect: 'read',
  service: 'trade',
  args: { order: { help: 'Order id', required: true, complete: 'orders' } },
  examples: [{ run: 'svc trade orders get 390285837', why: 'Show one order' }],
  output: {
    kind: 'record',
    columns: ORDER_COLUMNS.map(({ wide: _, ...column }) => column),
    id: ({ orderId }) => orderId,
  },
  async run(input, ctx) {
    checkOrderId(input.order);
    return withTrading(ctx, async (open) => {
      const orders = await open.trading.model('Order');
      const found = orders.filter(({ orderId }) => orderId === input.order);
      const [value] = found.length === 0 ? [] : withAmounts(found, await offersToShow(open, ctx));
      if (value !== undefined) return { value };
      throw new SvcError('not_found', `no open order with id ${input.order}`, {
        hint: 'it may have been filled or canceled: svc trade positions, svc trade positions --closed',
      });
    });
  },
});
