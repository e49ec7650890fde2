/** The stored login of one profile and address: its access token, replaced when it must be, by one process of many. */
// biome-ignore lint/style/noRestrictedImports: a deferred signal is raised again
import { kill } from 'node:process';
import type { Context, EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import {
  type Credential,
  type CredentialKey,
  type CredentialsDocument,
  credentialAddress,
  endedClient,
  findClient,
  findCredential,
  type OAuthCredential,
  type PersonalCredential,
  withClient,
  withCredential,
} from '../../store/credentials.ts';
import {
  type CredentialsFile,
  canStore,
  type OpenCredentials,
  readCredentials,
  withCredentials,
} from '../../store/credentials-file.ts';
import { isAlive, isFresh } from './login-status.ts';
import { grantedFields, isClientError, refreshTokens, type TokenOutcome } from './token-endpoint.ts';

export type TokenContext = Pick<Context, 'paths' | 'pid' | 'now' | 'random' | 'sleep' | 'signal' | 'takeSignals'>;

/** Why a token is replaced before its time. */
interface Demand {
  /** The token that the service refused: any other one will do. */
  readonly refused?: string;
  /** No other one will do, and no old one. */
  readonly always?: true;
}

const DAY_S = 86_400;
/** An exchange takes up to 45 s, and others wait a minute: a second one begins no later than this after the first. */
const LATEST_SECOND_S = 10;

export class TokenManager {
  readonly #context: TokenContext;
  readonly #target: Target;
  readonly #key: CredentialKey;
  /** The same for the whole process. */
  readonly #spread: number;
  #warned = false;
  /** What the file would hold, where nothing can be written. */
  #unsaved: CredentialsDocument | undefined;

  constructor(context: TokenContext, target: Target, profile: string) {
    this.#context = context;
    this.#target = target;
    this.#key = { profile, base_url: credentialAddress(target.baseUrl) };
    this.#spread = context.random();
  }

  /** The stored credential as it is, undefined where there is none. */
  async stored(): Promise<Credential | undefined> {
    return findCredential(await this.#read(), this.#key);
  }

  /** One whose token can be sent now. Throws `unauthorized` where there is none. */
  async current(): Promise<Credential> {
    const stored = await this.#read();
    const credential = findCredential(stored, this.#key);
    if (credential === undefined) throw this.#notSignedIn(stored.credentials);
    if (credential.kind === 'personal') return this.#used(credential);
    return isFresh(credential, this.#seconds, this.#spread) ? credential : this.#renew(credential, {});
  }

  /** After a 401: another token than the refused one, which another process may have got by now. */
  async after(refused: string): Promise<Credential> {
    const credential = await this.stored();
    if (credential === undefined) throw this.#notSignedIn([]);
    if (credential.kind === 'personal') throw personalRefused(credential);
    if (credential.access_token !== refused && isFresh(credential, this.#seconds, 0)) return credential;
    return this.#renew(credential, { refused });
  }

  /** A new token now, whatever is left of the old one. */
  async renewed(): Promise<OAuthCredential> {
    const credential = await this.stored();
    if (credential === undefined) throw this.#notSignedIn([]);
    if (credential.kind === 'personal') {
      throw new SvcError('refused', 'a personal token cannot be refreshed', {
        hint: 'create a new one at the service, then: svc oauth login --token-stdin',
      });
    }
    return this.#renew(credential, { always: true });
  }

  get #seconds(): number {
    return this.#context.now() / 1000;
  }

  /** A file that is newer than what could not be saved was written by a process that could. */
  async #read(): Promise<CredentialsDocument> {
    const document = this.#tell(await readCredentials(this.#context.paths, this.#context));
    return this.#unsaved !== undefined && this.#unsaved.gen >= document.gen ? this.#unsaved : document;
  }

  #tell({ document, warnings }: CredentialsFile) {
    if (!this.#warned) for (const warning of warnings) this.#target.log.warn(warning);
    this.#warned ||= warnings.length > 0;
    return document;
  }

  async #renew(first: OAuthCredential, demand: Demand): Promise<OAuthCredential> {
    const spent = demand.always ? first.access_token : (demand.refused ?? first.access_token);
    const replacement = (document: CredentialsDocument): OAuthCredential | undefined => {
      const found = findCredential(document, this.#key);
      if (found?.kind !== 'oauth' || found.access_token === spent) return undefined;
      return isFresh(found, this.#seconds, 0) ? found : undefined;
    };
    const context = this.#context;
    let release: (() => void) | undefined;
    try {
      return await withCredentials(context.paths, context, async (file) => {
        this.#tell(file);
        const done = replacement(file.document);
        if (done !== undefined) return done;
        const found = findCredential(file.document, this.#key);
        if (found?.kind !== 'oauth') throw this.#notSignedIn(file.document.credentials);
        const old = demand.always || found.access_token === demand.refused ? undefined : usable(found, this.#seconds);
        try {
          checkRenewable(found);
          file.reserve();
        } catch (error) {
          if (old === undefined || !(error instanceof SvcError)) throw error;
          return this.#goOn(old, error);
        }
        release = deferSignals(context);
        return await this.#exchange(file, found, old);
      });
    } catch (error) {
      // A refresh token may work only once. It is spent without a file only where no process could write one.
      const isUnwritable = error instanceof SvcError && error.code === 'file_unusable' && !canStore(context.paths);
      if (demand.always || !isUnwritable) throw error;
      return await this.#renewUnsaved(demand, error);
    } finally {
      release?.();
    }
  }

  /** With a read-only home directory: the new token is as good as a saved one until this process ends. */
  async #renewUnsaved(demand: Demand, { message }: SvcError): Promise<OAuthCredential> {
    const document = await this.#read();
    const found = findCredential(document, this.#key);
    if (found?.kind !== 'oauth') throw this.#notSignedIn(document.credentials);
    checkRenewable(found);
    if (this.#unsaved === undefined) {
      this.#target.log.warn(`the refreshed login cannot be saved, and only this command uses it: ${message}`);
      this.#target.log.warn('if the service then refuses the stored login, sign in again or set SVC_WEBHOOKS_TOKEN');
    }
    const save = (next: CredentialsDocument): void => {
      this.#unsaved = next;
    };
    const file = { document, warnings: [], reread: async () => document, reserve: () => {}, save };
    const old = found.access_token === demand.refused ? undefined : usable(found, this.#seconds);
    return this.#exchange(file, found, old);
  }

  /** Between the service's answer and the end of `save` a death of this process loses the login: nothing else may happen there. */
  async #exchange(
    file: OpenCredentials,
    tried: OAuthCredential,
    old: OAuthCredential | undefined,
    again = true,
  ): Promise<OAuthCredential> {
    const events: TraceEvent[] = [];
    const obtained = Math.floor(this.#seconds);
    try {
      const outcome = await this.#request(file, tried, events);
      const now = await file.reread();
      const stored = findCredential(now, this.#key);
      const same = stored?.kind === 'oauth' && stored.refresh_token === tried.refresh_token;
      if (outcome.kind === 'granted') {
        const base = same ? stored : tried;
        const { scope = base.scope, email = base.email } = outcome.grant;
        const fresh = grantedFields(outcome.grant, obtained);
        const next: OAuthCredential = { ...base, ...fresh, scope, email, login_required: undefined };
        const { basicForm } = outcome;
        const client = basicForm && findClient(now, tried);
        file.save(withCredential(client ? withClient(now, { ...client, basic_form: basicForm }) : now, next));
        return next;
      }
      if (outcome.kind === 'refused' && outcome.error === 'invalid_grant') {
        // Somebody who does not keep to the lock: an older svc, a backup that was put back.
        if (!same && stored?.kind === 'oauth' && again && this.#seconds - obtained < LATEST_SECOND_S) {
          return await this.#exchange(file, stored, old, false);
        }
        const at = Math.floor(this.#seconds);
        const refused = { ...tried, login_required: { at, reason: outcome.failure.message } };
        if (same) file.save(withCredential(now, refused));
        throw loginRequired(refused);
      }
      const client = findClient(now, tried);
      if (outcome.kind === 'refused' && isClientError(outcome.error) && client !== undefined) {
        file.save(withClient(now, endedClient(client, Math.floor(this.#seconds))));
      }
      if (old === undefined) throw explained(outcome, tried.client_id);
      return this.#goOn(old, outcome.failure);
    } finally {
      for (const event of events) this.#target.log.trace(event);
    }
  }

  #request(file: OpenCredentials, tried: OAuthCredential, events: TraceEvent[]): Promise<TokenOutcome> {
    const { context, client } = { context: this.#context, client: findClient(file.document, tried) };
    context.signal.throwIfAborted();
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

  /** For the reminder of the 90 idle days; a day's accuracy costs one writing a day. */
  async #used(credential: PersonalCredential): Promise<PersonalCredential> {
    const now = Math.floor(this.#seconds);
    if (now - (credential.last_used_at ?? credential.obtained_at) < DAY_S) return credential;
    try {
      await withCredentials(this.#context.paths, this.#context, (file) => {
        const found = findCredential(file.document, this.#key);
        if (found?.kind !== 'personal' || found.access_token !== credential.access_token) return;
        file.save(withCredential(file.document, { ...found, last_used_at: now }));
      });
    } catch (error) {
      // A folder that cannot be written is no reason not to use the token.
      if (!(error instanceof SvcError) || this.#context.signal.aborted) throw error;
    }
    return credential;
  }

  #notSignedIn(others: readonly Credential[]): SvcError {
    const { profile, base_url } = this.#key;
    const elsewhere = others.filter((one) => one.profile === profile).map((one) => one.base_url);
    const but = elsewhere.length === 0 ? '' : `, only to ${elsewhere.join(', ')}`;
    return new SvcError('unauthorized', `profile ${profile} is not signed in to ${base_url}${but}`, {
      hint: 'sign in with: svc oauth login (or set SVC_WEBHOOKS_TOKEN)',
    });
  }
}

const SIGN_IN = 'sign in again with: svc oauth login';

function checkRenewable(credential: OAuthCredential): void {
  if (credential.login_required !== undefined) throw loginRequired(credential);
  if (credential.refresh_token === undefined) {
    throw new SvcError('unauthorized', 'the login has expired and has no refresh token', {
      hint: SIGN_IN,
    });
  }
}

function loginRequired({ login_required }: OAuthCredential): SvcError {
  return new SvcError('unauthorized', `the service refused the login: ${login_required?.reason}`, { hint: SIGN_IN });
}

function personalRefused({ expires_at }: PersonalCredential): SvcError {
  const end = expires_at === undefined ? '' : `, or expired (on ${new Date(expires_at * 1000).toISOString()})`;
  const why = `it may be revoked, idle for about 90 days${end}`;
  return new SvcError('unauthorized', `the service refused the personal token: ${why}`, {
    hint: 'create a new one at the service, then: svc oauth login --token-stdin',
    httpStatus: 401,
  });
}

function explained(outcome: Exclude<TokenOutcome, { readonly kind: 'granted' }>, clientId: string): SvcError {
  const { message, hint, httpStatus } = outcome.failure;
  const ofClient = outcome.kind === 'refused' && isClientError(outcome.error);
  // Some servers call a revoked refresh token an invalid request. Whatever the error is, only a new login helps.
  const isRefused = outcome.kind === 'refused' && outcome.error !== '';
  const code = isRefused ? 'unauthorized' : outcome.failure.code;
  const why = ofClient ? `; the service may have deleted the stored client ${clientId}, or its secret has expired` : '';
  const action = ofClient ? `${SIGN_IN}, which registers a new client` : code === 'unauthorized' ? SIGN_IN : hint;
  return new SvcError(code, `the login could not be refreshed: ${message}${why}`, {
    hint: action,
    httpStatus,
  });
}

/** With an access token that the service still takes. */
function usable(credential: OAuthCredential, now: number): OAuthCredential | undefined {
  return credential.expires_at !== undefined && isAlive(credential, now) ? credential : undefined;
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
