/** The cookies of the gateway, by which a balancer finds the node of a connection. */

/** A balancer and a session need only a few. */
const MOST_COOKIES = 50;
const LONGEST_COOKIE = 4096;

/** Requests go to one origin, and a cookie lives as long as its connection: the rest is ignored. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Reads the lines of `set-cookie`. */
  take(lines: string | undefined): void {
    for (const line of lines?.split('\n') ?? []) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals).trim();
      const value = pair.slice(equals + 1).trim();
      if (equals < 1 || line.length > LONGEST_COOKIE || /[^\x21-\x7e]/.test(name + value)) continue;
      this.#cookies.delete(name);
      if (value !== '' && this.#cookies.size < MOST_COOKIES) this.#cookies.set(name, value);
    }
  }

  header(): { readonly cookie?: string } {
    const pairs: string[] = [];
    for (const [name, value] of this.#cookies) pairs.push(`${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  clear(): void {
    this.#cookies.clear();
  }
}
