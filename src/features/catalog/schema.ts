/**
 * The resources of doc 3, part A, with fields as seen on the public implementation. A response is
 * checked, but not changed. Null and absent are the same.
 */
import * as z from 'zod/mini';
import type { Parser } from '../../http/endpoint.ts';
import { identifier } from '../../http/fields.ts';
import { listParser } from '../../http/json.ts';
import { isObject, schemaProblem } from '../../json-object.ts';
import { countIn, type Numeric, numberOf } from './statistics.ts';

const text = z.nullish(z.string());
const numeric = z.union([z.number(), z.string()], 'expected a number');
const amount = z.nullish(numeric);
const id = z.nullish(numeric);
const ownId = z.union([z.number(), identifier], 'expected an id');
/** Some databases have no truth values. */
const flag = z.nullish(z.union([z.boolean(), numeric]));
const texts = z.nullish(z.array(z.string()));
const counted = z.custom<Numeric>((value) => numberOf(value as Numeric) !== null, 'expected a number');

const productFields = z.looseObject({
  canonical_product_id: ownId,
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

const seriesFields = z
  .looseObject({
    dates: z.array(z.string()),
    /** Null is a time without a value, never zero. */
    values: z.custom<readonly (Numeric | null)[]>(isSeries, 'expected numbers and nulls'),
  })
  .check(z.refine(({ dates, values }) => dates.length === values.length, 'dates and values differ in number'));
export type Dynamics = z.infer<typeof seriesFields>;

const countFields = z.looseObject({ products_count: counted, stores: texts, regions: texts });
export type Count = z.infer<typeof countFields>;

const commonFields = z
  .looseObject({ scope: text, required_stores: amount, required_regions: amount, stores: texts, regions: texts })
  .check(z.refine((value) => countIn(value) !== undefined, 'it has no common_products_count'));
export type CommonCount = z.infer<typeof commonFields>;

const healthFields = z.looseObject({ status: z.string() });
export type Health = z.infer<typeof healthFields>;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many rows are left out, because they cannot be read. */
  readonly omitted?: number | undefined;
  /** Of all pages, as the service counted them for this one; it may move. */
  readonly total: number | undefined;
  /** The limit of a page, if the service names it. A page may have fewer items than requested. */
  readonly size: number | undefined;
}

/** A row without one of these would say something else about prices, so it is omitted. */
const COMPUTED = [
  ...(['parser_name', 'source_id', 'price', 'discount_price', 'loyal_price', 'available_count'] as const),
  ...(['price_unit', 'unit', 'observed_at'] as const),
];

export const health = whole<Health>('a state of health', shaped(healthFields, ['status']));
export const product = whole<Product>('a product', shaped(productFields, ['canonical_product_id']));
export const count = whole<Count>('a count of products', shaped(countFields, ['products_count']));
export const commonCount = whole<CommonCount>('a count of common products', shaped(commonFields, []));
export const dynamics = whole<Dynamics>('a series', shaped(seriesFields, ['dates', 'values']));
export const category = whole<Category>('a category', shaped(categoryFields, []));
export const settlement = whole<Settlement>('a settlement', shaped(settlementFields, []));
export const productList = listed<Product>('product', shaped(productFields, ['canonical_product_id']));
export const sourceList = listed<SourceRow>('source', shaped(sourceFields, COMPUTED));
export const snapshotList = listed<SnapshotRow>(
  'snapshot',
  shaped(snapshotFields, [...COMPUTED, 'valid_from_at', 'valid_to_at']),
);
export const categoryList = listed<Category>('category', shaped(categoryFields, []));
export const settlementList = listed<Settlement>('settlement', shaped(settlementFields, []));
export const cursorList = listed<Cursor>('cursor', shaped(cursorFields, []));

function isSeries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === null || numberOf(one) !== null);
}

function listed<Item>(noun: string, row: Parser<Item>): Parser<Page<Item>> {
  const parser = listParser(row, noun);
  return {
    safeParse(value) {
      const outcome = parser.safeParse(value);
      if (!outcome.success) return outcome;
      const { rows, received } = outcome.data;
      const body = isObject(value) ? value : {};
      const meta = isObject(body['meta']) ? body['meta'] : {};
      const data = {
        items: rows,
        omitted: received - rows.length || undefined,
        total: numberOf(meta['total'] ?? body['total']) ?? undefined,
        size: numberOf(meta['limit']) ?? undefined,
      };
      return { ...outcome, data };
    },
  };
}

function whole<T>(what: string, parser: Parser<T>): Parser<T> {
  return {
    safeParse(value) {
      const outcome = parser.safeParse(value);
      if (outcome.success) return outcome;
      const message = `expected ${what}, but ${schemaProblem(outcome.error.issues, value, ': ')}`;
      return { success: false, error: { issues: [{ path: [], message }] } };
    },
  };
}

/** Returns the value itself, with its keys in order. Other fields of a wrong type become absent. */
function shaped<T>(schema: z.ZodMiniType, needed: readonly (keyof T)[]): Parser<T> {
  return {
    safeParse(value) {
      const outcome = schema.safeParse(value);
      if (outcome.success) return { success: true, data: value as T };
      const copy = structuredClone(value) as T;
      const isReadable = outcome.error.issues.every(
        (issue) => isTextMade(copy, issue) || isRemoved(copy, issue, needed),
      );
      return isReadable ? { success: true, data: copy } : outcome;
    },
  };
}

function parentOf(value: unknown, path: readonly PropertyKey[]): Fields {
  return path.slice(0, -1).reduce<unknown>((at, name) => (at as Fields)[String(name)], value) as Fields;
}

/** A text may be a number or a truth value. */
function isTextMade(value: unknown, { path, ...issue }: Issue): boolean {
  const [parent, name] = [parentOf(value, path), String(path.at(-1))];
  const found = path.length === 0 ? undefined : parent[name];
  const isScalar = typeof found === 'number' || typeof found === 'boolean';
  if (!isScalar || issue.code !== 'invalid_type' || issue.expected !== 'string') return false;
  parent[name] = String(found);
  return true;
}

/** A list with an item of another shape goes as a whole. */
function isRemoved<T>(value: T, { path }: Issue, needed: readonly (keyof T)[]): boolean {
  const names = path.filter((part) => typeof part === 'string');
  const [first] = names;
  if (first === undefined || needed.includes(first as keyof T)) return false;
  delete parentOf(value, names)[String(names.at(-1))];
  return true;
}

type Issue = z.core.$ZodIssue;
type Fields = Record<string, unknown>;
