/** The service filters rows before it groups them, so a filter changes a product's item. */
import { Refusal } from '../http.ts';
import type { Parameters } from './parameters.ts';
import { isoZ, type SourceRow } from './records.ts';

type ProductFilters = ReturnType<typeof filtersOf>;

export function filtersOf(query: Parameters) {
  return {
    q: query.text('q'),
    parser_name: query.text('parser_name'),
    category_id: query.integer('category_id'),
    settlement_id: query.integer('settlement_id'),
    brand: query.text('brand'),
    promo: query.flag('promo'),
    price_min: query.number('price_min'),
    price_max: query.number('price_max'),
  };
}

/** The rows of one product that pass the filters; the latest one provides its fields. */
interface Product {
  readonly id: string;
  readonly latest: SourceRow;
  readonly priceFrom: number | null;
  readonly rows: readonly SourceRow[];
}

type Order = (a: Product, b: Product) => number;

const nullsLast = (a: number | null, b: number | null, sign: 1 | -1): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : sign * (a - b);

const SORTS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ['observed_at_desc', (a, b) => b.latest.observed_at - a.latest.observed_at],
  ['observed_at_asc', (a, b) => a.latest.observed_at - b.latest.observed_at],
  ['price_asc', (a, b) => nullsLast(a.priceFrom, b.priceFrom, 1)],
  ['price_desc', (a, b) => nullsLast(a.priceFrom, b.priceFrom, -1)],
  ['rating_desc', (a, b) => nullsLast(a.latest.rating, b.latest.rating, -1)],
]);

export function orderOf(sort: string): Order {
  const order = SORTS.get(sort);
  if (order === undefined) throw new Refusal(400, { detail: `unsupported sort: ${sort}` });
  return (a, b) => order(a, b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

export function groupProducts(rows: readonly SourceRow[]): readonly Product[] {
  const products = new Map<string, SourceRow[]>();
  for (const row of rows) {
    const own = products.get(row.canonical_product_id);
    if (own === undefined) products.set(row.canonical_product_id, [row]);
    else own.push(row);
  }
  return [...products].map(([id, own]) => {
    const latest = own.reduce((a, b) => ((a.observed_at - b.observed_at || b.id - a.id) < 0 ? b : a));
    const prices = own.map(askedPrice).filter((price) => price !== null);
    return { id, rows: own, latest, priceFrom: prices.length === 0 ? null : Math.min(...prices) };
  });
}

/** The first known one, not the lowest where members pay less than the discount. */
function askedPrice(row: SourceRow): number | null {
  return row.discount_price ?? row.loyal_price ?? row.price;
}

export function productItem({ id, rows, latest, priceFrom }: Product): unknown {
  return {
    canonical_product_id: id,
    title: latest.title_original,
    brand: latest.brand,
    price_from: priceFrom,
    price_unit: latest.price_unit,
    sources_count: rows.length,
    observed_at_latest: isoZ(latest.observed_at),
    image_url: latest.image_urls[0] ?? null,
    parsers: [...new Set(rows.map(({ parser_name }) => parser_name))],
  };
}

export function matches(row: SourceRow, filters: ProductFilters): boolean {
  const { q, parser_name, category_id, settlement_id, brand, promo, price_min, price_max } = filters;
  const price = askedPrice(row);
  return (
    (!q || contains([row.title_original, row.title_normalized_no_stopwords, row.brand], q)) &&
    (!parser_name || row.parser_name === parser_name) &&
    (category_id === undefined || row.category?.id === category_id) &&
    (settlement_id === undefined || row.settlement?.id === settlement_id) &&
    (!brand || asciiLower(row.brand ?? '') === brand.trim().toLowerCase()) &&
    (promo === undefined || row.promo === promo) &&
    (price_min === undefined || (price !== null && price >= price_min)) &&
    (price_max === undefined || (price !== null && price <= price_max))
  );
}

/** % and _ are wildcards, as in LIKE. SQLite lowers only ASCII, Python lowers all of `q`. */
export function contains(columns: readonly (string | null)[], q: string): boolean {
  const escaped = q
    .trim()
    .toLowerCase()
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const like = new RegExp(escaped.replaceAll('_', '.').replace(/%+/g, '.*?'), 'su');
  return columns.some((text) => like.test(asciiLower(text ?? '')));
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

interface Places {
  readonly stores: readonly string[];
  readonly regions: readonly string[];
}

export function productCount(rows: readonly SourceRow[], places: Places): unknown {
  const { stores, regions, found } = inPlaces(rows, places);
  return { products_count: groupProducts(found).length, stores: orNull(stores), regions: orNull(regions) };
}

/** Products that every requested store (or region) has, or every known one if none is requested. */
export function commonCount(rows: readonly SourceRow[], scope: 'stores' | 'regions', places: Places): unknown {
  const { stores, regions, found } = inPlaces(rows, places);
  const placeOf = scope === 'stores' ? storeOf : regionOf;
  const products = groupProducts(found.filter((row) => placeOf(row) !== '')).map(
    (product) => new Set(product.rows.map(placeOf)),
  );
  const requested = scope === 'stores' ? stores : regions;
  const required = requested.length || new Set(products.flatMap((known) => [...known])).size;
  return {
    scope,
    common_products_count: products.filter(({ size }) => size === required).length,
    required_stores: scope === 'stores' ? required : null,
    required_regions: scope === 'regions' ? required : null,
    stores: orNull(stores),
    regions: orNull(regions),
  };
}

function inPlaces(rows: readonly SourceRow[], places: Places): Places & { readonly found: readonly SourceRow[] } {
  const [stores, regions] = [distinct(places.stores), distinct(places.regions)];
  const found = rows.filter(
    (row) =>
      (stores.length === 0 || stores.includes(storeOf(row))) &&
      (regions.length === 0 || regions.includes(regionOf(row))),
  );
  return { stores, regions, found };
}

function storeOf({ parser_name }: SourceRow): string {
  return asciiLower(parser_name);
}

function regionOf({ settlement }: SourceRow): string {
  return asciiLower(settlement?.region_normalized ?? settlement?.region ?? '');
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== ''))];
}

function orNull(texts: readonly string[]): readonly string[] | null {
  return texts.length === 0 ? null : texts;
}
