/** The connections of one client to any number of origins. Connects only for the first request. */
import { setMaxListeners } from 'node:events';
import type { RequestValue } from './endpoint.ts';
import { Exchange, type ExchangeLimits, interruption } from './exchange.ts';
import type { Pool, PoolRequest } from './pool.ts';
import type { Outbound } from './target.ts';
import { Tracer } from './trace.ts';

export class Transport {
  readonly tracer: Tracer | undefined;
  readonly #outbound: Outbound;
  readonly #pools = new Map<string, Promise<Pool>>();

  /** `secretHeaders`, in lower case, are not shown. */
  constructor(outbound: Outbound, secretHeaders: ReadonlySet<string> = new Set()) {
    this.#outbound = outbound;
    this.tracer = outbound.log.level === 0 ? undefined : new Tracer(outbound, secretHeaders);
    // Each exchange listens: Node.js would report more than ten as a leak.
    setMaxListeners(0, outbound.signal);
  }

  /**
   * Begins to send a request. `request` is what is shown of it, and `wire` what is sent. Throws if it cannot be sent at all, or the
   * command was interrupted.
   */
  async send(request: RequestValue, wire: PoolRequest, limits: ExchangeLimits, attempt: number): Promise<Exchange> {
    const { signal } = this.#outbound;
    const pool = await this.#openPool(new URL(request.url).origin);
    if (signal.aborted) throw interruption(signal);
    const exchange = new Exchange(pool, request, limits, this.#outbound, this.tracer?.begin(request, attempt));
    pool.dispatch(wire, exchange);
    return exchange;
  }

  async close(): Promise<void> {
    const pools = await Promise.allSettled(this.#pools.values());
    await Promise.all(pools.map((opened) => (opened.status === 'fulfilled' ? opened.value.close() : undefined)));
  }

  #openPool(origin: string): Promise<Pool> {
    const open = () => import('./pool.ts').then(({ openPool }) => openPool(new URL(origin), this.#outbound));
    const opening = this.#pools.get(origin) ?? open();
    this.#pools.set(origin, opening);
    return opening;
  }
}
