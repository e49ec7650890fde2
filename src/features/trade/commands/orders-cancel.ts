import { CANCEL_ARGS, CANCEL_FLAGS, canceling } from '../cancel-orders.ts';
import { changeCommand } from '../change-command.ts';
import { SENT_ONCE } from '../order-flags.ts';

export const tradeOrdersCancel = changeCommand({
  id: 'trade orders cancel',
  summary: 'Cancel pending orders',
  description: `Cancelling one order of an OCO group cancels all of its orders; svc names the others before you confirm. ${SENT_ONCE}`,
  args: CANCEL_ARGS,
  flags: CANCEL_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders cancel 390285837', why: 'Cancel one order' },
    { run: 'svc trade orders cancel --all --symbol EUR/USD', why: 'Cancel all orders of a symbol' },
  ],
  change: canceling,
});
