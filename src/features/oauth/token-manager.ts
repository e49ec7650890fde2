/** Stored credentials for the transport: the login of one profile and address, whose access token is replaced when it must be, by one process of many; and the token of the trading gateway. */
import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import {
  type Credential,
  type CredentialKey,
  type CredentialsDocument,
  credentialAddress,
  findCredential,
  findGatewayToken,
  type OAuthCredential,
  type PersonalCredential,
  withCredential,
} from '../../store/credentials.ts';
import { canStore, readOpened, withCredentials } from '../../store/credentials-file.ts';
import { isSameSecret } from '../../store/sealed-records.ts';
import type { Settings } from '../../store/settings.ts';
import { isAlive, isFresh } from './login-status.ts';
import { Refresh, type RefreshContext, type RefreshRequest } from './refreshing.ts';

type TokenContext = RefreshContext & { readonly settings: Settings };

const DAY_S = 86_400;

export class TokenManager {
  readonly #context: TokenContext;
  readonly #target: Target;
  readonly #key: CredentialKey;
  readonly #spread: number;
  #warned = false;

  constructor(context: TokenContext, target: Target) {
    this.#context = context;
    this.#target = target;
    this.#key = { profile: context.settings.profile.name, base_url: credentialAddress(target.baseUrl) };
    this.#spread = context.random();
  }

  /** The stored credential as it is, undefined where there is none. */
  async stored(): Promise<Credential | undefined> {
    return (await this.#read()).credential;
  }

  /** One whose token can be sent now. Throws `unauthorized` where there is none. */
  async current(): Promise<Credential> {
    const { credential, document } = await this.#read();
    if (credential === undefined) throw this.#notSignedIn(document.credentials);
    if (credential.kind === 'personal') return this.#used(credential);
    return isFresh(credential, this.#seconds, this.#spread) ? credential : this.#renew(credential, 'stale');
  }

  /** After a 401: another token than the refused one, which another process may have got by now. */
  async after(refused: string): Promise<Credential> {
    const credential = await this.stored();
    if (credential === undefined) throw this.#notSignedIn([]);
    if (credential.kind === 'personal') throw personalRefused(credential);
    if (credential.access_token !== refused && isFresh(credential, this.#seconds, 0)) return credential;
    return this.#renew({ ...credential, access_token: refused }, 'refused');
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
    return this.#renew(credential, 'always');
  }

  get #seconds(): number {
    return this.#context.now() / 1000;
  }

  async #read(): Promise<{ readonly document: CredentialsDocument; readonly credential: Credential | undefined }> {
    const { document, record, warnings } = await readOpened(this.#context.paths, this.#context, (document) =>
      findCredential(document, this.#key),
    );
    if (!this.#warned) for (const warning of warnings) this.#target.log.warn(warning);
    this.#warned ||= warnings.length > 0;
    return { document, credential: record };
  }

  async #renew(first: OAuthCredential, reason: RefreshRequest['reason']): Promise<OAuthCredential> {
    const context = this.#context;
    try {
      return await new Refresh({ key: this.#key, reason, spent: first.access_token }, this.#target, context).run();
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'file_unusable' || canStore(context.paths)) throw error;
      if (reason === 'stale' && isAlive(first, this.#seconds)) return first;
      // A refresh token may work only once: it is not spent where nothing can be stored.
      throw new SvcError(
        error.code,
        `the login must be refreshed, and svc cannot store the new token: ${error.message}`,
        {
          hint: 'make the folder writable, or set SVC_WEBHOOKS_TOKEN',
        },
      );
    }
  }

  /** For the reminder of the 90 idle days; a day's accuracy costs one writing a day. */
  async #used(credential: PersonalCredential): Promise<PersonalCredential> {
    const now = Math.floor(this.#seconds);
    if (now - (credential.last_used_at ?? credential.obtained_at) < DAY_S) return credential;
    try {
      await withCredentials(this.#context.paths, this.#context, async (file) => {
        const found = findCredential(file.document, this.#key);
        if (found?.kind !== 'personal' || !isSameSecret(found, credential, 'access_token')) return;
        await file.save(withCredential(file.document, { ...found, last_used_at: now }));
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
  { baseUrl, log }: Target,
): Promise<{ readonly authorization: string }> {
  const profile = context.settings.profile.name;
  const base_url = credentialAddress(baseUrl);
  const found = await readOpened(context.paths, context, (document) =>
    findGatewayToken(document, { profile, base_url }),
  );
  const { document, record: token, warnings } = found;
  for (const warning of warnings) log.warn(warning);
  if (token !== undefined) return { authorization: `Bearer ${token.access_token}` };
  const others = (document.gateway_tokens ?? []).filter((one) => one.profile === profile).map((one) => one.base_url);
  const but = others.length === 0 ? '' : `, only for ${others.join(', ')}`;
  throw new SvcError('unauthorized', `profile ${profile} has no token for ${base_url}${but}`, {
    hint: 'store one with: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}
