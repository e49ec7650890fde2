/** Hands deliveries on to a target: the bytes and the order of their headers stay as they came, and no redirect is followed. */
import { endedBy, SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import { openPoster, type Poster } from '../../http/poster.ts';
import type { Outbound } from '../../http/target.ts';
import { HEADER_PREFIX, type RawHeader } from './delivery.ts';
import { receiverAddress } from './sending-address.ts';

export interface ForwardOptions {
  readonly url: URL;
  /** All end-to-end headers, and not only those that the document names. */
  readonly allHeaders: boolean;
  readonly timeoutMs: number;
}

export interface Forwarded {
  /** Of the target's answer; null where there is none. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there is none: `timeout`, `connect_failed`. */
  readonly error?: string;
  /** Where a redirect would have led to. */
  readonly location?: string;
}

/** What the sender is answered: the target's own status, or what a gateway says. */
export function statusOf({ status, error }: Forwarded): number {
  if (status !== null && status >= 200) return status;
  if (error === 'interrupted') return 503;
  return error === 'timeout' ? 504 : 502;
}

/** Throws `invalid_value` for what is no address of this machine, unless `external`. */
export function forwardTarget(text: string, { external }: { readonly external: boolean }): URL {
  const url = receiverAddress(text);
  if (external || isLoopback(url)) return url;
  throw new SvcError('invalid_value', `--forward-to: ${url.hostname} is not this machine`, {
    hint: 'deliveries hold what people said: pass --forward-external if they may go there',
  });
}

/** Those that belong to one connection (RFC 9110 §7.6.1), and those that each connection sets itself. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;
const DOCUMENTED = new RegExp(`^(?:content-type|${HEADER_PREFIX}(?:event|delivery|timestamp|signature))$`, 'i');

/** `headers`: names and values in turn. Order, case and repeats stay. */
export function forwardedHeaders(
  headers: readonly string[],
  { allHeaders }: Pick<ForwardOptions, 'allHeaders'>,
): RawHeader[] {
  const pairs: RawHeader[] = [];
  const named = allHeaders ? connectionHeaders(headers) : new Set<string>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const passes = allHeaders ? !HOP_BY_HOP.test(name) && !named.has(name.toLowerCase()) : DOCUMENTED.test(name);
    if (passes) pairs.push([name, headers[index + 1] ?? '']);
  }
  return pairs;
}

/** The names that a `Connection` header declares to be its own. */
function connectionHeaders(headers: readonly string[]): Set<string> {
  const named = new Set<string>();
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (headers[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return named;
}

export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #poster: Poster;
  readonly #stopped = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ForwardOptions, outbound: Outbound) {
    this.#options = options;
    // Ctrl-C lets what is under way end, for a moment: the signal is this object's own.
    this.#poster = openPoster({ ...outbound, signal: this.#stopped.signal });
  }

  get url(): URL {
    return this.#options.url;
  }

  forward(headers: readonly string[], body: Uint8Array, done: (forwarded: Forwarded) => void): void {
    const { url, timeoutMs } = this.#options;
    const began = performance.now();
    const posting = this.#poster
      .post({ url, headers: forwardedHeaders(headers, this.#options), body, timeoutMs })
      .then(
        ({ status, ms, failure, headers: answered }) =>
          done({
            status: status ?? null,
            ms: Math.round(ms),
            ...(failure === undefined ? {} : { error: failure.code }),
            ...(answered['location'] === undefined ? {} : { location: answered['location'] }),
          }),
        () => done({ status: null, ms: Math.round(performance.now() - began), error: 'interrupted' }),
      )
      .finally(() => this.#underWay.delete(posting));
    this.#underWay.add(posting);
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Breaks off what is under way: it is told as `interrupted`. */
  async close(): Promise<void> {
    this.#stopped.abort(endedBy('SIGINT'));
    await this.settled();
    await this.#poster.close();
  }
}
