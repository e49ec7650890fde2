import { listCommand } from '../../../cli/command.ts';
import { withTrading } from '../gateway/trading-session.ts';
import type { Instrument } from '../schema.ts';

export const tradeSymbolsList = listCommand({
  id: 'trade symbols list',
  summary: 'List the symbols of the gateway',
  details: 'The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: {
    visible: { type: 'choice', choices: ['true', 'false'], help: 'Filter by visibility in the account' },
    search: { type: 'string', value: 'text', help: 'Filter by part of the name' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
  },
  examples: [
    { run: 'svc trade symbols list --search eur', why: 'List symbols with the euro' },
    { run: 'svc trade symbols list --visible true -q', why: 'List symbols that have prices' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'symbol', cell: ({ symbol }: Instrument) => symbol },
      { name: 'visible', cell: ({ visible }) => visible },
    ],
    id: ({ symbol }) => symbol,
    empty: 'no matching symbols',
  },
  async run(input, ctx) {
    const { visible, search = '' } = input;
    return withTrading(ctx, async ({ trading }) => {
      const all = await trading.instruments();
      const value = all.filter(
        (one) =>
          one.symbol.toLowerCase().includes(search.toLowerCase()) &&
          (visible === undefined || String(one.visible ?? false) === visible),
      );
      return { value };
    });
  },
});
