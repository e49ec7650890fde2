/** What an error response means by default, and when a read is retried after it. */
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

/** `line` names the request: `GET https://…`. */
export function statusFailure(answer: FailedAnswer, line: string, effect: Effect): SvcError {
  const { status, retryAt } = answer;
  const { code, text, hint, refuses } = meaningOf(answer);
  const details = { httpStatus: status, sent: 'yes' as const, more: { retry_after: retryAt } };
  const failure = new SvcError(code, `${text} (${line})`, { ...details, hint });
  if (effect === 'read' || refuses) return failure;
  const message = `${text}; it may have been applied (${line})`;
  const check = hint === undefined ? CHECK_FIRST : `${CHECK_FIRST}; ${hint}`;
  return new SvcError('outcome_unknown', message, { ...details, hint: check, cause: failure });
}

interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string | undefined;
  /** Whether a write was certainly not applied. */
  readonly refuses?: true;
}

function meaningOf(answer: FailedAnswer): Meaning {
  const { status, headers } = answer;
  const text = `the service answered ${status}`;
  const { location } = headers;
  if (status < 400 && location === undefined) {
    return { code: 'bad_answer', text: `${text}, which does not fit this request` };
  }
  // Redirects are never followed: they could take a credential or a write to another host.
  if (status < 400) {
    const hint = 'svc does not follow redirects; use the address that the service itself uses';
    return { code: 'redirected', text: `${text}: it redirects to ${redactText(shorten(location ?? ''))}`, hint };
  }
  const message = serviceMessage(answer);
  const full = message === '' ? text : `${text}: ${message}`;
  if (status === 408) return { code: 'timeout', text: full };
  if (status >= 500 && status <= 599) return { code: 'server_error', text: full };
  if (status > 599 || status === CLOSED_BY_PROXY) return { code: 'bad_answer', text: full };
  const [code, hint] = CLIENT_ERRORS[status] ?? ['refused' as const];
  return { code, text: full, hint, refuses: true };
}

/** nginx: the connection to the service was closed before it answered. */
const CLOSED_BY_PROXY = 499;

const CLIENT_ERRORS: Readonly<Record<number, readonly [code: ErrorCode, hint?: string]>> = {
  401: ['unauthorized', 'sign in, or check the credential'],
  403: ['forbidden', 'the credential does not allow this'],
  404: ['not_found'],
  407: ['proxy_failed', PROXY_CREDENTIAL],
  429: ['limited', 'wait before you try again'],
};

/** A failure that the service's own rules explain. */
export function answerFailure({ status }: FailedAnswer, code: ErrorCode, message: string, hint?: string): SvcError {
  return new SvcError(code, message, { httpStatus: status, hint });
}

/** For a service without a sign-in, where a proxy may ask for a credential. */
export function credentialFailure(answer: FailedAnswer, service: string, reason: string, hint: string): SvcError {
  const what = answer.credentialSent ? 'refused the credential' : 'requires a credential';
  const message = `${service}, or a proxy in front of it, ${what}${reason && `: ${reason}`}`;
  return answerFailure(answer, 'unauthorized', message, hint);
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

/** The error text or the page in a success that should have had data; '' if there is neither. */
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
 * A service that is busy or failed by itself, or a failing proxy, may answer a second read. A 500
 * that the service explains, such as a rate limit, is its answer.
 */
export function isPassing(status: number, { code }: Pick<SvcError, 'code'>): boolean {
  return PASSING.has(status) || (status === 500 && code === 'server_error');
}

/** What the service asks for, otherwise full jitter with a doubling bound. */
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
