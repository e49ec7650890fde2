/** Stored credentials for the transport: logins, and the token of the trading gateway. */
import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import {
  type Credential,
  credentialsFile,
  gatewayTokenKey,
  loginKey,
  type OAuthCredential,
  ownerOf,
} from '../../store/credentials.ts';
import { SecretStore } from '../../store/secret-store.ts';
import type { Settings } from '../../store/settings.ts';
import { isAlive, isFresh } from './login-status.ts';
import { type RefreshContext, refreshLogin } from './refreshing.ts';

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
