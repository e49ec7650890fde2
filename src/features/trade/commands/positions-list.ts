import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { withAmounts } from '../amounts.ts';
import { tradeCandidates } from '../candidates.ts';
import { CLOSED_LIST, POSITION_LIST, SUMMARY_LIST } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { listed, offersToShow, ROW_FLAGS, rowFilter } from '../tables/lookups.ts';
import { CLOSED_SUMS, POSITION_SUMS, SUMMARY_SUMS, summaryOf, withTotal } from '../totals.ts';

interface Kind {
  readonly closed: boolean;
  readonly summary: boolean;
}

export const tradePositionsList = listCommand({
  id: 'trade positions list',
  summary: 'List open or closed positions',
  description:
    'Each call counts towards a rate limit: 50 an hour for open positions, 10 a minute for closed ones. To follow positions, use svc trade watch. --summary covers all accounts unless --account is given.',
  effect: 'read',
  service: 'trade',
  flags: {
    closed: { type: 'boolean', help: 'List closed positions' },
    summary: { type: 'boolean', help: 'Show one line per symbol' },
    total: { type: 'boolean', help: 'Add a row of totals' },
    ...ROW_FLAGS,
  },
  examples: [
    { run: 'svc trade positions list', why: 'List open positions' },
    { run: 'svc trade positions list --total', why: 'Add a row of totals' },
    { run: 'svc trade positions list --closed -o csv', why: 'Export closed positions' },
  ],
  output: POSITION_LIST,
  outputOf,
  offers: tradeCandidates,
  async run(input, ctx) {
    if (input.closed && input.summary) throw new SvcError('usage', '--closed and --summary cannot be combined');
    return withTrading(ctx, async (open) => {
      const { account, apply } = await rowFilter(input, open);
      const { trading } = open;
      if (input.closed) {
        const of = await trading.model('ClosedPosition');
        const rows = withTotal(apply(of), 'tradeId', CLOSED_SUMS, input);
        return listed({ value: withAmounts(rows, await offersToShow(open, ctx)), of, as: CLOSED_LIST }, input);
      }
      if (input.summary && account === undefined) {
        const of = await trading.model('Summary');
        return listed({ value: withTotal(apply(of), 'currency', SUMMARY_SUMS, input), of, as: SUMMARY_LIST }, input);
      }
      const of = await trading.model('OpenPosition');
      const rows = apply(of);
      // The Summary table covers all accounts together.
      if (account !== undefined && input.summary) {
        const value = withTotal(summaryOf(rows, { accountId: account.accountId }), 'currency', SUMMARY_SUMS, input);
        return listed({ value, of, as: SUMMARY_LIST }, input);
      }
      if (rows.length === 0) return listed({ value: rows, of, as: POSITION_LIST }, input);
      return { value: withAmounts(withTotal(rows, 'tradeId', POSITION_SUMS, input), await offersToShow(open, ctx)) };
    });
  },
});

function outputOf({ closed, summary }: Kind) {
  if (closed) return CLOSED_LIST;
  return summary ? SUMMARY_LIST : POSITION_LIST;
}
