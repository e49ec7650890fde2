/** `trade oco create`, `add`, `remove` and `update`. */
import { listCommand } from '../../../cli/command.ts';
import { CHANGE_LIST, rowOf } from '../change-report.ts';
import {
  addingToOco,
  creatingOco,
  OCO_ADD_FLAGS,
  OCO_CREATE_FLAGS,
  OCO_GROUP,
  OCO_ORDERS,
  OCO_UPDATE_FLAGS,
  removingFromOco,
  updatingOco,
} from '../oco-groups.ts';
import { CHANGE_FLAGS, ORDER_ARGS } from '../order-flags.ts';
import { carryOut } from '../planned-requests.ts';

const COMMON = { effect: 'money', service: 'trade', output: CHANGE_LIST } as const;
const UNDOCUMENTED = 'The interface document does not show this request; svc follows the public implementation.';

export const tradeOcoCreate = listCommand({
  ...COMMON,
  id: 'trade oco create',
  summary: 'Create an OCO (one-cancels-the-other) pair',
  description:
    'Places two entry orders of the same amount; when one fills, the other is canceled. svc journals the request, then sends it once. Some gateways do not return the order ids.',
  details: UNDOCUMENTED,
  args: {
    ...ORDER_ARGS,
    amount: { ...ORDER_ARGS.amount, help: 'Amount of each order: thousands (forex) or contracts' },
  },
  flags: OCO_CREATE_FLAGS,
  examples: [
    {
      run: "svc trade oco create EUR/USD 5 --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
      why: 'Trade a breakout in either direction',
    },
  ],
  run: async (input, ctx) => carryOut(creatingOco(input, ctx), input, ctx, rowOf),
});

export const tradeOcoAdd = listCommand({
  ...COMMON,
  id: 'trade oco add',
  summary: 'Add pending orders to an OCO group',
  description: 'Adds to an existing group, or creates one.',
  details: UNDOCUMENTED,
  args: OCO_ORDERS,
  flags: OCO_ADD_FLAGS,
  examples: [
    { run: 'svc trade oco add 390285837 390285838', why: 'Create a group of two' },
    { run: 'svc trade oco add 390285839 --group 51201', why: 'Add a third order' },
  ],
  run: async (input, ctx) => carryOut(addingToOco(input, ctx), input, ctx, rowOf),
});

export const tradeOcoRemove = listCommand({
  ...COMMON,
  id: 'trade oco remove',
  summary: 'Remove orders from their OCO group',
  description: 'The orders stay pending.',
  details: UNDOCUMENTED,
  args: OCO_ORDERS,
  flags: CHANGE_FLAGS,
  examples: [{ run: 'svc trade oco remove 390285837', why: 'Remove one order' }],
  run: async (input, ctx) => carryOut(removingFromOco(input, ctx), input, ctx, rowOf),
});

export const tradeOcoUpdate = listCommand({
  ...COMMON,
  id: 'trade oco update',
  formerly: ['oco edit'],
  summary: 'Add and remove orders of an OCO group',
  description: 'Sends one request.',
  details: UNDOCUMENTED,
  args: OCO_GROUP,
  flags: OCO_UPDATE_FLAGS,
  examples: [{ run: 'svc trade oco update 51201 --add 390285839 --remove 390285837', why: 'Replace an order' }],
  run: async (input, ctx) => carryOut(updatingOco(input, ctx), input, ctx, rowOf),
});
