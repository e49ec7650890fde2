/** Forwards deliveries to a target with the original bytes and header order, following no redirect. */
import type { RunContext } from '../../../cli/command.ts';
import { endedBy, SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { isConnectionHeader } from '../../../http/endpoint.ts';
import { openPoster, type Poster } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { HEADER_PREFIX, headerValues, type RawHeader } from '../delivery.ts';
import { addressWarnings, receiverAddress } from '../options.ts';

export interface ForwardOptions {
  readonly url: URL;
  /** All end-to-end headers, not only the documented ones. */
  readonly allHeaders: boolean;
  readonly timeoutMs: number;
}

export interface Forwarded {
  /** The status of the target's response; null if there is none. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there is no response: `timeout`, `connect_failed`. */
  readonly error?: string | undefined;
  /** Where a redirect would have led. */
  readonly location?: string | undefined;
}

/** The response to the sender: the target's own status, or that of a gateway. */
export function statusOf({ status, error }: Forwarded): number {
  if (status !== null && status >= 200) return status;
  if (error === 'interrupted') return 503;
  return error === 'timeout' ? 504 : 502;
}

/** The service waits this long for a response (doc 2 §6). */
const SERVICE_WAITS_MS = 5_000;

/** Throws `invalid_value` if it is not an address of this machine, unless `external`. */
export function forwardTarget(text: string, { external }: { readonly external: boolean }): URL {
  const url = receiverAddress(text);
  if (external || isLoopback(url)) return url;
  throw new SvcError('invalid_value', `--forward-to: ${url.hostname} is not this machine`, {
    hint: 'deliveries contain what people said: pass --forward-external to send them to another machine',
  });
}

const DOCUMENTED = new RegExp(`^(?:content-type|${HEADER_PREFIX}(?:event|delivery|timestamp|signature))$`, 'i');

/** Order, case and repeats stay. */
export function forwardedHeaders(
  headers: readonly RawHeader[],
  { allHeaders }: Pick<ForwardOptions, 'allHeaders'>,
): readonly RawHeader[] {
  if (!allHeaders) return headers.filter(([name]) => DOCUMENTED.test(name));
  const connection = headerValues(headers, 'connection').flatMap((value) => value.split(','));
  const named = new Set(connection.map((name) => name.trim().toLowerCase()));
  return headers.filter(([name]) => !isConnectionHeader(name) && !named.has(name.toLowerCase()));
}

export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #poster: Poster;
  readonly #stopped = new AbortController();

  constructor(options: ForwardOptions, outbound: Outbound) {
    this.#options = options;
    // After Ctrl-C current requests have a moment to finish: the signal is this object's own.
    this.#poster = openPoster({ ...outbound, signal: this.#stopped.signal });
  }

  get url(): URL {
    return this.#options.url;
  }

  async forward(headers: readonly RawHeader[], body: Uint8Array): Promise<Forwarded> {
    const { url, timeoutMs } = this.#options;
    const began = performance.now();
    try {
      const posted = await this.#poster.post({
        url,
        headers: forwardedHeaders(headers, this.#options),
        body,
        timeoutMs,
      });
      return {
        status: posted.status ?? null,
        ms: Math.round(posted.ms),
        error: posted.failure?.code,
        location: posted.headers['location'],
      };
    } catch {
      return { status: null, ms: Math.round(performance.now() - began), error: 'interrupted' };
    }
  }

  /** Aborts forwarding in progress: it fails as `interrupted`. */
  async close(): Promise<void> {
    this.#stopped.abort(endedBy('SIGINT'));
    await this.#poster.close();
  }
}

interface ForwardInput {
  readonly forwardTo: string;
  readonly forwardExternal: boolean;
  readonly forwardTimeout: number;
  readonly forwardAllHeaders: boolean;
  readonly insecureForwardTls: boolean;
  readonly ack: 'after' | 'early';
}

export function openForwarder(input: ForwardInput, ctx: RunContext): Forwarder {
  const url = forwardTarget(input.forwardTo, { external: input.forwardExternal });
  for (const warning of addressWarnings(url, { insecure: input.insecureForwardTls })) ctx.notice(`warning: ${warning}`);
  if (input.forwardTimeout >= SERVICE_WAITS_MS && input.ack === 'after') {
    ctx.notice('warning: the service waits 5 s for a response: use a shorter --forward-timeout, or --ack early');
  }
  return new Forwarder(
    { url, allHeaders: input.forwardAllHeaders, timeoutMs: input.forwardTimeout },
    ctx.outbound({ insecure: input.insecureForwardTls }),
  );
}

/** Each delivery would come back. */
export function refuseLoop(forward: URL, own: URL): void {
  const port = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
  const ownHost = forward.hostname === own.hostname || isLoopback(forward);
  if (port(forward) !== port(own) || !ownHost) return;
  throw new SvcError('invalid_value', `--forward-to: ${forward.href} is this listener`);
}
