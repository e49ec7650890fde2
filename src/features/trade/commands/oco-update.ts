import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST, rowOf } from '../change-report.ts';
import { OCO_GROUP, OCO_UPDATE_FLAGS, UNDOCUMENTED_OCO, updatingOco } from '../oco-groups.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoUpdate = listCommand({
  id: 'trade oco update',
  formerly: ['oco edit'],
  summary: 'Add and remove orders of an OCO group',
  description: 'Sends one request.',
  details: UNDOCUMENTED_OCO,
  args: OCO_GROUP,
  flags: OCO_UPDATE_FLAGS,
  examples: [{ run: 'svc trade oco update 51201 --add 390285839 --remove 390285837', why: 'Replace an order' }],
  effect: 'money',
  service: 'trade',
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(updatingOco(input, ctx), input, ctx, rowOf),
});
