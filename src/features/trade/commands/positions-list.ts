import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { tradeCandidates } from '../candidates.ts';
import { CLOSED_LIST, POSITION_LIST, SUMMARY_LIST, withAmounts } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import type { ClosedPosition, OpenPosition } from '../schema.ts';
import { listed, offersToShow, ROW_FLAGS, rowFilter } from '../tables/lookups.ts';

export const tradePositionsList = listCommand({
  id: 'trade positions list',
  summary: 'List open or closed positions',
  description:
    'Each call counts towards a rate limit: 50 an hour for open positions, 10 a minute for closed ones. To follow positions, use svc trade watch. --summary covers all accounts together.',
  effect: 'read',
  service: 'trade',
  flags: {
    closed: { type: 'boolean', help: 'List closed positions' },
    summary: { type: 'boolean', help: 'Show one line per symbol' },
    ...ROW_FLAGS,
  },
  examples: [
    { run: 'svc trade positions list', why: 'List open positions' },
    { run: 'svc trade positions list --summary', why: 'Show the profit of each symbol' },
    { run: 'svc trade positions list --closed -o csv', why: 'Export closed positions' },
  ],
  output: POSITION_LIST,
  outputOf,
  offers: tradeCandidates,
  async run(input, ctx) {
    const { closed, summary } = input;
    if (closed && summary) throw new SvcError('usage', '--closed and --summary cannot be combined');
    if (summary && input.account !== undefined) {
      throw new SvcError('usage', '--summary covers all accounts together: it cannot be used with --account');
    }
    return withTrading(ctx, async (open) => {
      const filter = await rowFilter(input, open);
      if (summary) {
        const of = await open.trading.model('Summary');
        return listed({ value: filter(of), of, as: SUMMARY_LIST }, input);
      }
      const of: readonly (OpenPosition | ClosedPosition)[] = await open.trading.model(
        closed ? 'ClosedPosition' : 'OpenPosition',
      );
      const found = filter(of);
      const value = found.length === 0 ? found : withAmounts(found, await offersToShow(open, ctx));
      return listed({ value, of, as: outputOf(input) }, input);
    });
  },
});

function outputOf({ closed, summary }: { readonly closed: boolean; readonly summary: boolean }) {
  if (closed) return CLOSED_LIST;
  return summary ? SUMMARY_LIST : POSITION_LIST;
}
