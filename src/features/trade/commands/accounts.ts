import { listCommand } from '../../../cli/command.ts';
import { accountCandidates } from '../candidates.ts';
import { ACCOUNT_LIST } from '../columns.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

export const tradeAccounts = listCommand({
  id: 'trade accounts',
  summary: 'List the accounts that the token may trade with',
  description:
    'An account has a name and an id, and they are not the same: requests take the id, and so svc looks it up. The row of totals is left out. What the table holds, and what its letters mean, is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: SESSION_FLAGS,
  examples: [
    { run: 'svc trade accounts', why: 'See ids, balances and margin' },
    { run: 'svc trade accounts -q', why: 'The ids alone' },
  ],
  output: ACCOUNT_LIST,
  offers: accountCandidates,
  async run(input, ctx) {
    return withTrading(ctx, input, async ({ trading, known }) => {
      const value = await trading.accounts();
      known.keep('Account', value);
      return { value };
    });
  },
});
