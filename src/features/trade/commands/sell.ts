import { recordCommand } from '../../../cli/command.ts';
import { MARKET_FLAGS, placeMarketOrder } from '../market-order.ts';
import { MARKET_BEYOND, ONE_POST, WAITING } from '../order-flags.ts';
import { ORDER_PREVIEW, ORDER_REPORT, reportOrPreview } from '../orders.ts';

export const tradeSell = recordCommand({
  id: 'trade sell',
  summary: 'Sell at the price of now',
  description: `An order at market, or with --range one that is filled within so many pips or not at all. ${ONE_POST} ${WAITING} ${MARKET_BEYOND}`,
  effect: 'money',
  service: 'trade',
  args: {
    symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols' },
    amount: { help: 'Thousands of forex, contracts of anything else', required: true },
  },
  flags: MARKET_FLAGS,
  exits: ['condition_false', 'still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade sell EUR/USD 5 --wait 30s', why: 'An order for 5,000 EUR, with the trades that it becomes' },
    { run: 'svc trade sell EUR/USD 5 --stop 40pips --limit 80pips', why: 'Closed at 40 pips of loss or 80 of profit' },
    { run: 'svc trade sell XAU/USD 1 --preview', why: 'What it would be, without sending it' },
  ],
  output: ORDER_REPORT,
  outputOf: reportOrPreview,
  run: (input, ctx) => placeMarketOrder('sell', input, ORDER_PREVIEW, ctx),
});
