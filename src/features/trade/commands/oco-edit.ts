import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { editingOco, OCO_EDIT_FLAGS, OCO_GROUP } from '../oco-groups.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoEdit = listCommand({
  id: 'trade oco edit',
  summary: 'Add and remove orders of an OCO group',
  description:
    'Sends one request. The interface document does not show this request; svc follows the public implementation.',
  effect: 'money',
  service: 'trade',
  args: OCO_GROUP,
  flags: OCO_EDIT_FLAGS,
  examples: [{ run: 'svc trade oco edit 51201 --add 390285839 --remove 390285837', why: 'Replace an order' }],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(editingOco(input, ctx), input, ctx),
});
