/**
 * Replaces the token of a stored login under the lock of the file, with signals deferred. A kill -9
 * between the response and the end of the write loses the login: the next command says to sign in
 * again.
 */
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import {
  type ClientRecord,
  type CredentialOwner,
  clientKey,
  credentialsFile,
  loginKey,
  type OAuthCredential,
} from '../../store/credentials.ts';
import { type LockedSecretStore, type SecretContext, withSecrets } from '../../store/secret-store.ts';
import { isFresh } from './login-status.ts';
import type { TokenGrant } from './schema.ts';
import { grantedFields, OAuthRefusal, requestToken } from './token-endpoint.ts';

export type RefreshContext = SecretContext & Pick<Context, 'paths' | 'takeSignals'>;

const SIGN_IN = 'sign in again with: svc oauth login';

/** The login with its new token, or with one that another process got since `spent` was read. */
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
