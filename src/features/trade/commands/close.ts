import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { Plan } from '../../../http/endpoint.ts';
import { type CloseRow, closeList, closeRowOf, codeOf, hintsOf } from '../change-report.ts';
import { CLOSE_ARGS, CLOSE_FLAGS, type CloseInput, closing } from '../close-positions.ts';
import { SENT_ONCE } from '../order-flags.ts';
import { carryOutEach } from '../planned-requests.ts';

export const tradeClose = listCommand({
  id: 'trade close',
  summary: 'Close trades, a symbol, or everything',
  description: `In non-hedging accounts closing sends an opposite order, which closes the oldest trades first (FIFO). svc asks first; pass --via-opposite in scripts. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: CLOSE_ARGS,
  flags: CLOSE_FLAGS,
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'Close one trade at market' },
    { run: 'svc trade close 170162801 --amount 5', why: 'Close a part of it' },
    { run: 'svc trade close --symbol EUR/USD --wait 30s', why: 'Close a symbol and show the rates' },
    { run: 'svc trade close --everything --account 654061', why: 'Close all trades of an account' },
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
