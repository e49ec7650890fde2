/** A small, believable catalog whose history ends at the time it is made: what is odd in it is odd in real ones. */
import { createHash } from 'node:crypto';
import { categoryOf, demoCategories, demoSettlements, type Place, STORE_NAMES } from './demo-places.ts';
import { DEMO_PRODUCTS, type DemoProduct, type Offer } from './demo-products.ts';
import { type Course, history } from './history.ts';
import { DAY, HOUR, type Micros, SECOND } from './instants.ts';
import type { Catalog, Category, Cursor, Settlement, Snapshot, SourceRow } from './records.ts';

const DISCONTINUED_FOR = 130 * DAY;

/** A product in one place of one store. */
interface Listing {
  readonly id: string;
  readonly product: DemoProduct;
  readonly offer: Offer;
  readonly place: Place | null;
  /** Which of the offer's places it is. */
  readonly index: number;
}

/** The real writer gives every store ids of its own. */
const LISTINGS: readonly Listing[] = DEMO_PRODUCTS.flatMap((product) =>
  product.offers.flatMap((offer) => {
    const title = product.title ?? '';
    const id = product.id ?? uuidOf(product.lasting ? title : `${offer.store}: ${title}`);
    return offer.places.map((place, index) => ({ id, product, offer, place, index }));
  }),
);

/** `nowMs` in milliseconds since 1970. */
export function demoCatalog(nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const settlements = demoSettlements(now);
  const categories = demoCategories(now);
  const listed = LISTINGS.flatMap((listing, at): readonly Listed[] => {
    const { product, offer, place } = listing;
    const category = product.shelf === null ? null : categoryOf(categories, offer.store, product.shelf);
    const row = rowOf(listing, at + 1, now, { category, settlement: place === null ? null : settlements[place] });
    if (!product.lasting) return dailyRuns(row, product.course);
    return [{ row, current: !product.snapshotsOnly, past: () => history(row, product.course) }];
  });
  return {
    settlements: Object.values(settlements),
    categories,
    sources: listed.filter(({ current }) => current).map(({ row }) => row),
    cursors: demoCursors(now),
    snapshots: remembered((id) =>
      listed.filter(({ row }) => row.canonical_product_id === id).flatMap(({ past }) => past()),
    ),
  };
}

interface Listed {
  readonly row: SourceRow;
  /** The row is still there. */
  readonly current: boolean;
  readonly past: () => readonly Snapshot[];
}

const RUNS = 30;
const FIRST_RUN_ID = 10_000;

/**
 * As the real writer leaves it: every day a run with an id of its own scrapes the price, and makes a new source with one snapshot. The
 * rows of the days before stay.
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
    const row = { ...today, ...observed, id, source_id: `receiver:${uuidOf(`${today.parser_name} run ${day}`)}:${id}` };
    const { canonical_product_id, parser_name, source_id, price_unit } = row;
    const keys = { id: id * 1000, canonical_product_id, parser_name, source_id, price_unit };
    return [
      {
        row,
        current: true,
        past: () => [{ ...keys, ...observed, valid_from_at: observed_at, valid_to_at: observed_at }],
      },
    ];
  });
}

/** Made when they are first asked for. */
export function remembered(make: (productId: string) => readonly Snapshot[]): Catalog['snapshots'] {
  const known = new Map<string, readonly Snapshot[]>();
  return (id) => {
    const found = known.get(id) ?? make(id);
    // what is not in the catalog may be asked for in any number of ways
    if (found.length > 0) known.set(id, found);
    return found;
  };
}

/** Within the hour before, to the microsecond. */
export function observedAt(now: Micros, number: number): Micros {
  const minute = Math.floor(now / (60 * SECOND)) * 60 * SECOND;
  return minute - (5 + ((number * 7) % 50)) * 60 * SECOND + ((number * 482_113) % SECOND);
}

/** Version 4 in form, and always the same for the same text. */
export function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** `number` is its id, from which its run, its codes and the time of its observation follow. */
function rowOf(
  { id, product, offer, index }: Listing,
  number: number,
  now: Micros,
  { category, settlement }: { readonly category: Category | null; readonly settlement: Settlement | null },
): SourceRow {
  const { title, brand, flags = {} } = product;
  const [package_quantity, package_unit] = product.package ?? [null, null];
  const run = STORE_NAMES.indexOf(offer.store) * 10 + (settlement?.id ?? 0);
  // every further place is a little dearer
  const priced = (price: number | null = null): number | null =>
    price === null ? null : Math.round((price + index * 5) * 100) / 100;
  return {
    id: number,
    canonical_product_id: id,
    parser_name: offer.store,
    source_id: `receiver:run-${run}:${number}`,
    plu: String(30_000 + number * 37),
    sku: number % 3 === 0 ? null : `SKU-${String(number).padStart(4, '0')}`,
    title_original: title,
    title_normalized_no_stopwords: title === null ? null : normalized(title),
    brand,
    price: priced(offer.price),
    discount_price: priced(offer.discount),
    loyal_price: priced(offer.loyal),
    price_unit: offer.price === null ? null : (offer.currency ?? 'RUB'),
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
    composition_original: product.composition ?? null,
    observed_at: observedAt(now, number) - (product.course === 'discontinued' ? DISCONTINUED_FOR : 0),
    image_urls: number % 4 === 0 ? [] : [1, 2].map((image) => `https://images.example/${number}/${image}.webp`),
    category,
    settlement,
  };
}

function normalized(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** One store's cursor cannot be read. */
function demoCursors(now: Micros): readonly Cursor[] {
  return STORE_NAMES.map((parser_name, index) => {
    const readable = index !== 1;
    const ingested_at = readable ? now - (index + 1) * HOUR : null;
    return { parser_name, ingested_at, product_id: readable ? 48_000 + index : null, updated_at: now - index * HOUR };
  });
}
