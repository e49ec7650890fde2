import { listCommand } from '../../../cli/command.ts';
import { CLOSED_LIST, POSITION_LIST, withAmounts } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { tradedText } from '../order-text.ts';
import type { ClosedPosition, OpenPosition } from '../schema.ts';
import { listed, offersToShow, ROW_FLAGS, rowFilter } from '../tables/lookups.ts';

export const tradePositionsList = listCommand({
  id: 'trade positions list',
  summary: 'List open or closed positions',
  description:
    'Each call counts towards a rate limit: 50 an hour for open positions, 10 a minute for closed ones. To follow positions, use svc trade watch.',
  effect: 'read',
  service: 'trade',
  flags: {
    closed: { type: 'boolean', help: 'List closed positions' },
    ...ROW_FLAGS,
  },
  examples: [
    { run: 'svc trade positions list', why: 'List open positions' },
    { run: 'svc trade positions list --closed -o csv', why: 'Export closed positions' },
  ],
  output: POSITION_LIST,
  outputOf,
  offers: (row) => ({ trades: [{ value: row.tradeId, note: tradedText(row) }] }),
  async run(input, ctx) {
    return withTrading(ctx, async (open) => {
      const filter = await rowFilter(input, open);
      const of: readonly (OpenPosition | ClosedPosition)[] = await open.trading.model(
        input.closed ? 'ClosedPosition' : 'OpenPosition',
      );
      const found = filter(of);
      const value = found.length === 0 ? found : withAmounts(found, await offersToShow(open, ctx));
      return listed({ value, of, as: outputOf(input) }, input);
    });
  },
});

function outputOf({ closed }: { readonly closed: boolean }) {
  return closed ? CLOSED_LIST : POSITION_LIST;
}
