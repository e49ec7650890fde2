/** What is left of the caps on calls, as this machine has counted. */
import type { RunContext } from '../../cli/command.ts';
import type { CallsLeft } from './call-limits.ts';
import { commandNumbersOf, gatewayToken } from './trading-session.ts';

/** Of those that a look at what became of an order costs. */
const LOOKS = ['OpenPosition', 'Order', 'ClosedPosition'];

export async function callsLeft(ctx: RunContext): Promise<readonly CallsLeft[]> {
  const { budgetPath, CallBudgetFile } = await import('../../store/call-budget.ts');
  const { CALL_LIMITS } = await import('./call-limits.ts');
  const token = await gatewayToken(ctx);
  const file = new CallBudgetFile(budgetPath(ctx.paths, ctx.target.baseUrl.href, token.reveal()), ctx);
  const commandNumbers = await commandNumbersOf(ctx);
  const numbers = LOOKS.map((name) => commandNumbers[name]);
  return CALL_LIMITS.filter(({ cmd }) => numbers.includes(cmd)).map((limit) => {
    const { cmd, does, maxCalls: max } = limit;
    return { cmd, does, left: max - file.usage(limit).used, max };
  });
}
