import { listCommand } from '../../../cli/command.ts';
import { ACCOUNT_LIST } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';

export const tradeAccountsList = listCommand({
  id: 'trade accounts list',
  suggestFor: ['balance', 'equity'],
  summary: 'List trading accounts',
  description: 'An account has an id and a name. Options accept either; requests carry the id.',
  details:
    'The fields and the letters of the margin call and hedging columns are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  examples: [
    { run: 'svc trade accounts list', why: 'Show ids, balances and margins' },
    { run: 'svc trade accounts list -q', why: 'Print only the ids' },
  ],
  output: ACCOUNT_LIST,
  async run(_input, ctx) {
    return withTrading(ctx, async ({ trading }) => {
      return { value: await trading.accounts() };
    });
  },
});
