/**
 * Replaces the token of a stored login: under the lock of the file, by one process of many, with signals deferred. A kill -9 between the response of the
 * service and the end of the write loses the login: the next command then says to sign in again.
 */
// biome-ignore lint/style/noRestrictedImports: a deferred signal is raised again
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import {
  type CredentialKey,
  endedClient,
  findClient,
  findCredential,
  type OAuthCredential,
  withClient,
  withCredential,
} from '../../store/credentials.ts';
import { type OpenCredentials, withCredentials } from '../../store/credentials-file.ts';
import type { VaultContext } from '../../store/sealed-records.ts';
import { isAlive, isFresh } from './login-status.ts';
import { grantedFields, isClientError, refreshTokens, type TokenOutcome } from './token-endpoint.ts';

export type RefreshContext = VaultContext & Pick<Context, 'paths' | 'takeSignals'>;

export interface RefreshRequest {
  readonly key: CredentialKey;
  /**
   * `stale`: the token is about to expire. `refused`: the service does not take it, and any other will do. `always`: no other one will do, and no old one.
   */
  readonly reason: 'stale' | 'refused' | 'always';
  /** The access token that is to be replaced. */
  readonly spent: string;
}

/** An exchange takes up to 45 s, and others wait a minute: a second one begins no later than this after the first. */
const LATEST_SECOND_S = 10;
const SIGN_IN = 'sign in again with: svc oauth login';

export class Refresh {
  readonly #request: RefreshRequest;
  readonly #target: Target;
  readonly #context: RefreshContext;

  constructor(request: RefreshRequest, target: Target, context: RefreshContext) {
    this.#request = request;
    this.#target = target;
    this.#context = context;
  }

