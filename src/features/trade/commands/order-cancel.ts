import { listCommand } from '../../../cli/command.ts';
import { CANCEL_FLAGS, canceling } from '../cancel-orders.ts';
import { SENT_ONCE } from '../change-flags.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOrderCancel = listCommand({
  id: 'trade order cancel',
  summary: 'Cancel orders that wait',
  description: `One by one. An order of an OCO group takes the others of its group with it: they are named before you confirm, and no second request is sent for them. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: { order: { help: 'Order ids, as svc trade orders shows them', repeat: true, complete: 'orders' } },
  flags: CANCEL_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade order cancel 390285837', why: 'One, by its id' },
    { run: 'svc trade order cancel --all --symbol EUR/USD', why: 'All that wait for a symbol' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(canceling(input, ctx), input, ctx),
});
