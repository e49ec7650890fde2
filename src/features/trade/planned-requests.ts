/** Requests that are planned, shown, confirmed together, and then sent one after the other, each of them once. */
import { FINAL } from '../../cli/bulk.ts';
import type { Answer, RunContext } from '../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import { type Confirmed, Plan } from '../../http/endpoint.ts';
import type { ChangeRow } from './change-row.ts';
import type { FillWatch } from './fills.ts';
import { checkConfirmable, confirmOrder, STALE_MS, warnOfRepeats } from './order-confirmation.ts';
import type { Awaited } from './order-ledger.ts';
import { planOrders, type SendingDetails, type SendingOptions, sendOrder } from './order-sending.ts';
import type { OrderRequest, Placed } from './placing.ts';
import { type TableCache, withTableCache } from './table-cache.ts';
import type { TradingOptions, TradingSession } from './trading-session.ts';

export interface PlannedRequest {
  readonly request: OrderRequest;
  readonly details: SendingDetails;
  /** Undefined where the cap on calls kept it from being seen. */
  readonly accountId: string | undefined;
  /** As whoever confirms it reads it: `Cancel order 390285837`. */
  readonly does: string;
  /** What it is about. */
  readonly tradeId?: string;
  readonly orderId?: string;
  /** So much is at stake that the account's id has to be typed. */
  readonly isTyped?: true;
  /** What else ends with it, as those that live and end together do. */
  readonly along?: readonly string[];
  /** What whoever confirms it should know. */
  readonly warnings?: readonly string[];
  /** Where it would do harm if things have changed while it was confirmed: throws where they have. */
  recheck?(cache: TableCache): Promise<void>;
  /** What to wait for, once it is accepted. */
  awaits?(placed: Placed): Awaited;
}

export interface Change {
  /** As it is asked where nobody can answer, before anything is connected. */
  readonly question: string;
  /** Looks at what is there, and throws where that speaks against it. None: there is nothing to do. */
  plan(cache: TableCache): Promise<readonly PlannedRequest[]>;
  /** Whether what follows is still sent. */
  goesOn(error: SvcError): boolean;
  /** Where there is nothing to do. */
  readonly nothing?: string;
}

export interface ChangeInput extends TradingOptions {
  readonly account?: string | undefined;
}

/** The exit status of whatever could not be reached. */
const UNAVAILABLE = 7;
const UNKNOWN: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'not_as_asked']);

export function isUnknown({ code }: SvcError): boolean {
  return UNKNOWN.has(code);
}

/** A row for each; where the only failure is all there is to tell, it is thrown. */
export function carryOut(change: Change, input: ChangeInput, ctx: RunContext): Promise<Answer<readonly ChangeRow[]>> {
  return carryOutWith(change, input, ctx, async (planned, cache, confirmed) => {
    const outcomes = await sendAll(planned, change, { cache, options: input, confirmed }, ctx);
    throwOnly(outcomes);
    return { value: rowsOf(outcomes), code: codeOf(outcomes), footer: hintsOf(outcomes) };
  });
}

/** Plans it and has it confirmed; `send` does the rest. */
export async function carryOutWith<Row extends ChangeRow>(
  change: Change,
  input: ChangeInput,
  ctx: RunContext,
  send: (
    planned: readonly PlannedRequest[],
    cache: TableCache,
    confirmed: Confirmed,
  ) => Promise<Answer<readonly Row[]>>,
): Promise<Answer<readonly Row[]>> {
  await checkConfirmable(change.question, input.account, ctx);
  return withTableCache(ctx, input, async (cache) => {
    const planned = await change.plan(cache);
    if (planned.length === 0) return { value: [], footer: change.nothing };
    const confirmed = await confirmAll(planned, cache, ctx);
    return confirmed instanceof Plan ? { value: confirmed } : send(planned, cache, confirmed);
  });
}

export function throwOnly(outcomes: readonly Outcome[]): void {
  const [only] = outcomes.flatMap(({ error }) => error ?? []);
  const tried = outcomes.filter(({ isLeft }) => !isLeft);
  if (only !== undefined && tried.length === 1) throw only;
}

/** A dry run gets the plan of all. Where the answer took its time, the state is read again before anything is sent. */
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
  const requests = planned.map(({ request: { endpoint, form } }) => ({ path: endpoint.path, form }));
  question = await warnOfRepeats(question, requests, ctx);
  const askedAt = ctx.now();
  const [first = 'unknown', ...others] = new Set(planned.map(({ accountId }) => accountId ?? 'unknown'));
  const typing = { isTyped: planned.some(({ isTyped }) => isTyped) };
  const confirmed = await confirmOrder(question, first, ctx, typing);
  for (const accountId of others) await confirmOrder(question, accountId, ctx, typing);
  if (ctx.now() - askedAt < STALE_MS) return confirmed;
  cache.invalidate();
  for (const { recheck } of planned) await recheck?.(cache);
  return confirmed;
}

