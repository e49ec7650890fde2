import { changeCommand } from '../change-command.ts';
import { addingToOco, OCO_ADD_FLAGS, OCO_ORDERS, UNDOCUMENTED_OCO } from '../oco-groups.ts';

export const tradeOcoAdd = changeCommand({
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
  change: addingToOco,
});
