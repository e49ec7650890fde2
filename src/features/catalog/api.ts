/** The catalog's endpoints and client (doc 3 §4, part A). All are GET: it refuses even HEAD. */
import { SvcError } from '../../errors.ts';
import { Client } from '../../http/client.ts';
import { type Endpoint, endpoint, type Parser, type QueryValues } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainCatalog } from './failed-answer.ts';
import type { Page } from './schema.ts';

export type { Page } from './schema.ts';

type Schemas = typeof import('./schema.ts');

/** An endpoint whose response has the schema of this name. */
function get<N extends keyof Schemas>(
  path: string,
  name: N,
  more: Pick<Endpoint<unknown>, 'retry'> = {},
): Endpoint<Schemas[N] extends Parser<infer T> ? T : never, 'read'> {
  return endpoint({
    method: 'GET',
    path,
    effect: 'read',
    ...more,
    answer: async () => (await import('./schema.ts'))[name] as never,
  });
}

const ENDPOINTS = {
  // Asked once: a health check shows the first response as it is.
  health: get('/healthz', 'health', { retry: false }),
  products: get('/products', 'productList'),
  count: get('/products/count', 'count'),
  common: get('/products/common/count', 'commonCount'),
  product: get('/products/{canonical_product_id}', 'product'),
  sources: get('/products/{canonical_product_id}/sources', 'sourceList'),
  snapshots: get('/products/{canonical_product_id}/snapshots', 'snapshotList'),
  dynamics: get('/products/{canonical_product_id}/dynamics', 'dynamics'),
  categories: get('/categories', 'categoryList'),
  category: get('/categories/{category_id}', 'category'),
  settlements: get('/settlements', 'settlementList'),
  settlement: get('/settlements/{settlement_id}', 'settlement'),
  cursors: get('/sync/cursors', 'cursorList'),
};

/** As on the wire. For products, only `store` and `region` of the counts are documented. */
export type PageQuery = QueryValues & { readonly limit?: number | undefined; readonly offset?: number | undefined };

export type SeriesField = 'price' | 'discount_price' | 'loyal_price' | 'available_count';
export type SeriesInterval = '1h' | '6h' | '1d' | '7d';

/** All are required (doc 3 §4). */
export interface DynamicsQuery {
  readonly parser_name: string;
  readonly source_id: string;
  readonly field: SeriesField;
  /** RFC 3339 with its zone. */
  readonly date_from: string;
  readonly date_to: string;
  readonly interval: SeriesInterval;
}

export interface CountQuery {
  readonly store?: readonly string[] | undefined;
  readonly region?: readonly string[] | undefined;
}

export type Catalog = ReturnType<typeof openCatalog>;

export function openCatalog(target: Target) {
  const { pathname } = target.baseUrl;
  const client = new Client(target, { basePath: '', explain: (...failure) => explainCatalog(...failure, pathname) });
  const one =
    <T>(from: Endpoint<T, 'read'>) =>
    (query: QueryValues = {}): Promise<T> =>
      client.call(from, { query });
  /** `siblings`: a list that tells whether the path is right if a 404 does not say so. */
  const byId =
    <T>(from: Endpoint<T, 'read'>, name: string, siblings: Endpoint<Page<unknown>, 'read'>) =>
    async (id: string, query: QueryValues = {}): Promise<T> => {
      try {
        return await client.call(from, { params: { [name]: pathId(id) }, query });
      } catch (error) {
        if (!(error instanceof SvcError) || error.reason !== 'unclear_404') throw error;
        await client.call(siblings, { query: { limit: 1 } });
        throw unknownId(siblings === ENDPOINTS.products);
      }
    };
  const ofProduct = <T>(from: Endpoint<T, 'read'>) => byId(from, 'canonical_product_id', ENDPOINTS.products);
  const list =
    <Item>(from: Endpoint<Page<Item>, 'read'>) =>
    async (query: PageQuery = {}): Promise<Page<Item>> =>
      client.call(from, { query });
  const listOfProduct =
    <Item>(from: Endpoint<Page<Item>, 'read'>) =>
    async (id: string, query: PageQuery = {}): Promise<Page<Item>> =>
      ofProduct(from)(id, query);
  return {
    health: one(ENDPOINTS.health),
    products: list(ENDPOINTS.products),
    product: ofProduct(ENDPOINTS.product),
    count: (query: CountQuery & QueryValues = {}) => one(ENDPOINTS.count)(query),
    common: (query: CountQuery & QueryValues & { readonly scope: string }) => one(ENDPOINTS.common)(query),
    sources: listOfProduct(ENDPOINTS.sources),
    snapshots: listOfProduct(ENDPOINTS.snapshots),
    dynamics: (id: string, query: DynamicsQuery & QueryValues) => ofProduct(ENDPOINTS.dynamics)(id, query),
    categories: list(ENDPOINTS.categories),
    category: byId(ENDPOINTS.category, 'category_id', ENDPOINTS.categories),
    settlements: list(ENDPOINTS.settlements),
    settlement: byId(ENDPOINTS.settlement, 'settlement_id', ENDPOINTS.settlements),
    cursors: list(ENDPOINTS.cursors),
    /** Any request below the service's base path, and its response as it came. */
    answer: client.answer.bind(client),
    /** The service's clock minus ours, of the latest response that had a date. */
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

function unknownId(isProduct: boolean): SvcError {
  return new SvcError(
    'not_found',
    `the service has nothing with this id${isProduct ? ', or nothing from this source' : ''}`,
    {
      httpStatus: 404,
      hint: `svc catalog ${isProduct ? 'products list --search <text> finds ids' : 'categories list and settlements list show ids'}`,
      reason: isProduct ? 'unknown_product' : undefined,
    },
  );
}

/** No address leads to an id with a slash: the service's router reads `%2F` as a slash, too. */
function pathId(id: string): string {
  if (!id.includes('/')) return id;
  throw new SvcError(
    'invalid_value',
    `${JSON.stringify(id)} cannot be requested: an id with "/" has no address there`,
    { hint: 'pass only the id, as svc catalog products list shows it' },
  );
}
