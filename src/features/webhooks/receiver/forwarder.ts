/** Forwards deliveries to a target with the original bytes and header order, following no redirect. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { RunContext } from '../../../cli/command.ts';
import { endedBy, SvcError } from '../../../errors.ts';
import { hostLiteral, isLoopback } from '../../../http/address.ts';
import { openPoster, type Posted, type Poster } from '../../../http/poster.ts';
import { bare } from '../../../http/proxy.ts';
import type { Outbound } from '../../../http/target.ts';
import { HEADER_PREFIX, type RawHeader } from '../delivery.ts';
import { awaitedEvents } from '../event-types.ts';
import { addressWarnings, receiverAddress } from '../options.ts';

interface ForwardOptions {
  readonly target: ForwardTarget;
  readonly timeoutMs: number;
  readonly named: boolean;
}

export interface ForwardTarget {
  readonly url: URL;
  /** What its name resolved to when it was found to be this machine. */
  readonly addresses?: readonly LookupAddress[];
}

export interface Forwarded {
  /** The target, if there are several. */
  readonly target?: string | undefined;
  /** The status of the target's response; null if there is none. */
  readonly status: number | null;
  readonly ms: number;
  /** Why there is no response: `timeout`, `connect_failed`. */
  readonly error?: string | undefined;
  /** The beginning of a response that is not a 2xx. */
  readonly body?: string | undefined;
  /** Where a redirect would have led. */
  readonly location?: string | undefined;
}

/** The response to the sender: the target's own status, or that of a gateway. */
export function statusOf({ status, error }: Pick<Forwarded, 'status' | 'error'>): number {
  if (status !== null && status >= 200) return status;
  if (error === 'interrupted') return 503;
  return error === 'timeout' ? 504 : 502;
}

/** How much of a response is shown and recorded. */
const MOST_BODY = 1024;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The service waits this long for a response (doc 2 §6). */
const SERVICE_WAITS_MS = 5_000;

/** Throws `invalid_value` if it is not an address of this machine, unless `external`. */
export async function forwardTarget(
  text: string,
  { external }: { readonly external: boolean },
): Promise<ForwardTarget> {
  const url = receiverAddress(text);
  if (external || isLoopback(url)) return { url };
  const addresses = await lookup(bare(url.hostname), { all: true }).catch(() => []);
  if (addresses.length > 0 && addresses.every(isLoopbackAddress)) return { url, addresses };
  const unknown = addresses.length === 0 ? ': its name cannot be resolved' : '';
  throw new SvcError('invalid_value', `--forward-to: ${url.hostname} is not this machine${unknown}`, {
    hint: 'deliveries contain what people said: pass --forward-external to send them to another machine',
  });
}

function isLoopbackAddress({ address }: LookupAddress): boolean {
  return isLoopback(new URL(`http://${hostLiteral(address)}`));
}

const DOCUMENTED = new RegExp(`^(?:content-type|${HEADER_PREFIX}(?:event|delivery|timestamp|signature))$`, 'i');

/** The documented headers. Order, case and repeats stay. */
export function forwardedHeaders(headers: readonly RawHeader[]): readonly RawHeader[] {
  return headers.filter(([name]) => DOCUMENTED.test(name));
}

export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #poster: Poster;
  readonly #secrets: Outbound['secrets'];
  readonly #stopped = new AbortController();

  constructor(options: ForwardOptions, outbound: Outbound) {
    this.#options = options;
    this.#secrets = outbound.secrets;
    const { addresses } = options.target;
    // After Ctrl-C current requests have a moment to finish: the signal is this object's own.
    this.#poster = openPoster({ ...outbound, addresses, signal: this.#stopped.signal });
  }

  get url(): URL {
    return this.#options.target.url;
  }

  get isLocal(): boolean {
    const { url, addresses } = this.#options.target;
    return isLoopback(url) || addresses !== undefined;
  }

  async forward(headers: readonly RawHeader[], body: Uint8Array): Promise<Forwarded> {
    const { url } = this;
    const { timeoutMs, named } = this.#options;
    const target = named ? url.href : undefined;
    const began = performance.now();
    try {
      const posted = await this.#poster.post({ url, headers: forwardedHeaders(headers), body, timeoutMs });
      return {
        target,
        status: posted.status ?? null,
        ms: Math.round(posted.ms),
        error: posted.failure?.code,
        body: this.#bodyOf(posted),
        location: posted.headers['location'],
      };
    } catch {
      return { target, status: null, ms: Math.round(performance.now() - began), error: 'interrupted' };
    }
  }

  /** An application may print its secret when a signature does not match. */
  #bodyOf({ status, text }: Posted): string | undefined {
    if (status === undefined || isSuccess(status) || text.length === 0) return undefined;
    return this.#secrets.hide(Buffer.from(text).toString()).slice(0, MOST_BODY);
  }

  /** Aborts forwarding in progress: it fails as `interrupted`. */
  async close(): Promise<void> {
    this.#stopped.abort(endedBy('SIGINT'));
    await this.#poster.close();
  }
}

