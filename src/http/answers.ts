/** What an answer that is no success means, where the service's own rules do not say. */

import { type ErrorCode, type ErrorDetails, SvcError } from '../errors.ts';
import { parseJsonText } from '../json-object.ts';
import type { Effect } from './endpoint.ts';
import type { AnswerHeaders } from './exchange.ts';
import { LOOK_FIRST } from './failures.ts';
import { redactText } from './redact.ts';

export interface FailedAnswer {
  readonly status: number;
  /** Without parameters, in lower case; '' when there is none. */
  readonly contentType: string;
  /** At most its first 64 KiB. */
  readonly text: string;
  readonly headers: AnswerHeaders;
  /** RFC 3339: when it may be repeated, where the answer says so. */
  readonly retryAt?: string | undefined;
  /** Whether the request had an `Authorization` header. */
  readonly credentialSent?: boolean;
}

export function contentType(headers: AnswerHeaders): string {
  if (headers['content-type'] === 'application/json') return 'application/json';
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** `line` names the request: `GET https://…`. */
export function statusFailure(answer: FailedAnswer, line: string, effect: Effect): SvcError {
  const { status, retryAt } = answer;
  const details: ErrorDetails = {
    httpStatus: status,
    sent: 'yes',
    ...(retryAt === undefined ? {} : { more: { retry_after: retryAt } }),
  };
  if (status < 400) return redirection(answer, line);
  const message = serviceMessage(answer);
  const text = `answered ${status}${message === '' ? '' : `: ${message}`}`;
  if (status >= 500 || status === 408) {
    const code = status > 599 ? 'bad_answer' : status === 408 ? 'timeout' : 'server_error';
    const failure = new SvcError(code, `${text} (${line})`, details);
    if (effect === 'read') return failure;
    return new SvcError('outcome_unknown', `${text}; it may have been applied (${line})`, {
      ...details,
      hint: LOOK_FIRST,
      cause: failure,
    });
  }
  const [code, hint] = CLIENT_ERRORS[status] ?? ['refused'];
  return new SvcError(code, `${text} (${line})`, hint === undefined ? details : { ...details, hint });
}

const CLIENT_ERRORS: Readonly<Record<number, readonly [code: ErrorCode, hint?: string]>> = {
  401: ['unauthorized', 'sign in, or check the credential'],
  403: ['forbidden', 'the credential does not allow this'],
  404: ['not_found'],
  407: ['proxy_failed', 'the proxy wants a user and a password: http://USER:PASSWORD@HOST:PORT'],
  429: ['limited', 'wait before you repeat it'],
};

/** Redirects are never followed: they could take a credential or a write to another host. */
function redirection({ status, headers }: FailedAnswer, line: string): SvcError {
  const to = headers['location'];
  if (to === undefined) {
    return new SvcError('bad_answer', `answered ${status}, which does not answer this request (${line})`, {
      httpStatus: status,
    });
  }
  return new SvcError('redirected', `answered ${status}: it redirects to ${redactText(shorten(to))} (${line})`, {
    hint: 'redirects are not followed; use the address that the service itself goes by',
    httpStatus: status,
  });
}

const LONGEST_MESSAGE = 300;

/** The service's own words, from whichever shape its error has; '' when it says nothing. */
export function serviceMessage({ contentType: type, text }: Pick<FailedAnswer, 'contentType' | 'text'>): string {
  const trimmed = text.trim();
  if (type.includes('html') || /^<(!doctype|html)/i.test(trimmed)) {
    const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim();
    return title ? `an HTML page, "${shorten(redactText(title))}"` : 'an HTML page';
  }
  return shorten(redactText(fromJson(trimmed) ?? trimmed));
}

/** The error text or the page that a success holds in place of what was asked for; '' where it holds neither. */
export function errorInSuccess(answer: Pick<FailedAnswer, 'contentType' | 'text'>): string {
  const trimmed = answer.text.trim();
  if (!/^[[{]/.test(trimmed)) return serviceMessage(answer);
  return shorten(redactText(fromJson(trimmed) ?? ''));
}

function fromJson(text: string): string | undefined {
  if (!/^["{]/.test(text)) return undefined;
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    return undefined;
  }
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
