/** What a person, or `--yes`, must confirm before anything is sent. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Confirmed } from '../../../http/endpoint.ts';
import { isBeingSent, isRepeat, readGatewayJournal, unreadableLines } from '../../../store/order-journal.ts';
import { type OrderRequest, settlingHint } from './placing.ts';

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

/**
 * Checks whether a request repeats one whose outcome is unknown, and thus may double it. Returns the
 * question to ask. If it may open a position (`opens`), svc throws without a terminal, whatever
 * `--yes` says, and asks in any case at one; otherwise it only warns.
 */
export async function checkRepeats(
  question: string,
  requests: readonly (Pick<OrderRequest, 'form' | 'asked'> & { readonly endpoint: { readonly path: string } })[],
  opens: boolean,
  ctx: RunContext,
): Promise<string> {
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  if (journal.unreadable.length > 0) ctx.warn(`warning: ${unreadableLines(ctx.paths, journal)} that this one repeats`);
  const repeated = journal.entries.filter(
    (entry) =>
      requests.some((request) => isRepeat({ ...request, path: request.endpoint.path }, entry)) && !isBeingSent(entry),
  );
  const [first] = repeated;
  if (first === undefined) return question;
  const repeatedQuestion = `An identical request has an unknown outcome. ${question}`;
  if (!opens) {
    for (const { id, at } of repeated) {
      ctx.target.log.warn(
        `an identical request was sent at ${at} and its outcome is unknown; this one may double it; ${settlingHint(id)}`,
      );
    }
    return repeatedQuestion;
  }
  const why = `an identical order was sent at ${first.at} and its outcome is unknown (journal ${first.id})`;
  const hint = settlingHint(first.id);
  if (!ctx.interactive) {
    const more = { journal_id: first.id };
    throw new SvcError('confirmation_required', `${why}; nothing was sent`, { hint, sent: 'no', more });
  }
  ctx.warn(`${why}; ${hint}`);
  // With real money or without --yes, the question follows.
  if (ctx.yes && !isLive(ctx)) await ctx.confirm(repeatedQuestion, { always: true });
  return repeatedQuestion;
}

/**
 * With `trade.live` the account's id must be typed, whatever `--yes` says. `isTyped` asks for it in
 * any profile, unless `--yes` is given.
 */
export async function confirmOrder(
  question: string,
  accountId: string,
  ctx: RunContext,
  isTyped = false,
): Promise<Confirmed> {
  if (!isLive(ctx)) return ctx.confirm(question, isTyped ? { word: accountId, always: false } : undefined);
  return ctx.confirm(`REAL MONEY, account ${accountId}: ${question}`, { word: accountId, always: true });
}

function isLive({ settings }: RunContext): boolean {
  return settings.get('trade.live') === 'true';
}

/** For so long a person may think about an order: what it was checked against is older then. */
const CONFIRM_WITHIN_MS = 60_000;

/** After confirming. `readAt` is when the rows were read that the order was checked against. */
export function checkFresh(readAt: number, ctx: RunContext): void {
  if (ctx.now() - readAt <= CONFIRM_WITHIN_MS) return;
  throw new SvcError('guarded', 'confirmed more than a minute after the prices were read; nothing was sent', {
    hint: 'run the command again',
  });
}
