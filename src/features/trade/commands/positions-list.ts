import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { withAmounts } from '../amounts.ts';
import { tradeCandidates } from '../candidates.ts';
import { CLOSED_LIST, POSITION_LIST, SUMMARY_LIST } from '../columns.ts';
import { type TradingSession, withTrading } from '../gateway/trading-session.ts';
import type { ClosedPosition, OpenPosition, Summary } from '../schema.ts';
import { listed, offersToShow, ROW_FLAGS, type RowFilter, rowFilter } from '../tables/lookups.ts';
import { POSITION_SUMS, SUMMARY_SUMS, summaryOf, withTotal } from '../totals.ts';

interface ListInput {
  readonly closed: boolean;
  readonly summary: boolean;
  readonly total: boolean;
  readonly symbol: string | undefined;
  readonly account: string | undefined;
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
    const { closed, summary, total } = input;
    if (closed && summary) throw new SvcError('usage', '--closed and --summary cannot be combined');
    if (total && input.limit !== undefined) {
      throw new SvcError('usage', '--total adds up all rows: it cannot be used with --limit');
    }
    return withTrading(ctx, async (open) => {
      const filter = await rowFilter(input, open);
      if (summary) return listSummary(filter, open, input);
      const of: readonly (OpenPosition | ClosedPosition)[] = await open.trading.model(
        closed ? 'ClosedPosition' : 'OpenPosition',
      );
      const found = filter.apply(of);
      const rows = total ? withTotal(found, 'tradeId', POSITION_SUMS) : found;
      const value = rows.length === 0 ? rows : withAmounts(rows, await offersToShow(open, ctx));
      return listed({ value, of, as: outputOf(input) }, input);
    });
  },
});

/** The Summary table covers all accounts together: the rows of one account are computed from its positions. */
async function listSummary({ account, apply }: RowFilter, { trading }: TradingSession, input: ListInput) {
  const addTotal = (rows: readonly Summary[]) => (input.total ? withTotal(rows, 'currency', SUMMARY_SUMS) : rows);
  if (account === undefined) {
    const of = await trading.model('Summary');
    return listed({ value: addTotal(apply(of)), of, as: SUMMARY_LIST }, input);
  }
  const of = await trading.model('OpenPosition');
  const rows = summaryOf(apply(of), { accountId: account.accountId });
  return listed({ value: addTotal(rows), of, as: SUMMARY_LIST }, input);
}

function outputOf({ closed, summary }: Pick<ListInput, 'closed' | 'summary'>) {
  if (closed) return CLOSED_LIST;
  return summary ? SUMMARY_LIST : POSITION_LIST;
}
