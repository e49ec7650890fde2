/**
 * The resources of doc 3, part A. Of most of them the document does not show the fields: they are those seen on the public
 * implementation. An answer is only checked, and kept as it came: what svc cannot do without must be there, anything more may be.
 */
import * as z from 'zod/mini';
import type { Parser } from '../../http/endpoint.ts';
import { type Numeric, numberOf } from './statistics.ts';

const text = z.nullish(z.string());
const numeric = z.union([z.number(), z.string()]);
const amount = z.nullish(numeric);
/** Some databases have no truth values. */
const flag = z.nullish(z.union([z.boolean(), z.number()]));
const texts = z.nullish(z.array(z.string()));
const counted = z.custom<Numeric>((value) => numberOf(value as Numeric) !== null, 'expected a number');

const productFields = z.looseObject({
  canonical_product_id: z.string(),
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
  canonical_product_id: text,
  parser_name: z.string(),
  source_id: z.string(),
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
  primary_category: z.nullish(z.looseObject({ id: amount, source_uid: text, title: text })),
  settlement: z.nullish(z.looseObject({ id: amount, name: text, region: text, country: text })),
});
export type Source = z.infer<typeof sourceFields> & {
  /** Of svc: the product that the row is of, if it is read as one with another. */
  readonly matched_product_id?: string;
};

const snapshotFields = z.looseObject({
  canonical_product_id: text,
  parser_name: z.string(),
  source_id: z.string(),
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
export type Snapshot = z.infer<typeof snapshotFields>;

const categoryFields = z.looseObject({
  id: numeric,
  parser_name: text,
  source_uid: text,
  /** The `source_uid` of another category of the same `parser_name`. */
  parent_source_uid: text,
  title: text,
  alias: text,
  depth: amount,
  sort_order: amount,
  updated_at: text,
});
export type Category = z.infer<typeof categoryFields>;

const settlementFields = z.looseObject({
  id: numeric,
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
  parser_name: z.string(),
  ingested_at: text,
  product_id: z.nullish(numeric),
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
  common_products_count: counted,
  required_stores: amount,
  required_regions: amount,
  stores: texts,
  regions: texts,
});
export type CommonCount = z.infer<typeof commonFields>;

const healthFields = z.looseObject({ status: z.string() });
export type Health = z.infer<typeof healthFields>;

/** A page of a list. Servers in Go write an empty list as null. */
export interface List<Item> {
  readonly items: readonly Item[] | null;
  readonly total?: Numeric | null | undefined;
  readonly meta?:
    | {
        readonly limit?: Numeric | null | undefined;
        readonly offset?: Numeric | null | undefined;
        readonly total?: Numeric | null | undefined;
      }
    | null
    | undefined;
}
export type CursorList = List<Cursor>;

export const health = shaped<Health>('a state of health', healthFields);
export const product = shaped<Product>('a product', productFields);
export const count = shaped<Count>('a count of products', countFields);
export const commonCount = shaped<CommonCount>('a count of common products', commonFields);
export const dynamics = aligned(shaped<Dynamics>('a series', seriesFields));
export const category = shaped<Category>('a category', categoryFields);
export const settlement = shaped<Settlement>('a settlement', settlementFields);
export const productList = listed<Product>('products', productFields);
export const sourceList = listed<Source>('sources', sourceFields);
export const snapshotList = listed<Snapshot>('snapshots', snapshotFields);
export const categoryList = listed<Category>('categories', categoryFields);
export const settlementList = listed<Settlement>('settlements', settlementFields);
export const cursorList = listed<Cursor>('cursors', cursorFields);

function isSeries(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === null || numberOf(one) !== null);
}

function listed<Item>(what: string, item: z.ZodMiniType): Parser<List<Item>> {
  const meta = z.looseObject({ limit: amount, offset: amount, total: amount });
  return shaped<List<Item>>(
    `a list of ${what}`,
    z.looseObject({ items: z.nullable(z.array(item)), total: amount, meta: z.nullish(meta) }),
  );
}

/** Checks, and hands on the very value that came: its keys stay in their order. */
function shaped<T>(what: string, schema: z.ZodMiniType): Parser<T> {
  return {
    safeParse(value) {
      const outcome = schema.safeParse(value);
      if (outcome.success) return { success: true, data: value as T };
      const path = outcome.error.issues[0]?.path ?? [];
      return refused(`expected ${what}, but got ${described(value)}${path.length === 0 ? '' : fault(value, path)}`);
    },
  };
}

function aligned(parser: Parser<Dynamics>): Parser<Dynamics> {
  return {
    safeParse(value) {
      const outcome = parser.safeParse(value);
      if (!outcome.success) return outcome;
      const { dates, values } = outcome.data;
      if (dates.length === values.length) return outcome;
      return refused(`expected a series, but got ${dates.length} dates with ${values.length} values`);
    },
  };
}

function refused(message: string) {
  return { success: false, error: { issues: [{ path: [], message }] } } as const;
}

/** `, without id`; `, whose price is an array`. */
function fault(value: unknown, path: readonly PropertyKey[]): string {
  const name = path.map(String).join('.');
  const found = path.reduce<unknown>((inner, key) => (inner as Readonly<Record<PropertyKey, unknown>>)?.[key], value);
  return found === undefined ? `, without ${name}` : `, whose ${name} is ${described(found)}`;
}

const SHOWN_KEYS = 4;

function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return describedObject(value);
  return typeof value === 'string' ? `the string ${JSON.stringify(value.slice(0, 40))}` : String(value);
}

function describedObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => key.slice(0, 40));
  return `an object with ${shown.join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''}`;
}
