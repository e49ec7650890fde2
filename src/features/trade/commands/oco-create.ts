import { Plan } from '../../../http/endpoint.ts';
import { changeCommand } from '../change-command.ts';
import { rowOf } from '../change-report.ts';
import { creatingOco, OCO_CREATE_FLAGS, UNDOCUMENTED_OCO } from '../oco-groups.ts';
import { ORDER_ARGS } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoCreate = changeCommand({
  id: 'trade oco create',
  summary: 'Create an OCO (one-cancels-the-other) pair',
  description:
    'Places two entry orders of the same amount; when one fills, the other is canceled. svc journals the request, then sends it once. Some gateways do not return the order ids.',
  details: UNDOCUMENTED_OCO,
  args: {
    ...ORDER_ARGS,
    amount: { ...ORDER_ARGS.amount, help: 'Amount of each order: thousands (forex) or contracts' },
  },
  flags: OCO_CREATE_FLAGS,
  examples: [
    {
      run: "svc trade oco create EUR/USD 5 --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
      why: 'Trade a breakout in either direction',
    },
  ],
  change: creatingOco,
  async run(input, ctx) {
    const answer = await carryOut(creatingOco(input, ctx), input, ctx, rowOf);
    if (answer.as !== undefined || answer.value instanceof Plan) return answer;
    const ids = answer.value.flatMap(({ orderIds }) => orderIds);
    return { ...answer, undo: ids.length === 0 ? undefined : ['trade', 'orders', 'cancel', ...ids] };
  },
});
