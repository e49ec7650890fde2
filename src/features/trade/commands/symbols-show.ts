import { listCommand } from '../../../cli/command.ts';
import { VISIBILITY_LIST } from '../columns.ts';
import { changeVisibility, VISIBILITY_FLAGS } from '../symbol-visibility.ts';

export const tradeSymbolsShow = listCommand({
  id: 'trade symbols show',
  summary: "Show symbols in the account's offers, so that they have prices",
  description:
    'It stays with the account, for every program that uses it; with --temporary only as long as the command runs, unless that is killed. The request is not in the interface document: it is as seen on the public implementation.',
  effect: 'write',
  service: 'trade',
  args: { symbol: { help: 'As EUR/USD', required: true, repeat: true, complete: 'symbols' } },
  flags: VISIBILITY_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade symbols show XAU/USD', why: 'Gold from now on' },
    { run: 'svc trade symbols show XAU/USD --temporary 1h', why: 'For an hour, while another program trades it' },
  ],
  output: VISIBILITY_LIST,
  run: (input, ctx) => changeVisibility(true, input, ctx),
});
