/** `trade entry buy` and `trade entry sell`: one order that waits for its rate. */
import { recordCommand } from '../../../cli/command.ts';
import { ENTRY_FLAGS, entryDraft, placeNewOrder } from '../new-order.ts';
import { ENTRY_BEYOND, NEW_ORDER_EXITS, ONE_POST, ORDER_ARGS, WAITING } from '../order-flags.ts';
import type { Side } from '../order-rules.ts';
import { ORDER_REPORT, reportOrPreview } from '../orders.ts';

const entryOrder = (side: Side, verb: string, rate: string) =>
  recordCommand({
    id: `trade entry ${side}`,
    summary: `${verb} as soon as there is a price`,
    description: `An order that waits for its rate: a stop entry for a price that is worse than the one of now, a limit entry for a better one. ${ONE_POST} ${WAITING} ${ENTRY_BEYOND}`,
    effect: 'money',
    service: 'trade',
    args: ORDER_ARGS,
    flags: ENTRY_FLAGS,
    exits: NEW_ORDER_EXITS,
    examples: [
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --stop 40pips`, why: 'With a stop, once it is filled' },
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --expires 2h`, why: 'For two hours' },
    ],
    output: ORDER_REPORT,
    outputOf: reportOrPreview,
    async run(input, ctx) {
      const draft = entryDraft(side, input, ctx.now());
      if (draft.expires !== undefined) ctx.notice(`it expires at ${draft.expires} UTC`);
      return placeNewOrder(draft, input, ctx);
    },
  });

export const tradeEntryBuy = entryOrder('buy', 'Buy', '1.15');
export const tradeEntrySell = entryOrder('sell', 'Sell', '1.17');
