import { recordCommand } from '../../../cli/command.ts';
import { ENTRY_FLAGS, placeEntryOrder } from '../entry-order.ts';
import { ENTRY_BEYOND, ONE_POST, WAITING } from '../order-flags.ts';
import { ORDER_PREVIEW, ORDER_REPORT, reportOrPreview } from '../orders.ts';

export const tradeEntryBuy = recordCommand({
  id: 'trade entry buy',
  summary: 'Buy as soon as there is a price',
  description: `An order that waits for its rate: a stop entry for a price that is worse than the one of now, a limit entry for a better one. ${ONE_POST} ${WAITING} ${ENTRY_BEYOND}`,
  effect: 'money',
  service: 'trade',
  args: {
    symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols' },
    amount: { help: 'Thousands of forex, contracts of anything else', required: true },
  },
  flags: ENTRY_FLAGS,
  exits: ['condition_false', 'still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade entry buy EUR/USD 5 --rate 1.15 --stop 40pips', why: 'With a stop, once it is filled' },
    { run: 'svc trade entry buy EUR/USD 5 --rate 1.15 --expires 2h', why: 'For two hours' },
  ],
  output: ORDER_REPORT,
  outputOf: reportOrPreview,
  run: (input, ctx) => placeEntryOrder('buy', input, ORDER_PREVIEW, ctx),
});
