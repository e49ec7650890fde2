/** Changes, cancels and closes: confirmed together, sent in turn, each once, reported as rows. */
import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import type { Confirmed, Plan } from '../../../http/endpoint.ts';
import type { Cell, ListOutput, Tone } from '../../../output/types.ts';
import { checkRepeats, confirmOrder } from './confirming.ts';
import type { FillWatch } from './fills.ts';
import type { OrderTables } from './order-tables.ts';
import { connect, type OrderRequest, type Placed, planRequests, sendOrder } from './placing.ts';

export interface Change extends OrderRequest {
  /** Undefined if a rate limit prevented reading it. */
  readonly accountId: string | undefined;
  /** For the confirmation: `Cancel order 390285837`. */
  readonly does: string;
  readonly tradeId: string | null;
  readonly orderId: string | null;
  /** Other orders of its OCO group, which end with it. */
  readonly along: readonly string[];
}

/** Without `placed` it was not sent; without an error too it was skipped after a failure. */
export interface Outcome<C extends Change = Change> {
  readonly change: C;
  readonly placed?: Placed;
  readonly error?: SvcError | undefined;
}

/** A dry run: what is shown before the confirmation, too, and the requests. */
export function planChanges(changes: readonly Change[], ctx: RunContext): Promise<Plan> {
  if (ctx.interactive) for (const { does } of changes) ctx.notice(does);
  return planRequests(changes, ctx);
}

