/** Grants: codes, and the tokens made from them. Using a code or a refresh token twice ends all tokens of its sign-in. */
import { createHash } from 'node:crypto';
import type { WebhooksTrap } from '../traps.ts';
import { type Client, OAuthError, SCOPE, sameText, secretValue } from './oauth-clients.ts';

/** Doc 2 §8, which does not show the lifetime of a code. */
const ACCESS_S = 3600;
const REFRESH_MS = 90 * 24 * 3_600_000;
const CODE_MS = 60_000;
const EARLY_END_S = 60;
const EMAIL = 'owner@sandbox.example';

export interface GrantsOptions {
  readonly now: () => number;
  /** Divides the lifetimes of tokens. */
  readonly fast: number;
  readonly traps: ReadonlySet<WebhooksTrap>;
}

/** What a person approves. */
export interface Approval {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** One sign-in, whose tokens end together. */
interface SignIn {
  readonly approval: Approval;
  isRevoked: boolean;
}

/** A code, an access token or a refresh token. */
interface Credential {
  readonly signIn: SignIn;
  readonly until: number;
  isUsed: boolean;
}

export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number | undefined;
  readonly refresh_token: string | undefined;
  readonly scope: string;
  readonly email: string;
}

export class Grants {
  readonly #codes = new Map<string, Credential>();
  readonly #accessTokens = new Map<string, Credential>();
  readonly #refreshTokens = new Map<string, Credential>();
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** Returns a code. */
  approve(approval: Approval): string {
    return this.#issue(this.#codes, 'code_', { approval, isRevoked: false }, CODE_MS);
  }

  exchange(client: Client, text: string, redirectUri: string, verifier: string): TokenResponse {
    const code = this.#find(this.#codes, client, text, 'the code');
    const { approval } = code.signIn;
    if (approval.redirectUri !== redirectUri) throw invalidGrant('redirect_uri is not the one of the code');
    // RFC 7636 §4.1, §4.6
    const hash = createHash('sha256').update(verifier).digest('base64url');
    if (!/^[\w.~-]{43,128}$/.test(verifier) || !sameText(hash, approval.challenge)) {
      throw invalidGrant('code_verifier does not match the code_challenge');
    }
    code.isUsed = true;
    return this.#tokens(code.signIn, client.grant_types.includes('refresh_token'));
  }

  refresh(client: Client, text: string): TokenResponse {
    const token = this.#find(this.#refreshTokens, client, text, 'the refresh token');
    const rotates = !this.#options.traps.has('kept-refresh-token');
    token.isUsed = rotates;
    return this.#tokens(token.signIn, rotates);
  }

  /** Whether an access token is valid now. */
  accepts(text: string): boolean {
    const token = this.#accessTokens.get(text);
    return token !== undefined && !token.signIn.isRevoked && token.until > this.#options.now();
  }

  #issue(to: Map<string, Credential>, prefix: string, signIn: SignIn, ms: number): string {
    const text = secretValue(prefix);
    to.set(text, { signIn, until: this.#options.now() + ms, isUsed: false });
    return text;
  }

  #find(all: ReadonlyMap<string, Credential>, client: Client, text: string, name: string): Credential {
    const found = all.get(text);
    if (found?.signIn.approval.client.client_id !== client.client_id) throw invalidGrant(`${name} is unknown`);
    if (found.isUsed) found.signIn.isRevoked = true;
    if (found.signIn.isRevoked) throw invalidGrant(`${name} was used before, or is revoked`);
    if (found.until <= this.#options.now()) throw invalidGrant(`${name} is too old`);
    return found;
  }

  #tokens(signIn: SignIn, withRefresh: boolean): TokenResponse {
    const { fast, traps } = this.#options;
    const expires_in = Math.max(1, Math.floor(ACCESS_S / fast));
    const lifetime = traps.has('early-end') ? EARLY_END_S / fast : expires_in;
    return {
      access_token: this.#issue(this.#accessTokens, 'at_', signIn, lifetime * 1000),
      token_type: 'Bearer',
      expires_in: traps.has('no-lifetime') ? undefined : expires_in,
      refresh_token: withRefresh ? this.#issue(this.#refreshTokens, 'rt_', signIn, REFRESH_MS / fast) : undefined,
      scope: SCOPE,
      email: EMAIL,
    };
  }
}

function invalidGrant(why: string): OAuthError {
  return new OAuthError('invalid_grant', why);
}
