/** The catalog's client: the endpoints of doc 3 §4 (part A) with their types. */
import { SvcError } from '../../errors.ts';
import { type Client, openClient } from '../../http/client.ts';
import type { QueryValues } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import * as endpoints from './endpoints.ts';
import { explainCatalog } from './failed-answer.ts';
import { numberOf } from './numeric.ts';
import type {
  Category,
  CommonCount,
  Count,
  Cursor,
  Dynamics,
  Health,
  List,
  Product,
  Settlement,
  Snapshot,
  Source,
} from './schema.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of all pages, as the service counted them for this one; it may move. */
  readonly total: number | undefined;
  /** How many items a page has at most where the service says so: it may give fewer than it is asked for. */
  readonly size: number | undefined;
}

/** Names are those of the wire. Of the products' parameters only `store` and `region` of the counts are documented. */
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

export interface Catalog {
  health(query?: QueryValues): Promise<Health>;
  products(query?: PageQuery): Promise<Page<Product>>;
  product(id: string, query?: QueryValues): Promise<Product>;
  count(query?: CountQuery & QueryValues): Promise<Count>;
  common(query: CountQuery & QueryValues & { readonly scope: string }): Promise<CommonCount>;
  sources(id: string, query?: PageQuery): Promise<Page<Source>>;
  snapshots(id: string, query?: PageQuery): Promise<Page<Snapshot>>;
  dynamics(id: string, query: DynamicsQuery & QueryValues): Promise<Dynamics>;
  categories(query?: PageQuery): Promise<Page<Category>>;
  category(id: string, query?: QueryValues): Promise<Category>;
  settlements(query?: PageQuery): Promise<Page<Settlement>>;
  settlement(id: string, query?: QueryValues): Promise<Settlement>;
  cursors(query?: QueryValues): Promise<readonly Cursor[]>;
  /** Any request below the service's base path, and its answer as it came. */
  answer: Client['answer'];
  /** The service's clock minus ours, of the latest answer that had a date. */
  readonly clockSkewMs: number | undefined;
  close(): Promise<void>;
}

export function openCatalog(target: Target): Catalog {
  const { pathname } = target.baseUrl;
  const client = openClient(target, { basePath: '', explain: (...failure) => explainCatalog(...failure, pathname) });
  const byProduct = (id: string) => ({ params: { canonical_product_id: productId(id) } });
  return {
    health: async (query = {}) => client.call(endpoints.getHealth, { query }),
    products: async (query = {}) => page(await client.call(endpoints.getProducts, { query })),
    product: async (id, query = {}) => client.call(endpoints.getProduct, { ...byProduct(id), query }),
    count: async (query = {}) => client.call(endpoints.getCount, { query }),
    common: async (query) => client.call(endpoints.getCommonCount, { query }),
    sources: async (id, query = {}) => page(await client.call(endpoints.getSources, { ...byProduct(id), query })),
    snapshots: async (id, query = {}) => page(await client.call(endpoints.getSnapshots, { ...byProduct(id), query })),
    dynamics: async (id, query) => client.call(endpoints.getDynamics, { ...byProduct(id), query }),
    categories: async (query = {}) => page(await client.call(endpoints.getCategories, { query })),
    category: async (id, query = {}) => client.call(endpoints.getCategory, { params: { category_id: id }, query }),
    settlements: async (query = {}) => page(await client.call(endpoints.getSettlements, { query })),
    settlement: async (id, query = {}) =>
      client.call(endpoints.getSettlement, { params: { settlement_id: id }, query }),
    cursors: async (query = {}) => (await client.call(endpoints.getCursors, { query })).items ?? [],
    answer: (endpoint, values) => client.answer(endpoint, values),
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

function page<Item>({ items, total, meta }: List<Item>): Page<Item> {
  return {
    items: items ?? [],
    total: numberOf(meta?.total ?? total) ?? undefined,
    size: numberOf(meta?.limit) ?? undefined,
  };
}

/** The service takes any text as an id, but no address leads to one with a slash: `%2F` is a slash to its router too. */
function productId(id: string): string {
  if (!id.includes('/')) return id;
  throw new SvcError(
    'invalid_value',
    `${JSON.stringify(id)} cannot be asked for: an id with "/" has no address there`,
    {
      hint: 'give the id alone, as svc catalog products list shows it',
    },
  );
}