export interface Outcome {
  readonly planned: PlannedRequest;
  readonly orderIds: readonly string[];
  /** Where it was accepted. */
  readonly placed?: Placed;
  readonly error: SvcError | undefined;
  /** It was left out, as one before it failed. */
  readonly isLeft: boolean;
  /** It failed before it was on its way. */
  readonly isKept?: boolean;
  /** Of one that failed. */
  readonly journalId?: string | undefined;
}

interface Sending {
  readonly confirmed: Confirmed;
  readonly cache: TableCache;
  readonly options: SendingOptions;
  /** For `--wait`: follows the session before anything is sent through it. */
  readonly ready?: (open: TradingSession) => Promise<FillWatch>;
}

export async function sendAll(
  planned: readonly PlannedRequest[],
  { goesOn }: Pick<Change, 'goesOn'>,
  { confirmed, cache, options, ready }: Sending,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isOver = false;
  for (const one of planned) {
    if (isOver) {
      outcomes.push({ planned: one, orderIds: [], error: undefined, isLeft: true });
      continue;
    }
    let isKept = true;
    let journalId: string | undefined;
    const journaled = (id: string): void => {
      journalId = id;
    };
    try {
      const open = await cache.open();
      await open.session.connect();
      const watch = await ready?.(open);
      isKept = false;
      const details = { ...one.details, journaled };
      const placed = await sendOrder(one.request, confirmed, open, details, { ...options, watch }, ctx);
      outcomes.push({ planned: one, orderIds: placed.orderIds, placed, error: undefined, isLeft: false });
    } catch (error) {
      if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
      outcomes.push({ planned: one, orderIds: orderIdsOf(error), error, isLeft: false, isKept, journalId });
      isOver = !goesOn(error);
      // With the answer the connection may be gone.
      if (!isOver && isUnknown(error)) await cache.close();
    }
  }
  return outcomes;
}

function orderIdsOf({ more }: SvcError): readonly string[] {
  const ids = more?.['order_id'];
  return ids === undefined ? [] : String(ids).split(' ');
}

export function rowsOf(outcomes: readonly Outcome[]): readonly ChangeRow[] {
  return outcomes.map(({ planned, orderIds, error, isLeft, isKept = false, journalId }) => ({
    command: planned.request.command,
    request: planned.request.endpoint.path,
    tradeId: planned.tradeId ?? null,
    orderId: planned.orderId ?? null,
    outcome: outcomeOf(error, isLeft || isKept),
    // Some answers name the order that was changed.
    orderIds: orderIds.filter((id) => id !== planned.orderId),
    along: error === undefined && !isLeft ? (planned.along ?? []) : [],
    message: error?.message ?? (isLeft ? 'left out, as one before it failed' : null),
    code: error?.code ?? null,
    server_code: error?.more?.['server_code'] ?? null,
    http_status: error?.httpStatus ?? null,
    journal_id: error === undefined ? null : (journalId ?? null),
  }));
}

function outcomeOf(error: SvcError | undefined, isKept: boolean): ChangeRow['outcome'] {
  if (isKept) return 'not_sent';
  if (error === undefined) return 'accepted';
  if (UNKNOWN.has(error.code)) return 'unknown';
  // Of a write these mean that nothing has left: no connection, or a journal that could not be written.
  return error.exit === UNAVAILABLE || error.code === 'file_unusable' ? 'not_sent' : 'refused';
}

/** What to do now, each once: the rows have only what happened. */
export function hintsOf(outcomes: readonly Outcome[]): string | undefined {
  const hints = new Set(outcomes.flatMap(({ error }) => error?.hint ?? []));
  return hints.size === 0 ? undefined : [...hints].join('\n');
}

/** What is not known has to be looked at, whatever became of the others. `ends`: what became of those that were accepted. */
export function codeOf(
  outcomes: readonly Outcome[],
  ends: ReadonlyMap<Outcome, ErrorCode | undefined> = new Map(),
): ErrorCode | undefined {
  const codeAt = (outcome: Outcome): ErrorCode | undefined => outcome.error?.code ?? ends.get(outcome);
  const codes = new Set(outcomes.flatMap((outcome) => codeAt(outcome) ?? []));
  const [only] = codes;
  if (only === undefined) return undefined;
  const unknown = [...UNKNOWN].find((code) => codes.has(code));
  if (unknown !== undefined) return unknown;
  const someDone = outcomes.some((outcome) => !outcome.isLeft && codeAt(outcome) === undefined);
  return codes.size > 1 || someDone ? 'partly_done' : only;
}
