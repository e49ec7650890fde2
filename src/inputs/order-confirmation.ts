/** Whoever trades is asked first, and for real money in more than a yes. */
import type { RunContext } from '../cli/command.ts';
import { SvcError } from '../errors.ts';

function isLive({ settings }: RunContext): boolean {
  return settings.get('trade.live') === 'true';
}

/** Before anything is connected: that somebody or the command line can confirm. */
export async function checkConfirmable(
  question: string,
  given: string | undefined,
  ctx: RunContext,
  hint = 'name it on the command line: --account <id|name>',
): Promise<void> {
  if (ctx.dryRun || ctx.interactive) return;
  if (!ctx.yes) await ctx.confirm(question);
  if (isLive(ctx) && given === undefined) {
    throw new SvcError(
      'confirmation_required',
      'the profile trades real money, and --yes alone does not say in which account; nothing was sent',
      { hint },
    );
  }
}

/**
 * Where the profile has `trade.live`, the account's id has to be typed each time, whatever `--yes` says. `isTyped` asks for it in any
 * profile, unless `--yes` was given.
 */
export async function confirmOrder(
  question: string,
  accountId: string,
  ctx: RunContext,
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): Promise<void> {
  if (!isLive(ctx)) return ctx.confirm(question, isTyped ? { word: accountId, always: false } : undefined);
  return ctx.confirm(`REAL MONEY, account ${accountId}: ${question}`, { word: accountId, always: true });
}
