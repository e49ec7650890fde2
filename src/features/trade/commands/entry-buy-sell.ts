/** `trade entry buy` and `trade entry sell`: one entry order. */
import { type Command, recordCommand } from '../../../cli/command.ts';
import {
  ENTRY_TIME_FLAGS,
  NEW_ORDER_FLAGS,
  ONE_POST,
  ORDER_LIMITS,
  RATE_FLAG,
  SIZED_ARGS,
  WAITING,
} from '../orders/flags.ts';
import { NEW_ORDER, placeNewOrder, readNewOrder } from '../orders/new-order.ts';
import { chooseTimeInForce, expirationText, parseRate, type Side } from '../orders/rules.ts';

const entryOrder = (side: Side, verb: string, rate: string): Command =>
  recordCommand({
    ...NEW_ORDER,
    id: `trade entry ${side}`,
    summary: `${verb} at a given price (entry order)`,
    description: `A price worse than the current one makes a stop entry, else a limit entry. ${ONE_POST} ${WAITING}`,
    details: ORDER_LIMITS,
    args: SIZED_ARGS,
    flags: {
      rate: { ...RATE_FLAG, required: true },
      ...ENTRY_TIME_FLAGS,
      ...NEW_ORDER_FLAGS,
    },
    examples: [
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --stop 40pips`, why: 'Attach a stop' },
      { run: `svc trade entry ${side} EUR/USD 5 --rate ${rate} --expires 2h`, why: 'Expire after two hours' },
    ],
    async run(input, ctx) {
      const { expires: end } = input;
      const own = {
        tif: chooseTimeInForce(input.range === undefined ? 'Entry' : 'RangeEntry', input.tif, end !== undefined),
        rate: parseRate(input.rate),
        expires: end === undefined ? undefined : expirationText(end.ms, ctx.now()),
      };
      const order = readNewOrder(side, own, input, ctx);
      if (own.expires !== undefined) ctx.notice(`the order expires at ${own.expires} UTC`);
      return placeNewOrder(order, input, ctx);
    },
  });

export const tradeEntryBuy = entryOrder('buy', 'Buy', '1.15');
export const tradeEntrySell = entryOrder('sell', 'Sell', '1.17');
