/** `trade entry buy` and `trade entry sell`: one entry order. */
import { type Command, recordCommand } from '../../../cli/command.ts';
import { ORDER_REPORT, reportOrPreview } from '../orders/change-report.ts';
import { NEW_ORDER_EXITS, ONE_POST, ORDER_LIMITS, SIZED_ARGS, WAITING } from '../orders/flags.ts';
import { ENTRY_FLAGS, placeNewOrder, readEntryOrder } from '../orders/new-order.ts';
import type { Side } from '../orders/rules.ts';

const entryOrder = (side: Side, verb: string, rate: string): Command =>
  recordCommand({
    id: `trade entry ${side}`,
    summary: `${verb} at a given price (entry order)`,
    description: `A price worse than the current one makes a stop entry, a better one a limit entry. ${ONE_POST} ${WAITING}`,
    details: ORDER_LIMITS,
    effect: 'money',
    service: 'trade',
    args: SIZED_ARGS,
    flags: ENTRY_FLAGS,
    exits: NEW_ORDER_EXITS,
    examples: [
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --stop 40pips`, why: 'Attach a stop' },
      { run: `svc trade entry ${side} EUR/USD --rate ${rate} --risk 100 --stop 40pips`, why: 'Lose 100 at the stop' },
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --expires 2h`, why: 'Expire after two hours' },
    ],
    output: ORDER_REPORT,
    outputOf: reportOrPreview,
    async run(input, ctx) {
      const order = readEntryOrder(side, input, ctx.now());
      if (order.terms.expires !== undefined) ctx.notice(`the order expires at ${order.terms.expires} UTC`);
      return placeNewOrder(order, input, ctx);
    },
  });

export const tradeEntryBuy = entryOrder('buy', 'Buy', '1.15');
export const tradeEntrySell = entryOrder('sell', 'Sell', '1.17');
