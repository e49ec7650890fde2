/** When and how soon a read is repeated. */

export const MOST_RETRIES = 3;
const FIRST_MS = 250;

/** What a busy service or a proxy in front of one answers; a read may be asked again. */
export function isPassing(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** How long to wait before the next attempt: what the service asks for, else full jitter below a doubling bound. */
export function retryDelay(attempt: number, retryAfter: string | undefined, now: number, random: number): number {
  return parseRetryAfter(retryAfter, now) ?? random * FIRST_MS * 2 ** (attempt - 1);
}

/** Seconds or an HTTP date, as milliseconds from now; `undefined` where it is neither. */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
