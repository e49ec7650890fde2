/** How many products there are, and how many are sold everywhere. */
import { asciiLower } from './like.ts';
import type { SourceRow } from './records.ts';
import { Refusal } from './refusal.ts';

export interface CountFilters {
  readonly stores: readonly string[];
  readonly regions: readonly string[];
}

export function productCount(rows: readonly SourceRow[], given: CountFilters): unknown {
  const { stores, regions } = normalized(given);
  const products = new Set(matching(rows, { stores, regions }).map(({ canonical_product_id }) => canonical_product_id));
  return { products_count: products.size, stores: orNull(stores), regions: orNull(regions) };
}

/**
 * Products that every store (or region) of those asked for has; of all that have any where none is asked for.
 * `rows` is asked for once the request is found to be sound.
 */
export function commonCount(
  rows: () => readonly SourceRow[],
  given: CountFilters & { readonly scope: string },
): unknown {
  const scope = given.scope.trim().toLowerCase();
  if (scope !== 'stores' && scope !== 'regions') throw new Refusal(400, 'scope must be one of: stores, regions');
  const { stores, regions } = normalized(given);
  const key = scope === 'stores' ? ({ parser_name }: SourceRow) => asciiLower(parser_name) : regionOf;
  const places = new Map<string, Set<string>>();
  for (const row of matching(rows(), { stores, regions })) {
    const place = key(row);
    if (place === '') continue;
    const seen = places.get(row.canonical_product_id);
    if (seen === undefined) places.set(row.canonical_product_id, new Set([place]));
    else seen.add(place);
  }
  const asked = scope === 'stores' ? stores : regions;
  const known = new Set([...places.values()].flatMap((seen) => [...seen]));
  const required = asked.length > 0 ? asked.length : known.size;
  return {
    scope,
    common_products_count: [...places.values()].filter(({ size }) => size === required).length,
    required_stores: scope === 'stores' ? required : null,
    required_regions: scope === 'regions' ? required : null,
    stores: orNull(stores),
    regions: orNull(regions),
  };
}

function matching(rows: readonly SourceRow[], { stores, regions }: CountFilters): readonly SourceRow[] {
  return rows.filter(
    (row) =>
      (stores.length === 0 || stores.includes(asciiLower(row.parser_name))) &&
      (regions.length === 0 || regions.includes(regionOf(row))),
  );
}

function regionOf({ settlement }: SourceRow): string {
  return asciiLower(settlement?.region_normalized ?? settlement?.region ?? '');
}

function normalized({ stores, regions }: CountFilters): CountFilters {
  const distinct = (texts: readonly string[]): readonly string[] => [
    ...new Set(texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== '')),
  ];
  return { stores: distinct(stores), regions: distinct(regions) };
}

function orNull(texts: readonly string[]): readonly string[] | null {
  return texts.length === 0 ? null : texts;
}
