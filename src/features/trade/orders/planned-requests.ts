/** Confirms planned requests together, and sends them one after the other, each once. */
import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Confirmed } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import { isBeingSent, isRepeat, readGatewayJournal, unreadableLines } from '../../../store/order-journal.ts';
import { type ChangeRow, codeOf, hintsOf, isUnknown, rowOf } from './change-report.ts';
import type { FillWatch } from './fills.ts';
import { underLimits } from './limits.ts';
import { keepReport } from './once.ts';
import type { OrderTables } from './order-tables.ts';
import {
  type OrderRequest,
  type Outcome,
  type Placed,
  type PlannedRequest,
  placeOrder,
  settlingHint,
} from './placing.ts';

/** For so long a person may think about an order: what it was checked against is older then. */
const CONFIRM_WITHIN_MS = 60_000;

/** After the confirmation. `readAt` is when the rows were read that the order was checked against. */
export function checkFresh(readAt: number, ctx: RunContext): void {
  if (ctx.now() - readAt <= CONFIRM_WITHIN_MS) return;
  throw new SvcError('guarded', 'confirmed more than a minute after the prices were read; nothing was sent', {
    hint: 'run the command again',
  });
}

export async function confirmAll(planned: readonly PlannedRequest[], ctx: RunContext): Promise<Confirmed> {
  for (const warning of new Set(planned.flatMap(({ warnings = [] }) => warnings))) ctx.notice(warning);
  const [only, ...more] = planned;
  let question = `${only?.does}?`;
  if (more.length > 0) {
    for (const [index, { does }] of planned.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${planned.length} requests, one after the other?`;
  }
  const requests = planned.map(({ request: { endpoint, form } }) => ({ path: endpoint.path, form }));
  question = await checkRepeats(question, requests, ctx);
  const [first = 'unknown', ...others] = new Set(planned.map(({ accountId }) => accountId ?? 'unknown'));
  const typing = { isTyped: planned.some(({ isTyped }) => isTyped) };
  const confirmed = await confirmOrder(question, first, ctx, typing);
  for (const accountId of others) await confirmOrder(question, accountId, ctx, typing);
  return confirmed;
}

interface SendingAll extends Connecting {
  /** After a failed request, the following ones are still sent. */
  readonly goesOn: boolean;
}

/** One after the other. Throws if the only request that was tried failed. */
export async function sendAll(
  planned: readonly PlannedRequest[],
  sending: SendingAll,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isOver = false;
  for (const one of planned) {
    const outcome: Outcome = isOver ? { planned: one } : await sendPlanned(one, sending, ctx);
    const { error } = outcome;
    if (error !== undefined) {
      if (FINAL.has(error.code)) throw error;
      isOver = !sending.goesOn;
      // The connection may be lost with the response.
      if (!isOver && isUnknown(error)) await sending.tables.close();
    }
    outcomes.push(outcome);
  }
  const tried = outcomes.filter(({ placed, error }) => placed !== undefined || error !== undefined);
  const failed = outcomes.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined && tried.length === 1) throw failed.error;
  return outcomes;
}

async function sendPlanned(planned: PlannedRequest, sending: Connecting, ctx: RunContext): Promise<Outcome> {
  try {
    const placed = await connectAndPlace(planned, sending, ctx);
    return { planned, placed, error: placed.error };
  } catch (error) {
    if (error instanceof SvcError) return { planned, error };
    throw error;
  }
}

interface Connecting {
  readonly confirmed: Confirmed;
  readonly tables: OrderTables;
  /** For `--wait`: follows the session before anything is sent through it. */
  readonly watch?: FillWatch | undefined;
}

/** A lost connection is not waited for: what was checked and confirmed is about now. */
export async function connectAndPlace(
  { request, opens }: Pick<PlannedRequest, 'request' | 'opens'>,
  { confirmed, tables, watch }: Connecting,
  ctx: RunContext,
): Promise<Placed> {
  const open = await tables.open();
  const { outage } = open.session;
  if (outage !== undefined) {
    throw new SvcError('connection_lost', `${outage.message}; nothing was sent`, { sent: 'no', cause: outage });
  }
  await open.session.connect();
  await watch?.follow(open.session, open.trading);
  return underLimits(opens, tables, ctx, () => placeOrder(request, open, confirmed, ctx));
}

/** All are sent before the first is waited for. */
export async function waitForAll(
  outcomes: readonly Outcome[],
  watch: FillWatch,
  wait: number,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const accepted = outcomes.filter(
    ({ planned, placed, error }) => error === undefined && placed !== undefined && planned.awaits !== undefined,
  );
  if (accepted.length === 0) return outcomes;
  const ids = accepted.flatMap(({ placed }) => placed?.orderIds ?? []);
  ctx.notice(`${ordersText(ids)} accepted; waiting for fills`);
  try {
    return await Promise.all(
      outcomes.map(async (outcome) => {
        const { planned, placed, error } = outcome;
        if (placed === undefined || error !== undefined || planned.awaits === undefined) return outcome;
        const { orderIds, journalId, sentAt } = placed;
        const report = await watch.wait({ ...planned.awaits, orderIds, sentAt }, wait);
        await keepReport({ journalId, orderIds, report, isOnce: false }, ctx);
        return { ...outcome, report };
      }),
    );
  } catch (error) {
    throw acceptedBut(error, ids);
  }
}

/** One row per request. */
export function reportChanges(outcomes: readonly Outcome[]): Answer<readonly ChangeRow[]> {
  return { value: outcomes.map(rowOf), code: codeOf(outcomes), footer: hintsOf(outcomes) };
}

/** `orders 1, 2`, and `request` where the response names none. */
export function ordersText(ids: readonly string[]): string {
  return ids.length === 0 ? 'request' : `order${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
}

/** A failure while accepted orders are waited for: says that they were accepted. */
export function acceptedBut(error: unknown, ids: readonly string[]): unknown {
  if (!(error instanceof SvcError)) return error;
  const list = ids.length === 1 ? `orders get ${shellWord(ids[0] ?? '')}` : 'orders';
  return new SvcError(error.code, `${error.message}: ${ordersText(ids)} accepted, and now open or filled`, {
    hint: `svc trade ${list}, svc trade positions`,
    more: { order_id: ids.length === 0 ? undefined : ids.join(' ') },
    cause: error,
  });
}

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
  /** It may open a position: svc then asks, or refuses without a terminal, and does not only warn. */
  readonly blocksRepeat?: boolean | undefined;
}

/**
 * Checks whether a request repeats one whose outcome is unknown, and thus may double it. Returns the question to ask. Throws for an order
 * if there is no terminal, whatever `--yes` says.
 */
export async function checkRepeats(
  question: string,
  requests: readonly Repeatable[],
  ctx: RunContext,
): Promise<string> {
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  if (journal.unreadable.length > 0) ctx.warn(`warning: ${unreadableLines(ctx.paths, journal)} that this one repeats`);
  const repeated = journal.entries.filter(
    (entry) => requests.some((request) => isRepeat(request, entry)) && !isBeingSent(entry),
  );
  if (repeated.length === 0) return question;
  const asked = `An identical request has an unknown outcome. ${question}`;
  const order = repeated.find((entry) => requests.some((request) => request.blocksRepeat && isRepeat(request, entry)));
  if (order === undefined) {
    for (const { id, at } of repeated) {
      ctx.target.log.warn(
        `an identical request was sent at ${at} and its outcome is unknown; this one may double it; ${settlingHint(id)}`,
      );
    }
    return asked;
  }
  const why = `an identical order was sent at ${order.at} and its outcome is unknown (journal ${order.id})`;
  if (!ctx.interactive) {
    throw new SvcError('confirmation_required', `${why}; nothing was sent`, {
      hint: settlingHint(order.id),
      sent: 'no',
      more: { journal_id: order.id },
    });
  }
  ctx.warn(`${why}; ${settlingHint(order.id)}`);
  // With real money or without --yes, the question follows.
  if (ctx.yes && !isLive(ctx)) await ctx.confirm(asked, { always: true });
  return asked;
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
