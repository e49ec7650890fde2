/** Stored credentials for the transport: logins, and the token of the trading gateway. */
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import {
  type ClientRecord,
  type Credential,
  type CredentialOwner,
  clientKey,
  credentialsFile,
  gatewayTokenKey,
  loginKey,
  type OAuthCredential,
  ownerOf,
} from '../../store/credentials.ts';
import { type LockedSecretStore, type SecretContext, SecretStore, withSecrets } from '../../store/secret-store.ts';
import type { Settings } from '../../store/settings.ts';
import { isAlive, isFresh } from './login-status.ts';
import type { TokenGrant } from './schema.ts';
import { grantedFields, OAuthRefusal, requestToken } from './token-endpoint.ts';

type TokenContext = RefreshContext & { readonly settings: Settings };

const NEW_TOKEN = 'create a new one at the service, then: svc oauth login --token-stdin';

/** A new token now, whatever is left of the old one. */
export async function renewLogin(context: TokenContext, target: Target): Promise<OAuthCredential> {
  const login = await readLogin(context, target);
  if (login.kind === 'oauth') return refreshLogin(login, login.access_token, target, context);
  throw new SvcError('refused', 'a personal token cannot be refreshed', { hint: NEW_TOKEN });
}

function findLogin(context: TokenContext, { baseUrl }: Target): Promise<Credential | undefined> {
  const store = new SecretStore(credentialsFile(context.paths), context);
  return store.get(loginKey(ownerOf(context.settings, baseUrl)));
}

/** Throws `unauthorized` if there is none. */
async function readLogin(context: TokenContext, target: Target): Promise<Credential> {
  const login = await findLogin(context, target);
  if (login !== undefined) return login;
  const { profile, base_url } = ownerOf(context.settings, target.baseUrl);
  throw new SvcError('unauthorized', `profile ${profile} is not signed in to ${base_url}`, {
    hint: 'sign in with: svc oauth login (or set SVC_WEBHOOKS_TOKEN)',
  });
}

type Headers = Readonly<Record<string, string>>;

/** A 401 this soon after a refresh answers a request that was sent with the old token. */
const OVERLAP_MS = 10_000;
/** How long to go on with a token that could not be replaced, before the next try. */
const NEXT_TRY_MS = 30_000;

export class StoredAuthorizer implements Authorizer {
  readonly origin: string;
  readonly #context: TokenContext;
  readonly #target: Target;
  /** Makes processes that started together refresh at different moments. */
  readonly #spread: number;
  #current: { readonly login: Credential; readonly headers: Headers; readonly since: number } | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** All requests of this process wait for the same token. */
  #pending: Promise<Headers> | undefined;

  constructor(context: TokenContext, target: Target) {
    this.origin = target.baseUrl.origin;
    this.#context = context;
    this.#target = target;
    this.#spread = context.random();
  }

  async header(): Promise<Headers> {
    if (this.#current !== undefined) {
      const { login, headers, since } = this.#current;
      const now = this.#context.now();
      if (isFresh(login, now / 1000, 0)) return headers;
      if (now - since < NEXT_TRY_MS && isAlive(login, now / 1000)) return headers;
    }
    return this.#once(async () => {
      // A proxy in front of the service may add the token to what its own header lets through.
      const isOptional = this.#target.secretHeaders.size > 0;
      if (isOptional && (await findLogin(this.#context, this.#target)) === undefined) return {};
      return this.#use(await this.#freshLogin());
    });
  }

  async refresh(): Promise<boolean> {
    if (this.#current === undefined) return false;
    if (this.#context.now() - this.#refreshedAt < OVERLAP_MS) return true;
    const refused = this.#current.login.access_token;
    await this.#once(async () => {
      const headers = this.#use(await this.#loginAfter(refused));
      this.#refreshedAt = this.#context.now();
      return headers;
    });
    return true;
  }

  #once(request: () => Promise<Headers>): Promise<Headers> {
    this.#pending ??= request().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** The same object for the same token: the transport then builds its headers once. */
  #use(login: Credential): Headers {
    const headers = { authorization: `Bearer ${login.access_token}` };
    this.#current = { login, headers, since: this.#context.now() };
    return headers;
  }

