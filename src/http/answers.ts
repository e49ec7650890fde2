/** What an error response means if the service's own rules do not say, and when a read is retried after it. */
import { type ErrorCode, SvcError } from '../errors.ts';
import { tryParseJson } from '../json-object.ts';
import type { Effect } from './endpoint.ts';
import { CHECK_FIRST, PROXY_CREDENTIAL } from './failures.ts';
import { redactText } from './redact.ts';

export interface FailedAnswer {
  readonly status: number;
  /** Without parameters, in lower case; '' when there is none. */
  readonly contentType: string;
  /** At most its first 64 KiB. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** RFC 3339: when it may be retried, if the response says so. */
  readonly retryAt?: string | undefined;
  /** Whether the request had an `Authorization` header. */
  readonly credentialSent?: boolean;
  /** The setting that provides the credential, if it is of the profile. */
  readonly credentialSource?: string | undefined;
}

export function contentType(headers: FailedAnswer['headers']): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** `line` names the request: `GET https://…`. */
export function statusFailure(answer: FailedAnswer, line: string, effect: Effect): SvcError {
  const { status, retryAt } = answer;
  const details = { httpStatus: status, sent: 'yes' as const, more: { retry_after: retryAt } };
  if (status < 400) return redirection(answer, line, effect);
  const message = serviceMessage(answer);
  const text = `the service answered ${status}${message === '' ? '' : `: ${message}`}`;
  if (status >= 500 || status === 408 || status === CLOSED_BY_PROXY) {
    const code = unclearCode(status);
    const failure = new SvcError(code, `${text} (${line})`, details);
    if (effect === 'read') return failure;
    return maybeApplied(failure, text, line);
  }
  const [code, hint] = CLIENT_ERRORS[status] ?? ['refused'];
  return new SvcError(code, `${text} (${line})`, { ...details, hint });
}

/** Of a write: the response says nothing of its outcome. */
function maybeApplied(cause: SvcError, text: string, line: string): SvcError {
  const { httpStatus, more, hint } = cause;
  const details = { httpStatus, more, sent: 'yes', hint: [CHECK_FIRST, hint ?? []].flat().join('; '), cause } as const;
  return new SvcError('outcome_unknown', `${text}; it may have been applied (${line})`, details);
}

/** nginx: the connection to the service was closed before it answered. */
const CLOSED_BY_PROXY = 499;

/** Of a status that leaves open what became of the request. */
function unclearCode(status: number): ErrorCode {
  if (status === 408) return 'timeout';
  return status >= 500 && status <= 599 ? 'server_error' : 'bad_answer';
}

const CLIENT_ERRORS: Readonly<Record<number, readonly [code: ErrorCode, hint?: string]>> = {
  401: ['unauthorized', 'sign in, or check the credential'],
  403: ['forbidden', 'the credential does not allow this'],
  404: ['not_found'],
  407: ['proxy_failed', PROXY_CREDENTIAL],
  429: ['limited', 'wait before you try again'],
};

/** Redirects are never followed: they could take a credential or a write to another host. */
function redirection({ status, headers }: FailedAnswer, line: string, effect: Effect): SvcError {
  const to = headers['location'];
  if (to === undefined) {
    const text = `the service answered ${status}, which does not fit this request`;
    const failure = new SvcError('bad_answer', `${text} (${line})`, { httpStatus: status });
    return effect === 'read' ? failure : maybeApplied(failure, text, line);
  }
  const text = `the service answered ${status}: it redirects to ${redactText(shorten(to))}`;
  const hint = 'svc does not follow redirects; use the address that the service itself uses';
  const failure = new SvcError('redirected', `${text} (${line})`, { hint, httpStatus: status });
  return effect === 'read' ? failure : maybeApplied(failure, text, line);
}

/** What a service's own rules make of an error response. */
export function explained({ status }: FailedAnswer, code: ErrorCode, message: string, hint?: string): SvcError {
  return new SvcError(code, message, { httpStatus: status, hint });
}

/** Of a service without a sign-in, where only a proxy asks for a credential. `text`: its message, or ''. */
export function explainedCredential(answer: FailedAnswer, service: string, text: string, hint: string): SvcError {
  const what = answer.credentialSent ? 'refused the credential' : 'requires a credential';
  const message = `${service}, or a proxy in front of it, ${what}${text && `: ${text}`}`;
  return explained(answer, 'unauthorized', message, hint);
}

const LONGEST_MESSAGE = 300;

/** The service's own message, whatever the shape of its error; '' if there is none. */
export function serviceMessage({ contentType: type, text }: Pick<FailedAnswer, 'contentType' | 'text'>): string {
  const trimmed = text.trim();
  if (type.includes('html') || /^<(!doctype|html)/i.test(trimmed)) {
    const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim();
    return title ? `an HTML page, "${shorten(redactText(title))}"` : 'an HTML page';
  }
  return shorten(redactText(fromJson(trimmed) ?? trimmed));
}

/** The error text or the page in a successful response that should have had data; '' if there is neither. */
export function errorInSuccess(answer: Pick<FailedAnswer, 'contentType' | 'text'>): string {
  const trimmed = answer.text.trim();
  if (!/^[[{]/.test(trimmed)) return serviceMessage(answer);
  return shorten(redactText(fromJson(trimmed) ?? ''));
}

function fromJson(text: string): string | undefined {
  if (!/^["{]/.test(text)) return undefined;
  const value = tryParseJson(text);
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value;
  const { error, error_description: description, message, detail } = value as Record<string, unknown>;
  if (typeof error === 'string') return typeof description === 'string' ? `${error}: ${description}` : error;
  const inner = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return [inner, message, detail].find((one) => typeof one === 'string');
}

function shorten(text: string): string {
  const points = [...text.slice(0, 2 * LONGEST_MESSAGE + 2)];
  return points.length > LONGEST_MESSAGE ? `${points.slice(0, LONGEST_MESSAGE).join('')}…` : text;
}

const FIRST_DELAY_MS = 250;

const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Whether a read is retried: a service is busy, a proxy in front of it fails, or the service failed by itself. A 500 that the service
 * explains as something else, such as a rate limit, is its answer.
 */
export function isPassing(status: number, { code }: Pick<SvcError, 'code'>): boolean {
  return PASSING.has(status) || (status === 500 && code === 'server_error');
}

/** The delay before the next attempt: what the service asks for, else full jitter with a doubling bound. */
export function retryDelay(attempt: number, retryAfter: string | undefined, now: number, random: number): number {
  return parseRetryAfter(retryAfter, now) ?? random * FIRST_DELAY_MS * 2 ** (attempt - 1);
}

/** Seconds or an HTTP date, as milliseconds from now; `undefined` if it is neither. */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
