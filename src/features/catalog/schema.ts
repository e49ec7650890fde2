/**
 * The resources of doc 3, part A. Of most of them the document does not show the fields: they are those seen on the public
 * implementation. A response is only checked, and preserved as it came. Null and absent are the same, and anything more may be there.
 */
import * as z from 'zod/mini';
import type { Parser } from '../../http/endpoint.ts';
import { readRows } from '../../http/rows.ts';
import { schemaProblem } from '../../json-object.ts';
import { countIn, type Numeric, numberOf } from './statistics.ts';

const text = z.nullish(z.string());
const numeric = z.union([z.number(), z.string()]);
const amount = z.nullish(numeric);
const id = z.nullish(numeric);
/** Some databases have no truth values. */
const flag = z.nullish(z.union([z.boolean(), numeric]));
const texts = z.nullish(z.array(z.string()));
const counted = z.custom<Numeric>((value) => numberOf(value as Numeric) !== null, 'expected a number');

const productFields = z.looseObject({
  canonical_product_id: numeric,
  title: text,
  brand: text,
  /** The least of (discounted, else loyalty, else plain price): not the lowest price there is. */
  price_from: amount,
  price_unit: text,
  sources_count: amount,
  observed_at_latest: text,
  image_url: text,
  parsers: texts,
});
export type Product = z.infer<typeof productFields>;

const sourceFields = z.looseObject({
  canonical_product_id: id,
  parser_name: text,
  source_id: id,
  title_original: text,
  brand: text,
  price: amount,
  discount_price: amount,
  loyal_price: amount,
  price_unit: text,
  rating: amount,
  reviews_count: amount,
  promo: flag,
  is_new: flag,
  hit: flag,
  adult: flag,
  unit: text,
  available_count: amount,
  package_quantity: amount,
  package_unit: text,
  observed_at: text,
  image_urls: texts,
  primary_category: z.nullish(z.looseObject({ id, source_uid: id, title: text })),
  settlement: z.nullish(z.looseObject({ id, name: text, region: text, country: text })),
});
export type SourceRow = z.infer<typeof sourceFields>;

const snapshotFields = z.looseObject({
  id,
  canonical_product_id: id,
  parser_name: text,
  source_id: id,
  price: amount,
  discount_price: amount,
  loyal_price: amount,
  available_count: amount,
  price_unit: text,
  observed_at: text,
  /** With `valid_to_at` the time that the value holds for; older rows have neither. */
  valid_from_at: text,
  valid_to_at: text,
});
export type SnapshotRow = z.infer<typeof snapshotFields>;

/** What the service knows a source by (doc 3 §2): svc computes with no row without it. */
export interface SourceKey {
  readonly parser_name: string;
  readonly source_id: string;
}
export type Source = SourceRow & SourceKey;
export type Snapshot = SnapshotRow & SourceKey;

const categoryFields = z.looseObject({
  id,
  parser_name: text,
  source_uid: id,
  /** The `source_uid` of another category of the same `parser_name`. */
  parent_source_uid: id,
  title: text,
  alias: text,
  depth: amount,
  sort_order: amount,
  updated_at: text,
});
export type Category = z.infer<typeof categoryFields>;

const settlementFields = z.looseObject({
  id,
  name: text,
  region: text,
  region_normalized: text,
  country: text,
  settlement_type: text,
  alias: text,
  latitude: amount,
  longitude: amount,
  updated_at: text,
});
export type Settlement = z.infer<typeof settlementFields>;

const cursorFields = z.looseObject({
  parser_name: text,
  ingested_at: text,
  product_id: id,
  updated_at: text,
});
export type Cursor = z.infer<typeof cursorFields>;

const seriesFields = z.looseObject({
  dates: z.array(z.string()),
  /** Null is a time without a value, never zero. */
  values: z.custom<readonly (Numeric | null)[]>(isSeries, 'expected numbers and nulls'),
  meta: z.nullish(z.looseObject({})),
});
export type Dynamics = z.infer<typeof seriesFields>;

