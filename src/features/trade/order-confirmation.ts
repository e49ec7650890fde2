/** Confirmation of orders; real money takes more than a yes. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Confirmed } from '../../http/endpoint.ts';
import { isRepeat, mayBeOf, type OrderSent, RecentEntries } from '../../store/order-journal.ts';

/** State read longer ago than this is read again. */
export const STALE_MS = 10_000;

function isLive({ settings }: RunContext): boolean {
  return settings.get('trade.live') === 'true';
}

/** Checks before connecting that the order can be confirmed. */
export async function checkConfirmable(
  question: string,
  given: string | undefined,
  ctx: RunContext,
  hint = 'pass --account <id|name>',
): Promise<void> {
  if (ctx.dryRun || ctx.interactive) return;
  if (!ctx.yes) await ctx.confirm(question);
  if (isLive(ctx) && given === undefined) {
    throw new SvcError(
      'confirmation_required',
      'the profile trades real money, so --yes needs --account; nothing was sent',
      { hint },
    );
  }
}

/** Warns if an identical request has an unknown outcome: this one may double it. Returns the question to ask. */
export async function warnOfRepeats(
  question: string,
  requests: readonly Pick<OrderSent, 'path' | 'form'>[],
  ctx: RunContext,
  journal = new RecentEntries(ctx.paths),
): Promise<string> {
  const own = (await journal.read()).filter((entry) => mayBeOf(ctx.target.baseUrl, entry));
  const repeated = own.filter((entry) => requests.some((request) => isRepeat(request, entry)));
  if (repeated.length === 0) return question;
  for (const { id, at } of repeated) {
    ctx.target.log.warn(
      `an identical request was sent at ${at} and its outcome is unknown (journal ${id}); this one may double it; check with svc trade journal settle`,
    );
  }
  return `An identical request has an unknown outcome. ${question}`;
}

/** With `trade.live` the account's id must be typed, whatever `--yes` says. `isTyped` asks for it in any profile, unless `--yes` is given. */
export async function confirmOrder(
  question: string,
  accountId: string,
  ctx: RunContext,
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): Promise<Confirmed> {
  if (!isLive(ctx)) return ctx.confirm(question, isTyped ? { word: accountId, always: false } : undefined);
  return ctx.confirm(`REAL MONEY, account ${accountId}: ${question}`, { word: accountId, always: true });
}
