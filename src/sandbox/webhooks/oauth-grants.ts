/** What a person allowed: codes, and the tokens that come of them. A refresh token or a code that is used twice ends them all. */
import { createHash } from 'node:crypto';
import type { WebhooksTrap } from '../traps.ts';
import { OAuthRefusal } from './oauth-answer.ts';
import { type Client, SCOPE, sameText, secretValue } from './oauth-clients.ts';

const HOUR_S = 3600;
const DAY_MS = 24 * HOUR_S * 1000;
/** Doc 2 §8; what a code lasts is not shown there. */
const ACCESS_S = HOUR_S;
const REFRESH_MS = 90 * DAY_MS;
const CODE_MS = 60_000;
/** Of the trap. */
const EARLY_END_S = 60;
const EMAIL = 'owner@sandbox.example';

export interface GrantsOptions {
  readonly now: () => number;
  /** The lives of tokens are divided by this. */
  readonly fast: number;
  readonly traps: ReadonlySet<WebhooksTrap>;
}

export interface Approval {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** All that comes of one approval. */
interface Family {
  readonly clientId: string;
  alive: boolean;
}

interface Code extends Approval {
  readonly family: Family;
  readonly until: number;
  used: boolean;
}

interface Token {
  readonly family: Family;
  readonly until: number;
}

interface RefreshToken extends Token {
  used: boolean;
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly email: string;
}

export class Grants {
  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Map<string, Token>();
  readonly #refreshTokens = new Map<string, RefreshToken>();
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  approve(approval: Approval): string {
    const code = secretValue('code_');
    const family = { clientId: approval.client.client_id, alive: true };
    this.#codes.set(code, { ...approval, family, until: this.#options.now() + CODE_MS, used: false });
    return code;
  }

  exchange(client: Client, code: string, redirectUri: string, verifier: string): TokenAnswer {
    const found = this.#codes.get(code);
    if (found?.family.clientId !== client.client_id) throw invalidGrant('the code is not known');
    if (found.used) {
      found.family.alive = false;
      throw invalidGrant('the code was used before: what came of it is revoked');
    }
    if (found.until <= this.#options.now()) throw invalidGrant('the code is too old');
    if (found.redirectUri !== redirectUri) throw invalidGrant('redirect_uri is not the one that the code was sent to');
    // RFC 7636 §4.1, §4.6
    const hash = createHash('sha256').update(verifier).digest('base64url');
    if (!/^[\w.~-]{43,128}$/.test(verifier) || !sameText(hash, found.challenge)) {
      throw invalidGrant('code_verifier is not that of the code_challenge');
    }
    found.used = true;
    return this.#tokens(client, found.family);
  }

  refresh(client: Client, token: string): TokenAnswer {
    const found = this.#refreshTokens.get(token);
    if (found?.family.clientId !== client.client_id) throw invalidGrant('the refresh token is not known');
    if (!found.family.alive) throw invalidGrant('the refresh token is revoked');
    if (found.used) {
      found.family.alive = false;
      throw invalidGrant('the refresh token was used before: the whole sign-in is revoked');
    }
    if (found.until <= this.#options.now()) throw invalidGrant('the refresh token is too old');
    if (this.#options.traps.has('kept-refresh-token')) {
      const { refresh_token: _, ...kept } = this.#tokens(client, found.family);
      return kept;
    }
    found.used = true;
    return this.#tokens(client, found.family);
  }

  /** Whether an access token is good now. */
  accepts(token: string): boolean {
    const found = this.#accessTokens.get(token);
    return found?.family.alive === true && found.until > this.#options.now();
  }

  #tokens(client: Client, family: Family): TokenAnswer {
    const { now, fast, traps } = this.#options;
    const expires_in = Math.max(1, Math.floor(ACCESS_S / fast));
    const lasts = traps.has('early-end') ? EARLY_END_S / fast : expires_in;
    const access_token = secretValue('at_');
    this.#accessTokens.set(access_token, { family, until: now() + lasts * 1000 });
    const refresh_token = client.grant_types.includes('refresh_token') ? secretValue('rt_') : undefined;
    if (refresh_token !== undefined) {
      this.#refreshTokens.set(refresh_token, { family, until: now() + REFRESH_MS / fast, used: false });
    }
    return {
      access_token,
      token_type: 'Bearer',
      ...(traps.has('no-lifetime') ? {} : { expires_in }),
      ...(refresh_token === undefined ? {} : { refresh_token }),
      scope: SCOPE,
      email: EMAIL,
    };
  }
}

function invalidGrant(why: string): OAuthRefusal {
  return new OAuthRefusal('invalid_grant', why);
}
