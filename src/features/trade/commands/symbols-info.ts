import { recordCommand } from '../../../cli/command.ts';
import { offerCandidates } from '../candidates.ts';
import { OFFER_COLUMNS } from '../columns.ts';
import { keepOffers } from '../trading-offers.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

export const tradeSymbolsInfo = recordCommand({
  id: 'trade symbols info',
  summary: 'Show all that is known of one symbol: id, pip, sizes, margin, prices',
  description:
    'From the table Offer, so the account must show the symbol. Sizes are there on newer gateways only; an amount is in thousands of the base currency for forex, and in contracts for all else (as seen on the public implementation).',
  effect: 'read',
  service: 'trade',
  args: { symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols' } },
  flags: SESSION_FLAGS,
  examples: [{ run: 'svc trade symbols info EUR/USD', why: 'See the pip and the smallest amount' }],
  output: {
    kind: 'record',
    columns: [
      ...OFFER_COLUMNS.map(({ wide: _, ...column }) => column),
      { name: 'pip-cost', cell: ({ pipCost }) => pipCost },
      { name: 'margin', cell: ({ mmr }) => mmr },
      { name: 'smallest-amount', cell: ({ minQuantity }) => minQuantity },
      { name: 'largest-amount', cell: ({ maxQuantity }) => maxQuantity },
      { name: 'amount-step', cell: ({ instrBaseUnitSize }) => instrBaseUnitSize },
    ],
    id: ({ currency }) => currency,
  },
  offers: offerCandidates,
  async run(input, ctx) {
    return withTrading(ctx, input, async ({ trading, known }) => {
      const { findOffer } = await import('../symbols.ts');
      const offers = await trading.model('Offer');
      keepOffers(known, offers);
      return { value: findOffer(offers, input.symbol) };
    });
  },
});
