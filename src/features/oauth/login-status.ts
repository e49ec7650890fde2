/** The state of a stored login, without a request. */
import type { Credential } from '../../store/credentials.ts';

/** Doc 2 §5. */
const REFRESH_DAYS = 90;
/** How long before an expiry svc warns. */
const WARNING_DAYS = 7;
const DAY_S = 86_400;

interface LoginStatus {
  /** `expired`: the access token is, and the next request refreshes it. */
  readonly state: 'signed_in' | 'expired' | 'not_signed_in';
  readonly advice: string | null;
}

const SIGN_IN = 'sign in again: svc oauth login';
const NEW_TOKEN = 'create a new token at the service, then: svc oauth login --token-stdin';

/** `now` in Unix seconds. */
export function loginStatus(login: Credential, now: number): LoginStatus {
  const { expires_at } = login;
  if (login.kind === 'personal') {
    if (!isAlive(login, now)) return { state: 'not_signed_in', advice: NEW_TOKEN };
    const isEnding = expires_at !== undefined && expires_at - now < WARNING_DAYS * DAY_S;
    return {
      state: 'signed_in',
      advice: isEnding ? `the token expires ${inDays(expires_at, now)}: ${NEW_TOKEN}` : null,
    };
  }
  if (login.login_required !== undefined) {
    return { state: 'not_signed_in', advice: `${SIGN_IN} (the service refused: ${login.login_required.reason})` };
  }
  const end = refreshEnd(login);
  const isRenewable = end !== undefined && end > now;
  if (!isAlive(login, now)) {
    if (!isRenewable) return { state: 'not_signed_in', advice: SIGN_IN };
    return { state: 'expired', advice: adviceOn(end, now) };
  }
  const last = 'the login has no refresh token: sign in again when the token expires';
  return { state: 'signed_in', advice: end === undefined ? last : adviceOn(end, now) };
}

/** Undefined without a refresh token. */
export function refreshEnd(login: Credential): number | undefined {
  if (login.kind === 'personal' || login.refresh_token === undefined) return undefined;
  return (login.refresh_obtained_at ?? login.obtained_at) + REFRESH_DAYS * DAY_S;
}

function adviceOn(refreshEnd: number, now: number): string | null {
  if (refreshEnd - now >= WARNING_DAYS * DAY_S) return null;
  return `the refresh token expires ${inDays(refreshEnd, now)}: run svc oauth refresh`;
}

function inDays(end: number, now: number): string {
  const days = Math.floor((end - now) / DAY_S);
  return days > 0 ? `in ${days} days` : 'today';
}

/** RFC 3339; null if there is no such time. */
export function isoTime(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString();
}

const MARGIN_S = 60;

/**
 * `spread` in [0, 1) makes processes that started together refresh at different moments. A token
 * without a known expiry lasts until it is refused.
 */
export function isFresh(
  { obtained_at, expires_at }: Pick<Credential, 'obtained_at' | 'expires_at'>,
  now: number,
  spread: number,
): boolean {
  if (expires_at === undefined) return true;
  const margin = Math.min(MARGIN_S, (expires_at - obtained_at) / 10);
  return expires_at - now > margin + (margin / 2) * spread;
}

/** Whether the service may still accept it. */
export function isAlive({ expires_at }: Pick<Credential, 'expires_at'>, now: number): boolean {
  return expires_at === undefined || expires_at > now;
}
