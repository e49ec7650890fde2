/** A small, believable catalog whose history ends at the time it is made. */
import { createHash } from 'node:crypto';
import { uuidOf } from '../random.ts';
import {
  DEMO_PRODUCTS,
  type DemoProduct,
  type Offer,
  PLACES,
  type Place,
  SHELVES,
  type Shelf,
  STORES,
} from './demo-data.ts';
import { type Course, history } from './history.ts';
import {
  type Catalog,
  type Category,
  type Cursor,
  DAY,
  HOUR,
  type Micros,
  SECOND,
  type Settlement,
  type Snapshot,
  type SourceRow,
} from './records.ts';

const DISCONTINUED_FOR = 130 * DAY;

/** A product in one place of one store. */
interface Listing {
  readonly id: string;
  readonly product: DemoProduct;
  readonly offer: Offer;
  readonly place: Place | null;
  readonly index: number;
}

/** The real writer gives each store its own ids. */
function listingsOf(product: DemoProduct): readonly Listing[] {
  return product.offers.flatMap((offer) => {
    const title = product.title ?? '';
    const id = product.id ?? idOf(product.lasting ? title : `${offer.store}: ${title}`);
    return offer.places.map((place, index) => ({ id, product, offer, place, index }));
  });
}

export function demoCatalog(nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const settlements = settlementsAt(now);
  const categories = categoriesAt(now);
  const listed = DEMO_PRODUCTS.flatMap(listingsOf).flatMap((listing, at): readonly Listed[] => {
    const { product } = listing;
    const row = rowOf(listing, at + 1, now, { categories, settlements });
    if (!product.lasting) return dailyRuns(row, product.course);
    return [{ row, isCurrent: !product.snapshotsOnly, past: () => history(row, product.course) }];
  });
  return {
    settlements: [...settlements.values()],
    categories,
    sources: listed.filter(({ isCurrent }) => isCurrent).map(({ row }) => row),
    cursors: cursorsAt(now),
    snapshots: (id) => listed.filter(({ row }) => row.canonical_product_id === id).flatMap(({ past }) => past()),
  };
}

const MANY = 10_000;
const FIRST_OF_MANY = 100_000;

/** The trap `many-products`: variations of one row. `nowMs` in milliseconds since 1970. */
export function withManyProducts(base: Catalog, nowMs: number): Catalog {
  const demo = demoCatalog(nowMs);
  const template = demo.sources[0] as SourceRow;
  const rows = Array.from({ length: MANY }, (_, index): SourceRow => {
    const title_original = `Sample product ${String(index + 1).padStart(5, '0')}`;
    return {
      ...template,
      id: FIRST_OF_MANY + index,
      canonical_product_id: idOf(title_original),
      source_id: `receiver:run-many:${index + 1}`,
      title_original,
      title_normalized_no_stopwords: title_original.toLowerCase(),
      brand: `Brand ${index % 97}`,
      price: 20 + ((index * 7919) % 100_000) / 100,
      settlement: demo.settlements[index % demo.settlements.length] ?? null,
    };
  });
  return {
    ...base,
    sources: [...base.sources, ...rows],
    snapshots(id) {
      const row = rows.find(({ canonical_product_id }) => canonical_product_id === id);
      return row === undefined ? base.snapshots(id) : history(row, 'wavy');
    },
  };
}

interface Listed {
  readonly row: SourceRow;
  readonly isCurrent: boolean;
  readonly past: () => readonly Snapshot[];
}

const RUNS = 30;
const FIRST_RUN_ID = 10_000;

/**
 * As the real writer works: a daily run has its own id, and makes a new source with one snapshot.
 * The rows of earlier days stay.
 */
function dailyRuns(today: SourceRow, course: Course): readonly Listed[] {
  const past = history(today, course);
  return Array.from({ length: RUNS }, (_, index) => RUNS - 1 - index).flatMap((day) => {
    const minutes = day === 0 ? 0 : ((today.id * 13 + day * 29) % 40) - 20;
    const observed_at = today.observed_at - day * DAY + minutes * 60 * SECOND;
    const found = past.find(
      ({ valid_from_at: from, valid_to_at: to }) => (from ?? 0) <= observed_at && observed_at <= (to ?? 0),
    );
    if (found === undefined) return [];
    const { price, discount_price, loyal_price, available_count } = found;
    const observed = { price, discount_price, loyal_price, available_count, observed_at };
    const id = FIRST_RUN_ID + today.id * 100 + RUNS - day;
    const row = { ...today, ...observed, id, source_id: `receiver:${idOf(`${today.parser_name} run ${day}`)}:${id}` };
    const { canonical_product_id, parser_name, source_id, price_unit } = row;
    const keys = { id: id * 1000, canonical_product_id, parser_name, source_id, price_unit };
    const snapshot = { ...keys, ...observed, valid_from_at: observed_at, valid_to_at: observed_at };
    return [{ row, isCurrent: true, past: () => [snapshot] }];
  });
}

