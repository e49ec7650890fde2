/** Rows as the endpoints show them: their fields in the service's order. */
import { DAY, isoOffset, isoZ, type Micros, SECOND } from './instants.ts';
import type { Category, Cursor, Settlement, Snapshot, SourceRow } from './records.ts';

/** The converter writes a row a moment after it was observed. */
const WRITTEN_AFTER = 2 * SECOND;
const KNOWN_FOR = 400 * DAY;

export function sourceItem(row: SourceRow): unknown {
  const { category, settlement } = row;
  return {
    id: row.id,
    canonical_product_id: row.canonical_product_id,
    parser_name: row.parser_name,
    source_id: row.source_id,
    plu: row.plu,
    sku: row.sku,
    title_original: row.title_original,
    title_normalized_no_stopwords: row.title_normalized_no_stopwords,
    brand: row.brand,
    price: row.price,
    discount_price: row.discount_price,
    loyal_price: row.loyal_price,
    price_unit: row.price_unit,
    rating: row.rating,
    reviews_count: row.reviews_count,
    promo: row.promo,
    is_new: row.is_new,
    hit: row.hit,
    adult: row.adult,
    unit: row.unit,
    available_count: row.available_count,
    package_quantity: row.package_quantity,
    package_unit: row.package_unit,
    composition_original: row.composition_original,
    composition_normalized: row.composition_original?.toLowerCase() ?? null,
    observed_at: isoZ(row.observed_at),
    image_urls: row.image_urls,
    primary_category: category && { id: category.id, source_uid: category.source_uid, title: category.title },
    settlement: settlement && {
      id: settlement.id,
      name: settlement.name,
      region: settlement.region,
      country: settlement.country,
    },
  };
}

export function snapshotItem(row: Snapshot): unknown {
  const [, run = null] = row.source_id.split(':');
  return {
    id: row.id,
    canonical_product_id: row.canonical_product_id,
    parser_name: row.parser_name,
    source_id: row.source_id,
    source_run_id: run,
    receiver_product_id: row.id + 7000,
    receiver_artifact_id: null,
    receiver_sort_order: row.id % 50,
    source_event_uid: `${row.source_id}:${row.id}`,
    content_fingerprint: (row.id * 0x9e3779b1).toString(16).padStart(16, '0'),
    price: row.price,
    discount_price: row.discount_price,
    loyal_price: row.loyal_price,
    price_unit: row.price_unit,
    available_count: row.available_count,
    valid_from_at: row.valid_from_at === null ? null : isoZ(row.valid_from_at),
    valid_to_at: row.valid_to_at === null ? null : isoZ(row.valid_to_at),
    observed_at: isoZ(row.observed_at),
    created_at: isoZ(row.observed_at + WRITTEN_AFTER),
  };
}

export function categoryItem({ id, updated_at, ...category }: Category): unknown {
  return { id, category_key: `${category.parser_name}:${category.source_uid}`, ...category, ...seen(updated_at) };
}

export function settlementItem(place: Settlement): unknown {
  return {
    id: place.id,
    geo_key: [place.country, place.region ?? '', place.name_normalized].join('|').toLowerCase(),
    country: place.country,
    country_normalized: place.country.toLowerCase(),
    region: place.region,
    region_normalized: place.region_normalized,
    name: place.name,
    name_normalized: place.name_normalized,
    settlement_type: place.settlement_type,
    alias: place.alias,
    latitude: place.latitude,
    longitude: place.longitude,
    ...seen(place.updated_at),
  };
}

/** Unlike all other times the cursor is shown as it is stored. */
export function cursorItem({ parser_name, ingested_at, product_id, updated_at }: Cursor): unknown {
  return {
    parser_name,
    ingested_at: ingested_at === null ? null : isoOffset(ingested_at),
    product_id,
    updated_at: updated_at === null ? null : isoZ(updated_at),
  };
}

function seen(updated_at: Micros): Readonly<Record<string, string>> {
  return {
    first_seen_at: isoZ(updated_at - KNOWN_FOR),
    last_seen_at: isoZ(updated_at),
    updated_at: isoZ(updated_at),
  };
}
