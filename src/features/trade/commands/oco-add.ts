import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST, rowOf } from '../change-report.ts';
import { addingToOco, OCO_ADD_FLAGS, OCO_ORDERS, UNDOCUMENTED_OCO } from '../oco-groups.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoAdd = listCommand({
  id: 'trade oco add',
  summary: 'Add pending orders to an OCO group',
  description: 'Adds to an existing group, or creates one.',
  details: UNDOCUMENTED_OCO,
  args: OCO_ORDERS,
  flags: OCO_ADD_FLAGS,
  examples: [
    { run: 'svc trade oco add 390285837 390285838', why: 'Create a group of two' },
    { run: 'svc trade oco add 390285839 --group 51201', why: 'Add a third order' },
  ],
  effect: 'money',
  service: 'trade',
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(addingToOco(input, ctx), input, ctx, rowOf),
});
