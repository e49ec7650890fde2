/** A small, believable catalog whose history ends at the time it is made. */
import { createHash } from 'node:crypto';
import {
  type Course,
  DEMO_PRODUCTS,
  type DemoProduct,
  type Offer,
  PLACES,
  type Place,
  SHELVES,
  type Shelf,
  STORES,
} from './demo-data.ts';
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

/** A source, and what was observed of it. */
interface Listed {
  readonly row: SourceRow;
  readonly past: readonly Snapshot[];
}

interface Related {
  readonly categories: readonly Category[];
  readonly settlements: ReadonlyMap<Place, Settlement>;
}

export function demoCatalog(nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const related = { categories: categoriesAt(now), settlements: settlementsAt(now) };
  const listed: Listed[] = [];
  let number = 0;
  for (const product of DEMO_PRODUCTS) {
    for (const offer of product.offers) {
      for (const [index, place] of offer.places.entries()) {
        number++;
        const row = rowOf(product, offer, { place, index, number }, now, related);
        const past = history(row, product.course);
        listed.push(...(product.id === undefined ? dailyRuns(row, past) : [{ row, past }]));
      }
    }
  }
  return {
    settlements: [...related.settlements.values()],
    categories: related.categories,
    sources: listed.map(({ row }) => row),
    cursors: cursorsAt(now),
    snapshots: (id) => listed.filter(({ row }) => row.canonical_product_id === id).flatMap(({ past }) => past),
  };
}

/** Where a product is sold; `number` is its id, from which the time of the observation follows. */
interface Listing {
  readonly place: Place;
  readonly index: number;
  readonly number: number;
}

function rowOf(
  product: DemoProduct,
  offer: Offer,
  { place, index, number }: Listing,
  now: Micros,
  { categories, settlements }: Related,
): SourceRow {
  const { title, brand, shelf, rating, flags = {} } = product;
  const [package_quantity, package_unit] = product.package ?? [null, null];
  const settlement = settlements.get(place) ?? null;
  const inPlace = (amount?: number) => (amount === undefined ? null : Math.round((amount + index * 5) * 100) / 100);
  return {
    id: number,
    canonical_product_id: product.id ?? idOf(`${offer.store}: ${title}`),
    parser_name: offer.store,
    source_id: `receiver:run-${STORES.indexOf(offer.store) * 10 + (settlement?.id ?? 0)}:${number}`,
    title_original: title,
    title_normalized_no_stopwords: (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' '),
    brand,
    price: inPlace(offer.price),
    discount_price: inPlace(offer.discount),
    loyal_price: inPlace(offer.loyal),
    price_unit: 'RUB',
    rating: rating ?? null,
    promo: flags.promo ?? offer.discount !== undefined,
    is_new: flags.is_new ?? false,
    hit: flags.hit ?? null,
    adult: flags.adult ?? false,
    unit: 'PCE',
    available_count: offer.stock ?? null,
    package_quantity,
    package_unit,
    observed_at: observedAt(now, number),
    image_urls: number % 4 === 0 ? [] : [`https://images.example/${number}.webp`],
    category: categories.find((one) => one.source_uid === `${offer.store}/${shelf}`) ?? null,
    settlement,
  };
}

/** Within the hour before, to the microsecond. */
function observedAt(now: Micros, number: number): Micros {
  const minute = Math.floor(now / (60 * SECOND)) * 60 * SECOND;
  return minute - (5 + ((number * 7) % 50)) * 60 * SECOND + ((number * 482_113) % SECOND);
}

/** A version 4 UUID, always the same for the same text. */
function idOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

type Range = readonly [least: number, most: number];

/** How many days a price stays, and a price as a part of the one before it. */
const COURSES: Readonly<Record<Course, { readonly days: Range; readonly change: Range }>> = {
  wavy: { days: [3, 7], change: [0.91, 1.1] },
  rising: { days: [6, 12], change: [1.005, 1.05] },
  // Two times without observations.
  gaps: { days: [4, 6], change: [0.97, 1.05] },
};

/** How far intervals reach back, and the single observations before them (doc 3 §4). */
const INTERVALS = 100 * DAY;
const SINGLE = 240 * DAY;
const UNSEEN: readonly Range[] = [
  [38 * DAY, 50 * DAY],
  [11 * DAY, 16 * DAY],
];

