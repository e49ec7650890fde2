/** Confirmation of orders; real money takes more than a yes. */
import { FINAL } from '../../../cli/bulk.ts';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Confirmed } from '../../../http/endpoint.ts';
import { isInFlight, isRepeat, type JournalEntry, mayBeOf } from '../../../store/order-journal.ts';
import { RecentEntries } from '../../../store/recent-entries.ts';
import type { OrderRequest } from './placing.ts';
import { recordSettled, settleEntries } from './settled-entries.ts';
import type { TableCache } from './table-cache.ts';

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

/** What a check for repeats compares. */
export interface Repeatable {
  readonly path: string;
  readonly form: OrderRequest['form'];
  readonly asked?: OrderRequest['asked'];
  /** Of an order: only these wait for a confirmation. */
  readonly opens?: boolean | undefined;
}

/**
 * Checks whether a request repeats one whose outcome is unknown, and thus may double it. With `cache`, what can be shown to be absent is settled first.
 * Returns the question to ask. Throws for an order if there is no terminal, whatever `--yes` says.
 */
export async function checkRepeats(
  question: string,
  requests: readonly Repeatable[],
  ctx: RunContext,
  cache?: TableCache,
): Promise<string> {
  const entries = await (cache?.journal ?? new RecentEntries(ctx.paths)).unknown();
  const repeated = entries.filter(
    (entry) =>
      requests.some((request) => isRepeat(request, entry)) &&
      mayBeOf(ctx.target.baseUrl, entry) &&
      !isInFlight(entry, ctx.now()),
  );
  if (repeated.length === 0) return question;
  const opened = repeated.filter((entry) => requests.some((request) => request.opens && isRepeat(request, entry)));
  const left = await unsettled(opened, ctx, cache);
  for (const { id, at } of repeated.filter((entry) => !opened.includes(entry))) {
    ctx.target.log.warn(
      `an identical request was sent at ${at} and its outcome is unknown (journal ${id}); this one may double it; check with svc trade journal settle`,
    );
  }
  const asked = `An identical request has an unknown outcome. ${question}`;
  const [first] = left;
  if (first === undefined) return repeated.length > opened.length ? asked : question;
  const { entry, evidence } = first;
  const why = `an identical order was sent at ${entry.at} and its outcome is unknown (journal ${entry.id}): ${evidence}`;
  if (!ctx.interactive) {
    throw new SvcError('confirmation_required', `${why}; nothing was sent`, {
      hint: 'check it first: svc trade journal settle',
      sent: 'no',
      more: { journal_id: entry.id },
    });
  }
  ctx.warn(why);
  // With real money or without --yes, the question follows.
  if (ctx.yes && !isLive(ctx)) await ctx.confirm(asked, { always: true });
  return asked;
}

interface Unsettled {
  readonly entry: JournalEntry;
  readonly evidence: string;
}

/** An order that was executed is not settled here: a caller that repeats the command does not know of it yet. */
async function unsettled(
  entries: readonly JournalEntry[],
  ctx: RunContext,
  cache: TableCache | undefined,
): Promise<readonly Unsettled[]> {
  const isSearched = ({ id }: JournalEntry): boolean => cache?.searched.has(id) === true;
  const searched = entries.filter(isSearched).map((entry) => ({ entry, evidence: 'svc is searching for it' }));
  const others = entries.filter((entry) => !isSearched(entry));
  const unread = (evidence: string) => [...searched, ...others.map((entry) => ({ entry, evidence }))];
  if (cache === undefined) return unread('its outcome was not checked');
  if (others.length === 0) return searched;
  const left: Unsettled[] = [...searched];
  try {
    for (const { entry, settled } of await settleEntries(others, await cache.open(), ctx)) {
      if (settled.outcome === 'absent' && (await recordSettled(entry.id, settled, ctx))) {
        ctx.notice(`the identical order of ${entry.at} was not executed: ${settled.evidence}`);
      } else left.push({ entry, evidence: settled.evidence });
    }
  } catch (error) {
    if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
    return unread(`the tables could not be read: ${error.message}`);
  }
  return left;
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
