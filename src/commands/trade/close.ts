import { listCommand } from '../../cli/command.ts';
import { SENT_ONCE } from '../../inputs/change-flags.ts';
import { CLOSE_FLAGS, closing } from '../../inputs/close-positions.ts';
import { carryOut } from '../../inputs/planned-requests.ts';
import { CHANGE_LIST } from '../../views/changes.ts';

export const tradeClose = listCommand({
  id: 'trade close',
  summary: 'Close trades, all of a symbol, or everything',
  description: `Trades of an account that hedges are closed one by one. In any other account a trade is closed by an order of the other side, which takes what is open longest first: that is explained and asked, and needs --via-opposite where nobody is asked. For --everything the account's id has to be typed; with --yes it has to be on the command line, as --account. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: { trade: { help: 'Trade ids, as svc trade positions shows them', repeat: true, complete: 'trades' } },
  flags: CLOSE_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'One trade, at the price of now' },
    { run: 'svc trade close 170162801 --amount 5', why: 'A part of it' },
    { run: 'svc trade close --symbol EUR/USD', why: 'All of a symbol' },
    { run: 'svc trade close --everything --account 654061', why: 'Everything that an account has open' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(closing(input, ctx), input, ctx),
});
