import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { OCO_ORDERS, removingFromOco } from '../oco-groups.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoRemove = listCommand({
  id: 'trade oco remove',
  summary: 'Take orders out of their group',
  description:
    'They wait on, each by itself. The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: OCO_ORDERS,
  flags: CHANGE_FLAGS,
  examples: [{ run: 'svc trade oco remove 390285837', why: 'One, by its id' }],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(removingFromOco(input, ctx), input, ctx),
});
