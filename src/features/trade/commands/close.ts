import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { Plan } from '../../../http/endpoint.ts';
import { type CloseRow, closeList, closeRowOf, codeOf, hintsOf } from '../change-report.ts';
import { CLOSE_ARGS, CLOSE_FLAGS, type CloseInput, closing } from '../close-positions.ts';
import { SENT_ONCE } from '../order-flags.ts';
import { carryOutEach } from '../planned-requests.ts';

export const tradeClose = listCommand({
  id: 'trade close',
  summary: 'Close trades, all of a symbol, or everything',
  description: `Trades of an account that hedges are closed one by one. In any other account a trade is closed by an order of the other side, which takes what is open longest first: that is explained and asked, and needs --via-opposite where nobody is asked. For --everything the account's id has to be typed; with --yes it has to be on the command line, as --account.\nWith --wait all is sent first, and then waited for: status, and in closedTrades what was closed at which rate; exit status 10 where that is a part, 3 where it ended without any, 9 where the time was over. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: CLOSE_ARGS,
  flags: CLOSE_FLAGS,
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'One trade, at the price of now' },
    { run: 'svc trade close 170162801 --amount 5', why: 'A part of it' },
    { run: 'svc trade close --symbol EUR/USD --wait 30s', why: 'All of a symbol, and at which rates it was closed' },
    { run: 'svc trade close --everything --account 654061', why: 'Everything that an account has open' },
  ],
  output: closeList({}),
  outputOf: closeList,
  run: async (input, ctx) => closeTrades(input, ctx),
});

async function closeTrades(input: CloseInput, ctx: RunContext): Promise<Answer<readonly CloseRow[]>> {
  const change = closing(input, ctx);
  const outcomes = await carryOutEach(change, input, ctx);
  if (outcomes instanceof Plan) return { value: outcomes };
  if (outcomes.length === 0) return { value: [], footer: change.nothing };
  const answer = { value: outcomes.map(closeRowOf), code: codeOf(outcomes), footer: hintsOf(outcomes) };
  return { ...answer, as: closeList(input) };
}
