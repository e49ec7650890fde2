import { listCommand } from '../../../cli/command.ts';
import { CANCEL_ARGS, CANCEL_FLAGS, canceling } from '../cancel-orders.ts';
import { CHANGE_LIST, rowOf } from '../change-report.ts';
import { SENT_ONCE } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOrdersCancel = listCommand({
  id: 'trade orders cancel',
  summary: 'Cancel pending orders',
  description: `Cancelling one order of an OCO group cancels all of its orders; svc names the others before you confirm. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: CANCEL_ARGS,
  flags: CANCEL_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders cancel 390285837', why: 'Cancel one order' },
    { run: 'svc trade orders cancel --all --symbol EUR/USD', why: 'Cancel all orders of a symbol' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(canceling(input, ctx), input, ctx, rowOf),
});
