/** The two tables of an export. ndjson has the rows as the service returns them; csv and Parquet have these columns, named like its fields. */
import type { Snapshot, Source } from '../schema.ts';
import { microsOf, seriesOf, sourceKey } from '../series.ts';
import { numberOf } from '../statistics.ts';

export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'time';

export type Fields = Readonly<Record<string, unknown>>;

interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: (row: Fields) => unknown;
}

export interface ExportTable {
  readonly name: 'offers' | 'snapshots';
  readonly columns: readonly ExportColumn[];
}

const SETTLEMENT: readonly ExportColumn[] = [
  nested('settlement_id', 'integer', 'settlement', 'id'),
  nested('settlement', 'text', 'settlement', 'name'),
  nested('region', 'text', 'settlement', 'region'),
  nested('country', 'text', 'settlement', 'country'),
];
const PRICES = columns('number', ['price', 'discount_price', 'loyal_price', 'available_count']);
const KEYS = [
  ...columns('integer', ['id']),
  ...columns('text', ['canonical_product_id', 'parser_name', 'source_id', 'title_original']),
];

export const OFFERS: ExportTable = {
  name: 'offers',
  columns: [
    ...KEYS,
    ...columns('text', ['brand', 'plu', 'sku']),
    ...SETTLEMENT,
    ...columns('text', ['unit', 'price_unit']),
    ...PRICES,
    ...columns('number', ['package_quantity']),
    ...columns('text', ['package_unit']),
    ...columns('number', ['rating', 'reviews_count']),
    ...columns('boolean', ['promo', 'is_new', 'hit', 'adult']),
    nested('category_id', 'integer', 'primary_category', 'id'),
    nested('category_uid', 'text', 'primary_category', 'source_uid'),
    nested('category', 'text', 'primary_category', 'title'),
    ...columns('text', [
      'title_normalized_no_stopwords',
      'composition_original',
      'composition_normalized',
      'image_urls',
    ]),
    ...columns('time', ['observed_at']),
  ],
};

export const SNAPSHOTS: ExportTable = {
  name: 'snapshots',
  columns: [
    ...KEYS,
    ...SETTLEMENT,
    ...columns('text', ['unit', 'price_unit']),
    ...PRICES,
    ...columns('time', ['valid_from_at', 'valid_to_at', 'observed_at', 'created_at']),
    ...columns('integer', ['receiver_product_id', 'receiver_sort_order']),
    ...columns('text', ['receiver_artifact_id', 'source_run_id', 'source_event_uid', 'content_fingerprint']),
  ],
};

function columns(type: ColumnType, names: readonly string[]): readonly ExportColumn[] {
  return names.map((name) => ({ name, type, value: (row) => row[name] }));
}

function nested(name: string, type: ColumnType, object: string, field: string): ExportColumn {
  return { name, type, value: (row) => (row[object] as Fields | null | undefined)?.[field] };
}

/** The newest row of each store, place and unit, in their order. */
export function offerRows(sources: readonly Source[]): readonly Source[] {
  return seriesOf(sources, []).flatMap(({ offer }) => offer ?? []);
}

/** Snapshots do not tell their title, unit and place: the row of their source does. */
export type SnapshotRow = Snapshot & Pick<Source, 'title_original' | 'unit' | 'settlement'>;

export function snapshotRows(sources: readonly Source[], snapshots: readonly Snapshot[]): readonly SnapshotRow[] {
  const rows = new Map(sources.map((source) => [sourceKey(source), source]));
  return snapshots.map((snapshot) => {
    const { title_original = null, unit = null, settlement = null } = rows.get(sourceKey(snapshot)) ?? {};
    return { ...snapshot, title_original, unit, settlement };
  });
}

/** A number, a bigint for an integer, a boolean, a text; null where there is none. Undefined if the value is not of its column's type. */
export function typed(value: unknown, type: ColumnType): string | number | bigint | boolean | null | undefined {
  if (value === null || value === undefined) return null;
  if (type === 'text') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'time') return typeof value === 'string' ? microseconds(value) : undefined;
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value;
    // Some databases have no truth values.
    return value === 0 || value === 1 ? value === 1 : undefined;
  }
  const number = typeof value === 'number' || typeof value === 'string' ? numberOf(value) : null;
  if (number === null) return undefined;
  if (type === 'number') return number;
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

function microseconds(text: string): bigint | undefined {
  // Every time of the service is in UTC (doc 3 §2).
  const micros = microsOf(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
  return Number.isSafeInteger(micros) ? BigInt(micros) : undefined;
}
