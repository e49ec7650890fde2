/** Stored credentials for the transport: logins, and the token of the trading gateway. */
import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import {
  type Credential,
  type CredentialOwner,
  canStore,
  credentialsFile,
  gatewayTokenKey,
  listOwners,
  loginKey,
  type OAuthCredential,
  ownerOf,
  type PersonalCredential,
} from '../../store/credentials.ts';
import { SecretStore, withSecrets } from '../../store/secret-store.ts';
import type { Settings } from '../../store/settings.ts';
import { isAlive, isFresh } from './login-status.ts';
import { type RefreshContext, refreshLogin } from './refreshing.ts';

type TokenContext = RefreshContext & { readonly settings: Settings };

const DAY_S = 86_400;

export class TokenManager {
  readonly #context: TokenContext;
  readonly #target: Target;
  readonly #owner: CredentialOwner;
  readonly #store: SecretStore;
  readonly #spread: number;

  constructor(context: TokenContext, target: Target) {
    this.#context = context;
    this.#target = target;
    this.#owner = ownerOf(context.settings, target.baseUrl);
    this.#store = new SecretStore(credentialsFile(context.paths), context);
    this.#spread = context.random();
  }

  /** The stored credential as it is, undefined where there is none. */
  stored(): Promise<Credential | undefined> {
    return this.#store.get(loginKey(this.#owner));
  }

