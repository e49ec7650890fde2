/** One request to the token endpoint (doc 2 §5), for the exchange of a code and for a refresh, and what became of it. */
import { type ErrorCode, SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import { openClient } from '../../http/client.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { redactText } from '../../http/redact.ts';
import { parseRetryAfter } from '../../http/retry.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import { withoutSecrets } from '../../http/tracer.ts';

export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

export interface TokenRequest {
  /** How the service is reached. Its headers go along only where the endpoint is on the same origin. */
  readonly target: Target;
  readonly tokenEndpoint: string;
  readonly client: OAuthClient;
  /** `grant_type` and what it needs; the client's own fields are added. */
  readonly fields: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface TokenGrant {
  readonly access_token: string;
  /** Seconds; absent where the service does not say. */
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly email?: string;
}

export type TokenOutcome =
  | { readonly kind: 'granted'; readonly grant: TokenGrant }
  /** Answered, and no: `error` is the OAuth error, '' where the answer has none. */
  | { readonly kind: 'refused'; readonly error: string; readonly failure: SvcError }
  /** 429 and 5xx. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number | undefined; readonly failure: SvcError }
  /** No connection was made. */
  | { readonly kind: 'unsent'; readonly failure: SvcError }
  /** It was sent, and no answer came that can be used: the service may have acted on it. */
  | { readonly kind: 'unclear'; readonly failure: SvcError };

const TIMEOUT_MS = 20_000;
const LARGEST_ANSWER = 1024 * 1024;
/** A lifetime beyond it is as good as none. */
const LONGEST_LIFETIME_S = 10 * 365 * 86_400;

/**
 * Sends one POST, on a connection of its own, and follows no redirect. Rejects only where nothing may be sent (a credential over
 * plain http), and with an interruption.
 */
export async function requestToken(request: TokenRequest): Promise<TokenOutcome> {
  const url = new URL(request.tokenEndpoint);
  const outcome = await submit(request, url, tokenEndpoint(url));
  return outcome.kind === 'answered' ? readGrant(outcome.answer, url) : outcome;
}

/** RFC 7009. Resolves to what went wrong, if anything did. */
export async function revokeToken(
  request: Omit<TokenRequest, 'tokenEndpoint'>,
  at: string,
): Promise<SvcError | undefined> {
  const url = new URL(at);
  const { answer: _, ...bodiless } = tokenEndpoint(url);
  const outcome = await submit({ ...request, tokenEndpoint: at }, url, bodiless);
  return outcome.kind === 'answered' ? undefined : outcome.failure;
}

type Submitted = { readonly kind: 'answered'; readonly answer: unknown } | Exclude<TokenOutcome, { kind: 'granted' }>;

async function submit(request: TokenRequest, url: URL, to: Endpoint<unknown>): Promise<Submitted> {
  const form = formOf(request);
  let refusal: FailedAnswer | undefined;
  const client = openClient(targetOf(request, url), {
    basePath: '',
    maxAnswerBytes: LARGEST_ANSWER,
    explain: (answer) => {
      refusal = answer;
      return undefined;
    },
  });
  try {
    return { kind: 'answered', answer: await client.call(to, { body: form }) };
  } catch (error) {
    return outcomeOf(error, refusal, secretsOf(request), request.target.now());
  } finally {
    await client.close();
  }
}

/** A read to the transport, which repeats no POST: no state of the service's hangs on it, and a dry run may need a token. */
function tokenEndpoint({ pathname, search }: URL): Endpoint<unknown> {
  const path = (pathname + search).replace(/[{}]/g, encodeURIComponent);
  const answer = async () => ({ safeParse: (data: unknown) => ({ success: true as const, data }) });
  return endpoint<unknown>({ method: 'POST', path, effect: 'read', encoding: 'form', answer });
}

function formOf({ client, fields }: TokenRequest): Record<string, string> {
  const form: Record<string, string> = { ...fields, client_id: client.client_id };
  if (client.token_endpoint_auth_method === 'client_secret_post') form['client_secret'] = client.client_secret ?? '';
  return form;
}

function targetOf(request: TokenRequest, url: URL): Target {
  const { target, client, timeoutMs = TIMEOUT_MS } = request;
  const own = url.origin === target.baseUrl.origin;
  const { authorization: _, ...headers } = own ? target.headers : {};
  const secrets = secretsOf(request);
  return {
    ...target,
    baseUrl: new URL(url.origin),
    timeoutMs,
    headers,
    secretHeaders: own ? target.secretHeaders : new Set(),
    authorizer: { origin: url.origin, header: async () => clientHeader(client) },
    trace: (event) => target.trace(withoutAny(event, secrets)),
  };
}

function clientHeader(client: OAuthClient): Record<string, string> {
  if (client.token_endpoint_auth_method !== 'client_secret_basic') return {};
  // RFC 6749 §2.3.1: each part form-encoded before both are joined.
  const pair = `${formEncoded(client.client_id)}:${formEncoded(client.client_secret ?? '')}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** What a service could say again. */
function secretsOf({ client, fields }: TokenRequest): string[] {
  const { refresh_token, token, code, code_verifier } = fields;
  const secrets = [refresh_token, token, code, code_verifier, client.client_secret].filter((one) => one !== undefined);
  return secrets.flatMap((one) => [one, formEncoded(one), encodeURIComponent(one)]).filter((one) => one.length >= 4);
}

function withoutAny(event: TraceEvent, secrets: readonly string[]): TraceEvent {
  if (event.kind === 'failure') return { ...event, reason: withoutSecrets(event.reason, secrets) };
  if (event.kind === 'answer') return event;
  const headers = Object.entries(event.headers).map(([name, value]) => [name, withoutSecrets(value, secrets)]);
  return { ...event, headers: Object.fromEntries(headers), body: withoutSecrets(event.body, secrets) };
}

function readGrant(answer: unknown, url: URL): TokenOutcome {
  const line = `POST ${redactText(url.href)}`;
  const grant = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  const { access_token, token_type, refresh_token, scope, email, error } = grant;
  if (typeof error === 'string' && access_token === undefined) {
    const text = serviceMessage({ contentType: 'application/json', text: JSON.stringify(answer) });
    return { kind: 'refused', error, failure: new SvcError(codeOf(error, 400), `${line} answered: ${text}`) };
  }
  const expires_in = lifetime(grant['expires_in']);
  const wrong =
    typeof access_token !== 'string' || !/^[\x21-\x7e]+$/.test(access_token)
      ? 'it has no access_token that can be sent'
      : typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer'
        ? 'its token_type is not Bearer'
        : expires_in === 'unusable'
          ? 'its expires_in is no number of seconds'
          : refresh_token !== undefined && (typeof refresh_token !== 'string' || refresh_token === '')
            ? 'its refresh_token is no text'
            : undefined;
  if (wrong !== undefined) {
    const failure = new SvcError('bad_answer', `${line} answered, but the answer cannot be used: ${wrong}`);
    return { kind: 'unclear', failure };
  }
  return {
    kind: 'granted',
    grant: {
      access_token: access_token as string,
      ...(typeof expires_in === 'number' ? { expires_in } : {}),
      ...(refresh_token === undefined ? {} : { refresh_token: refresh_token as string }),
      ...(typeof scope === 'string' ? { scope } : {}),
      ...(typeof email === 'string' ? { email } : {}),
    },
  };
}

/** Some services send the number as a text. */
function lifetime(value: unknown): number | 'unusable' | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 0)) return 'unusable';
  return Math.min(Math.floor(seconds), LONGEST_LIFETIME_S);
}

const UNSENT: readonly ErrorCode[] = ['dns_failed', 'connect_failed', 'tls_failed', 'proxy_failed'];
const UNCLEAR: readonly ErrorCode[] = ['timeout', 'connection_lost', 'bad_answer', 'answer_too_large'];

function outcomeOf(
  error: unknown,
  refusal: FailedAnswer | undefined,
  secrets: readonly string[],
  now: number,
): Exclude<Submitted, { kind: 'answered' }> {
  if (!(error instanceof SvcError)) throw error;
  const { httpStatus: status } = error;
  const text = withoutSecrets(error.message, secrets);
  const failed = (code: ErrorCode): SvcError =>
    new SvcError(code, text, {
      // that of a time-out names an option that has no say here
      ...(error.hint === undefined || code === 'timeout' || status !== undefined ? {} : { hint: error.hint }),
      ...(status === undefined ? {} : { httpStatus: status }),
    });
  if (refusal !== undefined && status !== undefined) {
    if (status === 429 || status === 408 || status >= 500) {
      const retryAfterMs = parseRetryAfter(refusal.headers['retry-after'], now);
      return { kind: 'busy', retryAfterMs, failure: failed(error.code) };
    }
    const name = oauthError(refusal.text);
    return { kind: 'refused', error: name, failure: failed(codeOf(name, status)) };
  }
  if (error.code === 'redirected') return { kind: 'refused', error: '', failure: error };
  if (UNSENT.includes(error.code)) return { kind: 'unsent', failure: failed(error.code) };
  if (UNCLEAR.includes(error.code)) return { kind: 'unclear', failure: failed(error.code) };
  throw error;
}

/** The login is no good, or the request is not. */
function codeOf(error: string, status: number): ErrorCode {
  const login = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'access_denied'].includes(error);
  if (login || status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'wrong_path' : 'refused';
}

/** RFC 6749 §5.2: at the top level, unlike the errors of the rest of the service. */
function oauthError(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}
