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
  readonly settlement_type: string;
  readonly alias: string | null;
  readonly updated_at: Micros;
}

export interface Category {
  readonly id: number;
  readonly parser_name: string;
  readonly source_uid: string;
  readonly parent_source_uid: string | null;
  readonly title: string;
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
  readonly title_original: string | null;
  readonly title_normalized_no_stopwords: string | null;
  readonly brand: string | null;
  readonly price: number | null;
  readonly discount_price: number | null;
  readonly loyal_price: number | null;
  readonly price_unit: string | null;
  readonly rating: number | null;
  readonly promo: boolean | null;
  readonly is_new: boolean | null;
  readonly hit: boolean | null;
  readonly adult: boolean | null;
  readonly unit: string | null;
  readonly available_count: number | null;
  readonly package_quantity: number | null;
  readonly package_unit: string | null;
  readonly observed_at: Micros;
  readonly image_urls: readonly string[];
  readonly category: Category | null;
  readonly settlement: Settlement | null;
}

export const SERIES_FIELDS = ['price', 'discount_price', 'loyal_price', 'available_count'] as const;
type SeriesField = (typeof SERIES_FIELDS)[number];

type Priced = Pick<SourceRow, 'id' | 'canonical_product_id' | 'parser_name' | 'source_id' | 'price_unit' | SeriesField>;
export interface Snapshot extends Priced {
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

export function sourceItem({ observed_at, category, settlement, ...fields }: SourceRow): unknown {
  return {
    ...fields,
    observed_at: isoZ(observed_at),
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
  return {
    ...fields,
    valid_from_at: valid_from_at === null ? null : isoZ(valid_from_at),
    valid_to_at: valid_to_at === null ? null : isoZ(valid_to_at),
    observed_at: isoZ(observed_at),
  };
}

/** Of a category and of a settlement. */
export function updatedItem<Row extends Category | Settlement>({ updated_at, ...fields }: Row): unknown {
  return { ...fields, updated_at: isoZ(updated_at) };
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
