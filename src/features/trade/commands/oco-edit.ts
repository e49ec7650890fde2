import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { editingOco, OCO_EDIT_FLAGS, OCO_GROUP } from '../oco-groups.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoEdit = listCommand({
  id: 'trade oco edit',
  summary: 'Change which orders are in a group',
  description: 'In one request. It is not in the interface document: it is as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: OCO_GROUP,
  flags: OCO_EDIT_FLAGS,
  examples: [{ run: 'svc trade oco edit 51201 --add 390285839 --remove 390285837', why: 'One joins, another leaves' }],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(editingOco(input, ctx), input, ctx),
});
