/**
 * Replaces the token of a stored login under the lock of the file, with signals deferred. A kill -9
 * between the response and the end of the write loses the login: the next command says to sign in
 * again.
 */
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import {
  type ClientRecord,
  type CredentialOwner,
  clientKey,
  credentialsFile,
  endedClient,
  loginKey,
  type OAuthCredential,
} from '../../store/credentials.ts';
import { type LockedSecretStore, type SecretContext, withSecrets } from '../../store/secret-store.ts';
import { isFresh } from './login-status.ts';
import { grantedFields, isClientError, refreshTokens, type TokenOutcome } from './token-endpoint.ts';

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
  const { env, settings, sleep, now, random, pid, processName, warn } = context;
  const storing = { env, settings, sleep, now, random, pid, processName, warn, signal: interruption.signal };
  let releaseSignals: (() => void) | undefined;
  const events: TraceEvent[] = [];
  try {
    return await withSecrets(credentialsFile(context.paths), storing, async (store) => {
      const login = await store.get(loginKey(owner));
      if (login?.kind !== 'oauth') throw new SvcError('unauthorized', 'the login was deleted', { hint: SIGN_IN });
      if (login.access_token !== spent && isFresh(login, context.now() / 1000, 0)) return login;
      const refreshToken = requireRefreshToken(login);
      const client = await store.get(clientKey(login));
      await store.reserve();
      context.signal.throwIfAborted();
      // Nothing may interrupt until the new token is stored: the login would be lost.
      interruption.stop();
      releaseSignals = deferSignals(context);
      const log = { ...target.log, trace: (event: TraceEvent) => void events.push(event) };
      const uninterrupted = { ...target, signal: new AbortController().signal, log };
      const obtainedAt = Math.floor(context.now() / 1000);
      store.checkLock();
      const outcome = await refreshTokens(uninterrupted, login, client, refreshToken);
      if (outcome.kind !== 'granted') return handleRefusal(outcome, login, client, store, context);
      return storeGrant(outcome, obtainedAt, login, client, store);
    });
  } finally {
    interruption.stop();
    releaseSignals?.();
    for (const event of events) target.log.trace(event);
  }
}

type Granted = Extract<TokenOutcome, { readonly kind: 'granted' }>;

async function storeGrant(
  { grant, basicForm }: Granted,
  obtainedAt: number,
  login: OAuthCredential,
  client: ClientRecord | undefined,
  store: LockedSecretStore,
): Promise<OAuthCredential> {
  const { scope = login.scope, email = login.email } = grant;
  const fresh = grantedFields(grant, obtainedAt);
  const renewed: OAuthCredential = { ...login, ...fresh, scope, email, login_required: undefined };
  // Another process may have found out meanwhile that the old refresh token is spent.
  await store.set(
    loginKey(login),
    renewed,
    (current) => current?.kind === 'oauth' && current.refresh_token === login.refresh_token,
  );
  if (basicForm !== undefined && client !== undefined && client.basic_form !== basicForm) {
    await store.set(clientKey(client), { ...client, basic_form: basicForm });
  }
  return renewed;
}

function requireRefreshToken({ refresh_token, login_required }: OAuthCredential): string {
  if (login_required !== undefined) throw loginRequired(login_required.reason);
  if (refresh_token !== undefined) return refresh_token;
  throw new SvcError('unauthorized', 'the login has expired and has no refresh token', { hint: SIGN_IN });
}

function loginRequired(reason: string): SvcError {
  return new SvcError('unauthorized', `the service refused the login: ${reason}`, { hint: SIGN_IN });
}

type Refusal = Exclude<TokenOutcome, { readonly kind: 'granted' }>;

/** Stores the refusal and throws. Returns a login that replaced the refused one meanwhile. */
async function handleRefusal(
  outcome: Refusal,
  login: OAuthCredential,
  client: ClientRecord | undefined,
  store: LockedSecretStore,
  context: RefreshContext,
): Promise<OAuthCredential> {
  const now = Math.floor(context.now() / 1000);
  if (outcome.kind === 'refused' && outcome.error === 'invalid_grant') {
    const current = await store.find(loginKey(login)).catch(() => undefined);
    const isReplaced = current?.kind === 'oauth' && current.refresh_token !== login.refresh_token;
    if (isReplaced && isFresh(current, now, 0)) return current;
    const reason = outcome.failure.message;
    if (!isReplaced) await store.set(loginKey(login), { ...login, login_required: { at: now, reason } });
    throw loginRequired(reason);
  }
  if (outcome.kind === 'refused' && isClientError(outcome.error) && client !== undefined) {
    await store.set(clientKey(client), endedClient(client, now));
  }
  throw explainRefusal(outcome, login.client_id);
}

function explainRefusal(outcome: Refusal, clientId: string): SvcError {
  const { message, hint, httpStatus } = outcome.failure;
  const ofClient = outcome.kind === 'refused' && isClientError(outcome.error);
  // Some servers call a revoked token an invalid request. For any error, only a new login helps.
  const isRefused = outcome.kind === 'refused' && outcome.error !== '';
  const code = isRefused ? 'unauthorized' : outcome.failure.code;
  const why = ofClient ? `; the service may have deleted the stored client ${clientId}, or its secret has expired` : '';
  const signIn = code === 'unauthorized' ? SIGN_IN : hint;
  return new SvcError(code, `the login could not be refreshed: ${message}${why}`, {
    hint: ofClient ? `${SIGN_IN}, which registers a new client` : signIn,
    httpStatus,
  });
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