/** Within the hour before, to the microsecond. */
function observedAt(now: Micros, number: number): Micros {
  const minute = Math.floor(now / (60 * SECOND)) * 60 * SECOND;
  return minute - (5 + ((number * 7) % 50)) * 60 * SECOND + ((number * 482_113) % SECOND);
}

/** Always the same for the same text. */
function idOf(text: string): string {
  return uuidOf(createHash('sha256').update(text).digest().subarray(0, 16));
}

interface Related {
  readonly categories: readonly Category[];
  readonly settlements: ReadonlyMap<Place, Settlement>;
}

/** `number` is the id, from which the run, the codes and the time of the observation follow. */
function rowOf(
  { id, product, offer, place, index }: Listing,
  number: number,
  now: Micros,
  related: Related,
): SourceRow {
  const { title, brand, shelf, flags = {} } = product;
  const [package_quantity, package_unit] = product.package ?? [null, null];
  const settlement = (place && related.settlements.get(place)) ?? null;
  const run = STORES.indexOf(offer.store) * 10 + (settlement?.id ?? 0);
  return {
    id: number,
    canonical_product_id: id,
    parser_name: offer.store,
    source_id: `receiver:run-${run}:${number}`,
    plu: String(30_000 + number * 37),
    sku: number % 3 === 0 ? null : `SKU-${String(number).padStart(4, '0')}`,
    title_original: title,
    title_normalized_no_stopwords: normalizedTitle(title),
    brand,
    ...pricesOf(offer, index),
    rating: product.rating ?? null,
    reviews_count: product.rating === undefined ? null : number * 17,
    promo: flags.promo ?? offer.discount !== undefined,
    is_new: flags.is_new ?? false,
    hit: flags.hit ?? null,
    adult: flags.adult ?? false,
    unit: 'PCE',
    available_count: offer.stock ?? null,
    package_quantity,
    package_unit,
    composition_original: null,
    observed_at: observedAt(now, number) - (product.course === 'discontinued' ? DISCONTINUED_FOR : 0),
    image_urls: number % 4 === 0 ? [] : [1, 2].map((image) => `https://images.example/${number}/${image}.webp`),
    category: findCategory(related.categories, offer, shelf),
    settlement,
  };
}

function normalizedTitle(title: string | null): string | null {
  if (title === null) return null;
  const terms = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return terms.join(' ');
}

function pricesOf(
  { price, discount, loyal, currency = 'RUB' }: Offer,
  index: number,
): Pick<SourceRow, 'price' | 'discount_price' | 'loyal_price' | 'price_unit'> {
  const priced = (amount: number | null = null): number | null =>
    amount === null ? null : Math.round((amount + index * 5) * 100) / 100;
  return {
    price: priced(price),
    discount_price: priced(discount),
    loyal_price: priced(loyal),
    price_unit: price === null ? null : currency,
  };
}

function findCategory(categories: readonly Category[], { store }: Offer, shelf: DemoProduct['shelf']): Category | null {
  const title = shelf && SHELVES[shelf][0];
  return categories.find((one) => one.parser_name === store && one.title === title) ?? null;
}

function settlementsAt(now: Micros): ReadonlyMap<Place, Settlement> {
  const entries = Object.entries(PLACES).map(([place, fields], index): readonly [Place, Settlement] => {
    const [country, region, region_normalized, name, name_normalized, alias, latitude, longitude] = fields;
    const names = { country, region, region_normalized, name, name_normalized, settlement_type: 'city', alias };
    return [place as Place, { id: index + 1, ...names, latitude, longitude, updated_at: now - (index + 1) * 5 * HOUR }];
  });
  return new Map(entries);
}

function categoriesAt(now: Micros): readonly Category[] {
  return STORES.flatMap((parser_name, store) =>
    Object.entries(SHELVES).map(([shelf, [title, parent, alias]], index): Category => {
      return {
        id: store * 100 + index + 1,
        parser_name,
        source_uid: `${parser_name}/${shelf}`,
        parent_source_uid: parent && `${parser_name}/${parent}`,
        title,
        title_normalized: title.toLowerCase(),
        alias,
        depth: depthOf(parent),
        sort_order: index,
        updated_at: now - store * DAY - index * HOUR,
      };
    }),
  );
}

function depthOf(parent: Shelf | null): number {
  return parent === null ? 0 : 1 + depthOf(SHELVES[parent][1]);
}

/** One store's cursor cannot be read. */
function cursorsAt(now: Micros): readonly Cursor[] {
  return STORES.map((parser_name, index) => {
    const isReadable = index !== 1;
    const ingested_at = isReadable ? now - (index + 1) * HOUR : null;
    return { parser_name, ingested_at, product_id: isReadable ? 48_000 + index : null, updated_at: now - index * HOUR };
  });
}