/** Where each valid event goes. */
export class Targets {
  readonly #byType: ReadonlyMap<string, Forwarder>;
  readonly #rest: Forwarder | undefined;

  constructor(byType: ReadonlyMap<string, Forwarder>, rest: Forwarder | undefined) {
    this.#byType = byType;
    this.#rest = rest;
  }

  /** Undefined: an event of this type is only answered. */
  of(type: string | null): Forwarder | undefined {
    return this.#byType.get(type ?? '') ?? this.#rest;
  }

  /** That of all types without their own. */
  get rest(): URL | null {
    return this.#rest?.url ?? null;
  }

  /** By event type; undefined if no type has its own. */
  get routes(): Readonly<Record<string, string>> | undefined {
    if (this.#byType.size === 0) return undefined;
    return Object.fromEntries([...this.#byType].map(([type, { url }]) => [type, url.href]));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.close()));
  }

  /** Each delivery would come back. */
  refuseLoop(own: URL): void {
    const port = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
    for (const { url, isLocal } of this.#all()) {
      const ownHost = url.hostname === own.hostname || isLocal;
      if (port(url) !== port(own) || !ownHost) continue;
      throw new SvcError('invalid_value', `--forward-to: ${url.href} is this listener`);
    }
  }

  #all(): readonly Forwarder[] {
    return [...this.#byType.values(), ...(this.#rest === undefined ? [] : [this.#rest])];
  }
}

interface ForwardInput {
  /** `<type>=<url>` */
  readonly forward: readonly string[];
  readonly forwardTo: string | undefined;
  readonly forwardExternal: boolean;
  readonly forwardTimeout: number;
}

/** Undefined if nothing is forwarded. `events`: the types of --event; empty for all. */
export async function openTargets(
  input: ForwardInput,
  events: readonly string[],
  ctx: RunContext,
): Promise<Targets | undefined> {
  const { forward, forwardTo, forwardExternal, forwardTimeout: timeoutMs } = input;
  if (forward.length === 0 && forwardTo === undefined) return undefined;
  const open = async (address: string): Promise<Forwarder> => {
    const target = await forwardTarget(address, { external: forwardExternal });
    if (target.addresses === undefined) {
      for (const warning of addressWarnings(target.url, { insecure: false })) ctx.notice(`warning: ${warning}`);
    }
    return new Forwarder({ target, timeoutMs, named: forward.length > 0 }, ctx.outbound({ insecure: false }));
  };
  const byType = new Map<string, Forwarder>();
  for (const one of forward) {
    const [, list = '', address = ''] = /^([^=]*)=(.*)$/.exec(one) ?? [];
    if (list === '' || address === '') {
      throw new SvcError('invalid_value', `--forward: ${JSON.stringify(one)} is not <type>=<url>`, {
        hint: 'for example summary.completed=http://localhost:3000/hook',
      });
    }
    for (const type of awaitedEvents('--forward', [list], events)) {
      if (byType.has(type)) throw new SvcError('usage', `--forward: ${type} has two targets`);
      byType.set(type, await open(address));
    }
  }
  if (timeoutMs >= SERVICE_WAITS_MS) {
    ctx.notice('warning: the service waits 5 s for a response: use a shorter --forward-timeout');
  }
  return new Targets(byType, forwardTo === undefined ? undefined : await open(forwardTo));
}
