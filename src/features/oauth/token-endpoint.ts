/** One request to the token endpoint (doc 2 §5), and what became of it. */

import { type ErrorCode, SvcError } from '../../errors.ts';
import { parseRetryAfter, serviceMessage } from '../../http/answers.ts';
import type { Target } from '../../http/target.ts';
import { isObject, schemaProblem, tryParseJson } from '../../json-object.ts';
import type { ClientRecord, OAuthCredential } from '../../store/credentials.ts';
import { formEncoded, type ProtocolAnswer, ProtocolRefusal, protocolRequest } from './protocol-request.ts';
import type { TokenGrant } from './schema.ts';

export type OAuthClient = Pick<
  ClientRecord,
  'client_id' | 'client_secret' | 'token_endpoint_auth_method' | 'basic_form'
>;

/**
 * Servers read client_secret_basic differently: some refuse the `client_id` beside it, and some do
 * not form-decode it. The first form is that of RFC 6749 §2.3.1 and doc 2 §5.
 */
const BASIC_FORMS = ['encoded', 'encoded_without_client_id', 'plain', 'plain_without_client_id'] as const;
type BasicForm = (typeof BASIC_FORMS)[number];

interface TokenRequest {
  /** How the service is reached. Its headers go along only to an endpoint on the same origin. */
  readonly target: Target;
  readonly tokenEndpoint: string;
  readonly client: OAuthClient;
  /** `grant_type` and what it needs; the client's own fields are added. */
  readonly fields: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** What a login stores of a grant. */
export function grantedFields(
  { access_token, expires_in, refresh_token }: Pick<TokenGrant, 'access_token' | 'expires_in' | 'refresh_token'>,
  now: number,
) {
  return {
    access_token,
    obtained_at: now,
    expires_at: expires_in === undefined ? undefined : now + expires_in,
    // Left out, the old one stays valid (RFC 6749 §6).
    ...(refresh_token === undefined ? {} : { refresh_token, refresh_obtained_at: now }),
  };
}

export type TokenOutcome =
  | { readonly kind: 'granted'; readonly grant: TokenGrant; readonly basicForm: BasicForm | undefined }
  /** Answered, and no: `error` is the OAuth error, '' where the answer has none. */
  | { readonly kind: 'refused'; readonly error: string; readonly failure: SvcError }
  /** 429 and 5xx. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number | undefined; readonly failure: SvcError }
  /** No connection was made. */
  | { readonly kind: 'unsent'; readonly failure: SvcError }
  /** It was sent, and no answer came that can be used: the service may have acted on it. */
  | { readonly kind: 'unclear'; readonly failure: SvcError };

const TIMEOUT_MS = 20_000;

/**
 * Sends one POST and follows no redirect. Rejects after an interruption, and if nothing may be
 * sent, as a credential over plain http.
 */
export async function requestToken(request: TokenRequest): Promise<TokenOutcome> {
  // Loaded first: from the answer on, nothing may delay the saving of a new token.
  const { tokenResponse } = await import('./schema.ts');
  const outcome = await submit(request);
  if (outcome.kind !== 'answered') return outcome;
  const { answer, basicForm } = outcome;
  const { origin, pathname } = new URL(request.tokenEndpoint);
  const line = `POST ${origin}${pathname}`;
  const { error } = answer;
  if (typeof error === 'string' && answer['access_token'] === undefined) {
    const text = serviceMessage({ contentType: 'application/json', text: JSON.stringify(answer) });
    return { kind: 'refused', error, failure: new SvcError(codeOf(error), `${line} answered: ${text}`) };
  }
  const read = tokenResponse.safeParse(answer);
  if (!read.success) {
    const wrong = schemaProblem(read.error.issues, answer);
    return { kind: 'unclear', failure: new SvcError('wrong_shape', `${line}: the answer cannot be used: ${wrong}`) };
  }
  return { kind: 'granted', grant: read.data, basicForm };
}

type Submitted =
  | { readonly kind: 'answered'; readonly answer: ProtocolAnswer; readonly basicForm?: BasicForm | undefined }
  | Exclude<TokenOutcome, { kind: 'granted' }>;

/**
 * Also for other forms with a client's authentication (RFC 8628 §3.1). Another way to authenticate
 * follows only if the server refused the client, which spends neither a code nor a token.
 */
export async function submit(request: TokenRequest, bodiless?: true): Promise<Submitted> {
  const began = performance.now();
  const { timeoutMs = TIMEOUT_MS } = request;
  const [form, ...others] = basicForms(request.client);
  const first = await submitOnce(request, form, timeoutMs, bodiless);
  if (!refusesClient(first)) return first;
  for (const other of others) {
    const left = timeoutMs - (performance.now() - began);
    const next = left > 0 ? await submitOnce(request, other, left, bodiless) : first;
    if (!refusesClient(next)) return next;
  }
  return first;
}

function basicForms(client: OAuthClient): readonly (BasicForm | undefined)[] {
  const { client_id, client_secret = '', token_endpoint_auth_method: method, basic_form: known } = client;
  if (method !== 'client_secret_basic') return [undefined];
  const taken = BASIC_FORMS.find((form) => form === known);
  if (taken !== undefined) return [taken];
  const isPlain = [client_id, client_secret].every((part) => formEncoded(part) === part);
  return BASIC_FORMS.filter((form) => !isPlain || form.startsWith('encoded'));
}

function refusesClient(outcome: Submitted): boolean {
  return outcome.kind === 'refused' && ['invalid_client', 'invalid_request'].includes(outcome.error);
}

async function submitOnce(
  { target, tokenEndpoint, client, fields }: TokenRequest,
  form: BasicForm | undefined,
  timeoutMs: number,
  bodiless?: true,
): Promise<Submitted> {
  const { client_id, client_secret = '', token_endpoint_auth_method: method } = client;
  const named = form?.endsWith('without_client_id') ? {} : { client_id };
  const { refresh_token, token, code, code_verifier, device_code } = fields;
  const secrets = [refresh_token, token, code, code_verifier, device_code, client_secret];
  try {
    const answer = await protocolRequest(target, {
      method: 'POST',
      url: new URL(tokenEndpoint),
      // No POST is repeated anyway: no state hangs on it, and a dry run may need a token.
      effect: 'read',
      encoding: 'form',
      body: { ...fields, ...named, ...(method === 'client_secret_post' ? { client_secret } : {}) },
      credentials: form === undefined ? {} : basic(form, client_id, client_secret),
      secrets: secrets.filter((one) => one !== undefined),
      timeoutMs,
      ...(bodiless && { bodiless }),
    });
    return { kind: 'answered', answer, basicForm: form };
  } catch (error) {
    return outcomeOf(error, target.now());
  }
}

function basic(form: BasicForm, id: string, secret: string): Record<string, string> {
  const parts = form.startsWith('encoded') ? [id, secret].map(formEncoded) : [id, secret];
  return { authorization: `Basic ${Buffer.from(parts.join(':')).toString('base64')}` };
}

const UNSENT: readonly ErrorCode[] = ['dns_failed', 'connect_failed', 'tls_failed', 'proxy_failed'];
const UNCLEAR: readonly ErrorCode[] = ['timeout', 'connection_lost', 'bad_answer', 'wrong_shape', 'answer_too_large'];

function outcomeOf(error: unknown, now: number): Exclude<Submitted, { kind: 'answered' }> {
  if (!(error instanceof SvcError)) throw error;
  const { httpStatus: status, message } = error;
  const failed = (code: ErrorCode): SvcError =>
    new SvcError(code, message, {
      // that of a time-out names an option that has no say here
      hint: code === 'timeout' || status !== undefined ? undefined : error.hint,
      httpStatus: status,
    });
  if (error instanceof ProtocolRefusal && error.answer.status >= 400) {
    const { status: refused, headers, text } = error.answer;
    if (refused === 429 || refused === 408 || refused >= 500) {
      return { kind: 'busy', retryAfterMs: parseRetryAfter(headers['retry-after'], now), failure: failed(error.code) };
    }
    const name = oauthError(text);
    return { kind: 'refused', error: name, failure: failed(codeOf(name, refused, text)) };
  }
  if (error.code === 'redirected') return { kind: 'refused', error: '', failure: error };
  if (UNSENT.includes(error.code)) return { kind: 'unsent', failure: failed(error.code) };
  if (UNCLEAR.includes(error.code)) return { kind: 'unclear', failure: failed(error.code) };
  throw error;
}

/** The login is no good, or the request is not. */
function codeOf(error: string, status = 400, body = ''): ErrorCode {
  const login = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'access_denied'].includes(error);
  if (login || status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status !== 404) return 'refused';
  // The service itself does not find the login; a page says that the address is wrong.
  const value = tryParseJson(body);
  return isObject(value) && value['error'] ? 'unauthorized' : 'wrong_path';
}