  get #seconds(): number {
    return this.#context.now() / 1000;
  }

  /** The login with its new token, or with one that another process got, or with the old one while that is valid. */
  async run(): Promise<OAuthCredential> {
    const { key, spent } = this.#request;
    const context = this.#context;
    let release: (() => void) | undefined;
    try {
      return await withCredentials(context.paths, context, async (file) => {
        for (const warning of file.warnings) this.#target.log.warn(warning);
        const sealed = findCredential(file.document, key);
        if (sealed?.kind !== 'oauth') throw new SvcError('unauthorized', 'the login was deleted', { hint: SIGN_IN });
        const found = await file.open(sealed);
        if (found.access_token !== spent && isFresh(found, this.#seconds, 0)) return found;
        const old = this.#usable(found);
        try {
          checkRenewable(found);
          await file.reserve();
        } catch (error) {
          if (old === undefined || !(error instanceof SvcError) || context.signal.aborted) throw error;
          return this.#goOn(old, error);
        }
        const client = findClient(file.document, found);
        const authenticated = client && (await file.open(client));
        release = deferSignals(context);
        return await this.#exchange(file, { tried: found, client: authenticated, old });
      });
    } finally {
      release?.();
    }
  }

  /** With an access token that the service still takes. */
  #usable(found: OAuthCredential): OAuthCredential | undefined {
    const { reason, spent } = this.#request;
    if (reason === 'always' || (reason === 'refused' && found.access_token === spent)) return undefined;
    return found.expires_at !== undefined && isAlive(found, this.#seconds) ? found : undefined;
  }

  /** Between the service's answer and the end of `save` a death of this process loses the login: nothing else may happen there. */
  async #exchange(file: OpenCredentials, { tried, client, old }: Exchange, again = true): Promise<OAuthCredential> {
    const events: TraceEvent[] = [];
    const obtained = Math.floor(this.#seconds);
    try {
      const outcome = await this.#send(tried, client, events);
      const now = await file.reread();
      const found = findCredential(now, this.#request.key);
      // What was opened before is opened at once. What another program has put there meanwhile may be anything.
      const stored = found && (await file.open(found).catch(() => undefined));
      const same = stored?.kind === 'oauth' && stored.refresh_token === tried.refresh_token;
      if (outcome.kind === 'granted') {
        const base = same ? stored : tried;
        const { scope = base.scope, email = base.email } = outcome.grant;
        const fresh = grantedFields(outcome.grant, obtained);
        const next: OAuthCredential = { ...base, ...fresh, scope, email, login_required: undefined };
        const { basicForm } = outcome;
        const used = basicForm && findClient(now, tried);
        await file.save(withCredential(used ? withClient(now, { ...used, basic_form: basicForm }) : now, next));
        return next;
      }
      if (outcome.kind === 'refused' && outcome.error === 'invalid_grant') {
        // Something replaced the login without the lock, such as a backup that was put back.
        if (!same && stored?.kind === 'oauth' && again && this.#seconds - obtained < LATEST_SECOND_S) {
          return await this.#exchange(file, { tried: stored, client, old }, false);
        }
        const at = Math.floor(this.#seconds);
        const refused = { ...tried, login_required: { at, reason: outcome.failure.message } };
        if (same) await file.save(withCredential(now, refused));
        throw loginRequired(refused);
      }
      const used = findClient(now, tried);
      if (outcome.kind === 'refused' && isClientError(outcome.error) && used !== undefined) {
        await file.save(withClient(now, endedClient(used, Math.floor(this.#seconds))));
      }
      if (old === undefined) throw explained(outcome, tried.client_id);
      return this.#goOn(old, outcome.failure);
    } finally {
      for (const event of events) this.#target.log.trace(event);
    }
  }

  #send(tried: OAuthCredential, client: Exchange['client'], events: TraceEvent[]): Promise<TokenOutcome> {
    this.#context.signal.throwIfAborted();
    const log = { ...this.#target.log, trace: (event: TraceEvent) => events.push(event) };
    return refreshTokens(
      {
        target: { ...this.#target, signal: new AbortController().signal, log },
        tokenEndpoint: tried.token_endpoint,
        client: client ?? { client_id: tried.client_id, token_endpoint_auth_method: 'none' },
      },
      tried.refresh_token ?? '',
    );
  }

  #goOn(old: OAuthCredential, { message }: SvcError): OAuthCredential {
    const left = Math.round((old.expires_at ?? 0) - this.#seconds);
    this.#target.log.warn(
      `the login could not be refreshed; its access token is valid for another ${left} s: ${message}`,
    );
    return old;
  }
}

/** What is sent, and what to go on with if that fails. */
interface Exchange {
  readonly tried: OAuthCredential;
  readonly client: ReturnType<typeof findClient>;
  readonly old: OAuthCredential | undefined;
}

function checkRenewable(credential: OAuthCredential): void {
  if (credential.login_required !== undefined) throw loginRequired(credential);
  if (credential.refresh_token === undefined) {
    throw new SvcError('unauthorized', 'the login has expired and has no refresh token', { hint: SIGN_IN });
  }
}

function loginRequired({ login_required }: OAuthCredential): SvcError {
  return new SvcError('unauthorized', `the service refused the login: ${login_required?.reason}`, { hint: SIGN_IN });
}

function explained(outcome: Exclude<TokenOutcome, { readonly kind: 'granted' }>, clientId: string): SvcError {
  const { message, hint, httpStatus } = outcome.failure;
  const ofClient = outcome.kind === 'refused' && isClientError(outcome.error);
  // Some servers call a revoked refresh token an invalid request. Whatever the error is, only a new login helps.
  const isRefused = outcome.kind === 'refused' && outcome.error !== '';
  const code = isRefused ? 'unauthorized' : outcome.failure.code;
  const why = ofClient ? `; the service may have deleted the stored client ${clientId}, or its secret has expired` : '';
  const action = ofClient ? `${SIGN_IN}, which registers a new client` : code === 'unauthorized' ? SIGN_IN : hint;
  return new SvcError(code, `the login could not be refreshed: ${message}${why}`, { hint: action, httpStatus });
}

/** Defers SIGINT, SIGTERM and SIGHUP until the function it returns is called: a lost token cannot be asked for twice. */
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
