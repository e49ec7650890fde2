/** The state of a stored login, without a request. */
import type { OAuthCredential } from '../../store/credentials.ts';

/** Doc 2 §5 and §8. */
const REFRESH_DAYS = 90;
const IDLE_DAYS = 90;
/** How long before an expiry svc warns. */
const WARNING_DAYS = 7;
const DAY_S = 86_400;

/** The fields of a credential that decide its state; times in Unix seconds. */
interface Login {
  readonly kind: 'oauth' | 'personal';
  readonly obtained_at: number;
  readonly expires_at?: number | undefined;
  readonly refresh_token?: string | undefined;
  readonly refresh_obtained_at?: number | undefined;
  readonly last_used_at?: number | undefined;
  readonly login_required?: { readonly reason: string } | undefined;
}

interface LoginStatus {
  readonly signedIn: boolean;
  readonly advice: string | null;
}

const again = (options: string): string => `sign in again: svc oauth login${options}`;
const newToken = (options: string): string =>
  `create a new token at the service, then: svc oauth login --token-stdin${options}`;

/** `options` of the command lines in the advice, such as ` --profile eu`. */
export function loginStatus(login: Login, now: number, options = ''): LoginStatus {
  return login.kind === 'oauth' ? oauthStatus(login, now, options) : personalStatus(login, now, options);
}

/** Undefined without a refresh token. */
export function refreshEnd({ refresh_token, refresh_obtained_at, obtained_at }: Login): number | undefined {
  if (refresh_token === undefined) return undefined;
  return (refresh_obtained_at ?? obtained_at) + REFRESH_DAYS * DAY_S;
}

function oauthStatus(login: Login, now: number, options: string): LoginStatus {
  if (login.login_required !== undefined) {
    return { signedIn: false, advice: `${again(options)} (the service refused: ${login.login_required.reason})` };
  }
  const end = refreshEnd(login);
  const alive = isAlive(login, now);
  if (end === undefined) {
    if (!alive) return { signedIn: false, advice: again(options) };
    return { signedIn: true, advice: 'the login has no refresh token: sign in again when the token expires' };
  }
  if (end <= now && !alive) return { signedIn: false, advice: again(options) };
  if (end - now >= WARNING_DAYS * DAY_S) return { signedIn: true, advice: null };
  return { signedIn: true, advice: `the refresh token expires ${inDays(end, now)}: run svc oauth refresh${options}` };
}

function personalStatus({ expires_at, last_used_at, obtained_at }: Login, now: number, options: string): LoginStatus {
  if (expires_at !== undefined && expires_at <= now) return { signedIn: false, advice: newToken(options) };
  const idle = Math.floor((now - (last_used_at ?? obtained_at)) / DAY_S);
  if (idle >= IDLE_DAYS - WARNING_DAYS) {
    const what = `not used here for ${idle} days; the service revokes an unused token after about ${IDLE_DAYS} days`;
    return { signedIn: true, advice: `${what}: svc oauth status --check${options} uses it` };
  }
  if (expires_at === undefined || expires_at - now >= WARNING_DAYS * DAY_S) return { signedIn: true, advice: null };
  return { signedIn: true, advice: `the token expires ${inDays(expires_at, now)}: ${newToken(options)}` };
}

function inDays(end: number, now: number): string {
  const days = Math.floor((end - now) / DAY_S);
  if (days < 0) return 'any moment';
  if (days === 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${days} days`;
}

/** RFC 3339; null if there is no such time. */
export function isoTime(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString();
}

/** In Unix seconds. */
type Lifetime = Pick<OAuthCredential, 'obtained_at' | 'expires_at'>;

const MARGIN_S = 60;

/**
 * `spread` in [0, 1) makes processes that started together refresh at different moments. A token
 * without a known expiry lasts until it is refused.
 */
export function isFresh({ obtained_at, expires_at }: Lifetime, now: number, spread: number): boolean {
  if (expires_at === undefined) return true;
  const margin = Math.min(MARGIN_S, (expires_at - obtained_at) / 10);
  return expires_at - now > margin + (margin / 2) * spread;
}

/** Whether the service may still accept it. */
export function isAlive({ expires_at }: Pick<Lifetime, 'expires_at'>, now: number): boolean {
  return expires_at === undefined || expires_at > now;
}
