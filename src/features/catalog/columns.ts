/** How the catalog's resources are shown. Prices stand as they came: they are never rounded or scaled. */
import type { Cell, Column, ListOutput, RecordOutput } from '../../output/types.ts';
import type { Category, Product, Settlement } from './schema.ts';

export function timeCell(time: string | null | undefined): Cell {
  return time === undefined || time === null || time === '' ? undefined : { time };
}

const PRODUCT_COLUMNS: readonly Column<Product>[] = [
  { name: 'id', cell: (one) => one.canonical_product_id },
  { name: 'title', cell: ({ title }) => title, flex: true },
  { name: 'from', cell: (one) => one.price_from, align: 'right' },
  { name: 'stores', cell: ({ parsers }) => parsers ?? undefined, flex: true },
  { name: 'observed', cell: (one) => timeCell(one.observed_at_latest) },
  { name: 'currency', cell: (one) => one.price_unit, wide: true },
  { name: 'brand', cell: ({ brand }) => brand, wide: true },
  { name: 'sources', cell: (one) => one.sources_count, align: 'right', wide: true },
  { name: 'image', cell: (one) => one.image_url, wide: true },
];

export const PRODUCT_LIST: ListOutput<Product> = {
  kind: 'list',
  columns: PRODUCT_COLUMNS,
  id: (one) => one.canonical_product_id,
  empty: 'no such products',
};

export const PRODUCT_RECORD: RecordOutput<Product> = {
  kind: 'record',
  columns: PRODUCT_COLUMNS.map(({ wide: _, ...column }) => column),
  id: (one) => one.canonical_product_id,
};

const CATEGORY_COLUMNS: readonly Column<Category>[] = [
  { name: 'id', cell: ({ id }) => id, align: 'right' },
  { name: 'store', cell: (one) => one.parser_name },
  { name: 'title', cell: ({ title }) => title, flex: true },
  { name: 'source-uid', cell: (one) => one.source_uid },
  { name: 'parent', cell: (one) => one.parent_source_uid },
  { name: 'depth', cell: ({ depth }) => depth, align: 'right' },
  { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  { name: 'alias', cell: ({ alias }) => alias, wide: true },
];

const categoryId = ({ id }: Category): string => String(id);

export const CATEGORY_LIST: ListOutput<Category> = {
  kind: 'list',
  columns: CATEGORY_COLUMNS,
  id: categoryId,
  empty: 'no such categories',
};

export const CATEGORY_RECORD: RecordOutput<Category> = {
  kind: 'record',
  columns: CATEGORY_COLUMNS.map(({ wide: _, ...column }) => column),
  id: categoryId,
};

const SETTLEMENT_COLUMNS: readonly Column<Settlement>[] = [
  { name: 'id', cell: ({ id }) => id, align: 'right' },
  { name: 'name', cell: ({ name }) => name, flex: true },
  { name: 'region', cell: ({ region }) => region, flex: true },
  { name: 'normalized', cell: (one) => one.region_normalized, flex: true },
  { name: 'country', cell: ({ country }) => country },
  { name: 'type', cell: (one) => one.settlement_type },
  { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  { name: 'latitude', cell: ({ latitude }) => latitude, align: 'right', wide: true },
  { name: 'longitude', cell: ({ longitude }) => longitude, align: 'right', wide: true },
  { name: 'alias', cell: ({ alias }) => alias, wide: true },
];

const settlementId = ({ id }: Settlement): string => String(id);

export const SETTLEMENT_LIST: ListOutput<Settlement> = {
  kind: 'list',
  columns: SETTLEMENT_COLUMNS,
  id: settlementId,
  empty: 'no such settlements',
};

export const SETTLEMENT_RECORD: RecordOutput<Settlement> = {
  kind: 'record',
  columns: SETTLEMENT_COLUMNS.map(({ wide: _, ...column }) => column),
  id: settlementId,
};

/** Offered when the next command line is completed. */
export function productCandidates({ canonical_product_id: value, title, parsers }: Product): {
  readonly products: readonly Candidate[];
  readonly stores: readonly Candidate[];
} {
  return { products: [noted(value, title)], stores: (parsers ?? []).map((name) => ({ value: name })) };
}

/** A candidate for completion, with what a person knows it by. */
export function noted(value: string, note: string | null | undefined): Candidate {
  return note ? { value, note } : { value };
}

export interface Candidate {
  readonly value: string;
  readonly note?: string;
}
