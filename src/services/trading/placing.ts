/** The one way by which anything that moves money leaves: written down before, sent once, and judged by what came back. */
import { SvcError } from '../../errors.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { LOOK_FIRST } from '../../http/failures.ts';
import type { Caller } from './client.ts';
import { type TradingError, verdictOf } from './envelope.ts';
import { refusal, refusalWords } from './failed-answer.ts';
import { checkForm, type OrderForm } from './order-forms.ts';
import type { Envelope } from './schema.ts';

export interface OrderRequest {
  readonly endpoint: Endpoint<Envelope>;
  readonly form: OrderForm;
  /** As typed: `buy`, `order cancel`. */
  readonly command: string;
  /** For messages: `to buy 5 EUR/USD`. */
  readonly what: string;
  /** Whether the answer must name an order: it does where one is made. */
  readonly makesOrder: boolean;
}

export type PlacingOutcome = 'accepted' | 'refused' | 'not_sent' | 'unknown';

/** The order journal, as far as placing needs it. */
export interface OrderJournal {
  /** The line is on the disk when this resolves with its id. */
  sent(request: OrderRequest): Promise<string>;
  /** Never rejects. */
  answered(
    id: string,
    outcome: PlacingOutcome,
    details: { orderIds?: readonly string[]; message?: string },
  ): Promise<void>;
}

export interface Placing {
  readonly session: Caller;
  readonly journal: OrderJournal;
  /** In what is seen at the service after an outcome that is unknown: what may be this order, in words. Rejects where it cannot look. */
  readonly candidates?: (sentAt: number) => Promise<readonly OrderCandidate[]>;
  /** Where it changes what is there: how that is seen now, as a sentence. Rejects as above. */
  readonly seen?: (sentAt: number) => Promise<string>;
  /** A refusal in better words than the common ones. */
  readonly explain?: (error: TradingError, common: SvcError) => SvcError | Promise<SvcError>;
  now(): number;
}

/** Something at the service that may be the order whose answer was lost. */
export interface OrderCandidate {
  readonly kind: 'order' | 'position';
  readonly id: string;
  /** `order 390285837 (buy 5K EUR/USD, 2026-11-20T12:00:01.000Z)`. */
  readonly text: string;
}

