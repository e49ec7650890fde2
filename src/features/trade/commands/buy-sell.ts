/** `trade buy` and `trade sell`: one market order. */
import { type Command, recordCommand } from '../../../cli/command.ts';
import { ORDER_REPORT, reportOrPreview } from '../orders/change-report.ts';
import { NEW_ORDER_EXITS, ONE_POST, ORDER_LIMITS, SIZED_ARGS, WAITING } from '../orders/flags.ts';
import { MARKET_FLAGS, placeNewOrder, readMarketOrder } from '../orders/new-order.ts';
import type { Side } from '../orders/rules.ts';

const marketOrder = (side: Side, verb: string): Command =>
  recordCommand({
    id: `trade ${side}`,
    summary: `${verb} at market`,
    description: `${ONE_POST} ${WAITING}`,
    details: `--stop and --limit are both distances or both prices. Without --wait, a table at a terminal waits five seconds for the price, and exits 0 if the order is still open then.\n${ORDER_LIMITS}`,
    effect: 'money',
    service: 'trade',
    args: SIZED_ARGS,
    flags: MARKET_FLAGS,
    exits: NEW_ORDER_EXITS,
    examples: [
      { run: `svc trade ${side} EUR/USD 5 --wait 30s`, why: `${verb} 5,000 EUR and show the trades` },
      { run: `svc trade ${side} EUR/USD 5 --stop 40pips --limit 80pips`, why: 'Attach a stop and a limit' },
      { run: `svc trade ${side} EUR/USD --risk 1% --stop 40pips`, why: 'Lose 1% of the equity at the stop' },
    ],
    output: ORDER_REPORT,
    outputOf: reportOrPreview,
    run: async (input, ctx) => placeNewOrder(readMarketOrder(side, input), input, ctx),
  });

export const tradeBuy = marketOrder('buy', 'Buy');
export const tradeSell = marketOrder('sell', 'Sell');
