/** How the catalog's resources are shown. Prices are never rounded or scaled. */
import type { Candidates } from '../../cli/flags.ts';
import { timeCell } from '../../output/cells.ts';
import type { Column, ListOutput, RecordOutput } from '../../output/types.ts';
import type { Category, Product, Settlement } from './schema.ts';

const PRODUCT_COLUMNS: readonly Column<Product>[] = [
  { name: 'id', cell: (one) => one.canonical_product_id, below: true },
  { name: 'title', cell: ({ title }) => title, shrinks: true },
  { name: 'from', cell: (one) => one.price_from, align: 'right' },
  { name: 'stores', cell: ({ parsers }) => parsers ?? undefined, shrinks: true },
  { name: 'observed', cell: (one) => timeCell(one.observed_at_latest) },
  { name: 'currency', cell: (one) => one.price_unit, wide: true },
  { name: 'brand', cell: ({ brand }) => brand, wide: true },
  { name: 'sources', cell: (one) => one.sources_count, align: 'right', wide: true },
  { name: 'image', cell: (one) => one.image_url, wide: true },
];

export const PRODUCT_LIST = listOf(PRODUCT_COLUMNS, productId, 'products');
export const PRODUCT_RECORD = recordOf(PRODUCT_LIST);

const CATEGORY_COLUMNS: readonly Column<Category>[] = [
  { name: 'id', cell: ({ id }) => id, align: 'right' },
  { name: 'store', cell: (one) => one.parser_name },
  { name: 'title', cell: ({ title }) => title, shrinks: true },
  { name: 'source-uid', cell: (one) => one.source_uid },
  { name: 'parent', cell: (one) => one.parent_source_uid },
  { name: 'depth', cell: ({ depth }) => depth, align: 'right' },
  { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  { name: 'alias', cell: ({ alias }) => alias, wide: true },
];

export const CATEGORY_LIST = listOf(CATEGORY_COLUMNS, ({ id }) => String(id), 'categories');
export const CATEGORY_RECORD = recordOf(CATEGORY_LIST);

const SETTLEMENT_COLUMNS: readonly Column<Settlement>[] = [
  { name: 'id', cell: ({ id }) => id, align: 'right' },
  { name: 'name', cell: ({ name }) => name, shrinks: true },
  { name: 'region', cell: ({ region }) => region, shrinks: true },
  { name: 'normalized', cell: (one) => one.region_normalized, shrinks: true },
  { name: 'country', cell: ({ country }) => country },
  { name: 'type', cell: (one) => one.settlement_type },
  { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  { name: 'latitude', cell: ({ latitude }) => latitude, align: 'right', wide: true },
  { name: 'longitude', cell: ({ longitude }) => longitude, align: 'right', wide: true },
  { name: 'alias', cell: ({ alias }) => alias, wide: true },
];

export const SETTLEMENT_LIST = listOf(SETTLEMENT_COLUMNS, ({ id }) => String(id), 'settlements');
export const SETTLEMENT_RECORD = recordOf(SETTLEMENT_LIST);

function listOf<Row>(columns: readonly Column<Row>[], id: (row: Row) => string, plural: string): ListOutput<Row> {
  return { kind: 'list', columns, id, empty: `no such ${plural}` };
}

function recordOf<Row>({ columns, id }: ListOutput<Row>): RecordOutput<Row> {
  return { kind: 'record', columns: columns.map(({ wide: _, ...column }) => column), id };
}

export function productId({ canonical_product_id: id }: Product): string {
  return String(id);
}

/** Its id, for prompts, with what a person knows it by. */
export function productCandidates({ title, ...product }: Product): Candidates {
  return { products: [{ value: productId(product), note: title || undefined }] };
}
