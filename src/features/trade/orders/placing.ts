/** The only path for requests that move money: journaled first, sent once, judged by response. */
import type { RunContext } from '../../../cli/command.ts';
import { type ErrorCode, type Sent, SvcError } from '../../../errors.ts';
import { answered, type Confirmed, type Endpoint, type Guarded, Plan } from '../../../http/endpoint.ts';
import { isObject } from '../../../json-object.ts';
import type { CallCounts } from '../../../store/call-counts.ts';
import { type JournalEntry, journalAnswered, journalSent, type OrderAnswered } from '../../../store/order-journal.ts';
import { verdictOf } from '../gateway/envelope.ts';
import { GatewayRefusal, refusal, refusalText } from '../gateway/failed-answer.ts';
import { Session } from '../gateway/session.ts';
import { exceededLimit, gatewayToken, type TradingSession } from '../gateway/trading-session.ts';
import type { Envelope } from '../schema.ts';
import { alikeSentence, findAlikeRows, readTradingRows } from './alike-rows.ts';
import { checkForm, type OrderForm } from './forms.ts';
import type { OrderTables } from './order-tables.ts';

export interface OrderRequest {
  readonly endpoint: Endpoint<Envelope, Guarded>;
  readonly form: OrderForm;
  /** As typed: `buy`, `orders cancel`. */
  readonly command: string;
  /** For messages: `to buy 5 EUR/USD`. */
  readonly what: string;
  /** The response must name an order: the request creates one. */
  readonly makesOrder: boolean;
  /** A new order as the user asked for it. */
  readonly asked?: Readonly<Record<string, unknown>>;
  readonly once?: KeyClaim | undefined;
}

/** Of `--once`. */
export interface KeyClaim {
  readonly key: string;
  /** Throws if another process has taken the key since. Runs under the journal's lock. */
  readonly claim: () => Promise<void>;
}

export interface Placed {
  /** The orders that the response names. */
  readonly orderIds: readonly string[];
  readonly journalId: string;
  /** By the gateway's clock, in milliseconds since 1970. */
  readonly sentAt: number;
  /** Undefined if the request was accepted. */
  readonly error: SvcError | undefined;
}

/** A lost connection is not waited for: what was checked and confirmed is about now. */
export async function connect(tables: OrderTables): Promise<TradingSession> {
  const open = await tables.open();
  const { outage } = open.session;
  if (outage !== undefined) {
    throw new SvcError('connection_lost', `${outage.message}; nothing was sent`, { sent: 'no', cause: outage });
  }
  await open.session.connect();
  return open;
}

/** One POST: written to the journal, sent, judged, and its outcome written to the journal. */
export async function sendOrder(
  request: OrderRequest,
  open: TradingSession,
  confirmed: Confirmed,
  ctx: RunContext,
): Promise<Placed> {
  checkForm(request.endpoint.path, request.form);
  const journaled = await writeSent(request, open, ctx);
  const received = await answerOrError(open.session.send(request.endpoint, { body: request.form }, confirmed));
  return writeOutcome(request, received, journaled, open, ctx);
}

/** A request that the journal has, before anything of it is sent. */
type Journaled = Awaited<ReturnType<typeof writeSent>>;

export async function writeSent(
  { endpoint, form, command, asked, once }: OrderRequest,
  { session }: TradingSession,
  ctx: RunContext,
) {
  // The gateway's clock minus ours, before sending if known: the response may be a proxy's.
  const clock_skew = session.clockSkewMs;
  const where = { profile: ctx.settings.profile.name, base_url: ctx.target.baseUrl.href };
  const line = { ...where, command, path: endpoint.path, form, once: once?.key, asked, clock_skew };
  const id = await journalSent(ctx.paths, ctx, line, once?.claim);
  return { id, at: ctx.now(), clock_skew };
}

