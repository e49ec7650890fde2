/** `svc catalog` against a scripted server that records its requests. */
import { afterAll } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { type Run, type RunOptions, svc } from '../../../support/svc.ts';

export const NOW = Date.UTC(2026, 0, 15, 12);

export interface Asked {
  /** Below the base URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A JSON value for 200, or the bytes of an answer. */
type Reply = object | string;

interface Misbehaving {
  /** What follows `svc catalog`. */
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
  /** Requests since the last call, such as `/products?limit=5`. */
  asked(): string[];
  /** From now on. */
  replies(reply: (asked: Asked) => Reply): void;
}

/** For all tests of a file. */
export async function misbehaving(): Promise<Misbehaving> {
  let reply: (asked: Asked) => Reply = () => ({});
  const server = await faultServer((socket, { path }) => {
    const url = new URL(path, 'http://catalog.test');
    const given = reply({ path: url.pathname, query: url.searchParams });
    socket.write(typeof given === 'string' ? given : answer(200, JSON.stringify(given)));
  });
  afterAll(() => server.close());
  return {
    run: (argv, options = {}) =>
      svc(['catalog', ...argv], { now: () => NOW, ...options, env: { SVC_CATALOG_URL: server.url, ...options.env } }),
    asked: () => server.requests.splice(0).map(({ method, path }) => (method === 'GET' ? path : `${method} ${path}`)),
    replies(next) {
      reply = next;
      server.requests.length = 0;
    },
  };
}

/** So many products, in pages as the public implementation gives them. */
export function products(count: number, { total = () => count }: { readonly total?: () => number } = {}) {
  return ({ query }: Asked): object => {
    const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
    const items = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, n) => ({
      canonical_product_id: `p${offset + n}`,
      title: `Product ${offset + n}`,
      price_from: 10,
      parsers: ['fixprice'],
    }));
    return { items, meta: { limit, offset, total: total() } };
  };
}
