/** What svc doctor asks the gateway. */
import type { RunContext } from '../../cli/command.ts';
import type { ServiceReply } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import { withTrading } from './gateway/trading-session.ts';
import { marketHours } from './market-hours.ts';

/** Connects with the token, and reads the accounts. */
export async function checkTrade(target: Target, ctx: Omit<RunContext, 'target'>): Promise<ServiceReply> {
  const { settings, dryRun, signal, paths, pid, now, random, sleep, notice } = ctx;
  const own = { target, settings, dryRun, signal, paths, pid, now, random, sleep, notice };
  return withTrading(own, async ({ trading, session }) => {
    const accounts = await trading.accounts();
    if (accounts.length === 0) throw new SvcError('not_found', 'the token has no account');
    const ids = accounts.map(({ accountId }) => accountId).join(', ');
    const detail = ` with ${accounts.length} account${accounts.length === 1 ? '' : 's'}: ${ids}; ${marketText(ctx.now())}`;
    return { detail, clockSkewMs: session.clockSkewMs };
  });
}

function marketText(now: number): string {
  const { state, opensAt, closesAt } = marketHours(now);
  const minute = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;
  return state === 'open' ? `forex is traded until ${minute(closesAt)}` : `forex usually opens at ${minute(opensAt)}`;
}
