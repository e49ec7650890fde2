/** Ten thousand products more: for what pages through everything. */
import { observedAt, remembered, uuidOf } from './demo.ts';
import { history } from './history.ts';
import type { Catalog, SourceRow } from './records.ts';

const MANY = 10_000;
const FIRST_ID = 100_000;

/** `nowMs` in milliseconds since 1970. */
export function withManyProducts(base: Catalog, nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const rows = new Map<string, SourceRow>();
  for (let index = 0; index < MANY; index++) {
    const row = rowOf(index, base, observedAt(now, index));
    rows.set(row.canonical_product_id, row);
  }
  return {
    ...base,
    sources: [...base.sources, ...rows.values()],
    snapshots: remembered((id) => {
      const row = rows.get(id);
      return row === undefined ? base.snapshots(id) : history(row, 'wavy');
    }),
  };
}

function rowOf(index: number, { settlements, categories }: Catalog, observed_at: number): SourceRow {
  const title = `Sample product ${String(index + 1).padStart(5, '0')}`;
  const category = categories[index % categories.length] ?? null;
  const parser_name = category?.parser_name ?? 'chizhik';
  return {
    id: FIRST_ID + index,
    canonical_product_id: uuidOf(title),
    parser_name,
    source_id: `receiver:run-many:${index + 1}`,
    plu: String(FIRST_ID + index),
    sku: null,
    title_original: title,
    title_normalized_no_stopwords: title.toLowerCase(),
    brand: `Brand ${index % 97}`,
    price: 20 + ((index * 7919) % 100_000) / 100,
    discount_price: null,
    loyal_price: null,
    price_unit: 'RUB',
    rating: null,
    reviews_count: null,
    promo: false,
    is_new: false,
    hit: false,
    adult: false,
    unit: 'PCE',
    available_count: null,
    package_quantity: null,
    package_unit: null,
    composition_original: null,
    observed_at,
    image_urls: [],
    category,
    settlement: settlements[index % settlements.length] ?? null,
  };
}