/** RFC 6749 §5.2: at the top level, unlike the errors of the rest of the service. */
function oauthError(text: string): string {
  const value = tryParseJson(text);
  return isObject(value) && typeof value['error'] === 'string' ? value['error'] : '';
}

/** Whether an OAuth error is about the client, and not about the login (RFC 6749 §5.2). */
export function isClientError(error: string): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}

/** The longest pause that a busy service may ask for: others wait for the lock meanwhile. */
const LONGEST_PAUSE_MS = 10_000;
const PAUSE_MS = 1000;
const ATTEMPT_MS = 20_000;
/** A lock must not be held for a minute. */
const TOTAL_MS = 45_000;

/**
 * Repeats the request once after a lost response, or that of a busy service. If the first had an
 * effect, the token is spent anyway; if not, this saves the login.
 */
export async function refreshTokens(
  target: Target,
  { token_endpoint: tokenEndpoint, client_id }: Pick<OAuthCredential, 'token_endpoint' | 'client_id'>,
  client: OAuthClient | undefined,
  refreshToken: string,
): Promise<TokenOutcome> {
  const request = {
    target,
    tokenEndpoint,
    client: client ?? ({ client_id, token_endpoint_auth_method: 'none' } as const),
    fields: { grant_type: 'refresh_token', refresh_token: refreshToken },
  };
  const began = performance.now();
  const first = await requestToken({ ...request, timeoutMs: ATTEMPT_MS });
  if (first.kind === 'busy') {
    const pause = first.retryAfterMs ?? PAUSE_MS * (0.5 + target.random() / 2);
    if (pause > LONGEST_PAUSE_MS) return first;
    await target.sleep(pause);
  } else if (first.kind !== 'unclear' || first.failure.code === 'wrong_shape') return first;
  const left = TOTAL_MS - (performance.now() - began);
  // A suspended process may have none.
  if (left <= 0) return first;
  return requestToken({ ...request, timeoutMs: Math.min(ATTEMPT_MS, left) });
}
