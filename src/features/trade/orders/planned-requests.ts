/** Plans requests, confirms them together and sends them one after the other, each once. */
import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import type { TradingOptions } from '../gateway/trading-session.ts';
import { type ChangeRow, codeOf, hintsOf, isUnknown } from './change-report.ts';
import { checkConfirmable, checkRepeats, confirmOrder, STALE_MS } from './confirmation.ts';
import { FillWatch } from './fills.ts';
import { underLimits } from './limits.ts';
import type { Once } from './once.ts';
import { type KeyClaim, type Outcome, type PlannedRequest, placeOrder, planOrders } from './placing.ts';
import { type TableCache, withTableCache } from './table-cache.ts';

export interface Change {
  /** Asked before anything is connected if there is no terminal. */
  readonly question: string;
  /** Throws if the gateway's state rules it out. Empty: nothing to do. */
  plan(cache: TableCache): Promise<readonly PlannedRequest[]>;
  /** `plan` in parts: a session sends each before it plans the next. */
  readonly parts?: readonly Part[];
  /** It reduces what is at risk: in a session none of its requests waits for the response to another. */
  readonly protects?: true;
  /** It concerns all that is there: a batch plans it again when its turn comes. */
  readonly sweeps?: true;
  /** Whether the following requests are still sent. */
  goesOn(error: SvcError): boolean;
  /** The message if there is nothing to do. */
  readonly nothing?: string;
  /** Only for a change of one request. */
  readonly once?: Once | undefined;
}

/** `before`: what the parts before it have planned. */
export type Part = (cache: TableCache, before: readonly PlannedRequest[]) => Promise<readonly PlannedRequest[]>;

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
  const options = { ...input, reconnect: input.wait !== undefined };
  return withTableCache(ctx, options, async (cache) => {
    const watch = input.wait === undefined ? undefined : new FillWatch(ctx);
    const result = await sendChange(change, { cache, options, watch, follows: watch !== undefined }, ctx);
    if (result instanceof Plan) return result;
    const { outcomes, isEarlier } = result;
    const [failed] = outcomes.filter(({ error }) => error !== undefined);
    const tried = outcomes.filter(({ placed, error }) => placed !== undefined || error !== undefined);
    if (failed?.error !== undefined && tried.length === 1) throw failed.error;
    if (watch === undefined) return outcomes;
    if (isEarlier) {
      if (outcomes.some(({ report }) => report !== undefined)) return outcomes;
      const { session, unlimited } = await cache.open();
      await watch.follow(session, unlimited);
      await watch.refresh();
    }
    return waitForAll(outcomes, watch, input.wait ?? 0, ctx);
  });
}

export interface SendingChange extends Omit<SendingAll, 'confirmed'> {
  /** What an earlier run sent with the same key can be waited for. */
  readonly follows: boolean;
  /** What was planned and confirmed before, for a batch. */
  readonly planned?: readonly PlannedRequest[] | undefined;
  readonly confirmed?: Confirmed | undefined;
  /** Instead of the change's own rule. */
  readonly goesOn?: Change['goesOn'];
}

export interface Sent {
  /** Empty: nothing to do. */
  readonly outcomes: readonly Outcome[];
  /** An earlier run has sent it with the same key. */
  readonly isEarlier: boolean;
}

/** The only way to send a change: of a command, a batch or a session. A dry run gets a plan. */
export async function sendChange(change: Change, sending: SendingChange, ctx: RunContext): Promise<Plan | Sent> {
  const { cache, goesOn = change.goesOn } = sending;
  const sendPlanned = async (planned: readonly PlannedRequest[]): Promise<Plan | readonly Outcome[]> => {
    if (planned.length === 0) return [];
    const confirmed = sending.confirmed ?? (await confirmAll(planned, cache, ctx));
    if (confirmed instanceof Plan) return confirmed;
    return sendAll(planned, { ...change, goesOn }, { ...sending, confirmed }, ctx);
  };
  const send = async (claim?: KeyClaim): Promise<Plan | readonly Outcome[]> =>
    sendPlanned(claimed(sending.planned ?? (await change.plan(cache)), claim));
  if (change.parts !== undefined && cache.isSession && !ctx.dryRun) {
    const sent: Promise<Plan | readonly Outcome[]>[] = [];
    let before: readonly PlannedRequest[] = [];
    for (const part of change.parts) {
      const planned = await part(cache, before);
      before = [...before, ...planned];
      const sending = sendPlanned(planned);
      sending.catch(() => {}); // an interruption may end the next part first
      sent.push(sending);
    }
    return sentOf((await Promise.all(sent)).flatMap((outcomes) => (outcomes instanceof Plan ? [] : outcomes)));
  }
  if (change.once === undefined || ctx.dryRun) return sentOf(await send());
  const { sendOnce } = await import('./once.ts');
  const result = await sendOnce(change.once, sending, ctx, send);
  return 'sent' in result ? sentOf(result.sent) : { outcomes: [result.earlier], isEarlier: true };
}

