import { recordCommand } from '../../../cli/command.ts';
import { OFFER_COLUMNS } from '../columns.ts';
import { SYMBOL_ARGUMENT, withTrading } from '../gateway/trading-session.ts';
import { findOffer } from '../symbols.ts';

export const tradeSymbolsGet = recordCommand({
  id: 'trade symbols get',
  summary: 'Show the details of a symbol',
  description: 'The account must show the symbol: see svc trade symbols list.',
  details:
    'Reads the table Offer. Only newer gateways have the amounts. Forex amounts are in thousands of the base currency, all others in contracts (as seen on the public implementation).',
  effect: 'read',
  service: 'trade',
  args: { symbol: SYMBOL_ARGUMENT },
  examples: [{ run: 'svc trade symbols get EUR/USD', why: 'Show pip, amounts and margin' }],
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
  async run(input, ctx) {
    return withTrading(ctx, async ({ trading }) => {
      return { value: findOffer(await trading.model('Offer'), input.symbol) };
    });
  },
});
