/** The cookies of one session with one service, such as the one by which a load balancer finds the same node again. */

/** A balancer and a session need only a few. */
const MOST = 50;
const LONGEST = 4096;

export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Reads the lines of `set-cookie`. All requests of a session go to one origin, so domain and path are ignored. */
  take(lines: string | undefined, now: number): void {
    for (const line of lines?.split('\n') ?? []) {
      const [pair = '', ...attributes] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals).trim();
      const value = pair.slice(equals + 1).trim();
      if (equals < 1 || line.length > LONGEST || /[^\x21-\x7e]/.test(name + value)) continue;
      this.#cookies.delete(name);
      if (!hasEnded(attributes, now) && this.#cookies.size < MOST) this.#cookies.set(name, value);
    }
  }

  header(): { readonly cookie?: string } {
    if (this.#cookies.size === 0) return {};
    return { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  clear(): void {
    this.#cookies.clear();
  }
}

/** A service removes a cookie with an expiry in the past. */
function hasEnded(attributes: readonly string[], now: number): boolean {
  const end = (name: string): string | undefined =>
    attributes
      .map((attribute) => attribute.trim())
      .find((attribute) => attribute.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const age = end('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(end('expires') ?? '') <= now;
}
