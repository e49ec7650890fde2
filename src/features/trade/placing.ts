/** The one way by which anything that moves money leaves: written down before, sent once, and judged by what came back. */
import { type ErrorDetails, type Sent, SvcError } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import { answered, type Confirmed, type Endpoint, type Guarded } from '../../http/endpoint.ts';
import type { OrderJournal } from '../../store/order-journal.ts';
import { type TradingError, verdictOf } from './envelope.ts';
import { GatewayRefusal, refusal, refusalWords } from './failed-answer.ts';
import { checkForm, type OrderForm } from './order-forms.ts';
import type { Envelope } from './schema.ts';

export interface OrderRequest {
  readonly endpoint: Endpoint<Envelope, Guarded>;
  readonly form: OrderForm;
  /** As typed: `buy`, `order cancel`. */
  readonly command: string;
  /** For messages: `to buy 5 EUR/USD`. */
  readonly what: string;
  /** Whether the answer must name an order: it does where one is made. */
  readonly makesOrder: boolean;
}

export interface Placing {
  readonly session: Pick<Client, 'send'>;
  /** That it may be sent. */
  readonly confirmed: Confirmed;
  readonly journal: OrderJournal;
  /** After an outcome that is unknown: what the gateway shows of the request. Rejects where that cannot be found out. */
  readonly investigate?: (sentAt: number) => Promise<Finding>;
  /** A refusal in better words than the common ones. */
  readonly explain?: (error: TradingError, common: SvcError) => SvcError | Promise<SvcError>;
  now(): number;
}

export interface Finding {
  /** A sentence. */
  readonly text: string;
  /** Orders and positions that may be of the request. Undefined where it makes none. */
  readonly ids?: readonly string[] | undefined;
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
  'do not repeat it before you have looked: svc trade journal --open, svc trade orders, svc trade positions; later: svc trade journal settle';

/** Throws whatever the outcome is but `accepted`. */
export async function placeOrder(request: OrderRequest, placing: Placing): Promise<Placed> {
  const { endpoint, form } = request;
  const { session, journal, confirmed } = placing;
  checkForm(endpoint.path, form);
  const journalId = await journal.sent({ command: request.command, path: endpoint.path, form });
  const sentAt = placing.now();
  let answer: Envelope;
  try {
    answer = answered(await session.send(endpoint, { body: form }, confirmed));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { sent = error.httpStatus === undefined ? 'maybe' : 'yes' } = error;
    throw await failed(error, request, placing, { journalId, sentAt, sent });
  }
  const { executed, error } = verdictOf(answer);
  const orderIds = idsOf(answer);
  if (executed === false && orderIds.length === 0)
    throw await refused(refusal(error, request.what), placing, journalId);
  if (executed === true && error === undefined && (orderIds.length > 0 || !request.makesOrder)) {
    await journal.answered(journalId, 'accepted', { orderIds });
    return { orderIds, journalId, sentAt };
  }
  throw await doubtful(doubt(executed, error, orderIds), orderIds, request, placing, {
    journalId,
    sentAt,
    sent: 'yes',
  });
}

interface Sending {
  readonly journalId: string;
  readonly sentAt: number;
  readonly sent: Sent;
  readonly httpStatus?: number | undefined;
}

async function refused(common: GatewayRefusal, { journal, explain }: Placing, journalId: string): Promise<SvcError> {
  const error = common.error === undefined ? common : ((await explain?.(common.error, common)) ?? common);
  await journal.answered(journalId, 'refused', { message: error.message });
  return error;
}

/** Of what is sent and answered by nothing that can be trusted. */
async function failed(error: SvcError, request: OrderRequest, placing: Placing, sending: Sending): Promise<SvcError> {
  const { code, message, hint, httpStatus, more, cause } = error;
  const { journalId } = sending;
  const answered = { ...sending, httpStatus };
  if (error instanceof GatewayRefusal) {
    const retryAt = more?.['retry_after'];
    return refused(refusal(error.error, request.what, { httpStatus, retryAt }), placing, journalId);
  }
  if (code === 'outcome_unknown') return doubtful(message, [], request, placing, answered);
  if ((code === 'interrupted' || code === 'terminated') && error.sent === 'maybe') {
    await placing.journal.answered(journalId, 'unknown', { message });
    return new SvcError(code, message, { hint: OPEN_JOURNAL, sent: 'maybe', more: { journal_id: journalId } });
  }
  // What redirects may have been done all the same.
  if (httpStatus !== undefined && httpStatus < 400) return doubtful(message, [], request, placing, answered);
  // An answer of 400 and above is a refusal; without an answer nothing has left.
  if (httpStatus !== undefined) {
    await placing.journal.answered(journalId, 'refused', { message });
    return error;
  }
  await placing.journal.answered(journalId, 'not_sent', { message });
  const details: ErrorDetails = { cause, sent: 'no', ...(hint && { hint }), ...(more && { more }) };
  return new SvcError(code, `${message}; nothing was sent ${request.what}`, details);
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
  { journalId, sentAt, sent, httpStatus }: Sending,
): Promise<SvcError> {
  // Before the investigation, which takes time: a process that is killed meanwhile leaves the truth on the disk.
  await placing.journal.answered(journalId, 'unknown', { orderIds, message: why });
  const applied = orderIds.length > 0;
  const { text, ids } = applied ? { text: '', ids: undefined } : await investigated(placing, sentAt);
  const account = form['account_id'];
  return new SvcError(
    applied ? 'not_as_asked' : 'outcome_unknown',
    `${applied ? 'sent' : 'it is not known what became of the request'} ${what}: ${why}${text}`,
    {
      hint: OPEN_JOURNAL,
      sent,
      ...(httpStatus === undefined ? {} : { httpStatus }),
      more: {
        journal_id: journalId,
        order_id: applied ? orderIds.join(' ') : undefined,
        account_id: account === undefined ? undefined : String(account),
        candidates: ids?.join(' '),
      },
    },
  );
}

async function investigated({ investigate }: Placing, sentAt: number): Promise<Finding> {
  if (investigate === undefined) return { text: '' };
  try {
    const { text, ids } = await investigate(sentAt);
    return { text: `; ${text}`, ids };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { text: `; what is there could not be looked at: ${error.message}` };
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
