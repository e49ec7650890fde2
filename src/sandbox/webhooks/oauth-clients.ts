/** OAuth clients, their registration (doc 2 §5, RFC 7591), grants, and all endpoints' errors. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../json-object.ts';
import { Refusal, type Response } from '../http.ts';
import { ALLOW_LISTED, type WebhooksTrap } from '../traps.ts';

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export const SCOPE = 'mcp:connect';

/** Errors are at the top level, unlike those below /v1 (doc 2 §7, RFC 6749 §5.2). */
export class OAuthError extends Refusal {
  readonly description: string;

  constructor(error: string, description: string, status = 400, headers: Response['headers'] = {}) {
    // RFC 6749 §5.2 allows these characters.
    super(status, { error, error_description: description.replace(/[^ !#-[\]-~]/g, '?') }, headers);
    this.description = description;
  }
}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}

export type Parameters = ReadonlyMap<string, string>;

/** Empty parameters count as missing. Throws for a repeated one, and for a broken encoding. */
export function readParameters(text: string): Parameters {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw invalidRequest('the parameters are not encoded correctly');
  const pairs = [...new URLSearchParams(text)];
  const repeated = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (repeated !== undefined) throw invalidRequest(`${repeated[0]} occurs more than once`);
  return new Map(pairs.filter(([, value]) => value !== ''));
}

const FORM = 'application/x-www-form-urlencoded';

export function readForm(type: string | undefined, body: string): Parameters {
  if (type?.split(';')[0]?.trim().toLowerCase() !== FORM) throw invalidRequest(`the body must be ${FORM}`);
  return readParameters(body);
}

export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalidRequest(`${name} is required`);
  return value;
}

/** Unguessable: 256 bits. */
function secretValue(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const REGISTRATION = z.object({
  redirect_uris: z.array(z.string()).check(z.minLength(1)),
  client_name: z._default(z.string(), ''),
  token_endpoint_auth_method: z._default(z.enum(METHODS), 'client_secret_basic'),
  grant_types: z
    ._default(z.array(z.enum(['authorization_code', 'refresh_token'])), ['authorization_code'])
    .check(z.refine((types) => types.includes('authorization_code'))),
  response_types: z._default(z.tuple([z.literal('code')]), ['code']),
  scope: z._default(z.string(), SCOPE),
  application_type: z.optional(z.unknown()),
});

interface Client extends Omit<z.infer<typeof REGISTRATION>, 'application_type'> {
  readonly client_id: string;
  readonly client_secret?: string;
}

export class Clients {
  readonly #clients = new Map<string, Client>();
  readonly #traps: ReadonlySet<WebhooksTrap>;
  readonly #now: () => number;

  constructor(traps: ReadonlySet<WebhooksTrap>, now: () => number) {
    this.#traps = traps;
    this.#now = now;
  }

  find(id: string): Client | undefined {
    return this.#clients.get(id);
  }

  get methods(): readonly string[] {
    return this.#traps.has('one-method') ? ['client_secret_post'] : METHODS;
  }

  register(type: string | undefined, body: string): unknown {
    const traps = this.#traps;
    const { application_type, ...registration } = readRegistration(type, body);
    const { redirect_uris, scope } = registration;
    if (scope !== SCOPE) throw invalidMetadata(`scope must be ${SCOPE}`);
    for (const uri of redirect_uris) checkRedirect(uri);
    const isWeb = traps.has('web-by-default') && application_type !== 'native';
    if (isWeb && redirect_uris.some((uri) => uri.startsWith('http:'))) {
      throw badRedirect('a web application must have https redirects');
    }
    const method = registration.token_endpoint_auth_method;
    if (!this.methods.includes(method)) {
      throw invalidMetadata(`token_endpoint_auth_method must be ${this.methods.join(', ')}`);
    }
    const client_id = `client_${randomBytes(9).toString('hex')}`;
    const client = { ...registration, client_id };
    const client_secret = secretValue('cs_');
    this.#clients.set(client_id, method === 'none' ? client : { ...client, client_secret });
    return {
      ...client,
      client_id_issued_at: Math.floor(this.#now() / 1000),
      ...(method !== 'none' ? { client_secret, client_secret_expires_at: 0 } : {}),
    };
  }

  /** By the method that the client is registered with, and by no other. */
  authenticate(authorization: string | undefined, form: Parameters): Client {
    const [posted, formId] = [form.get('client_secret'), form.get('client_id')];
    if (authorization !== undefined && posted !== undefined) {
      throw invalidRequest('a client may use only one authentication method');
    }
    const basic = authorization === undefined ? undefined : readBasic(authorization);
    if (basic !== undefined && formId !== undefined && formId !== basic.id) {
      throw invalidRequest('client_id is in the header and in the body');
    }
    const client = this.find(basic?.id ?? required(form, 'client_id'));
    const inBody = posted === undefined ? 'none' : 'client_secret_post';
    const method = basic ? 'client_secret_basic' : inBody;
    if (client === undefined) throw invalidClient(method, 'the client is unknown');
    if (client.token_endpoint_auth_method !== method) {
      throw invalidClient(method, `the client is registered with ${client.token_endpoint_auth_method}, not ${method}`);
    }
    if (!sameText(basic?.secret ?? posted ?? '', client.client_secret ?? '')) {
      throw invalidClient(method, 'the secret is wrong');
    }
    return client;
  }
}

function readRegistration(type: string | undefined, body: string): z.infer<typeof REGISTRATION> {
  if (!/^application\/json(?: *;|$)/i.test(type ?? '')) throw invalidMetadata('the body must be application/json');
  const value = tryParseJson(body);
  if (value === undefined) throw invalidMetadata('the body is not JSON');
  const { data, error } = REGISTRATION.safeParse(value);
  if (data !== undefined) return data;
  const name = String(error?.issues[0]?.path[0] ?? 'the body');
  throw name === 'redirect_uris' ? badRedirect('redirect_uris is invalid') : invalidMetadata(`${name} is invalid`);
}

/** Doc 2 §5: https is allow-listed; http is for the loopback addresses. */
function checkRedirect(uri: string): void {
  if (!URL.canParse(uri)) throw badRedirect(`${uri} is no address`);
  const { protocol, hostname, username, password } = new URL(uri);
  const isLoopback = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (uri.includes('#') || username !== '' || password !== '') throw badRedirect(`${uri} has a fragment or a user`);
  if (!isLoopback && uri !== ALLOW_LISTED)
    throw badRedirect(`${uri} is not on the allow-list, nor on loopback by http`);
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function readBasic(authorization: string): { readonly id: string; readonly secret: string } {
  const encoded = /^Basic +([\w+/]+=*)$/i.exec(authorization)?.[1] ?? '';
  const [, id, secret = ''] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  try {
    if (id === undefined) throw new URIError('no pair');
    return { id: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    throw invalidClient('client_secret_basic', 'the Authorization header is not Basic with an id and a secret');
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function invalidClient(method: Client['token_endpoint_auth_method'], why: string): OAuthError {
  const headers = method === 'client_secret_basic' ? { 'www-authenticate': 'Basic realm="sandbox"' } : {};
  return new OAuthError('invalid_client', why, 401, headers);
}

function invalidMetadata(why: string): OAuthError {
  return new OAuthError('invalid_client_metadata', why);
}

function badRedirect(why: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', why);
}

/** Doc 2 §8, which does not show the lifetime of a code. */
const ACCESS_S = 3600;
const REFRESH_MS = 90 * 24 * 3_600_000;
const CODE_MS = 60_000;
const EARLY_END_S = 60;
const EMAIL = 'owner@sandbox.example';

export interface GrantsOptions {
  readonly now: () => number;
  readonly fast: number;
  readonly traps: ReadonlySet<WebhooksTrap>;
}

interface Approval {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** One sign-in, whose tokens end together. */
interface SignIn {
  readonly approval: Approval;
  isRevoked: boolean;
}

interface Credential {
  readonly signIn: SignIn;
  readonly until: number;
  isUsed: boolean;
}

/** Codes and their tokens. A code or a refresh token used twice ends all of its sign-in. */
export class Grants {
  readonly #codes = new Map<string, Credential>();
  readonly #accessTokens = new Map<string, Credential>();
  readonly #refreshTokens = new Map<string, Credential>();
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  approve(approval: Approval): string {
    return this.#issue(this.#codes, 'code_', { approval, isRevoked: false }, CODE_MS);
  }

  exchange(client: Client, text: string, redirectUri: string, verifier: string) {
    const code = this.#find(this.#codes, client, text, 'the code');
    const { approval } = code.signIn;
    if (approval.redirectUri !== redirectUri) throw invalidGrant('redirect_uri is not the one of the code');
    // RFC 7636 §4.1, §4.6
    const hash = createHash('sha256').update(verifier).digest('base64url');
    if (!/^[\w.~-]{43,128}$/.test(verifier) || !sameText(hash, approval.challenge)) {
      throw invalidGrant('code_verifier does not match the code_challenge');
    }
    code.isUsed = true;
    return this.#tokens(code.signIn, client.grant_types.includes('refresh_token'));
  }

  refresh(client: Client, text: string) {
    const token = this.#find(this.#refreshTokens, client, text, 'the refresh token');
    token.isUsed = true;
    return this.#tokens(token.signIn, true);
  }

  accepts(text: string): boolean {
    const token = this.#accessTokens.get(text);
    return token !== undefined && !token.signIn.isRevoked && token.until > this.#options.now();
  }

  #issue(to: Map<string, Credential>, prefix: string, signIn: SignIn, ms: number): string {
    const text = secretValue(prefix);
    to.set(text, { signIn, until: this.#options.now() + ms, isUsed: false });
    return text;
  }

  #find(all: ReadonlyMap<string, Credential>, client: Client, text: string, name: string): Credential {
    const found = all.get(text);
    if (found?.signIn.approval.client.client_id !== client.client_id) throw invalidGrant(`${name} is unknown`);
    if (found.isUsed) found.signIn.isRevoked = true;
    if (found.signIn.isRevoked) throw invalidGrant(`${name} was used before, or is revoked`);
    if (found.until <= this.#options.now()) throw invalidGrant(`${name} is too old`);
    return found;
  }

  #tokens(signIn: SignIn, withRefresh: boolean) {
    const { fast, traps } = this.#options;
    const expires_in = Math.max(1, Math.floor(ACCESS_S / fast));
    const lifetime = traps.has('early-end') ? EARLY_END_S / fast : expires_in;
    return {
      access_token: this.#issue(this.#accessTokens, 'at_', signIn, lifetime * 1000),
      token_type: 'Bearer',
      expires_in: traps.has('no-lifetime') ? undefined : expires_in,
      refresh_token: withRefresh ? this.#issue(this.#refreshTokens, 'rt_', signIn, REFRESH_MS / fast) : undefined,
      scope: SCOPE,
      email: EMAIL,
    };
  }
}

function invalidGrant(why: string): OAuthError {
  return new OAuthError('invalid_grant', why);
}