/** `isTyped`: the user must type the account's id to confirm. */
export async function confirmChanges(changes: readonly Change[], ctx: RunContext, isTyped = false): Promise<Confirmed> {
  let question = `${changes[0]?.does}?`;
  if (changes.length > 1) {
    for (const [index, { does }] of changes.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${changes.length} requests, one after the other?`;
  }
  question = await checkRepeats(question, changes, false, ctx);
  const [first = 'unknown', ...others] = new Set(changes.map(({ accountId = 'unknown' }) => accountId));
  const confirmed = await confirmOrder(question, first, ctx, isTyped);
  for (const accountId of others) await confirmOrder(question, accountId, ctx, isTyped);
  return confirmed;
}

interface Sending {
  readonly confirmed: Confirmed;
  readonly tables: OrderTables;
  /** For `--wait`: follows the session before anything is sent through it. */
  readonly watch?: FillWatch | undefined;
  /** After a failed change, the following ones are still sent. */
  readonly goesOn: boolean;
}

/** One after the other. Throws if the only change that was tried failed. */
export async function sendChanges<C extends Change>(
  changes: readonly C[],
  sending: Sending,
  ctx: RunContext,
): Promise<readonly Outcome<C>[]> {
  const outcomes: Outcome<C>[] = [];
  for (const change of changes) {
    const isOver = !sending.goesOn && outcomes.some(({ error }) => error !== undefined);
    outcomes.push(isOver ? { change } : await sendChange(change, sending, ctx));
  }
  const [tried, ...more] = outcomes.filter(({ placed, error }) => placed !== undefined || error !== undefined);
  if (tried?.error !== undefined && more.length === 0) throw tried.error;
  return outcomes;
}

async function sendChange<C extends Change>(
  change: C,
  { confirmed, tables, watch }: Sending,
  ctx: RunContext,
): Promise<Outcome<C>> {
  let outcome: Outcome<C>;
  try {
    const open = await connect(tables);
    await watch?.follow(open);
    const placed = await sendOrder(change, open, confirmed, ctx);
    outcome = { change, placed, error: placed.error };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    outcome = { change, error };
  }
  const code = outcome.error?.code;
  if (code !== undefined && FINAL.has(code)) throw outcome.error;
  // The connection may be lost with the response.
  if (code !== undefined && UNKNOWN.has(code)) await tables.close();
  return outcome;
}

const UNKNOWN: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'not_as_asked']);

export type ChangeRow = ReturnType<typeof rowOf>;

export function rowOf({ change, placed, error }: Outcome) {
  const { command, endpoint, form, tradeId, orderId, accountId = null, along } = change;
  const { symbol = '' } = form;
  const isAccepted = placed !== undefined && error === undefined;
  return {
    command,
    // The path: one command may send several requests.
    request: endpoint.path,
    trade_id: tradeId,
    order_id: orderId,
    symbol: symbol === '' ? null : String(symbol),
    account_id: accountId,
    outcome: placed === undefined ? 'not_sent' : outcomeAfter(error),
    // The orders that it created: some responses name the changed order itself.
    order_ids: placed?.orderIds.filter((id) => id !== orderId) ?? [],
    // Orders that ended together with it.
    along: isAccepted ? along : [],
    message: error?.message ?? (isAccepted ? null : 'skipped because an earlier request failed'),
    // The failure, with the names of an error on stderr.
    code: error?.code ?? null,
    server_code: error?.more?.['server_code'] ?? null,
    http_status: error?.httpStatus ?? null,
    journal_id: error === undefined ? null : (placed?.journalId ?? null),
  };
}

function outcomeAfter(error: SvcError | undefined): 'accepted' | 'refused' | 'unknown' | 'not_sent' {
  if (error === undefined) return 'accepted';
  if (UNKNOWN.has(error.code)) return 'unknown';
  // For a write this means that nothing was sent.
  return error.isUnavailable ? 'not_sent' : 'refused';
}

/** One row per change, and what to do next. */
export function reportChanges(outcomes: readonly Outcome[]): Answer<readonly ChangeRow[]> {
  const hints = new Set(outcomes.flatMap(({ error }) => error?.hint ?? []));
  return {
    value: outcomes.map(rowOf),
    code: codeOf(outcomes.map(({ error }) => error?.code)),
    footer: hints.size === 0 ? undefined : [...hints].join('\n'),
  };
}

/** Of several changes; undefined is a success. An unknown outcome precedes all others. */
export function codeOf(ends: readonly (ErrorCode | undefined)[]): ErrorCode | undefined {
  const codes = new Set(ends);
  const unknown = [...UNKNOWN].find((code) => codes.has(code));
  if (unknown !== undefined) return unknown;
  return codes.size > 1 ? 'partly_done' : ends[0];
}

const TONES: Readonly<Record<ChangeRow['outcome'], Tone>> = {
  accepted: 'good',
  refused: 'bad',
  unknown: 'bad',
  not_sent: 'warn',
};

/** `more` are the columns after the outcome. */
export function listChanges<Row extends ChangeRow>(more: ListOutput<Row>['columns'] = []): ListOutput<Row> {
  return {
    kind: 'list',
    columns: [
      { name: 'command', cell: ({ command }) => command },
      { name: 'of', cell: subjectOf },
      { name: 'outcome', cell: ({ outcome }) => ({ text: outcome, tone: TONES[outcome] }) },
      ...more,
      { name: 'order-ids', cell: ({ order_ids }) => order_ids },
      { name: 'message', cell: messageOf, shrinks: true },
      { name: 'request', cell: ({ request }) => request, wide: true },
    ],
    // Only accepted requests have an id to use next.
    id: ({ outcome, order_ids, order_id, trade_id }) =>
      outcome === 'accepted' ? (order_ids[0] ?? order_id ?? trade_id ?? undefined) : undefined,
  };
}

/** The account if the request concerns all of it. */
function subjectOf({ trade_id, order_id, symbol, account_id }: ChangeRow): Cell {
  if (trade_id !== null) return `trade ${trade_id}`;
  if (order_id !== null) return `order ${order_id}`;
  return symbol ?? (account_id === null ? undefined : `account ${account_id}`);
}

function messageOf({ message, along }: ChangeRow): Cell {
  return message ?? (along.length === 0 ? undefined : `also ended: ${along.join(', ')}`);
}
