import { changeCommand } from '../change-command.ts';
import { OCO_GROUP, OCO_UPDATE_FLAGS, UNDOCUMENTED_OCO, updatingOco } from '../oco-groups.ts';

export const tradeOcoUpdate = changeCommand({
  id: 'trade oco update',
  formerly: ['oco edit'],
  summary: 'Add and remove orders of an OCO group',
  description: 'Sends one request.',
  details: UNDOCUMENTED_OCO,
  args: OCO_GROUP,
  flags: OCO_UPDATE_FLAGS,
  examples: [{ run: 'svc trade oco update 51201 --add 390285839 --remove 390285837', why: 'Replace an order' }],
  change: updatingOco,
});
