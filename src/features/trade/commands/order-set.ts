import { listCommand } from '../../../cli/command.ts';
import { SENT_ONCE } from '../change-flags.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { carryOut } from '../planned-requests.ts';
import { ORDER_SET_FLAGS, settingOrder } from '../set-order.ts';

export const tradeOrderSet = listCommand({
  id: 'trade order set',
  summary: 'Change an order that waits',
  description: `Its rate, amount and range take one request, its stop and limit another one. What is not named stays as it is. Where the second request fails the first one stands, and the exit status is 10, or 8 where the outcome of it is not known. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: { order: { help: 'Its order id', required: true, complete: 'orders' } },
  flags: ORDER_SET_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade order set 390285837 --rate 1.155', why: 'Another price' },
    { run: 'svc trade order set 390285837 --stop 40pips --limit 80pips', why: 'With a stop and a limit' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(settingOrder(input, ctx), input, ctx),
});
