import { listCommand } from '../../cli/command.ts';
import { setVisible } from '../../inputs/symbol-visibility.ts';
import { SESSION_FLAGS } from '../../inputs/trading-session.ts';
import { VISIBILITY_LIST } from '../../views/trading.ts';

export const tradeSymbolsShow = listCommand({
  id: 'trade symbols show',
  summary: "Show symbols in the account's offers, so that they have prices",
  description:
    'It stays with the account, for every program that uses it. The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'write',
  service: 'trade',
  args: { symbol: { help: 'As EUR/USD', required: true, repeat: true, complete: 'symbols' } },
  flags: SESSION_FLAGS,
  exits: ['partly_done'],
  examples: [{ run: 'svc trade symbols show XAU/USD', why: 'Gold from now on' }],
  output: VISIBILITY_LIST,
  run: (input, ctx) => setVisible(input.symbol, true, input, ctx),
});
