/** Forwards deliveries with the original bytes and header order, following no redirect. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { RunContext } from '../../../cli/command.ts';
import { interruptionOf, SvcError } from '../../../errors.ts';
import { bare, hostLiteral, isLoopback } from '../../../http/address.ts';
import { openPoster, type Posted, type Poster } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { HEADER_PREFIX, isAccepted, type RawHeader } from '../delivery.ts';
import { addressWarnings, receiverAddress } from '../options.ts';

interface ForwardTarget {
  readonly url: URL;
  /** What its name resolved to when it was found to be this machine. */
  readonly addresses?: readonly LookupAddress[];
}

export interface Forwarded {
  /** The status of the target's response; null if there is none. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there is no response: `timeout`, `connect_failed`. */
  readonly error?: string | undefined;
  /** The beginning of a response that is not a 2xx. */
  readonly body?: string | undefined;
}

/** The response to the sender: the target's own status, or that of a gateway. */
export function statusOf({ status, error }: Pick<Forwarded, 'status' | 'error'>): number {
  if (status !== null && status >= 200) return status;
  if (error === 'interrupted') return 503;
  return error === 'timeout' ? 504 : 502;
}

/** How much of a response is shown and recorded. */
const MOST_BODY = 1024;

/** The service waits 5 s for a response (doc 2 §6). */
const FORWARD_MS = 4_500;

/** Throws `invalid_value` if it is not an address of this machine, unless `external`. */
async function findTarget(text: string, external: boolean): Promise<ForwardTarget> {
  const url = receiverAddress(text);
  if (external || isLoopback(url)) return { url };
  const addresses = await lookup(bare(url.hostname), { all: true }).catch(() => []);
  const isOwn = addresses.every(({ address }) => isLoopback(new URL(`http://${hostLiteral(address)}`)));
  if (addresses.length > 0 && isOwn) return { url, addresses };
  const unknown = addresses.length === 0 ? ': its name cannot be resolved' : '';
  throw new SvcError('invalid_value', `--forward-to: ${url.hostname} is not this machine${unknown}`, {
    hint: 'deliveries contain what people said: pass --forward-external to send them to another machine',
  });
}

const DOCUMENTED = new RegExp(`^(?:content-type|${HEADER_PREFIX}(?:event|delivery|timestamp|signature))$`, 'i');

/** The documented headers. Order, case and repeats stay. */
export function forwardedHeaders(headers: readonly RawHeader[]): readonly RawHeader[] {
  return headers.filter(([name]) => DOCUMENTED.test(name));
}

export class Forwarder {
  readonly #target: ForwardTarget;
  readonly #poster: Poster;
  readonly #secrets: Outbound['secrets'];
  readonly #stopped = new AbortController();

  constructor(target: ForwardTarget, outbound: Outbound) {
    this.#target = target;
    this.#secrets = outbound.secrets;
    const { addresses } = target;
    // After Ctrl-C current requests have a moment to finish: the signal is this object's own.
    this.#poster = openPoster({ ...outbound, addresses, signal: this.#stopped.signal });
  }

  get url(): URL {
    return this.#target.url;
  }

  /** Each delivery to the listener itself would come back. */
  refuseLoop(own: URL): void {
    const { url, addresses } = this.#target;
    const port = (one: URL): string => one.port || (one.protocol === 'https:' ? '443' : '80');
    const isOwnHost = url.hostname === own.hostname || isLoopback(url) || addresses !== undefined;
    if (port(url) !== port(own) || !isOwnHost) return;
    throw new SvcError('invalid_value', `--forward-to: ${url.href} is this listener`);
  }

  async forward(headers: readonly RawHeader[], body: Uint8Array): Promise<Forwarded> {
    const { url } = this;
    const began = performance.now();
    try {
      const posted = await this.#poster.post({ url, headers: forwardedHeaders(headers), body, timeoutMs: FORWARD_MS });
      return {
        status: posted.status ?? null,
        ms: Math.round(posted.ms),
        error: posted.failure?.code,
        body: this.#bodyOf(posted),
      };
    } catch {
      return { status: null, ms: Math.round(performance.now() - began), error: 'interrupted' };
    }
  }

  /** An application may print its secret when a signature does not match. */
  #bodyOf({ status, text }: Posted): string | undefined {
    if (status === undefined || isAccepted(status) || text.length === 0) return undefined;
    return this.#secrets.hide(Buffer.from(text).toString()).slice(0, MOST_BODY);
  }

  /** Aborts forwarding in progress: it fails as `interrupted`. */
  async close(): Promise<void> {
    this.#stopped.abort(interruptionOf('SIGINT'));
    await this.#poster.close();
  }
}

export async function openForwarder(address: string, external: boolean, ctx: RunContext): Promise<Forwarder> {
  const target = await findTarget(address, external);
  if (target.addresses === undefined) {
    for (const warning of addressWarnings(target.url, { insecure: false })) ctx.notice(`warning: ${warning}`);
  }
  return new Forwarder(target, ctx.outbound({ insecure: false }));
}