  /** One whose token can be sent now. Throws `unauthorized` where there is none. */
  async current(): Promise<Credential> {
    const credential = await this.#require();
    if (credential.kind === 'personal') return this.#use(credential);
    if (isFresh(credential, this.#seconds, this.#spread)) return credential;
    try {
      return await this.#refresh(credential.access_token);
    } catch (error) {
      if (!(error instanceof SvcError) || this.#context.signal.aborted) throw error;
      if (credential.expires_at === undefined || !isAlive(credential, this.#seconds)) throw error;
      this.#warnOfLastSeconds(credential, error);
      return credential;
    }
  }

  /** After a 401: another token than the refused one, which another process may have got by now. */
  async after(refused: string): Promise<Credential> {
    const credential = await this.#require();
    if (credential.kind === 'personal') throw personalRefused(credential);
    if (credential.access_token !== refused && isFresh(credential, this.#seconds, 0)) return credential;
    return this.#refresh(refused);
  }

  /** A new token now, whatever is left of the old one. */
  async renewed(): Promise<OAuthCredential> {
    const credential = await this.#require();
    if (credential.kind === 'oauth') return this.#refresh(credential.access_token);
    throw new SvcError('refused', 'a personal token cannot be refreshed', {
      hint: 'create a new one at the service, then: svc oauth login --token-stdin',
    });
  }

  get #seconds(): number {
    return this.#context.now() / 1000;
  }

  async #require(): Promise<Credential> {
    const credential = await this.stored();
    if (credential !== undefined) return credential;
    const { profile, base_url } = this.#owner;
    const others = await otherAddresses(this.#store, 'login', this.#owner);
    const but = others.length === 0 ? '' : `, only to ${others.join(', ')}`;
    throw new SvcError('unauthorized', `profile ${profile} is not signed in to ${base_url}${but}`, {
      hint: 'sign in with: svc oauth login (or set SVC_WEBHOOKS_TOKEN)',
    });
  }

  async #refresh(spent: string): Promise<OAuthCredential> {
    try {
      return await refreshLogin(this.#owner, spent, this.#target, this.#context);
    } catch (error) {
      const { paths } = this.#context;
      if (!(error instanceof SvcError) || error.code !== 'file_unusable' || canStore(paths)) throw error;
      // A refresh token may work only once: it is not spent where nothing can be stored.
      const message = `the login must be refreshed, and svc cannot store the new token: ${error.message}`;
      throw new SvcError(error.code, message, { hint: 'make the folder writable, or set SVC_WEBHOOKS_TOKEN' });
    }
  }

  /** Where nothing can be stored, as in a container, every command would say so. */
  #warnOfLastSeconds({ expires_at = 0 }: OAuthCredential, { message }: SvcError): void {
    if (!canStore(this.#context.paths)) return;
    const left = Math.round(expires_at - this.#seconds);
    this.#target.log.warn(
      `the login could not be refreshed; its access token is valid for another ${left} s: ${message}`,
    );
  }

  /** For the reminder of the 90 idle days; a day's accuracy costs one writing a day. */
  async #use(credential: PersonalCredential): Promise<PersonalCredential> {
    const now = Math.floor(this.#seconds);
    if (now - (credential.last_used_at ?? credential.obtained_at) < DAY_S) return credential;
    try {
      await withSecrets(credentialsFile(this.#context.paths), this.#context, async (store) => {
        const found = await store.get(loginKey(this.#owner));
        if (found?.kind !== 'personal' || found.access_token !== credential.access_token) return;
        await store.set(loginKey(this.#owner), { ...found, last_used_at: now });
      });
    } catch (error) {
      // A folder that cannot be written is no reason not to use the token.
      if (!(error instanceof SvcError) || this.#context.signal.aborted) throw error;
    }
    return credential;
  }
}

function personalRefused({ expires_at }: PersonalCredential): SvcError {
  const end = expires_at === undefined ? '' : `, or expired (on ${new Date(expires_at * 1000).toISOString()})`;
  const why = `it may be revoked, idle for about 90 days${end}`;
  return new SvcError('unauthorized', `the service refused the personal token: ${why}`, {
    hint: 'create a new one at the service, then: svc oauth login --token-stdin',
    httpStatus: 401,
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
  readonly #tokens: TokenManager;
  #current: { readonly credential: Credential; readonly headers: Headers; readonly since: number } | undefined;
  #refreshed = Number.NEGATIVE_INFINITY;
  /** All requests of this process wait for the same token. */
  #request: Promise<Headers> | undefined;

  constructor(context: TokenContext, target: Target) {
    this.origin = target.baseUrl.origin;
    this.#context = context;
    this.#target = target;
    this.#tokens = new TokenManager(context, target);
  }

  async header(): Promise<Headers> {
    const current = this.#current;
    const now = this.#context.now();
    if (current !== undefined) {
      const { credential, headers, since } = current;
      if (isFresh(credential, now / 1000, 0)) return headers;
      if (now - since < NEXT_TRY_MS && isAlive(credential, now / 1000)) return headers;
    }
    return this.#once(async () => {
      // A proxy in front of the service may add the token to what its own header lets through.
      if (this.#target.secretHeaders.size > 0 && (await this.#tokens.stored()) === undefined) return {};
      return this.#use(await this.#tokens.current());
    });
  }

  async refresh(): Promise<boolean> {
    const current = this.#current;
    if (current === undefined) return false;
    if (this.#context.now() - this.#refreshed < OVERLAP_MS) return true;
    await this.#once(async () => {
      const headers = this.#use(await this.#tokens.after(current.credential.access_token));
      this.#refreshed = this.#context.now();
      return headers;
    });
    return true;
  }

  #once(request: () => Promise<Headers>): Promise<Headers> {
    this.#request ??= request().finally(() => {
      this.#request = undefined;
    });
    return this.#request;
  }

  /** The same object for the same token: the transport then builds its headers once. */
  #use(credential: Credential): Headers {
    const headers = { authorization: `Bearer ${credential.access_token}` };
    this.#current = { credential, headers, since: this.#context.now() };
    return headers;
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
  const others = await otherAddresses(store, 'gateway', owner);
  const but = others.length === 0 ? '' : `, only for ${others.join(', ')}`;
  throw new SvcError('unauthorized', `profile ${owner.profile} has no token for ${owner.base_url}${but}`, {
    hint: 'store one with: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}

async function otherAddresses(
  store: SecretStore,
  kind: 'login' | 'gateway',
  { profile }: CredentialOwner,
): Promise<readonly string[]> {
  return (await listOwners(store, kind)).filter((one) => one.profile === profile).map((one) => one.base_url);
}