/** The past of a row, made backwards from what it shows today; the oldest first. */
function history(row: SourceRow, course: Course): readonly Snapshot[] {
  const { days, change } = COURSES[course];
  const { canonical_product_id, parser_name, source_id, price_unit } = row;
  const random = seededRandom(row.id);
  const between = ([least, most]: Range) => least + (most - least) * random();
  const latestFirst: Omit<Snapshot, 'id'>[] = [];
  let part = 1;
  let age = 0;
  while (age < SINGLE) {
    // Whole milliseconds, so that neighbors meet.
    const since = age + Math.round(between(days) * (DAY / 1000)) * 1000;
    const isSeen = course !== 'gaps' || !UNSEEN.some(([latest, earliest]) => since > latest && age < earliest);
    const [from, to] = [row.observed_at - since, row.observed_at - age];
    if (isSeen) {
      latestFirst.push({
        canonical_product_id,
        parser_name,
        source_id,
        price_unit,
        ...valuesOf(row, part, latestFirst.length),
        valid_from_at: age < INTERVALS ? from : null,
        valid_to_at: age < INTERVALS ? to : null,
        observed_at: to,
      });
    }
    part /= between(change);
    age = since;
  }
  return latestFirst.toReversed().map((one, index) => ({ id: row.id * 1000 + index + 1, ...one }));
}

/** A discount comes and goes; that of members stays. */
function valuesOf({ price, discount_price, loyal_price, available_count }: SourceRow, part: number, step: number) {
  return {
    price: priceThen(price, part),
    discount_price: step % 3 === 0 ? priceThen(discount_price, part) : null,
    loyal_price: priceThen(loyal_price, part),
    available_count,
  };
}

/** Ends as the price of today does: in .99, or in nothing. */
function priceThen(today: number | null, part: number): number | null {
  if (today === null) return null;
  const cents = Math.round(today * 100) % 100;
  return Math.round(Math.max(1, Math.round((today - cents / 100) * part)) * 100 + cents) / 100;
}

/** From 0 to 1, always the same for the same seed. */
function seededRandom(seed: number): () => number {
  let count = 0;
  return () => {
    count++;
    const large = Math.sin(seed * 101 + count) * 10_000;
    return large - Math.floor(large);
  };
}

const RUNS = 30;

/**
 * As the real writer works: a daily run has its own id, and makes a new source with one snapshot.
 * The rows of earlier days stay.
 */
function dailyRuns(today: SourceRow, past: readonly Snapshot[]): readonly Listed[] {
  const runs: Listed[] = [];
  for (let day = RUNS - 1; day >= 0; day--) {
    const minutes = day === 0 ? 0 : ((today.id * 13 + day * 29) % 40) - 20;
    const observed_at = today.observed_at - day * DAY + minutes * 60 * SECOND;
    const found = past.find(({ observed_at: last }) => observed_at <= last) ?? today;
    const { price, discount_price, loyal_price, available_count } = found;
    const observed = { price, discount_price, loyal_price, available_count, observed_at };
    const id = 10_000 + today.id * 100 + RUNS - day;
    const source_id = `receiver:${idOf(`${today.parser_name} run ${day}`)}:${id}`;
    const { canonical_product_id, parser_name, price_unit } = today;
    const keys = { id: id * 1000, canonical_product_id, parser_name, source_id, price_unit };
    const snapshot = { ...keys, ...observed, valid_from_at: observed_at, valid_to_at: observed_at };
    runs.push({ row: { ...today, ...observed, id, source_id }, past: [snapshot] });
  }
  return runs;
}

function settlementsAt(now: Micros): ReadonlyMap<Place, Settlement> {
  const settlements = new Map<Place, Settlement>();
  for (const [place, fields] of Object.entries(PLACES)) {
    const [country, region, region_normalized, name, alias] = fields;
    const id = settlements.size + 1;
    const names = { country, region, region_normalized, name, settlement_type: 'city', alias };
    settlements.set(place as Place, { id, ...names, updated_at: now - id * 5 * HOUR });
  }
  return settlements;
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

/** One store was never read. */
function cursorsAt(now: Micros): readonly Cursor[] {
  return STORES.map((parser_name, index) => {
    const isRead = index !== 1;
    const ingested_at = isRead ? now - (index + 1) * HOUR : null;
    return { parser_name, ingested_at, product_id: isRead ? 48_000 + index : null, updated_at: now - index * HOUR };
  });
}
