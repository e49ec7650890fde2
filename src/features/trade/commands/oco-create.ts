import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { creatingOco, OCO_CREATE_FLAGS } from '../oco-groups.ts';
import { ORDER_ARGS } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

export const tradeOcoCreate = listCommand({
  id: 'trade oco create',
  summary: 'Place two orders of which one cancels the other',
  description:
    'Two entry orders of the same amount: the first that is filled ends the other one. Both legs take their stops and limits in pips, or both as prices. They are placed by one request, which is written to the journal first and sent once; some gateways do not name the orders in their answer. The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: {
    ...ORDER_ARGS,
    amount: { ...ORDER_ARGS.amount, help: 'Of each: thousands of forex, contracts of anything else' },
  },
  flags: OCO_CREATE_FLAGS,
  examples: [
    {
      run: "svc trade oco create EUR/USD 5 --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
      why: 'Whichever way the price breaks out',
    },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(creatingOco(input, ctx), input, ctx),
});
