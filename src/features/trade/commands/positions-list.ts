import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { tradeCandidates } from '../candidates.ts';
import { CLOSED_LIST, POSITION_LIST, SUMMARY_LIST } from '../columns.ts';
import type { OpenPosition, Summary } from '../schema.ts';
import { exactSum, TOTAL_FLAG, withTotal } from '../totals.ts';
import { listed, ROW_FLAGS, rowFilter } from '../trading-rows.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

/** Amounts of different symbols cannot be added. */
const CLOSED_SUMS = ['grossPL', 'com', 'roll'] as const;
const POSITION_SUMS = [...CLOSED_SUMS, 'usedMargin'] as const;
const SUMMARY_SUMS = ['plSell', 'plBuy', 'grossPL', 'netPL'] as const;

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
    total: TOTAL_FLAG,
    ...ROW_FLAGS,
    ...SESSION_FLAGS,
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
    return withTrading(ctx, input, async (open) => {
      const { account, apply } = await rowFilter(input, open);
      const { trading } = open;
      if (input.closed) {
        const of = await trading.model('ClosedPosition');
        return listed({ value: withTotal(apply(of), 'tradeId', CLOSED_SUMS, input), of, as: CLOSED_LIST }, input);
      }
      if (input.summary && account === undefined) {
        const of = await trading.model('Summary');
        return listed({ value: withTotal(apply(of), 'currency', SUMMARY_SUMS, input), of, as: SUMMARY_LIST }, input);
      }
      const of = await trading.model('OpenPosition');
      // For closes after the rate limit is used up.
      open.known.keep('OpenPosition', of);
      const rows = apply(of);
      // The Summary table covers all accounts together.
      if (account !== undefined && input.summary) {
        const value = withTotal(summaryOf(account.accountId, rows), 'currency', SUMMARY_SUMS, input);
        return listed({ value, of, as: SUMMARY_LIST }, input);
      }
      if (rows.length === 0) return listed({ value: rows, of, as: POSITION_LIST }, input);
      return { value: withTotal(rows, 'tradeId', POSITION_SUMS, input) };
    });
  },
});

function outputOf({ closed, summary }: Kind) {
  return closed ? CLOSED_LIST : summary ? SUMMARY_LIST : POSITION_LIST;
}

interface AccountSummary extends Summary {
  readonly accountId: string;
}

export function summaryOf(accountId: string, positions: readonly OpenPosition[]): readonly AccountSummary[] {
  const symbols = new Set(positions.map(({ currency = '' }) => currency));
  return [...symbols].map((currency) => {
    const rows = positions.filter((row) => (row.currency ?? '') === currency);
    const [buys, sells] = [rows.filter(({ isBuy }) => isBuy === true), rows.filter(({ isBuy }) => isBuy === false)];
    const precision = rows[0]?.ratePrecision;
    const grossPL = total(rows, 'grossPL');
    return {
      accountId,
      currency,
      ...(precision === undefined ? {} : { ratePrecision: precision }),
      amountKSell: total(sells, 'amountK'),
      amountKBuy: total(buys, 'amountK'),
      amountK: exactSum([total(buys, 'amountK'), -total(sells, 'amountK')]),
      avgSell: average(sells, precision),
      avgBuy: average(buys, precision),
      plSell: total(sells, 'grossPL'),
      plBuy: total(buys, 'grossPL'),
      grossPL,
      netPL: exactSum([grossPL, -total(rows, 'com'), total(rows, 'roll')]),
    };
  });
}

function total(rows: readonly OpenPosition[], name: 'amountK' | 'grossPL' | 'com' | 'roll'): number {
  return exactSum(rows.map((row) => row[name] ?? 0));
}

/** Average open rate weighted by amount; 0 if there is none. */
function average(rows: readonly OpenPosition[], precision = 5): number {
  const amount = total(rows, 'amountK');
  const weighed = rows.reduce((sum, { amountK = 0, open = 0 }) => sum + amountK * open, 0);
  return amount === 0 ? 0 : Number((weighed / amount).toFixed(precision));
}