export async function answerOrError<T>(sent: Promise<T | Plan>): Promise<T | SvcError> {
  try {
    return answered(await sent);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

/** Judges the response, and writes the outcome to the journal. */
export async function writeOutcome(
  request: OrderRequest,
  received: Envelope | SvcError,
  { id, at, ...journaled }: Journaled,
  { session, counts }: TradingSession,
  ctx: RunContext,
): Promise<Placed> {
  const judgment = judge(request, received);
  const clock_skew = journaled.clock_skew ?? session.clockSkewMs;
  const placed = { journalId: id, sentAt: at + (clock_skew ?? 0) };
  if (judgment.outcome === 'accepted') {
    const { orderIds } = judgment;
    await recordOutcome({ id, outcome: 'accepted', order_ids: orderIds }, ctx);
    return { ...placed, orderIds, error: undefined };
  }
  if (judgment.outcome === 'unknown') {
    const { orderIds, why } = judgment;
    // Before the slow reading of tables: a killed process must leave the outcome on disk.
    await recordOutcome({ id, outcome: 'unknown', order_ids: orderIds, message: why }, ctx);
    const lost = { id, form: request.form, at: new Date(at).toISOString(), clock_skew };
    return { ...placed, orderIds, error: await unknownOutcomeError(judgment, request.what, lost, ctx) };
  }
  const error = await explainLimit(judgment.error, counts);
  const { code, hint, more, message } = error;
  await recordOutcome({ id, outcome: judgment.outcome, message, error: { code, hint, more } }, ctx);
  return { ...placed, orderIds: [], error };
}

/** Reports a failure to write, and no interruption of the command stops it. */
export async function recordOutcome(answer: Omit<OrderAnswered, 'at'>, ctx: RunContext): Promise<void> {
  const { sleep, now, random, pid, processName } = ctx;
  const uninterrupted = { sleep, now, random, pid, processName, signal: new AbortController().signal };
  try {
    await journalAnswered(ctx.paths, uninterrupted, answer);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.warn(`warning: the outcome (${answer.outcome}) could not be written to the journal: ${error.message}`);
  }
}

/** An ORA-20301 names a limit and when it is free again. */
async function explainLimit(error: SvcError, counts: CallCounts): Promise<SvcError> {
  if (!(error instanceof GatewayRefusal)) return error;
  try {
    return (await exceededLimit(error.error, counts)) ?? error;
  } catch (failure) {
    // An interruption must not hide the refusal.
    if (failure instanceof SvcError) return error;
    throw failure;
  }
}

interface UnknownOutcome {
  readonly outcome: 'unknown';
  readonly orderIds: readonly string[];
  readonly why: string;
  readonly sent: Sent;
  readonly httpStatus?: number | undefined;
  /** What ended the command before the response came. */
  readonly interruption?: ErrorCode;
}

/** What the response, or its absence, says about the request. */
export type Judgment =
  | { readonly outcome: 'accepted'; readonly orderIds: readonly string[] }
  | { readonly outcome: 'refused' | 'not_sent'; readonly error: SvcError }
  | UnknownOutcome;

export function judge(
  { what, makesOrder }: Pick<OrderRequest, 'what' | 'makesOrder'>,
  received: Envelope | SvcError,
): Judgment {
  if (received instanceof SvcError) return judgeFailure(what, received);
  const { executed, error } = verdictOf(received);
  const orderIds = idsOf(received);
  const namesOrder = orderIds.length > 0;
  if (executed === false && !namesOrder) return { outcome: 'refused', error: refusal(error, what) };
  if (executed === true && error === undefined && (namesOrder || !makesOrder)) {
    return { outcome: 'accepted', orderIds };
  }
  const answer =
    executed === undefined
      ? "the gateway's response does not say whether it was executed"
      : `the gateway responded ${executed ? 'executed' : 'not executed'}`;
  const code = error?.code === undefined ? '' : ` (code ${error.code})`;
  const reason = error === undefined ? '' : ` with the error: ${refusalText(error)}${code}`;
  const ids = namesOrder ? `order ${orderIds.join(', ')}` : 'no order';
  return { outcome: 'unknown', orderIds, why: `${answer}${reason}, and named ${ids}`, sent: 'yes' };
}

function judgeFailure(what: string, error: SvcError): Judgment {
  const { code, message, hint, httpStatus, more, cause } = error;
  if (error instanceof GatewayRefusal) {
    return { outcome: 'refused', error: refusal(error.error, what, { httpStatus, retryAt: more?.['retry_after'] }) };
  }
  const notSent = new SvcError(code, `${message}; nothing was sent ${what}`, { cause, sent: 'no', hint, more });
  if (error.sent === 'no') return { outcome: 'not_sent', error: notSent };
  const { sent = httpStatus === undefined ? 'maybe' : 'yes' } = error;
  const unknown = { outcome: 'unknown', orderIds: [], why: message, sent, httpStatus } as const;
  if (code === 'outcome_unknown') return unknown;
  if (error.endedBySignal && error.sent === 'maybe') {
    return { ...unknown, interruption: code };
  }
  // A redirected request may have been executed; a status of 400 or above is a refusal.
  if (httpStatus !== undefined) return httpStatus < 400 ? unknown : { outcome: 'refused', error };
  return { outcome: 'not_sent', error: notSent };
}

/** What the user does about a request whose outcome is unknown. */
export function settlingHint(journalId: string): string {
  return `before you repeat it, compare the rows: svc trade journal settle ${journalId}`;
}

async function unknownOutcomeError(
  { orderIds, why, sent, httpStatus, interruption }: UnknownOutcome,
  what: string,
  lost: Pick<JournalEntry, 'id' | 'form' | 'at' | 'clock_skew'>,
  ctx: RunContext,
): Promise<SvcError> {
  const { account_id } = lost.form;
  const details = { hint: settlingHint(lost.id), sent, httpStatus };
  const more = { journal_id: lost.id, account_id: account_id === undefined ? undefined : String(account_id) };
  if (interruption !== undefined) return new SvcError(interruption, why, { ...details, more });
  if (orderIds.length > 0) {
    const named = { ...more, order_id: orderIds.join(' ') };
    return new SvcError('not_as_asked', `sent ${what}: ${why}`, { ...details, more: named });
  }
  let alike: string;
  let candidates: string | undefined;
  try {
    const rows = await readTradingRows(ctx);
    const found = findAlikeRows(lost, rows);
    alike = alikeSentence(found, rows.unread);
    candidates = found.map(({ id }) => id).join(' ');
  } catch (error) {
    // Whatever prevents the reading, the outcome of the request stays what is reported.
    if (!(error instanceof SvcError)) throw error;
    alike = `the rows at the gateway could not be read: ${error.message}`;
  }
  const message = `the outcome of the request ${what} is unknown: ${why}; ${alike}`;
  return new SvcError('outcome_unknown', message, { ...details, more: { ...more, candidates } });
}

/** From `data`: an object, a list of objects and nulls, or nothing. Strings, as ids may be huge. */
function idsOf({ data }: Envelope): readonly string[] {
  const ids: string[] = [];
  for (const one of [data].flat() as unknown[]) {
    const id = isObject(one) ? one['orderId'] : undefined;
    const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
    if (typeof text === 'string' && /^\d+$/.test(text) && text !== '0') ids.push(text);
  }
  return ids;
}

/** The plan of a dry run. Connects to nothing. */
export async function planRequests(requests: readonly OrderRequest[], ctx: RunContext): Promise<Plan> {
  const session = new Session(ctx.target, { token: () => gatewayToken(ctx), onNotice: ctx.notice });
  try {
    return new Plan(
      requests.flatMap(({ endpoint, form }) => {
        checkForm(endpoint.path, form);
        return session.plan(endpoint, { body: form }).requests;
      }),
    );
  } finally {
    await session.close();
  }
}
