/** What the catalog holds, as its tables hold it. */
import type { Micros } from './instants.ts';

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

/** A product as one store shows it in one settlement. */
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
export type SeriesField = (typeof SERIES_FIELDS)[number];

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
