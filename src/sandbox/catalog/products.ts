/** Products: rows of the stores that are filtered first, and grouped then (so that a filter changes what a product looks like). */
import { isoZ } from './instants.ts';
import { asciiLower, contains } from './like.ts';
import type { SourceRow } from './records.ts';
import { Refusal } from './refusal.ts';

export interface ProductFilters {
  readonly q?: string | undefined;
  readonly parser_name?: string | undefined;
  readonly category_id?: number | undefined;
  readonly settlement_id?: number | undefined;
  readonly brand?: string | undefined;
  readonly promo?: boolean | undefined;
  readonly is_new?: boolean | undefined;
  readonly hit?: boolean | undefined;
  readonly adult?: boolean | undefined;
  readonly price_min?: number | undefined;
  readonly price_max?: number | undefined;
}

interface Product {
  readonly id: string;
  readonly rows: SourceRow[];
}

/** The rows of one product that are left after the filters: the latest one speaks for it. */
interface Shown {
  readonly id: string;
  readonly latest: SourceRow;
  readonly priceFrom: number | null;
  readonly rows: readonly SourceRow[];
}

type Order = (a: Shown, b: Shown) => number;

const byId: Order = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const nullsLast = (a: number | null, b: number | null, sign: 1 | -1): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return sign * (a - b);
};

const SORTS: Readonly<Record<string, Order>> = {
  observed_at_desc: (a, b) => b.latest.observed_at - a.latest.observed_at || byId(a, b),
  observed_at_asc: (a, b) => a.latest.observed_at - b.latest.observed_at || byId(a, b),
  price_asc: (a, b) => nullsLast(a.priceFrom, b.priceFrom, 1) || byId(a, b),
  price_desc: (a, b) => nullsLast(a.priceFrom, b.priceFrom, -1) || byId(a, b),
  rating_desc: (a, b) => nullsLast(a.latest.rating, b.latest.rating, -1) || byId(a, b),
};

/** `rows` is asked for once the request is found to be sound. */
export function listedProducts(
  rows: () => readonly SourceRow[],
  filters: ProductFilters,
  sort: string,
): readonly unknown[] {
  const order = Object.hasOwn(SORTS, sort) ? SORTS[sort] : undefined;
  if (order === undefined) throw new Refusal(400, `unsupported sort: ${sort}`);
  const products = new Map<string, Product>();
  for (const row of rows()) {
    if (!matches(row, filters)) continue;
    const id = row.canonical_product_id;
    const product = products.get(id);
    if (product === undefined) products.set(id, { id, rows: [row] });
    else product.rows.push(row);
  }
  return [...products.values()].map(shown).sort(order).map(productItem);
}

function shown({ id, rows }: Product): Shown {
  const [latest] = rows.toSorted((a, b) => b.observed_at - a.observed_at || a.id - b.id);
  const prices = rows.map(asked).filter((price) => price !== null);
  return { id, rows, latest: latest as SourceRow, priceFrom: prices.length === 0 ? null : Math.min(...prices) };
}

/** The first of the three that there is, which is not the lowest one where members pay less than the discount. */
function asked(row: SourceRow): number | null {
  return row.discount_price ?? row.loyal_price ?? row.price;
}

function productItem({ id, rows, latest, priceFrom }: Shown): unknown {
  return {
    canonical_product_id: id,
    title: latest.title_original,
    brand: latest.brand,
    price_from: priceFrom,
    price_unit: latest.price_unit,
    sources_count: rows.length,
    observed_at_latest: isoZ(latest.observed_at),
    image_url: latest.image_urls[0] ?? null,
    parsers: [...new Set(rows.map(({ parser_name }) => parser_name))],
  };
}

function matches(row: SourceRow, filters: ProductFilters): boolean {
  const { q, parser_name, category_id, settlement_id, brand, price_min, price_max } = filters;
  const price = asked(row);
  return (
    (!q || [row.title_original, row.title_normalized_no_stopwords, row.brand].some((text) => contains(text, q))) &&
    (!parser_name || row.parser_name === parser_name) &&
    (category_id === undefined || row.category?.id === category_id) &&
    (settlement_id === undefined || row.settlement?.id === settlement_id) &&
    (!brand || asciiLower(row.brand ?? '') === brand.trim().toLowerCase()) &&
    (['promo', 'is_new', 'hit', 'adult'] as const).every(
      (name) => filters[name] === undefined || row[name] === filters[name],
    ) &&
    (price_min === undefined || (price !== null && price >= price_min)) &&
    (price_max === undefined || (price !== null && price <= price_max))
  );
}
