import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { orderCandidates } from '../candidates.ts';
import { ORDER_COLUMNS } from '../columns.ts';
import { checkOrderId } from '../order-rules.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

export const tradeOrderGet = recordCommand({
  id: 'trade order get',
  summary: 'Show one order that stands',
  description:
    'One that was filled, canceled or killed stands no more: svc trade positions, and svc trade journal. What the letters and numbers of types and states mean is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: { order: { help: 'Its order id', required: true, complete: 'orders' } },
  flags: SESSION_FLAGS,
  examples: [{ run: 'svc trade order get 390285837', why: 'By its id' }],
  output: {
    kind: 'record',
    columns: ORDER_COLUMNS.map(({ wide: _, ...column }) => column),
    id: ({ orderId }) => orderId,
  },
  offers: orderCandidates,
  async run(input, ctx) {
    checkOrderId(input.order);
    return withTrading(ctx, input, async ({ trading }) => {
      const orders = await trading.model('Order');
      const value = orders.find(({ orderId }) => orderId === input.order);
      if (value !== undefined) return { value };
      throw new SvcError('not_found', `no order ${input.order} stands`, {
        hint: 'it may be filled or canceled: svc trade positions, svc trade positions --closed',
      });
    });
  },
});
