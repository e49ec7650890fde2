import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { CLOSED_LIST, POSITION_LIST, withAmounts } from '../columns.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { checkOrderId } from '../orders/rules.ts';
import { offersToShow } from '../tables/lookups.ts';

const RECORD = { kind: 'record', columns: POSITION_LIST.columns.map(({ wide: _, ...column }) => column) } as const;
const CLOSED_RECORD = { kind: 'record', columns: CLOSED_LIST.columns.map(({ wide: _, ...column }) => column) } as const;

export const tradePositionsGet = recordCommand({
  id: 'trade positions get',
  summary: 'Show a position',
  description: 'Reads the table of open positions, or with --closed that of closed ones, which has the latest only.',
  effect: 'read',
  service: 'trade',
  args: { trade: { help: 'Trade id', required: true, complete: 'trades' } },
  flags: { closed: { type: 'boolean', help: 'Show a closed position' } },
  examples: [
    { run: 'svc trade positions get 1170229801', why: 'Show one position' },
    { run: 'svc trade positions get 1170229801 --closed', why: 'Show what a closed one made' },
  ],
  output: { ...RECORD, id: ({ tradeId }) => tradeId },
  outputOf: ({ closed }) => (closed ? { ...CLOSED_RECORD, id: CLOSED_LIST.id } : { ...RECORD, id: POSITION_LIST.id }),
  async run(input, ctx) {
    checkOrderId(input.trade, 'a trade id');
    return withTrading(ctx, async (open) => {
      const rows = await open.trading.model(input.closed ? 'ClosedPosition' : 'OpenPosition');
      const found = [...rows].filter(({ tradeId }) => tradeId === input.trade);
      const [value] = found.length === 0 ? [] : withAmounts(found, await offersToShow(open, ctx));
      if (value !== undefined) return { value };
      const [state, hint] = input.closed
        ? ['closed', 'the gateway lists the latest only; it may be open: svc trade positions']
        : ['open', `it may be closed: svc trade positions get ${input.trade} --closed`];
      throw new SvcError('not_found', `no ${state} position with id ${input.trade}`, { hint });
    });
  },
});
