/** How the catalog's resources are shown. Prices stand as they came: they are never rounded or scaled. */
import type { Cell, Column, ListOutput, RecordOutput } from '../../output/types.ts';
import { type BranchRow, titleOf } from './category-tree.ts';
import { numberOf } from './numeric.ts';
import type { Category, CommonCount, Count, Cursor, Health, Product, Settlement, Snapshot, Source } from './schema.ts';

function timeCell(time: string | null | undefined): Cell {
  return time === undefined || time === null || time === '' ? undefined : { time };
}

function flagsCell({ promo, is_new: isNew, hit, adult }: Source): Cell {
  const flags = [promo && 'promo', isNew && 'new', hit && 'hit', adult && 'adult'].filter((flag) => flag);
  return flags.length === 0 ? undefined : (flags as string[]);
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

export const SOURCE_LIST: ListOutput<Source> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'source', cell: (one) => one.source_id, flex: true },
    { name: 'price', cell: ({ price }) => price, align: 'right' },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right' },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right' },
    { name: 'currency', cell: (one) => one.price_unit },
    { name: 'available', cell: (one) => one.available_count, align: 'right' },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, flex: true },
    { name: 'flags', cell: flagsCell },
    { name: 'observed', cell: (one) => timeCell(one.observed_at) },
    { name: 'title', cell: (one) => one.title_original, wide: true },
    { name: 'brand', cell: ({ brand }) => brand, wide: true },
    { name: 'category', cell: (one) => one.primary_category?.title, wide: true },
    { name: 'region', cell: ({ settlement }) => settlement?.region, wide: true },
    { name: 'unit', cell: ({ unit }) => unit, wide: true },
    { name: 'rating', cell: ({ rating }) => rating, align: 'right', wide: true },
    { name: 'reviews', cell: (one) => one.reviews_count, align: 'right', wide: true },
    { name: 'product', cell: (one) => one.canonical_product_id, wide: true },
  ],
  id: (one) => one.source_id,
  empty: 'no sources: the product is unknown, or nobody sells it any more',
};

export const SNAPSHOT_LIST: ListOutput<Snapshot> = {
  kind: 'list',
  columns: [
    { name: 'observed', cell: (one) => timeCell(one.observed_at) },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'source', cell: (one) => one.source_id, flex: true },
    { name: 'price', cell: ({ price }) => price, align: 'right' },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right' },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right' },
    { name: 'available', cell: (one) => one.available_count, align: 'right' },
    { name: 'valid-from', cell: (one) => timeCell(one.valid_from_at) },
    { name: 'valid-to', cell: (one) => timeCell(one.valid_to_at) },
    { name: 'currency', cell: (one) => one.price_unit, wide: true },
    { name: 'product', cell: (one) => one.canonical_product_id, wide: true },
  ],
  id: ({ id, source_id: source }) => (id === undefined || id === null ? source : String(id)),
  empty: 'no such snapshots',
};

export const COUNT_RECORD: RecordOutput<Count> = {
  kind: 'record',
  columns: [
    { name: 'products', cell: (one) => one.products_count },
    { name: 'stores', cell: ({ stores }) => stores ?? undefined },
    { name: 'regions', cell: ({ regions }) => regions ?? undefined },
  ],
  id: (one) => String(one.products_count),
};

export const COMMON_RECORD: RecordOutput<CommonCount> = {
  kind: 'record',
  columns: [
    { name: 'common', cell: (one) => one.common_products_count },
    { name: 'scope', cell: ({ scope }) => scope },
    { name: 'required', cell: (one) => numberOf(one.required_stores) ?? numberOf(one.required_regions) ?? undefined },
    { name: 'stores', cell: ({ stores }) => stores ?? undefined },
    { name: 'regions', cell: ({ regions }) => regions ?? undefined },
  ],
  id: (one) => String(one.common_products_count),
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

/** For programs: the title alone, and how deep it is. */
export const BRANCH_LIST: ListOutput<BranchRow> = {
  kind: 'list',
  columns: branchColumns(titleOf),
  id: categoryId,
  empty: 'no categories',
};

/** For people: the deeper, the further in. Blanks are understood in every locale. */
export const BRANCH_TABLE: ListOutput<BranchRow> = {
  ...BRANCH_LIST,
  columns: branchColumns((row) => '  '.repeat(row.level) + titleOf(row)),
};

function branchColumns(title: (row: BranchRow) => string): readonly Column<BranchRow>[] {
  return [
    { name: 'store', cell: (row) => row.parser_name },
    { name: 'title', cell: title, flex: true },
    { name: 'id', cell: ({ id }) => id, align: 'right' },
    { name: 'source-uid', cell: (row) => row.source_uid, flex: true },
    { name: 'level', cell: ({ level }) => level, align: 'right', wide: true },
    { name: 'path', cell: ({ path }) => path.join(' / '), wide: true },
  ];
}

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

export const CURSOR_LIST: ListOutput<Cursor> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'ingested', cell: (one) => timeCell(one.ingested_at) },
    { name: 'product', cell: (one) => one.product_id, align: 'right' },
    { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  ],
  id: (one) => one.parser_name,
  empty: 'no cursors',
};

export const HEALTH_RECORD: RecordOutput<Health> = {
  kind: 'record',
  columns: [{ name: 'status', cell: ({ status }) => ({ text: status, tone: isHealthy({ status }) ? 'good' : 'bad' }) }],
  id: ({ status }) => status,
};

export function isHealthy({ status }: Pick<Health, 'status'>): boolean {
  return status.toLowerCase() === 'ok';
}
