/** Gives the transport the token of the stored login, and another one where that is refused or about to end. */
import type { Authorizer, Target } from '../../http/target.ts';
import type { Credential } from '../../store/credentials.ts';
import { isAlive, isFresh } from './refresh.ts';
import { type KeeperContext, TokenKeeper } from './token-keeper.ts';

type Headers = Readonly<Record<string, string>>;

/** A 401 so soon after a refresh is one of requests that were already under way with the old token. */
const UNDER_WAY_MS = 10_000;
/** A token that could not be replaced is used on for so long before the next try. */
const NEXT_TRY_MS = 30_000;

export class StoredAuthorizer implements Authorizer {
  readonly origin: string;
  readonly #context: KeeperContext;
  readonly #target: Target;
  readonly #keeper: TokenKeeper;
  #held: { readonly credential: Credential; readonly headers: Headers; readonly since: number } | undefined;
  #refreshed = Number.NEGATIVE_INFINITY;
  /** Requests of one process wait for the same one. */
  #asking: Promise<Headers> | undefined;

  constructor(context: KeeperContext, target: Target, profile: string) {
    this.origin = target.baseUrl.origin;
    this.#context = context;
    this.#target = target;
    this.#keeper = new TokenKeeper(context, target, profile);
  }

  async header(): Promise<Headers> {
    const held = this.#held;
    const now = this.#context.now();
    if (held !== undefined) {
      const { credential, headers, since } = held;
      if (isFresh(credential, now / 1000, 0)) return headers;
      if (now - since < NEXT_TRY_MS && isAlive(credential, now / 1000)) return headers;
    }
    return this.#once(async () => {
      // A proxy in front of the service may add the token to what its own header lets through.
      if (this.#target.secretHeaders.size > 0 && (await this.#keeper.stored()) === undefined) return {};
      return this.#hold(await this.#keeper.current());
    });
  }

  async refresh(): Promise<boolean> {
    const held = this.#held;
    if (held === undefined) return false;
    if (this.#context.now() - this.#refreshed < UNDER_WAY_MS) return true;
    await this.#once(async () => {
      const headers = this.#hold(await this.#keeper.after(held.credential.access_token));
      this.#refreshed = this.#context.now();
      return headers;
    });
    return true;
  }

  #once(ask: () => Promise<Headers>): Promise<Headers> {
    this.#asking ??= ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Always the same object for the same token: the transport then puts its headers together only once. */
  #hold(credential: Credential): Headers {
    const headers = { authorization: `Bearer ${credential.access_token}` };
    this.#held = { credential, headers, since: this.#context.now() };
    return headers;
  }
}
