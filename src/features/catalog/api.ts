/** The catalog's endpoints and client (doc 3 §4, part A). All are GET: it refuses even HEAD. */
import { SvcError } from '../../errors.ts';
import { answerFailure, credentialFailure, type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import { Client } from '../../http/client.ts';
import { type Endpoint, type EndpointShape, endpoint, type Parser, type QueryValues } from '../../http/endpoint.ts';
import { redactText } from '../../http/redact.ts';
import type { Target } from '../../http/target.ts';
import { isObject, tryParseJson } from '../../json-object.ts';

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
  const client = new Client(target, { basePath: '', explain: explainCatalog });
  const one =
    <T>(from: Endpoint<T, 'read'>) =>
    (query: QueryValues = {}): Promise<T> =>
      client.call(from, { query });
  const byId =
    <T>(from: Endpoint<T, 'read'>, name: string) =>
    async (id: string, query: QueryValues = {}): Promise<T> => {
      // The service's router reads `%2F` as a slash, too.
      if (id.includes('/')) throw new SvcError('invalid_value', `${JSON.stringify(id)} is not an id: it has a "/"`);
      return client.call(from, { params: { [name]: id }, query });
    };
  const ofProduct = <T>(from: Endpoint<T, 'read'>) => byId(from, 'canonical_product_id');
  return {
    health: one(ENDPOINTS.health),
    products: one(ENDPOINTS.products),
    product: ofProduct(ENDPOINTS.product),
    count: (query: CountQuery & QueryValues = {}) => one(ENDPOINTS.count)(query),
    common: (query: CountQuery & QueryValues & { readonly scope: string }) => one(ENDPOINTS.common)(query),
    sources: ofProduct(ENDPOINTS.sources),
    snapshots: ofProduct(ENDPOINTS.snapshots),
    dynamics: (id: string, query: DynamicsQuery & QueryValues) => ofProduct(ENDPOINTS.dynamics)(id, query),
    categories: one(ENDPOINTS.categories),
    category: byId(ENDPOINTS.category, 'category_id'),
    settlements: one(ENDPOINTS.settlements),
    settlement: byId(ENDPOINTS.settlement, 'settlement_id'),
    cursors: one(ENDPOINTS.cursors),
    /** Any request below the service's base path, and its response as it came. */
    answer: client.answer.bind(client),
    /** The service's clock minus ours, of the latest response that had a date. */
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

/** Doc 3 shows no errors: these are as seen on the public implementation. */
export function explainCatalog(
  answer: FailedAnswer,
  { method, path }: Pick<EndpointShape, 'method' | 'path'>,
): SvcError | undefined {
  const { status, credentialSource: source } = answer;
  const text = faultsIn(answer.text) ?? serviceMessage(answer);
  switch (status) {
    case 400:
    case 422:
      return answerFailure(answer, 'refused', `the catalog refused the request: ${text || `status ${status}`}`);
    case 401:
      return credentialFailure(answer, 'the catalog', text, source ? `check ${source}` : 'set SVC_CATALOG_TOKEN');
    case 404:
      if (path.includes('{')) return explainMissing(answer, text);
      return answerFailure(answer, 'wrong_path', `the service does not know ${method} ${path}: ${text}`, CHECK_PATH);
    case 405:
      return answerFailure(answer, 'wrong_path', `the service does not allow ${method} ${path}`, CHECK_PATH);
    default:
      return undefined;
  }
}

const CHECK_PATH = 'check the base URL: svc adds the paths of the catalog to it, such as /products';

const MISSING: ReadonlyMap<string, readonly [message: string, hint: string]> = new Map([
  [
    'product_not_found',
    ['no store sells a product with this id', 'svc catalog products list --search <text> finds ids'],
  ],
  ['category_not_found', ['there is no category with this id', 'svc catalog categories list shows them']],
  ['settlement_not_found', ['there is no settlement with this id', 'svc catalog settlements list shows them']],
  [
    'source not found',
    [
      'there is no snapshot of this product from this source',
      'svc catalog products sources <id> shows each parser_name and source_id',
    ],
  ],
]);

function explainMissing(answer: FailedAnswer, text: string): SvcError {
  const [message, hint] = MISSING.get(text) ?? [`the service has nothing with this id: ${text}`, CHECK_PATH];
  return answerFailure(answer, 'not_found', message, hint);
}

const MOST_FAULTS = 8;
const LONGEST_FAULT = 200;

/** The faults of a list, such as `query.limit: Input should be less than or equal to 100`. */
function faultsIn(text: string): string | undefined {
  const value = tryParseJson(text);
  const detail = isObject(value) ? value['detail'] : undefined;
  if (!Array.isArray(detail)) return undefined;
  const faults = detail.slice(0, MOST_FAULTS).map((fault) => {
    const { loc, msg } = isObject(fault) ? fault : {};
    // What is neither may have a `toString` of its own, which is no function.
    const path = Array.isArray(loc) ? loc.filter((part) => typeof part === 'string' || typeof part === 'number') : [];
    const what = typeof msg === 'string' ? msg : 'not valid';
    return [...`${path.join('.')}: ${what}`].slice(0, LONGEST_FAULT).join('');
  });
  return redactText(faults.join('; '));
}