function sentOf(outcomes: Plan | readonly Outcome[]): Plan | Sent {
  return outcomes instanceof Plan ? outcomes : { outcomes, isEarlier: false };
}

function claimed(planned: readonly PlannedRequest[], once: KeyClaim | undefined): readonly PlannedRequest[] {
  if (once === undefined) return planned;
  return planned.map((one) => ({ ...one, request: { ...one.request, once } }));
}

/** A dry run gets a plan. After a slow answer the state is read again before anything is sent. */
export async function confirmAll(
  planned: readonly PlannedRequest[],
  cache: TableCache,
  ctx: RunContext,
): Promise<Confirmed | Plan> {
  if (ctx.dryRun) {
    return planOrders(
      planned.map(({ request }) => request),
      ctx,
    );
  }
  for (const warning of new Set(planned.flatMap(({ warnings = [] }) => warnings))) ctx.notice(warning);
  const [only, ...more] = planned;
  let question = `${only?.does}?`;
  if (more.length > 0) {
    for (const [index, { does }] of planned.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${planned.length} requests, one after the other?`;
  }
  const requests = planned.map(({ request: { endpoint, form, asked, opens, once } }) => {
    return { path: endpoint.path, form, asked, opens: opens === true && once === undefined };
  });
  const askedAt = ctx.now();
  question = await checkRepeats(question, requests, ctx, cache);
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
  readonly options: ChangeInput;
  /** For `--wait`: follows the session before anything is sent through it. */
  readonly watch?: FillWatch | undefined;
  readonly searchesLater?: boolean;
}

async function sendAll(
  planned: readonly PlannedRequest[],
  { goesOn, protects }: Pick<Change, 'goesOn' | 'protects'>,
  { confirmed, cache, options, watch, searchesLater }: SendingAll,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isOver = false;
  const send = async (one: PlannedRequest): Promise<Outcome> => {
    try {
      const open = await cache.open();
      // After an outage, the caller of a session has not seen the prices.
      if (!cache.isSession) await open.session.connect();
      await watch?.follow(open.session, open.unlimited);
      const { request, before, known } = one;
      const { journal } = cache;
      const sending = { ...options, open, confirmed, before, known, watch, searchesLater, journal };
      const placed = await underLimits(one, cache, ctx, () => placeOrder(request, sending, ctx));
      return { planned: one, placed, error: placed.error };
    } catch (error) {
      if (error instanceof SvcError) return { planned: one, error };
      throw error;
    }
  };
  if (protects && cache.isSession) {
    const all = await Promise.all(planned.map(send));
    const ended = all.find(({ error }) => error !== undefined && FINAL.has(error.code));
    if (ended !== undefined) throw ended.error;
    return all;
  }
  for (const one of planned) {
    const outcome: Outcome = isOver ? { planned: one } : await send(one);
    const { error } = outcome;
    if (error !== undefined) {
      if (FINAL.has(error.code)) throw error;
      isOver = !goesOn(error);
      // The connection may be lost with the response.
      if (!isOver && isUnknown(error)) await cache.close();
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

/** All are sent before the first is waited for. */
async function waitForAll(
  outcomes: readonly Outcome[],
  watch: FillWatch,
  wait: number,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const accepted = outcomes.filter(({ error, placed }) => error === undefined && placed !== undefined);
  if (accepted.length === 0) return outcomes;
  const ids = accepted.flatMap(({ placed }) => placed?.orderIds ?? []);
  const orders = ids.length === 0 ? 'request' : `order${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
  ctx.notice(`${orders} accepted; waiting for fills`);
  try {
    return await Promise.all(
      outcomes.map(async (outcome) => {
        const { planned, placed, error } = outcome;
        const awaited = placed === undefined || error !== undefined ? undefined : planned.awaits?.(placed);
        if (awaited === undefined) return outcome;
        const reported = { ...outcome, report: await watch.wait(awaited, wait) };
        if (planned.request.once !== undefined) await (await import('./once.ts')).keepReport(reported, ctx);
        return reported;
      }),
    );
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const list = ids.length === 1 ? `orders get ${shellWord(ids[0] ?? '')}` : 'orders';
    throw new SvcError(error.code, `${error.message}: ${orders} accepted, and now open or filled`, {
      hint: `svc trade ${list}, svc trade positions`,
      more: { order_id: ids.length === 0 ? undefined : ids.join(' ') },
      cause: error,
    });
  }
}
