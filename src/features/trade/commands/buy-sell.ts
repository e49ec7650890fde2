/** `trade buy` and `trade sell`: one order at market. */
import { recordCommand } from '../../../cli/command.ts';
import { MARKET_FLAGS, marketDraft, placeNewOrder } from '../new-order.ts';
import { MARKET_BEYOND, NEW_ORDER_EXITS, ONE_POST, ORDER_ARGS, WAITING } from '../order-flags.ts';
import type { Side } from '../order-rules.ts';
import { ORDER_REPORT, reportOrPreview } from '../orders.ts';

const marketOrder = (side: Side, verb: string) =>
  recordCommand({
    id: `trade ${side}`,
    summary: `${verb} at the price of now`,
    description: `An order at market, or with --range one that is filled within so many pips or not at all. ${ONE_POST} ${WAITING} ${MARKET_BEYOND}`,
    effect: 'money',
    service: 'trade',
    args: ORDER_ARGS,
    flags: MARKET_FLAGS,
    exits: NEW_ORDER_EXITS,
    examples: [
      { run: `svc trade ${side} EUR/USD 5 --wait 30s`, why: 'An order for 5,000 EUR, with the trades that it becomes' },
      {
        run: `svc trade ${side} EUR/USD 5 --stop 40pips --limit 80pips`,
        why: 'Closed at 40 pips of loss or 80 of profit',
      },
      { run: `svc trade ${side} XAU/USD 1 --preview`, why: 'What it would be, without sending it' },
    ],
    output: ORDER_REPORT,
    outputOf: reportOrPreview,
    run: async (input, ctx) => placeNewOrder(marketDraft(side, input), input, ctx),
  });

export const tradeBuy = marketOrder('buy', 'Buy');
export const tradeSell = marketOrder('sell', 'Sell');
