import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { addingToOco, OCO_ADD_FLAGS, OCO_ORDERS } from '../oco-groups.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoAdd = listCommand({
  id: 'trade oco add',
  summary: 'Put orders that wait into a group of which one cancels the others',
  description:
    'Into a group that is there, or into a new one. The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: OCO_ORDERS,
  flags: OCO_ADD_FLAGS,
  examples: [
    { run: 'svc trade oco add 390285837 390285838', why: 'A new group of two' },
    { run: 'svc trade oco add 390285839 --group 51201', why: 'A third one' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(addingToOco(input, ctx), input, ctx),
});
