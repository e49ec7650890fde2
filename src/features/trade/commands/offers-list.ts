import { listCommand } from '../../../cli/command.ts';
import { OFFER_LIST } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { foldedSymbol } from '../symbols.ts';
import { ROW_FLAGS } from '../tables/lookups.ts';

export const tradeOffersList = listCommand({
  id: 'trade offers list',
  summary: 'List offers with their current prices',
  description: 'Only the symbols that the account shows are listed. svc trade symbols list names the others, too.',
  details: 'Reads the table Offer once. Its fields are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: { symbol: ROW_FLAGS.symbol, limit: ROW_FLAGS.limit },
  examples: [
    { run: 'svc trade offers list', why: 'List all offers' },
    {
      run: 'svc trade offers list -o json --query "[].{symbol: currency, ask: buy}"',
      why: 'Print two fields for a script',
    },
  ],
  output: OFFER_LIST,
  offers: ({ currency }) => ({ symbols: [{ value: currency }] }),
  async run(input, ctx) {
    return withTrading(ctx, async ({ trading }) => {
      const offers = await trading.model('Offer');
      const { symbol } = input;
      const wanted = symbol === undefined ? undefined : foldedSymbol(symbol);
      return {
        value: offers.filter(({ currency }) => wanted === undefined || foldedSymbol(currency) === wanted),
      };
    });
  },
});
