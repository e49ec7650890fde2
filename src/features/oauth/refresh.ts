/** When an access token is to be replaced, and the one exchange that does it. Storing the outcome is the caller's. */
import type { Target } from '../../http/target.ts';
import type { OAuthCredential } from '../../store/credentials.ts';
import type { OAuthClient, TokenOutcome } from './token-endpoint.ts';

/** In Unix seconds. */
type Lifetime = Pick<OAuthCredential, 'obtained_at' | 'expires_at'>;

const MARGIN_S = 60;

/**
 * Whether the token lasts long enough for what is sent now. `spread` in [0, 1) makes processes that began together notice at different
 * moments. One whose end is unknown lasts until it is refused.
 */
export function isFresh({ obtained_at, expires_at }: Lifetime, now: number, spread: number): boolean {
  if (expires_at === undefined) return true;
  const margin = Math.min(MARGIN_S, (expires_at - obtained_at) / 10);
  return expires_at - now > margin + (margin / 2) * spread;
}

/** Whether the service may still take it. */
export function isAlive({ expires_at }: Pick<Lifetime, 'expires_at'>, now: number): boolean {
  return expires_at === undefined || expires_at > now;
}

export interface Refresh {
  readonly target: Target;
  readonly tokenEndpoint: string;
  readonly client: OAuthClient;
  readonly refreshToken: string;
}

/** Whether an OAuth error is about the client, and not about the login (RFC 6749 §5.2). */
export function isClientError(error: string): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}

/** The longest pause that a busy service may ask for: others wait for the lock meanwhile. */
const LONGEST_PAUSE_MS = 10_000;
const PAUSE_MS = 1000;
const ATTEMPT_MS = 20_000;
/** A lock must not be held for a minute. */
const TOTAL_MS = 45_000;

/**
 * A lost answer is asked for once more with the same token: had the service acted on the first request, the token would be spent
 * anyway; if it has not, this saves the login. So is an answer of a busy service.
 */
export async function refreshTokens(refresh: Refresh): Promise<TokenOutcome> {
  const { target } = refresh;
  const began = performance.now();
  const first = await attempt(refresh, ATTEMPT_MS);
  if (first.kind === 'busy') {
    const pause = first.retryAfterMs ?? PAUSE_MS * (0.5 + target.random() / 2);
    if (pause > LONGEST_PAUSE_MS) return first;
    await target.sleep(pause);
  } else if (first.kind !== 'unclear') return first;
  return attempt(refresh, Math.min(ATTEMPT_MS, TOTAL_MS - (performance.now() - began)));
}

async function attempt(
  { target, tokenEndpoint, client, refreshToken }: Refresh,
  timeoutMs: number,
): Promise<TokenOutcome> {
  // Not at the top: whoever only asks whether a token is fresh needs no transport.
  const { requestToken } = await import('./token-endpoint.ts');
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return requestToken({ target, tokenEndpoint, client, fields, timeoutMs });
}
