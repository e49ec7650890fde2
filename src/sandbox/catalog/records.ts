/** The rows of the catalog's tables, and their items, with fields in the service's order. */

/** Microseconds since 1970. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;
export const HOUR: Micros = 3600 * SECOND;
export const DAY: Micros = 24 * HOUR;

export interface Settlement {
  readonly id: number;
  readonly country: string;
  readonly region: string | null;
  readonly region_normalized: string | null;
  readonly name: string;
  readonly name_normalized: string;
  readonly settlement_type: string;
  readonly alias: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly updated_at: Micros;
}

export interface Category {
  readonly id: number;
  readonly parser_name: string;
  readonly source_uid: string;
  readonly parent_source_uid: string | null;
  readonly title: string;
  readonly title_normalized: string;
  readonly alias: string | null;
  readonly depth: number;
  readonly sort_order: number;
  readonly updated_at: Micros;
}

/** A product as one store shows it in one settlement, with its fields in the order of the item. */
export interface SourceRow {
  readonly id: number;
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly source_id: string;
  readonly plu: string | null;
  readonly sku: string | null;
  readonly title_original: string | null;
  readonly title_normalized_no_stopwords: string | null;
  readonly brand: string | null;
  readonly price: number | null;
  readonly discount_price: number | null;
  readonly loyal_price: number | null;
  readonly price_unit: string | null;
  readonly rating: number | null;
  readonly reviews_count: number | null;
  readonly promo: boolean | null;
  readonly is_new: boolean | null;
  readonly hit: boolean | null;
  readonly adult: boolean | null;
  readonly unit: string | null;
  readonly available_count: number | null;
  readonly package_quantity: number | null;
  readonly package_unit: string | null;
  readonly composition_original: string | null;
  readonly observed_at: Micros;
  readonly image_urls: readonly string[];
  readonly category: Category | null;
  readonly settlement: Settlement | null;
}

export const SERIES_FIELDS = ['price', 'discount_price', 'loyal_price', 'available_count'] as const;
type SeriesField = (typeof SERIES_FIELDS)[number];

export interface Snapshot extends Readonly<Record<SeriesField, number | null>> {
  readonly id: number;
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly source_id: string;
  readonly price_unit: string | null;
  /** Null in rows from before the service kept intervals. */
  readonly valid_from_at: Micros | null;
  readonly valid_to_at: Micros | null;
  readonly observed_at: Micros;
}

export interface Cursor {
  readonly parser_name: string;
  readonly ingested_at: Micros | null;
  readonly product_id: number | null;
  readonly updated_at: Micros | null;
}

export interface Catalog {
  readonly settlements: readonly Settlement[];
  readonly categories: readonly Category[];
  readonly sources: readonly SourceRow[];
  readonly cursors: readonly Cursor[];
  /** In the order of their ids; none for a product that is not known. */
  snapshots(productId: string): readonly Snapshot[];
}

export const EMPTY_CATALOG: Catalog = {
  settlements: [],
  categories: [],
  sources: [],
  cursors: [],
  snapshots: () => [],
};

/** The converter writes a row a moment after it was observed. */
const WRITTEN_AFTER = 2 * SECOND;
const FIRST_SEEN_BEFORE = 400 * DAY;

export function sourceItem({ observed_at, image_urls, category, settlement, ...fields }: SourceRow): unknown {
  return {
    ...fields,
    composition_normalized: fields.composition_original?.toLowerCase() ?? null,
    observed_at: isoZ(observed_at),
    image_urls,
    primary_category: category && { id: category.id, source_uid: category.source_uid, title: category.title },
    settlement: settlement && {
      id: settlement.id,
      name: settlement.name,
      region: settlement.region,
      country: settlement.country,
    },
  };
}

export function snapshotItem({ valid_from_at, valid_to_at, observed_at, ...fields }: Snapshot): unknown {
  const { id, source_id } = fields;
  return {
    ...fields,
    source_run_id: source_id.split(':')[1] ?? null,
    receiver_product_id: id + 7000,
    receiver_artifact_id: null,
    receiver_sort_order: id % 50,
    source_event_uid: `${source_id}:${id}`,
    content_fingerprint: (id * 0x9e3779b1).toString(16).padStart(16, '0'),
    valid_from_at: valid_from_at === null ? null : isoZ(valid_from_at),
    valid_to_at: valid_to_at === null ? null : isoZ(valid_to_at),
    observed_at: isoZ(observed_at),
    created_at: isoZ(observed_at + WRITTEN_AFTER),
  };
}

export function categoryItem({ id, updated_at, ...category }: Category): unknown {
  return { id, category_key: `${category.parser_name}:${category.source_uid}`, ...category, ...seen(updated_at) };
}

export function settlementItem({ id, country, updated_at, ...place }: Settlement): unknown {
  const geo_key = [country, place.region ?? '', place.name_normalized].join('|').toLowerCase();
  return { id, geo_key, country, country_normalized: country.toLowerCase(), ...place, ...seen(updated_at) };
}

export function cursorItem({ parser_name, ingested_at, product_id, updated_at }: Cursor): unknown {
  return {
    parser_name,
    // Stored, and shown, with the offset spelled out.
    ingested_at: ingested_at === null ? null : isoZ(ingested_at).replace('Z', '+00:00'),
    product_id,
    updated_at: updated_at === null ? null : isoZ(updated_at),
  };
}

function seen(updated_at: Micros): Readonly<Record<string, string>> {
  const last_seen_at = isoZ(updated_at);
  return { first_seen_at: isoZ(updated_at - FIRST_SEEN_BEFORE), last_seen_at, updated_at: last_seen_at };
}

/** UTC with `Z`; with a fraction of six digits unless it is zero. */
export function isoZ(time: Micros): string {
  const seconds = Math.floor(time / SECOND);
  const fraction = time - seconds * SECOND;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${text}${fraction === 0 ? '' : `.${String(fraction).padStart(6, '0')}`}Z`;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?)?$/;

/** Undefined for a text that is no such time, NaN for a time without a zone. */
export function parseIso(text: string): Micros | undefined {
  const [, day, time = '00:00:00', fraction = '', zone] = ISO.exec(text) ?? [];
  const utc = Date.parse(`${day}T${time}Z`);
  // Date.parse takes the 30th of February for the second of March.
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  return Date.parse(`${day}T${time}${zone}`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
