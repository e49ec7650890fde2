/** A small, believable catalog whose history ends at the time it is made: what is odd in it is odd in real ones. */
import { createHash } from 'node:crypto';
import { categoryOf, demoCategories, demoSettlements, STORE_NAMES } from './demo-places.ts';
import { DEMO_PRODUCTS, type DemoProduct } from './demo-products.ts';
import { type Course, history } from './history.ts';
import { DAY, HOUR, type Micros, SECOND } from './instants.ts';
import type { Catalog, Category, Cursor, Snapshot, SourceRow } from './records.ts';

const DISCONTINUED_FOR = 130 * DAY;

/** `nowMs` in milliseconds since 1970. */
export function demoCatalog(nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const settlements = demoSettlements(now);
  const categories = demoCategories(now);
  const rows: SourceRow[] = [];
  const courses = new Map<string, Course>();
  for (const product of DEMO_PRODUCTS) {
    const id = product.id ?? uuidOf(product.title ?? '');
    courses.set(id, product.course);
    for (const offer of product.offers) {
      const category = product.shelf === null ? null : categoryOf(categories, offer.store, product.shelf);
      offer.places.forEach((place, index) => {
        const settlement = place === null ? null : settlements[place];
        const number = rows.length + 1;
        const run = STORE_NAMES.indexOf(offer.store) * 10 + (settlement?.id ?? 0);
        const dearer = (price: number | undefined | null): number | null =>
          typeof price === 'number' ? price + index * 5 : null;
        rows.push({
          ...rowOf(product, number, category),
          canonical_product_id: id,
          parser_name: offer.store,
          source_id: `receiver:run-${run}:${number}`,
          price: dearer(offer.price),
          discount_price: dearer(offer.discount),
          loyal_price: dearer(offer.loyal),
          price_unit: offer.price === null ? null : (offer.currency ?? 'RUB'),
          promo: product.flags?.promo ?? offer.discount !== undefined,
          available_count: offer.stock ?? null,
          observed_at: observedAt(now, number) - (product.course === 'discontinued' ? DISCONTINUED_FOR : 0),
          settlement,
        });
      });
    }
  }
  const gone = new Set(DEMO_PRODUCTS.filter(({ snapshotsOnly }) => snapshotsOnly).map(({ id }) => id));
  return {
    settlements: Object.values(settlements),
    categories,
    sources: rows.filter(({ canonical_product_id }) => !gone.has(canonical_product_id)),
    cursors: demoCursors(now),
    snapshots: remembered((id) =>
      rows
        .filter(({ canonical_product_id }) => canonical_product_id === id)
        .flatMap((row) => history(row, courses.get(id) ?? 'steady')),
    ),
  };
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

type OfProduct = Omit<
  SourceRow,
  | 'canonical_product_id'
  | 'parser_name'
  | 'source_id'
  | 'price'
  | 'discount_price'
  | 'loyal_price'
  | 'price_unit'
  | 'promo'
  | 'available_count'
  | 'observed_at'
  | 'settlement'
>;

function rowOf(product: DemoProduct, number: number, category: Category | null): OfProduct {
  const { title, brand, flags = {} } = product;
  const [package_quantity, package_unit] = product.package ?? [null, null];
  return {
    id: number,
    plu: String(30_000 + number * 37),
    sku: number % 3 === 0 ? null : `SKU-${String(number).padStart(4, '0')}`,
    title_original: title,
    title_normalized_no_stopwords:
      title
        ?.toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim() ?? null,
    brand,
    rating: product.rating ?? null,
    reviews_count: product.rating === undefined ? null : number * 17,
    is_new: flags.is_new ?? false,
    hit: flags.hit ?? null,
    adult: flags.adult ?? false,
    unit: 'PCE',
    package_quantity,
    package_unit,
    composition_original: product.shelf === 'milk' ? 'Water, oats (10 %), rapeseed oil, salt' : null,
    image_urls: number % 4 === 0 ? [] : [1, 2].map((image) => `https://images.example/${number}/${image}.webp`),
    category,
  };
}

/** One store's cursor cannot be read. */
function demoCursors(now: Micros): readonly Cursor[] {
  return STORE_NAMES.map((parser_name, index) => {
    const readable = index !== 1;
    const ingested_at = readable ? now - (index + 1) * HOUR : null;
    return { parser_name, ingested_at, product_id: readable ? 48_000 + index : null, updated_at: now - index * HOUR };
  });
}
