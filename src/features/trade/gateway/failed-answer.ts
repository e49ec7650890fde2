/** What the gateway's refusals mean: those with status 200, and those of 400 and above. */
import { type ErrorCode, type ErrorDetails, SvcError } from '../../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../../http/answers.ts';
import type { EndpointShape } from '../../../http/endpoint.ts';
import { CHECK_FIRST } from '../../../http/failures.ts';
import { redactText } from '../../../http/redact.ts';
import { isObject, tryParseJson } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';
import { bareError, type TradingError, tradingError, verdictOf } from './envelope.ts';

/** Why a token is refused, as far as the document tells (doc 3 §5). */
export const TOKEN_REFUSED_HINT =
  'the token is wrong or was revoked, or it is of a live account without API access (the provider grants that on request; demo accounts have it): svc trade login';

const LONGEST = 300;

/** The gateway's own message, without secrets and of limited length. */
export function refusalText({ message }: TradingError): string {
  return redactText([...message].slice(0, LONGEST).join(''));
}

/** The gateway refused the request and said so. */
export class GatewayRefusal extends SvcError {
  /** Undefined if it gave no reason. */
  readonly error: TradingError | undefined;

  constructor(code: ErrorCode, message: string, error: TradingError | undefined, details: ErrorDetails) {
    super(code, message, { sent: 'yes', ...details });
    this.error = error;
  }
}

interface Beside {
  readonly httpStatus?: number | undefined;
  /** RFC 3339: when the request may be repeated. */
  readonly retryAt?: string | number | undefined;
}

/** `executed: false`, or an error beside a read: the request was not carried out. */
export function refusal(error: TradingError | undefined, asked: string, beside: Beside = {}): GatewayRefusal {
  const { httpStatus, retryAt } = beside;
  if (error === undefined) {
    const more = { retry_after: retryAt };
    return new GatewayRefusal('refused', `the gateway refused ${asked} and gave no reason`, error, {
      httpStatus,
      more,
    });
  }
  const { code, ora, cmd, requestId } = error;
  const kind = kindOf(error, httpStatus);
  const server = code ?? (ora === undefined ? undefined : `ORA-${ora}`);
  const message = `the gateway refused ${asked}: ${refusalText(error)}${code === undefined ? '' : ` (code ${code})`}`;
  return new GatewayRefusal(kind, message, error, {
    httpStatus,
    hint: HINTS[kind] ?? CAUSES[code ?? 0],
    more: { server_code: server, cmd, request_id: requestId, retry_after: retryAt },
  });
}

/** The gateway accepted this token for the session, so the token itself is valid. */
const NOT_THE_TOKEN =
  'the gateway accepted this token when the session began, so the session was lost or is being limited: wait a moment, then run svc doctor trade';

const HINTS: Partial<Record<ErrorCode, string>> = {
  unauthorized: NOT_THE_TOKEN,
  limited: 'svc trade limits shows the next free slot',
};

/** Codes with two causes: 3 (doc 3 §7), and 20001 as seen on the public implementation. */
const CAUSES: Readonly<Record<number, string>> = {
  3: "the amount does not fit the step of the symbol, or an account's name was sent in place of its id: svc trade offers, svc trade accounts",
  20001:
    "the token may not trade with the account now, or an account's name was sent in place of its id: svc trade accounts",
};

function kindOf({ fault }: TradingError, httpStatus: number | undefined): ErrorCode {
  if (fault === 'rate_exceeded' || httpStatus === 429) return 'limited';
  if (fault === 'unauthorized' || httpStatus === 401) return 'unauthorized';
  if (fault === 'forbidden' || httpStatus === 403) return 'forbidden';
  return 'refused';
}

/** Statuses that by themselves say that the request was not carried out. */
const NOT_CARRIED_OUT: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 414, 415, 422, 429, 431]);
/** Proxies send these too: only with an error of the gateway do they tell about an order. */
const BY_ITS_BODY: ReadonlySet<number> = new Set([400, 422]);

/** For the transport, for statuses from 400. Undefined if the common interpretation is right. */
export function explainTrading(
  answer: FailedAnswer,
  { method, path, effect }: Pick<EndpointShape, 'method' | 'path' | 'effect'>,
): SvcError | undefined {
  const { status, retryAt } = answer;
  const asked = `${method} ${path}`;
  const error = errorIn(answer);
  if (error !== undefined && isOfGateway(error, status)) return refusal(error, asked, { httpStatus: status, retryAt });
  const text = error?.message ?? serviceMessage(answer);
  const said = text === '' ? '' : `: ${redactText(text)}`;
  if (status === 404) {
    return new SvcError('wrong_path', `the gateway does not know ${asked}${said}`, {
      hint: 'check --base-url',
      httpStatus: 404,
      sent: 'yes',
    });
  }
  if (status === 401 || status === 403) {
    return new SvcError(
      status === 401 ? 'unauthorized' : 'forbidden',
      `the gateway refused the request: ${redactText(text) || `status ${status}`}`,
      { hint: TOKEN_REFUSED_HINT, httpStatus: status, sent: 'yes' },
    );
  }
  const saysNo = NOT_CARRIED_OUT.has(status) && (error !== undefined || !BY_ITS_BODY.has(status));
  if (effect !== 'money' || saysNo) return undefined;
  return new SvcError('outcome_unknown', `${asked} answered ${status}${said}; it may have been applied`, {
    hint: CHECK_FIRST,
    httpStatus: status,
    sent: 'yes',
  });
}

/** If the status leaves it open, only the full shape of doc 3 §7 counts: proxies send codes too. */
function isOfGateway(error: TradingError, status: number): boolean {
  const { ora, code, parameters } = error;
  if (ora !== undefined || error.fault === 'rate_exceeded') return true;
  if (code === undefined || code === status) return false;
  return NOT_CARRIED_OUT.has(status) || parameters !== undefined;
}

function errorIn({ text, contentType }: FailedAnswer): TradingError | undefined {
  const body = tryParseJson(text);
  if (body === undefined) {
    // A sentence may name an ORA code.
    const sentence = contentType.includes('html') || text.trimStart().startsWith('<') ? undefined : tradingError(text);
    return sentence?.ora === undefined ? undefined : sentence;
  }
  if (!isObject(body)) return bareError(body);
  const { executed, error } = verdictOf(body as Envelope);
  if (executed === true) return undefined;
  return error ?? (typeof body['message'] === 'string' ? tradingError(body) : undefined);
}
