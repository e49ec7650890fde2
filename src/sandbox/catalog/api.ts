/** The endpoints of doc 3 §4, part A; the rest follows the public implementation. */
import { Refusal } from '../http.ts';
import type { CatalogTrap } from '../traps.ts';
import type { Parameters } from './parameters.ts';
import {
  commonCount,
  contains,
  filtersOf,
  groupProducts,
  matches,
  orderOf,
  productCount,
  productItem,
} from './products.ts';
import {
  type Catalog,
  type Category,
  cursorItem,
  DAY,
  HOUR,
  isoZ,
  type Micros,
  parseIso,
  SERIES_FIELDS,
  type Settlement,
  type Snapshot,
  type SourceRow,
  snapshotItem,
  sourceItem,
  updatedItem,
} from './records.ts';

/** Receives the parts of the path that `{}` stands for, and returns the JSON of the response. */
export type CatalogRoute = (query: Parameters, part: string) => unknown;

/** What the endpoints answer from. */
interface Service {
  readonly catalog: Catalog;
  readonly traps: ReadonlySet<CatalogTrap>;
  /** How many pages were answered while the catalog shifts. */
  shifts: number;
}

/** In the service's order: `count` comes before the id of a product. */
export function catalogRoutes(options: Omit<Service, 'shifts'>): Readonly<Record<string, CatalogRoute>> {
  const service = { ...options, shifts: 0 };
  return {
    '/healthz': () => health(service),
    '/products': (query) => listProducts(service, query),
    '/products/count': (query) => productCount(readCatalog(service).sources, placesOf(query)),
    '/products/{}': (_, id) => findProduct(service, id),
    '/products/{}/sources': (query, id) => listSources(service, query, id),
    '/products/{}/snapshots': (query, id) => listSnapshots(service, query, id),
    '/products/{}/dynamics': (query, id) => readDynamics(service, query, id),
    '/products/common/count': (query) => countCommon(service, query),
    '/categories': (query) => listCategories(service, query),
    '/categories/{}': (query, part) => findCategory(service, query, part),
    '/settlements': (query) => listSettlements(service, query),
    '/settlements/{}': (query, part) => findSettlement(service, query, part),
    '/sync/cursors': () => ({ items: readCatalog(service).cursors.map(cursorItem) }),
  };
}

function health({ traps }: Service): unknown {
  if (traps.has('database-down')) throw refused(503, DATABASE_DOWN);
  return { status: 'ok' };
}

function listProducts(service: Service, query: Parameters): unknown {
  const page = paging(query);
  const filters = filtersOf(query);
  query.check();
  const order = orderOf(query.text('sort') ?? 'observed_at_desc');
  const rows = readCatalog(service).sources.filter((row) => matches(row, filters));
  return pageOf(service, groupProducts(rows).toSorted(order), page, productItem);
}

function findProduct(service: Service, id: string): unknown {
  const [product] = groupProducts(rowsOf(service, id));
  if (product === undefined) throw notFound('product');
  return productItem(product);
}

function listSources(service: Service, query: Parameters, id: string): unknown {
  const page = paging(query);
  const direction = observedOrder(query);
  const rows = rowsOf(service, id).toSorted((a, b) => direction * (a.observed_at - b.observed_at) || a.id - b.id);
  checkProduct(service, id);
  return pageOf(service, rows, page, sourceItem);
}

function listSnapshots(service: Service, query: Parameters, id: string): unknown {
  const page = paging(query);
  const [parser, source] = [query.text('parser_name'), query.text('source_id')];
  const direction = observedOrder(query);
  checkProduct(service, id);
  const rows = readCatalog(service)
    .snapshots(id)
    .filter((row) => (!parser || row.parser_name === parser) && (!source || row.source_id === source))
    .toSorted((a, b) => direction * (a.observed_at - b.observed_at || a.id - b.id));
  return pageOf(service, rows, page, snapshotItem);
}

function readDynamics(service: Service, query: Parameters, id: string): unknown {
  const request = {
    canonical_product_id: id,
    parser_name: query.required('parser_name'),
    source_id: query.required('source_id'),
    field: query.required('field'),
    interval: query.required('interval'),
    date_from: query.required('date_from'),
    date_to: query.required('date_to'),
  };
  query.check();
  return dynamics(request, () => readCatalog(service).snapshots(id));
}

function countCommon(service: Service, query: Parameters): unknown {
  // The service's own default is a value that it then refuses.
  const scope = (query.text('scope') ?? 'all_stores').trim().toLowerCase();
  if (scope !== 'stores' && scope !== 'regions') throw refused(400, 'scope must be one of: stores, regions');
  return commonCount(readCatalog(service).sources, scope, placesOf(query));
}

function listCategories(service: Service, query: Parameters): unknown {
  const page = paging(query);
  const [parser, depth] = [query.text('parser_name'), query.integer('depth')];
  const [parent, q] = [query.text('parent_source_uid'), query.text('q')];
  query.check();
  const found = readCatalog(service).categories.filter(
    ({ parser_name, parent_source_uid, title, alias, source_uid, ...category }) =>
      (!parser || parser_name === parser) &&
      (depth === undefined || category.depth === depth) &&
      (!parent || parent_source_uid === parent) &&
      (!q || contains([title, title.toLowerCase(), alias, source_uid], q)),
  );
  return pageOf(service, found.toSorted(latestUpdateFirst), page, updatedItem);
}

const findCategory = findById(({ categories }) => categories, 'category');
const findSettlement = findById(({ settlements }) => settlements, 'settlement');

