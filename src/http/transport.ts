/** The connections of one client to any number of origins. Connects only for the first request. */
import { setMaxListeners } from 'node:events';
import type { RequestValue } from './endpoint.ts';
import { Exchange, type ExchangeLimits } from './exchange.ts';
import { interruption } from './failures.ts';
import type { Pool, PoolRequest } from './pool.ts';
import type { Outbound } from './target.ts';
import { Trace } from './trace.ts';

export class Transport {
  readonly #outbound: Outbound;
  readonly #secretHeaders: ReadonlySet<string>;
  readonly #pools = new Map<string, Promise<Pool>>();

  /** `secretHeaders`, in lower case, are not shown. */
  constructor(outbound: Outbound, secretHeaders: ReadonlySet<string> = new Set()) {
    this.#outbound = outbound;
    this.#secretHeaders = secretHeaders;
    // Each exchange listens: Node.js would report more than ten as a leak.
    setMaxListeners(0, outbound.signal);
  }

  /**
   * `request` is the form that is shown, and `wire` the form that is sent. Throws if it cannot be
   * sent at all, or after an interruption.
   */
  async send(request: RequestValue, wire: PoolRequest, limits: ExchangeLimits, attempt: number): Promise<Exchange> {
    const { signal, log } = this.#outbound;
    const { origin } = new URL(request.url);
    const opening = this.#pools.get(origin) ?? this.#openPool(origin);
    this.#pools.set(origin, opening);
    const pool = await opening;
    if (signal.aborted) throw interruption(signal);
    const trace = log.level === 0 ? undefined : new Trace(request, attempt, this.#outbound, this.#secretHeaders);
    const exchange = new Exchange(pool, request, limits, this.#outbound, trace);
    pool.dispatch(wire, exchange);
    return exchange;
  }

  async close(): Promise<void> {
    const pools = await Promise.allSettled(this.#pools.values());
    await Promise.all(pools.map((opened) => (opened.status === 'fulfilled' ? opened.value.close() : undefined)));
  }

  async #openPool(origin: string): Promise<Pool> {
    const { openPool } = await import('./pool.ts');
    return openPool(new URL(origin), this.#outbound);
  }
}
