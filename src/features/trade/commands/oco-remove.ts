import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST, rowOf } from '../change-report.ts';
import { OCO_ORDERS, removingFromOco, UNDOCUMENTED_OCO } from '../oco-groups.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoRemove = listCommand({
  id: 'trade oco remove',
  summary: 'Remove orders from their OCO group',
  description: 'The orders stay pending.',
  details: UNDOCUMENTED_OCO,
  args: OCO_ORDERS,
  flags: CHANGE_FLAGS,
  examples: [{ run: 'svc trade oco remove 390285837', why: 'Remove one order' }],
  effect: 'money',
  service: 'trade',
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(removingFromOco(input, ctx), input, ctx, rowOf),
});
