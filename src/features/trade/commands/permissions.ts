import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { SESSION_FLAGS, withTrading } from '../gateway/trading-session.ts';
import type { Permission } from '../schema.ts';

const named = (status: string) => (row: Permission) =>
  Object.entries(row.permissions)
    .filter(([, value]) => value === status)
    .map(([name]) => name)
    .join(' ') || undefined;

const PERMISSION_LIST: ListOutput<Permission> = {
  kind: 'list',
  columns: [
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'enabled', cell: named('enabled'), flex: true },
    { name: 'disabled', cell: named('disabled'), flex: true },
    { name: 'hidden', cell: named('hidden'), flex: true },
  ],
  id: ({ symbol }) => symbol,
  empty: 'the gateway lists no permissions',
};

export const tradePermissions = listCommand({
  id: 'trade permissions',
  summary: 'List what the account may do with each symbol',
  description: 'Lists the kinds of orders that are enabled and disabled, for all symbols or those that you name.',
  details:
    'The request and its fields are not in the interface document: they are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: { symbol: { help: 'Symbols (default: all)', repeat: true, complete: 'symbols' } },
  flags: SESSION_FLAGS,
  examples: [
    { run: 'svc trade permissions EUR/USD', why: 'Show what is possible with one symbol' },
    { run: 'svc trade permissions -o json', why: 'All symbols, as data' },
  ],
  output: PERMISSION_LIST,
  async run(input, ctx) {
    return withTrading(ctx, input, async ({ trading }) => {
      const { findSymbol } = await import('../symbols.ts');
      const all = await trading.permissions();
      const symbols = all.map(({ symbol }) => symbol);
      if (input.symbol.length === 0) return { value: all };
      const wanted = new Set(input.symbol.map((name) => findSymbol(symbols, name)));
      return { value: all.filter(({ symbol }) => wanted.has(symbol)) };
    });
  },
});