  /** One whose token can be sent now. */
  async #freshLogin(): Promise<Credential> {
    const login = await readLogin(this.#context, this.#target);
    const now = this.#context.now() / 1000;
    if (login.kind === 'personal' || isFresh(login, now, this.#spread)) return login;
    try {
      return await refreshLogin(login, login.access_token, this.#target, this.#context);
    } catch (error) {
      if (!(error instanceof SvcError) || this.#context.signal.aborted) throw error;
      const { expires_at = 0 } = login;
      const left = Math.round(expires_at - this.#context.now() / 1000);
      if (left <= 0) throw error;
      this.#target.log.warn(`the access token is valid for another ${left} s: ${error.message}`);
      return login;
    }
  }

  /** After a 401: another token than the refused one, which another process may have got by now. */
  async #loginAfter(refused: string): Promise<Credential> {
    const login = await readLogin(this.#context, this.#target);
    if (login.kind === 'oauth') return refreshLogin(login, refused, this.#target, this.#context);
    throw new SvcError('unauthorized', 'the service refused the personal token: it may be revoked, expired or idle', {
      hint: NEW_TOKEN,
      httpStatus: 401,
    });
  }
}

/** Throws `unauthorized` if no token is stored. */
export async function gatewayHeader(
  context: TokenContext,
  { baseUrl }: Target,
): Promise<{ readonly authorization: string }> {
  const owner = ownerOf(context.settings, baseUrl);
  const store = new SecretStore(credentialsFile(context.paths), context);
  const token = await store.get(gatewayTokenKey(owner));
  if (token !== undefined) return { authorization: `Bearer ${token.access_token}` };
  throw new SvcError('unauthorized', `profile ${owner.profile} has no token for ${owner.base_url}`, {
    hint: 'store one with: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}

export type RefreshContext = SecretContext & Pick<Context, 'paths' | 'takeSignals'>;

const SIGN_IN = 'sign in again with: svc oauth login';

/**
 * The login with its new token, or with one that another process got since `spent` was read. Under
 * the lock of the file, with signals deferred. A kill -9 between the response and the end of the
 * write loses the login: the next command says to sign in again.
 */
export async function refreshLogin(
  owner: CredentialOwner,
  spent: string,
  target: Target,
  context: RefreshContext,
): Promise<OAuthCredential> {
  const interruption = forwardAbort(context.signal);
  let releaseSignals: (() => void) | undefined;
  try {
    const { env, settings, sleep, now, random, pid, processName, warn } = context;
    const storing = { env, settings, sleep, now, random, pid, processName, warn, signal: interruption.signal };
    return await withSecrets(credentialsFile(context.paths), storing, async (store) => {
      const login = await store.get(loginKey(owner));
      if (login?.kind !== 'oauth') throw new SvcError('unauthorized', 'the login was deleted', { hint: SIGN_IN });
      if (login.access_token !== spent && isFresh(login, context.now() / 1000, 0)) return login;
      if (login.login_required !== undefined) throw loginRequired(login.login_required.reason);
      if (login.refresh_token === undefined) {
        throw new SvcError('unauthorized', 'the login has expired and has no refresh token', { hint: SIGN_IN });
      }
      const client = await store.get(clientKey(login));
      await store.reserve();
      context.signal.throwIfAborted();
      // Nothing may interrupt until the new token is stored: the login would be lost.
      interruption.stop();
      releaseSignals = deferSignals(context);
      store.checkLock();
      const uninterrupted = { ...target, signal: new AbortController().signal };
      return exchangeToken(login, login.refresh_token, client, uninterrupted, store, context);
    });
  } finally {
    interruption.stop();
    releaseSignals?.();
  }
}

async function exchangeToken(
  login: OAuthCredential,
  refresh_token: string,
  known: ClientRecord | undefined,
  target: Target,
  store: LockedSecretStore,
  context: RefreshContext,
): Promise<OAuthCredential> {
  const { client_id, token_endpoint: endpoint } = login;
  const client = known ?? ({ client_id, token_endpoint_auth_method: 'none' } as const);
  const startedAt = Math.floor(context.now() / 1000);
  const fields = { grant_type: 'refresh_token', refresh_token };
  let grant: TokenGrant;
  try {
    grant = await requestToken({ target, endpoint, client, fields });
  } catch (error) {
    if (!(error instanceof OAuthRefusal) || error.error !== 'invalid_grant') throw explainFailure(error, client_id);
    return markRefused(login, error.message, store, context);
  }
  const { scope = login.scope, email = login.email } = grant;
  const renewed = { ...login, ...grantedFields(grant, startedAt), scope, email, login_required: undefined };
  // Another process may have found out meanwhile that the old refresh token is spent.
  await store.set(loginKey(login), renewed, (current) => current?.kind === 'oauth' && hasSameToken(current, login));
  return renewed;
}

/** Throws, unless another process has replaced the login meanwhile. */
async function markRefused(
  login: OAuthCredential,
  reason: string,
  store: LockedSecretStore,
  { now }: RefreshContext,
): Promise<OAuthCredential> {
  const current = await store.find(loginKey(login)).catch(() => undefined);
  const isReplaced = current?.kind === 'oauth' && !hasSameToken(current, login);
  if (isReplaced && isFresh(current, now() / 1000, 0)) return current;
  const login_required = { at: Math.floor(now() / 1000), reason };
  if (!isReplaced) await store.set(loginKey(login), { ...login, login_required });
  throw loginRequired(reason);
}

function hasSameToken({ refresh_token }: OAuthCredential, login: OAuthCredential): boolean {
  return refresh_token === login.refresh_token;
}

function loginRequired(reason: string): SvcError {
  return new SvcError('unauthorized', `the service refused the login: ${reason}`, { hint: SIGN_IN });
}

/** For a refusal of any kind, only a new login helps: some servers call a revoked token an invalid request. */
function explainFailure(error: unknown, clientId: string): unknown {
  if (!(error instanceof SvcError)) return error;
  const { code, message, httpStatus, hint } = error;
  const why = `the login could not be refreshed: ${message}`;
  if (!(error instanceof OAuthRefusal)) return new SvcError(code, why, { hint, httpStatus });
  if (!error.isOfClient) return new SvcError(code, why, { hint: SIGN_IN, httpStatus });
  const client = `the service may have deleted the stored client ${clientId}, or its secret has expired`;
  return new SvcError(code, `${why}; ${client}`, { hint: `${SIGN_IN} --new-client`, httpStatus });
}

/** A signal that is aborted with another one until `stop` is called. */
function forwardAbort(outer: AbortSignal): { readonly signal: AbortSignal; stop(): void } {
  const inner = new AbortController();
  const forward = (): void => inner.abort(outer.reason);
  if (outer.aborted) forward();
  outer.addEventListener('abort', forward);
  return { signal: inner.signal, stop: () => outer.removeEventListener('abort', forward) };
}

/** Until the returned function is called, because a lost token cannot be requested again. */
function deferSignals({ takeSignals, pid }: Pick<Context, 'takeSignals' | 'pid'>): () => void {
  let received: EndSignal | undefined;
  const release = takeSignals((name) => {
    received ??= name;
  });
  return () => {
    release();
    if (received !== undefined) kill(pid, received);
  };
}
