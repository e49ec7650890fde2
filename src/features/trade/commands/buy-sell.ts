/** `trade buy` and `trade sell`: one market order. */
import { type Command, recordCommand } from '../../../cli/command.ts';
import { MARKET_TIF_FLAG, NEW_ORDER_FLAGS, ONE_POST, ORDER_LIMITS, SIZED_ARGS, WAITING } from '../orders/flags.ts';
import { NEW_ORDER, placeNewOrder, readNewOrder } from '../orders/new-order.ts';
import { chooseTimeInForce, type Side } from '../orders/rules.ts';

const marketOrder = (side: Side, verb: string): Command =>
  recordCommand({
    ...NEW_ORDER,
    id: `trade ${side}`,
    summary: `${verb} at market`,
    description: `${ONE_POST} ${WAITING}`,
    details: `--stop and --limit are both distances or both prices. Without --wait, a table at a terminal waits five seconds for the price, and exits 0 if the order is still open then.\n${ORDER_LIMITS}`,
    args: SIZED_ARGS,
    flags: { tif: MARKET_TIF_FLAG, ...NEW_ORDER_FLAGS },
    examples: [
      { run: `svc trade ${side} EUR/USD 5 --wait 30s`, why: `${verb} 5,000 EUR and show the trades` },
      { run: `svc trade ${side} EUR/USD 5 --stop 40pips --limit 80pips`, why: 'Attach a stop and a limit' },
      { run: `svc trade ${side} EUR/USD --risk 1% --stop 40pips`, why: 'Lose 1% of the equity at the stop' },
    ],
    async run(input, ctx) {
      const tif = chooseTimeInForce(input.range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
      return placeNewOrder(readNewOrder(side, { tif }, input, ctx), input, ctx);
    },
  });

export const tradeBuy = marketOrder('buy', 'Buy');
export const tradeSell = marketOrder('sell', 'Sell');
