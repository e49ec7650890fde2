/** Stored credentials for the transport: the login of the recording service, and the token of the trading gateway. */

import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import { type Credential, credentialAddress, findGatewayToken } from '../../store/credentials.ts';
import { readOpened } from '../../store/credentials-file.ts';
import { isAlive, isFresh } from './login-status.ts';
import { type TokenContext, TokenManager } from './token-manager.ts';

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
