/** Requests that are planned, shown, confirmed together, and then sent one after the other, each of them once. */
import type { Answer, RunContext } from '../cli/command.ts';
import { type ErrorCode, SvcError } from '../errors.ts';
import type { ChangeRow } from '../services/trading/change-row.ts';
import type { OrderRequest } from '../services/trading/placing.ts';
import { checkConfirmable, confirmOrder } from './order-confirmation.ts';
import { type SendingDetails, sendOrder, showRequest } from './order-sending.ts';
import { type Desk, withDesk } from './trading-desk.ts';
import type { SessionWish } from './trading-session.ts';

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
}

export interface Change {
  /** As it is asked where nobody can answer, before anything is connected. */
  readonly question: string;
  /** Looks at what is there, and throws where that speaks against it. None: there is nothing to do. */
  plan(desk: Desk): Promise<readonly PlannedRequest[]>;
  /** Whether what follows is still sent. */
  goesOn(error: SvcError): boolean;
  /** Where there is nothing to do. */
  readonly nothing?: string;
}

export interface ChangeInput extends SessionWish {
  readonly account?: string | undefined;
}

/** What ends the whole command, whichever request it came from. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['interrupted', 'terminated', 'internal']);
/** The exit status of whatever could not be reached. */
const UNAVAILABLE = 7;
const UNKNOWN: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'not_as_asked']);

export function isUnknown({ code }: SvcError): boolean {
  return UNKNOWN.has(code);
}

/** A row for each; where the only failure is all there is to tell, it is thrown. */
export async function carryOut(
  change: Change,
  input: ChangeInput,
  ctx: RunContext,
): Promise<Answer<readonly ChangeRow[]>> {
  await checkConfirmable(change.question, input.account, ctx);
  return withDesk(ctx, input, async (desk) => {
    const planned = await change.plan(desk);
    if (planned.length === 0) return { value: [], footer: change.nothing };
    await confirmAll(planned, ctx);
    const outcomes = await sendAll(planned, change, { desk, wish: input }, ctx);
    const failures = outcomes.flatMap(({ error }) => error ?? []);
    const [only] = failures;
    const sent = outcomes.filter(({ error, isLeft }) => error !== undefined || !isLeft);
    if (only !== undefined && sent.length === 1) throw only;
    return { value: rowsOf(outcomes), code: codeOf(outcomes), footer: hintsOf(outcomes) };
  });
}

/** In a dry run all of them are shown, and that ends the command. */
export async function confirmAll(planned: readonly PlannedRequest[], ctx: RunContext): Promise<void> {
  if (ctx.dryRun) {
    const { bulk } = await import('../cli/bulk.ts');
    await bulk(planned, 1, ({ request }) => showRequest(request, ctx));
  }
  for (const warning of new Set(planned.flatMap(({ warnings = [] }) => warnings))) ctx.notice(warning);
  const [only, ...more] = planned;
  let question = `${only?.does}?`;
  if (more.length > 0) {
    for (const [index, { does }] of planned.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${planned.length} requests, one after the other?`;
  }
  const accounts = new Set(planned.map(({ accountId }) => accountId ?? 'unknown'));
  for (const accountId of accounts) {
    await confirmOrder(question, accountId, ctx, { isTyped: planned.some(({ isTyped }) => isTyped) });
  }
}

export interface Outcome {
  readonly planned: PlannedRequest;
  readonly orderIds: readonly string[];
  readonly error: SvcError | undefined;
  /** It was left out, as one before it failed. */
  readonly isLeft: boolean;
}

export async function sendAll(
  planned: readonly PlannedRequest[],
  { goesOn }: Pick<Change, 'goesOn'>,
  { desk, wish }: { readonly desk: Desk; readonly wish: SessionWish },
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isOver = false;
  for (const one of planned) {
    if (isOver) {
      outcomes.push({ planned: one, orderIds: [], error: undefined, isLeft: true });
      continue;
    }
    try {
      const { orderIds } = await sendOrder(one.request, await desk.open(), one.details, wish, ctx);
      outcomes.push({ planned: one, orderIds, error: undefined, isLeft: false });
    } catch (error) {
      if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
      outcomes.push({ planned: one, orderIds: orderIdsOf(error), error, isLeft: false });
      isOver = !goesOn(error);
      // With the answer the connection may be gone.
      if (!isOver && isUnknown(error)) await desk.close();
    }
  }
  return outcomes;
}

function orderIdsOf({ more }: SvcError): readonly string[] {
  const ids = more?.['order_id'];
  return ids === undefined ? [] : String(ids).split(' ');
}

export function rowsOf(outcomes: readonly Outcome[]): readonly ChangeRow[] {
  return outcomes.map(({ planned, orderIds, error, isLeft }) => ({
    command: planned.request.command,
    request: planned.request.endpoint.path,
    tradeId: planned.tradeId ?? null,
    orderId: planned.orderId ?? null,
    outcome: outcomeOf(error, isLeft),
    // Some answers name the order that was changed.
    orderIds: orderIds.filter((id) => id !== planned.orderId),
    along: error === undefined && !isLeft ? (planned.along ?? []) : [],
    message: error?.message ?? (isLeft ? 'left out, as one before it failed' : null),
  }));
}

function outcomeOf(error: SvcError | undefined, isLeft: boolean): ChangeRow['outcome'] {
  if (isLeft) return 'not_sent';
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

/** What is not known has to be looked at, whatever became of the others. */
export function codeOf(outcomes: readonly Outcome[]): ErrorCode | undefined {
  const codes = new Set(outcomes.flatMap(({ error }) => error?.code ?? []));
  const [only] = codes;
  if (only === undefined) return undefined;
  const unknown = [...UNKNOWN].find((code) => codes.has(code));
  if (unknown !== undefined) return unknown;
  const someDone = outcomes.some(({ error, isLeft }) => error === undefined && !isLeft);
  return codes.size > 1 || someDone ? 'partly_done' : only;
}