export interface Placed {
  /** Of those that the answer names. */
  readonly orderIds: readonly string[];
  /** The journal's. */
  readonly journalId: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

const OPEN_JOURNAL =
  'do not repeat it before you have looked: svc trade journal --open, svc trade orders, svc trade positions';

/** In a dry run, in place of `placeOrder`: the form is recorded, nothing is written down, and nothing is connected. */
export async function showOrder({ endpoint, form }: OrderRequest, session: Caller): Promise<never> {
  checkForm(endpoint.path, form);
  await session.call(endpoint, { body: form });
  throw new SvcError('internal', `${endpoint.path} is no write, or this is no dry run`);
}

/** Throws whatever the outcome is but `accepted`. */
export async function placeOrder(request: OrderRequest, placing: Placing): Promise<Placed> {
  const { endpoint, form } = request;
  const { session, journal } = placing;
  checkForm(endpoint.path, form);
  const journalId = await journal.sent(request);
  const sentAt = placing.now();
  let answer: Envelope;
  try {
    answer = await session.call(endpoint, { body: form });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw await failed(error, request, placing, { journalId, sentAt });
  }
  const { executed, error } = verdictOf(answer);
  const orderIds = idsOf(answer);
  if (executed === false && orderIds.length === 0) {
    const common = refusal(error, request.what);
    const refused = error === undefined ? common : ((await placing.explain?.(error, common)) ?? common);
    await journal.answered(journalId, 'refused', { message: refused.message });
    throw refused;
  }
  if (executed === true && error === undefined && (orderIds.length > 0 || !request.makesOrder)) {
    await journal.answered(journalId, 'accepted', { orderIds });
    return { orderIds, journalId, sentAt };
  }
  throw await doubtful(doubt(executed, error, orderIds), orderIds, request, placing, { journalId, sentAt });
}

interface Sending {
  readonly journalId: string;
  readonly sentAt: number;
}

/** Of what is sent and answered by nothing that can be trusted. */
async function failed(error: SvcError, request: OrderRequest, placing: Placing, sending: Sending): Promise<SvcError> {
  const { code, message } = error;
  if (code === 'outcome_unknown') return doubtful(message, [], request, placing, sending);
  const interrupted = code === 'interrupted' || code === 'terminated';
  if (interrupted && error.hint === LOOK_FIRST) {
    await placing.journal.answered(sending.journalId, 'unknown', { message });
    return new SvcError(code, message, { hint: OPEN_JOURNAL, more: { journal_id: sending.journalId } });
  }
  const { httpStatus = 0 } = error;
  // What redirects may have been done all the same.
  if (httpStatus >= 300 && httpStatus < 400) return doubtful(message, [], request, placing, sending);
  // An answer of 400 and above is a refusal; without an answer nothing has left.
  if (httpStatus > 0) {
    await placing.journal.answered(sending.journalId, 'refused', { message });
    return error;
  }
  await placing.journal.answered(sending.journalId, 'not_sent', { message });
  const { hint, more, cause } = error;
  const details = { cause, ...(hint && { hint }), ...(more && { more }) };
  return /nothing was sent/.test(message)
    ? error
    : new SvcError(code, `${message}; nothing was sent ${request.what}`, details);
}

function doubt(executed: boolean | undefined, error: TradingError | undefined, orderIds: readonly string[]): string {
  const said =
    error === undefined
      ? ''
      : ` with the error: ${refusalWords(error)}${error.code === undefined ? '' : ` (code ${error.code})`}`;
  const ids = orderIds.length === 0 ? ', and named no order' : `, and named order ${orderIds.join(', ')}`;
  if (executed === undefined) return `the gateway's answer does not say whether it was done${said}${ids}`;
  return `the gateway answered ${executed ? 'as executed' : 'as not executed'}${said}${ids}`;
}

async function doubtful(
  why: string,
  orderIds: readonly string[],
  { what, form }: OrderRequest,
  placing: Placing,
  { journalId, sentAt }: Sending,
): Promise<SvcError> {
  // Before the look, which takes time: what is killed meanwhile has its truth on the disk.
  await placing.journal.answered(journalId, 'unknown', { orderIds, message: why });
  const { text, ids } = orderIds.length > 0 ? { text: '', ids: undefined } : await looked(placing, sentAt);
  const applied = orderIds.length > 0;
  const account = form['account_id'];
  return new SvcError(
    applied ? 'not_as_asked' : 'outcome_unknown',
    `${applied ? 'sent' : 'it is not known what became of the request'} ${what}: ${why}${text}`,
    {
      hint: OPEN_JOURNAL,
      more: {
        journal_id: journalId,
        order_id: orderIds.length > 0 ? orderIds.join(' ') : undefined,
        account_id: account === undefined ? undefined : String(account),
        candidates: ids,
      },
    },
  );
}

async function looked(
  { candidates, seen }: Placing,
  sentAt: number,
): Promise<{ text: string; ids: string | undefined }> {
  try {
    const text = seen === undefined ? '' : `; ${await seen(sentAt)}`;
    if (candidates === undefined) return { text, ids: undefined };
    const found = await candidates(sentAt);
    const ids = found.map((one) => one.id).join(' ');
    if (found.length > 0) return { text: `${text}; this may be it: ${found.map((one) => one.text).join('; ')}`, ids };
    const what = text === '' ? 'nothing that fits' : 'no order of it, and no position that it opened,';
    return { text: `${text}; ${what} is to be seen there now, which is no proof`, ids };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { text: `; what is there could not be looked at: ${error.message}`, ids: undefined };
  }
}

/** Of `data`, which is an object, a list of some and nulls, or nothing. Texts, as they are larger than numbers keep exactly. */
function idsOf({ data }: Envelope): readonly string[] {
  return (Array.isArray(data) ? data : [data]).flatMap((one: unknown) => {
    const id = typeof one === 'object' && one !== null ? (one as { orderId?: unknown }).orderId : undefined;
    const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
    return typeof text === 'string' && /^\d+$/.test(text) && text !== '0' ? [text] : [];
  });
}
