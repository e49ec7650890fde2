/** Plans requests, confirms them together and sends them one after the other, each once. */
import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import { isInFlight, isRepeat, readGatewayJournal, unreadableLines } from '../../../store/order-journal.ts';
import type { TradingOptions } from '../gateway/trading-session.ts';
import { type ChangeRow, codeOf, hintsOf, isUnknown } from './change-report.ts';
import { FillWatch } from './fills.ts';
import { underLimits } from './limits.ts';
import { keepReport } from './once.ts';
import {
  type OrderRequest,
  type Outcome,
  type PlannedRequest,
  placeOrder,
  planOrders,
  settlingHint,
} from './placing.ts';
import { type TableCache, withTableCache } from './table-cache.ts';

export interface Change {
  /** Asked before anything is connected if there is no terminal. */
  readonly question: string;
  /** Throws if the gateway's state rules it out. Empty: nothing to do. */
  plan(cache: TableCache): Promise<readonly PlannedRequest[]>;
  /** After a failed request, the following ones are still sent. */
  readonly goesOn: boolean;
  /** The message if there is nothing to do. */
  readonly nothing?: string;
}

export interface ChangeInput extends TradingOptions {
  readonly account?: string | undefined;
  /** How long to wait for fills; undefined for not at all. */
  readonly wait?: number | undefined;
}

/** One row per request. */
export async function carryOut<Row extends ChangeRow>(
  change: Change,
  input: ChangeInput,
  ctx: RunContext,
  toRow: (outcome: Outcome) => Row,
): Promise<Answer<readonly Row[]>> {
  const outcomes = await carryOutEach(change, input, ctx);
  if (outcomes instanceof Plan) return { value: outcomes };
  if (outcomes.length === 0) return { value: [], footer: change.nothing };
  return { value: outcomes.map(toRow), code: codeOf(outcomes), footer: hintsOf(outcomes) };
}

/** Plans, confirms, sends and waits. Throws if the only request that was tried failed. */
export async function carryOutEach(
  change: Change,
  input: ChangeInput,
  ctx: RunContext,
): Promise<Plan | readonly Outcome[]> {
  await checkConfirmable(change.question, input.account, ctx);
  return withTableCache(ctx, { ...input, reconnect: input.wait !== undefined }, async (cache) => {
    const planned = await change.plan(cache);
    if (planned.length === 0) return [];
    if (ctx.dryRun)
      return planOrders(
        planned.map(({ request }) => request),
        ctx,
      );
    const confirmed = await confirmAll(planned, cache, ctx);
    const watch = input.wait === undefined ? undefined : new FillWatch(ctx);
    const outcomes = await sendAll(planned, { confirmed, cache, watch, goesOn: change.goesOn }, ctx);
    const tried = outcomes.filter(({ placed, error }) => placed !== undefined || error !== undefined);
    const failed = outcomes.find(({ error }) => error !== undefined);
    if (failed?.error !== undefined && tried.length === 1) throw failed.error;
    return watch === undefined ? outcomes : waitForAll(outcomes, { watch, wait: input.wait ?? 0 }, ctx);
  });
}

/** After a slow answer the state is read again before anything is sent. */
async function confirmAll(planned: readonly PlannedRequest[], cache: TableCache, ctx: RunContext): Promise<Confirmed> {
  for (const warning of new Set(planned.flatMap(({ warnings = [] }) => warnings))) ctx.notice(warning);
  const [only, ...more] = planned;
  let question = `${only?.does}?`;
  if (more.length > 0) {
    for (const [index, { does }] of planned.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${planned.length} requests, one after the other?`;
  }
  const requests = planned.map(({ request: { endpoint, form } }) => ({ path: endpoint.path, form }));
  const askedAt = ctx.now();
  question = await checkRepeats(question, requests, ctx);
  const [first = 'unknown', ...others] = new Set(planned.map(({ accountId }) => accountId ?? 'unknown'));
  const typing = { isTyped: planned.some(({ isTyped }) => isTyped) };
  const confirmed = await confirmOrder(question, first, ctx, typing);
  for (const accountId of others) await confirmOrder(question, accountId, ctx, typing);
  if (ctx.now() - askedAt < STALE_MS) return confirmed;
  cache.invalidate();
  for (const { recheck } of planned) await recheck?.(cache);
  return confirmed;
}

interface SendingAll {
  readonly confirmed: Confirmed;
  readonly cache: TableCache;
  /** For `--wait`: follows the session before anything is sent through it. */
  readonly watch: FillWatch | undefined;
  readonly goesOn: boolean;
}

async function sendAll(
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
      if (!isOver && isUnknown(error)) await sending.cache.close();
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

async function sendPlanned(
  planned: PlannedRequest,
  { confirmed, cache, watch }: SendingAll,
  ctx: RunContext,
): Promise<Outcome> {
  try {
    const open = await cache.open();
    await open.session.connect();
    await watch?.follow(open.session, open.unlimited);
    const sending = { open, confirmed, known: planned.known };
    const placed = await underLimits(planned, cache, ctx, () => placeOrder(planned.request, sending, ctx));
    return { planned, placed, error: placed.error };
  } catch (error) {
    if (error instanceof SvcError) return { planned, error };
    throw error;
  }
}

interface Waiting {
  readonly watch: FillWatch;
  readonly wait: number;
}

/** All are sent before the first is waited for. */
async function waitForAll(
  outcomes: readonly Outcome[],
  { watch, wait }: Waiting,
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
        const awaited = placed === undefined || error !== undefined ? undefined : planned.awaits?.(placed);
        if (placed === undefined || awaited === undefined) return outcome;
        const report = await watch.wait(awaited, wait);
        await keepReport({ journalId: placed.journalId, orderIds: placed.orderIds, report, isOnce: false }, ctx);
        return { ...outcome, report };
      }),
    );
  } catch (error) {
    throw acceptedBut(error, ids);
  }
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
    (entry) => requests.some((request) => isRepeat(request, entry)) && !isInFlight(entry, ctx.now()),
  );
  if (repeated.length === 0) return question;
  const asked = `An identical request has an unknown outcome. ${question}`;
  const order = repeated.find((entry) => requests.some((request) => request.opens && isRepeat(request, entry)));
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
