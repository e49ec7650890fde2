import { changeCommand } from '../change-command.ts';
import { OCO_ORDERS, removingFromOco, UNDOCUMENTED_OCO } from '../oco-groups.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';

export const tradeOcoRemove = changeCommand({
  id: 'trade oco remove',
  summary: 'Remove orders from their OCO group',
  description: 'The orders stay pending.',
  details: UNDOCUMENTED_OCO,
  args: OCO_ORDERS,
  flags: CHANGE_FLAGS,
  examples: [{ run: 'svc trade oco remove 390285837', why: 'Remove one order' }],
  change: removingFromOco,
});
