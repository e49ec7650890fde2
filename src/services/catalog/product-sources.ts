/** Where a product is sold, or was: what its history and its prices are asked by. */
import { SvcError } from '../../errors.ts';
import type { Catalog, PageQuery } from './client.ts';
import type { SourceKey } from './history.ts';
import { everyItem } from './paging.ts';
import type { Source } from './schema.ts';

/** Those that are wanted; all where nothing is said. */
export interface SourceSelection {
  readonly stores: readonly string[];
  readonly sources: readonly string[];
}

/** A source as it is listed today, or as much of it as its snapshots tell. */
export type KnownSource = SourceKey &
  Partial<Pick<Source, 'title_original' | 'unit' | 'price_unit' | 'settlement' | 'observed_at'>>;

type Reader = Pick<Catalog, 'sources' | 'snapshots' | 'product'>;

/** As they are listed, newest first. */
export async function listedSources(catalog: Reader, productId: string): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for await (const source of everyItem((page) => catalog.sources(productId, page))) sources.push(source);
  return sources;
}

/**
 * The sources of a history: those that are listed, and where none of them is wanted those of the snapshots, which also know
 * products and stores that the lists have dropped. Throws `not_found` where there is none.
 */
export async function historySources(
  catalog: Reader,
  productId: string,
  selection: SourceSelection,
): Promise<readonly KnownSource[]> {
  const listed = await listedSources(catalog, productId);
  const wanted = listed.filter((source) => selects(selection, source));
  if (wanted.length > 0) return byName(distinct(wanted));
  const recorded = await recordedSources(catalog, productId, selection);
  if (recorded.length > 0) return byName(recorded);
  throw nothingThere(listed, selection) ?? (await unknownProduct(catalog, productId));
}

export function selects({ stores, sources }: SourceSelection, { parser_name, source_id }: SourceKey): boolean {
  return (
    (stores.length === 0 || stores.some((store) => store.toLowerCase() === parser_name.toLowerCase())) &&
    (sources.length === 0 || sources.includes(source_id))
  );
}

async function recordedSources(
  catalog: Reader,
  productId: string,
  { stores, sources }: SourceSelection,
): Promise<readonly KnownSource[]> {
  const known = new Map<string, KnownSource>();
  // The service picks them out: all snapshots of a product may be a hundred pages.
  for (const parser_name of stores.length === 0 ? [undefined] : stores) {
    for (const source_id of sources.length === 0 ? [undefined] : sources) {
      const ask = (page: PageQuery) => catalog.snapshots(productId, { parser_name, source_id, ...page });
      for await (const snapshot of everyItem(ask)) {
        const { parser_name, source_id, price_unit, observed_at } = snapshot;
        if (!selects({ stores, sources }, snapshot) || known.has(keyOf(snapshot))) continue;
        known.set(keyOf(snapshot), { parser_name, source_id, price_unit, observed_at });
      }
    }
  }
  return [...known.values()];
}

/** What is said where a product is there, and not what was chosen of it. */
export function nothingThere(listed: readonly SourceKey[], { stores, sources }: SourceSelection): SvcError | undefined {
  if (listed.length === 0 || (stores.length === 0 && sources.length === 0)) return undefined;
  const chosen = [...stores.map((name) => `--store ${name}`), ...sources.map((id) => `--source ${id}`)].join(' ');
  const names = [...new Set(listed.map(({ parser_name }) => parser_name))].sort().join(', ');
  return new SvcError('not_found', `the product has no source for ${chosen}; its stores are ${names}`, {
    hint: 'svc catalog products sources <id> shows each store and source',
  });
}

/** Why there is no price of it now. */
export async function notListed(catalog: Reader, productId: string): Promise<SvcError> {
  const { items } = await catalog.snapshots(productId, { limit: 1 });
  if (items.length === 0) return unknownProduct(catalog, productId);
  return new SvcError('not_found', 'no source has this product any more: only its snapshots are left', {
    hint: 'svc catalog history <id> draws them',
  });
}

/** The service answers an unknown id with an empty list of sources: only the product itself tells which of the two it is. */
async function unknownProduct(catalog: Reader, productId: string): Promise<SvcError> {
  await catalog.product(productId);
  return new SvcError('not_found', 'no source has this product, and it has no snapshots', {
    hint: 'svc catalog products list --search <text> finds ids',
  });
}

function distinct(sources: readonly KnownSource[]): readonly KnownSource[] {
  const first = new Map<string, KnownSource>();
  for (const source of sources) if (!first.has(keyOf(source))) first.set(keyOf(source), source);
  return [...first.values()];
}

function keyOf({ parser_name, source_id }: SourceKey): string {
  return JSON.stringify([parser_name, source_id]);
}

/** The same picture each time, whichever store was seen last. */
function byName(sources: readonly KnownSource[]): readonly KnownSource[] {
  return [...sources].sort((a, b) => compare(a.parser_name, b.parser_name) || compare(a.source_id, b.source_id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