/** A category or a settlement. */
function findById<Row extends Category | Settlement>(
  rows: (catalog: Catalog) => readonly Row[],
  noun: string,
): (service: Service, query: Parameters, part: string) => unknown {
  return (service, query, part) => {
    const id = query.pathInteger(`${noun}_id`, part);
    query.check();
    const found = rows(readCatalog(service)).find((row) => row.id === id);
    if (found === undefined) throw notFound(noun);
    return updatedItem(found);
  };
}

function listSettlements(service: Service, query: Parameters): unknown {
  const page = paging(query);
  const [country, q] = [query.text('country'), query.text('q')];
  query.check();
  const found = readCatalog(service).settlements.filter(
    (place) =>
      (!country || place.country === country) &&
      (!q || contains([place.name, place.alias, place.region, place.country], q)),
  );
  return pageOf(service, found.toSorted(latestUpdateFirst), page, updatedItem);
}

/** Call this after every check that needs no data. */
function readCatalog({ catalog, traps }: Service): Catalog {
  if (traps.has('database-down')) throw new Error('the database is down');
  return catalog;
}

function rowsOf(service: Service, id: string): readonly SourceRow[] {
  return readCatalog(service).sources.filter((row) => row.canonical_product_id === id);
}

/** A product may have nothing but snapshots. */
function checkProduct(service: Service, id: string): void {
  const isKnown = rowsOf(service, id).length > 0 || readCatalog(service).snapshots(id).length > 0;
  if (!isKnown) throw notFound('product');
}

function pageOf<Row>(
  service: Service,
  rows: readonly Row[],
  { limit, offset }: Page,
  item: (row: Row) => unknown,
): unknown {
  const shift = service.traps.has('shifting-catalog') ? service.shifts++ % Math.max(1, rows.length) : 0;
  const shifted = shift === 0 ? rows : [...rows.slice(-shift), ...rows.slice(0, -shift)];
  return { items: shifted.slice(offset, offset + limit).map(item), meta: { limit, offset, total: rows.length } };
}

const DATABASE_DOWN =
  'catalog_unavailable: (psycopg.OperationalError) connection failed: FATAL:  the database system is shutting down\n[SQL: SELECT 1 FROM catalog_products LIMIT 1]';

type Page = ReturnType<typeof paging>;

function paging(query: Parameters) {
  return { limit: query.integer('limit', 1, 100) ?? 20, offset: query.integer('offset', 0) ?? 0 };
}

function placesOf(query: Parameters): { readonly stores: readonly string[]; readonly regions: readonly string[] } {
  return { stores: query.texts('store'), regions: query.texts('region') };
}

/** The last parameter to be read: whether the latest rows come first (-1) or last. */
function observedOrder(query: Parameters): 1 | -1 {
  const sort = query.text('sort') ?? 'observed_at_desc';
  query.check();
  if (sort === 'observed_at_desc') return -1;
  if (sort === 'observed_at_asc') return 1;
  throw refused(400, `unsupported sort: ${sort}`);
}

function refused(status: number, detail: string): Refusal {
  return new Refusal(status, { detail });
}

function notFound(what: string): Refusal {
  return refused(404, `${what}_not_found`);
}

function latestUpdateFirst(a: Category | Settlement, b: Category | Settlement): number {
  return b.updated_at - a.updated_at || a.id - b.id;
}

type SeriesRequest = Readonly<
  Record<'canonical_product_id' | 'parser_name' | 'source_id' | 'field' | 'interval' | 'date_from' | 'date_to', string>
>;

const STEPS: ReadonlyMap<string, Micros> = new Map([
  ['1h', HOUR],
  ['6h', 6 * HOUR],
  ['1d', DAY],
  ['7d', 7 * DAY],
]);
const MAX_POINTS = 20_000;

/** Doc 3 §4 and the public implementation. Reads snapshots only for a valid request. */
export function dynamics(request: SeriesRequest, snapshots: () => readonly Snapshot[]) {
  const { parser_name, source_id, interval } = request;
  const [from, to] = [instant(request.date_from), instant(request.date_to)];
  if (from > to) throw refused(422, 'date_from must be <= date_to');
  const field = SERIES_FIELDS.find((name) => name === request.field);
  if (field === undefined) throw refused(400, `unsupported field: ${request.field}`);
  const step = STEPS.get(interval);
  if (step === undefined) throw refused(400, `unsupported interval: ${interval}`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > MAX_POINTS) throw refused(400, 'requested range is too large');
  const rows = snapshots().filter((row) => row.parser_name === parser_name && row.source_id === source_id);
  if (rows.length === 0) throw refused(404, 'source not found');
  const values: (number | null)[] = Array.from({ length: count }, () => null);
  // Later observations overwrite earlier ones. Nothing after `to` counts, even in its bucket.
  for (const row of rows.toSorted((a, b) => a.observed_at - b.observed_at || a.id - b.id)) {
    const [one, other] = [row.valid_from_at ?? row.observed_at, row.valid_to_at ?? row.observed_at];
    const start = Math.max(Math.min(one, other), from);
    const end = Math.min(Math.max(one, other), to);
    if (end >= start) values.fill(row[field], Math.floor((start - from) / step), Math.floor((end - from) / step) + 1);
  }
  return {
    dates: Array.from({ length: count }, (_, index) => isoZ(from + index * step)),
    values,
    meta: { ...request, date_from: isoZ(from), date_to: isoZ(to) },
  };
}

function instant(text: string): Micros {
  const time = parseIso(text);
  if (time === undefined) throw refused(422, 'datetime must be valid ISO8601');
  if (Number.isNaN(time)) throw refused(422, 'datetime must include timezone');
  return time;
}
