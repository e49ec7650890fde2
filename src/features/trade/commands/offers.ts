import { listCommand } from '../../../cli/command.ts';
import { offerCandidates } from '../candidates.ts';
import { OFFER_LIST } from '../columns.ts';
import { ROW_FLAGS } from '../trading-rows.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

export const tradeOffers = listCommand({
  id: 'trade offers',
  summary: 'List what is offered now, with its prices',
  description:
    'One look at the table Offer. Only the symbols that the account shows are in it: svc trade symbols show. What the table holds is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: { symbol: ROW_FLAGS.symbol, limit: ROW_FLAGS.limit, ...SESSION_FLAGS },
  examples: [
    { run: 'svc trade offers', why: 'All of them' },
    { run: 'svc trade offers -o json --query "[].{symbol: currency, ask: buy}"', why: 'Two fields, for a script' },
  ],
  output: OFFER_LIST,
  offers: offerCandidates,
  async run(input, ctx) {
    return withTrading(ctx, input, async ({ trading, known }) => {
      const { foldedSymbol } = await import('../symbols.ts');
      const { keepOffers } = await import('../trading-offers.ts');
      const offers = await trading.model('Offer');
      keepOffers(known, offers);
      const { symbol } = input;
      const wanted = symbol === undefined ? undefined : foldedSymbol(symbol);
      return {
        value: offers.filter(({ currency }) => wanted === undefined || foldedSymbol(currency) === wanted),
      };
    });
  },
});