const countFields = z.looseObject({ products_count: counted, stores: texts, regions: texts });
export type Count = z.infer<typeof countFields>;

const commonFields = z.looseObject({
  scope: text,
  required_stores: amount,
  required_regions: amount,
  stores: texts,
  regions: texts,
});
export type CommonCount = z.infer<typeof commonFields>;

const healthFields = z.looseObject({ status: z.string() });
export type Health = z.infer<typeof healthFields>;

/** A page of a list. */
export interface List<Item> {
  readonly items: readonly Item[];
  /** Rows that are left out, because they cannot be read. */
  readonly omitted?: number | undefined;
  readonly total?: Numeric | null | undefined;
  /** How many items a page has at most. */
  readonly limit?: Numeric | null | undefined;
}

export const health = shaped<Health>('a state of health', healthFields);
export const product = shaped<Product>('a product', productFields);
export const count = shaped<Count>('a count of products', countFields);
export const commonCount = checked(
  shaped<CommonCount>('a count of common products', commonFields),
  (value) => countIn(value) === undefined && 'it has no count of products',
);
export const dynamics = checked(
  shaped<Dynamics>('a series', seriesFields),
  ({ dates, values }) =>
    dates.length !== values.length && `expected a series, but got ${dates.length} dates with ${values.length} values`,
);
export const category = shaped<Category>('a category', categoryFields);
export const settlement = shaped<Settlement>('a settlement', settlementFields);
export const productList = listed<Product>('product', productFields);
export const sourceList = listed<SourceRow>('source', sourceFields);
export const snapshotList = listed<SnapshotRow>('snapshot', snapshotFields);
export const categoryList = listed<Category>('category', categoryFields);
export const settlementList = listed<Settlement>('settlement', settlementFields);
export const cursorList = listed<Cursor>('cursor', cursorFields);

function isSeries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === null || numberOf(one) !== null);
}

/** Servers also answer with a bare array, and those in Go write an empty list as null. */
function listed<Item>(noun: string, item: z.ZodMiniType): Parser<List<Item>> {
  const meta = z.nullish(z.looseObject({ limit: amount, total: amount }));
  const envelope = shaped<{ items: readonly unknown[] | null; total?: Numeric; meta?: z.infer<typeof meta> }>(
    `a list with "items"`,
    z.looseObject({ items: z.nullable(z.array(z.unknown())), total: amount, meta }),
  );
  const row = shaped<Item>('', item);
  return {
    safeParse(value) {
      const outcome = envelope.safeParse(Array.isArray(value) ? { items: value } : value);
      if (!outcome.success) return outcome;
      const { items, meta: paging, total } = outcome.data;
      const { rows, omitted } = readRows(row, items ?? [], noun);
      const [first] = omitted;
      if (rows.length === 0 && first !== undefined) return refused(first);
      const page = {
        items: rows,
        omitted: omitted.length || undefined,
        total: paging?.total ?? total,
        limit: paging?.limit,
      };
      return { success: true, data: page, omitted };
    },
  };
}

/** Checks, and returns the very value that came: its keys stay in their order. */
function shaped<T>(what: string, schema: z.ZodMiniType): Parser<T> {
  return {
    safeParse(value) {
      const outcome = schema.safeParse(value);
      if (outcome.success) return { success: true, data: value as T };
      if (what === '') return outcome;
      return refused(`expected ${what}, but ${schemaProblem(outcome.error.issues, value, ': ')}`);
    },
  };
}

/** `problemOf` finds what a schema cannot say. */
function checked<T>(parser: Parser<T>, problemOf: (value: T) => string | false): Parser<T> {
  return {
    safeParse(value) {
      const outcome = parser.safeParse(value);
      const problem = outcome.success && problemOf(outcome.data);
      return problem ? refused(problem) : outcome;
    },
  };
}

function refused(message: string) {
  return { success: false, error: { issues: [{ path: [], message }] } } as const;
}
