/** Where a product is sold, or was: the rows and snapshots from which its prices and its history are made. */
import { SvcError } from '../../errors.ts';
import type { Catalog, PageQuery } from './api.ts';
import { everyItem, type Report } from './lists.ts';
import type { Snapshot, Source } from './schema.ts';
import { type PriceSeries, seriesOf, sourceKey } from './series.ts';

/** Those that are wanted; all where nothing is said. */
export interface SourceSelection {
  readonly stores: readonly string[];
  readonly sources: readonly string[];
  /** Names of settlements or regions. */
  readonly places?: readonly string[];
}

/** What the service knows a source by (doc 3 §2). */
export type SourceKey = Pick<Source, 'parser_name' | 'source_id'>;

type Reader = Pick<Catalog, 'sources' | 'snapshots' | 'product'>;

/** As they are listed, newest first. */
export function listSources(
  catalog: Pick<Catalog, 'sources'>,
  productId: string,
  report: Report,
): Promise<readonly Source[]> {
  return everyItem((page) => catalog.sources(productId, page), report);
}

export interface ProductSeries {
  /** Those without a snapshot, too. */
  readonly series: readonly PriceSeries[];
  /** Those of the chosen that have no snapshot. */
  readonly unrecorded: readonly Source[];
  /** All that there are, chosen or not. */
  readonly known: readonly Known[];
}

/**
 * The history of a product, one series for each store, place and unit. It is read from the snapshots and not from `dynamics`: that
 * answers for one source, and the catalog's writer makes a new source for every scrape. Snapshots tell what was in effect before the
 * window, too, and are one paged read. All of them are read, for an old one may be valid until later than a new one (doc 3 §4).
 * Throws `not_found` where there is nothing.
 */
export async function productSeries(
  catalog: Reader,
  productId: string,
  selection: SourceSelection,
  report: Report,
): Promise<ProductSeries> {
  let listed = await listSources(catalog, productId, report);
  const found = await productSnapshots(catalog, productId, selection, listed, report);
  const known = new Set(listed.map(sourceKey));
  // A run that was written meanwhile has its row now, which tells its place.
  if (found.some((snapshot) => !known.has(sourceKey(snapshot)))) {
    listed = await listSources(catalog, productId, report);
  }
  const chosen = listed.filter((source) => selects(selection, source));
  const own = new Set(chosen.map(sourceKey));
  // Only the row of a source knows its place.
  const snapshots = selection.places?.length ? found.filter((snapshot) => own.has(sourceKey(snapshot))) : found;
  if (snapshots.length === 0 && chosen.length > 0) {
    throw new SvcError('not_found', 'the product has no snapshots from these sources yet', FIND_SOURCES);
  }
  if (snapshots.length === 0) throw nothingThere(listed, selection) ?? (await unknownProduct(catalog, productId));
  const recorded = new Set(snapshots.map(sourceKey));
  return {
    series: seriesOf(chosen, snapshots),
    known: [...listed, ...found],
    unrecorded: chosen.filter((source) => !recorded.has(sourceKey(source))),
  };
}

/** The service compares names exactly, and takes one of each: it narrows the list, and svc selects. */
export async function productSnapshots(
  catalog: Pick<Catalog, 'snapshots'>,
  productId: string,
  selection: SourceSelection,
  listed: readonly SourceKey[],
  report: Report,
): Promise<readonly Snapshot[]> {
  const [store, ...more] = selection.stores;
  const name = listed.find(({ parser_name }) => parser_name.toLowerCase() === store?.toLowerCase())?.parser_name;
  const narrowed: PageQuery = {
    parser_name: more.length === 0 ? name : undefined,
    source_id: selection.sources.length === 1 ? selection.sources[0] : undefined,
  };
  const all = await everyItem((page) => catalog.snapshots(productId, { ...narrowed, ...page }), report);
  return all.filter((snapshot) => selects({ ...selection, places: [] }, snapshot));
}

/** A snapshot has no settlement. */
type Known = SourceKey & Partial<Pick<Source, 'settlement'>>;

export function selects({ stores, sources, places = [] }: SourceSelection, row: Known): boolean {
  const { parser_name, source_id, settlement } = row;
  return (
    (stores.length === 0 || stores.some((store) => store.toLowerCase() === parser_name.toLowerCase())) &&
    (sources.length === 0 || sources.includes(source_id)) &&
    (places.length === 0 || places.some((place) => settlement && isPlace(settlement, place)))
  );
}

/** By its name, its region, or its id. */
export function isPlace({ id, name, region }: NonNullable<Source['settlement']>, place: string): boolean {
  return [name, region, id].some((one) => String(one ?? '').toLowerCase() === place.toLowerCase());
}

export const FIND_SOURCES = { hint: 'svc catalog products sources <id> shows each store, source and place' };

/** What is said where a product is there, and not what was chosen of it. */
export function nothingThere(
  listed: readonly SourceKey[],
  { stores, sources, places = [] }: SourceSelection,
): SvcError | undefined {
  const options = { '--store': stores, '--place': places, '--source': sources };
  const chosen = Object.entries(options).flatMap(([option, names]) => names.map((name) => `${option} ${name}`));
  if (listed.length === 0 || chosen.length === 0) return undefined;
  const names = [...new Set(listed.map(({ parser_name }) => parser_name))].sort().join(', ');
  return new SvcError(
    'not_found',
    `the product has no source for ${chosen.join(' ')}; its stores are ${names}`,
    FIND_SOURCES,
  );
}

const MOST_NAMED = 10;

/** A line for each name that was given and that nothing has: a typing error must not read as a price that is not there. */
export function missingNames(
  option: '--store' | '--source' | '--region' | '--place',
  given: readonly string[],
  known: Iterable<string>,
): readonly string[] {
  const names = [...new Set(known)].sort();
  const lower = new Set(names.map((name) => name.toLowerCase()));
  const most = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ', …' : '');
  return given
    .filter((name) => !lower.has(name.toLowerCase()))
    .map((name) => `no source has ${option} ${name}: there ${names.length === 0 ? 'is none' : `are ${most}`}`);
}

export function missingSources({ stores, sources, places = [] }: SourceSelection, known: readonly Known[]) {
  const placeNames = known.flatMap(({ settlement }) => [settlement?.name, settlement?.region, settlement?.id]);
  return [
    ...missingNames(
      '--store',
      stores,
      known.map(({ parser_name }) => parser_name),
    ),
    ...missingNames(
      '--source',
      sources,
      known.map(({ source_id }) => source_id),
    ),
    ...missingNames(
      '--place',
      places,
      placeNames.flatMap((name) => (name ? String(name) : [])),
    ),
  ];
}

/** Why there is no price of it now. */
export async function notListed(catalog: Reader, productId: string): Promise<SvcError> {
  const { items } = await catalog.snapshots(productId, { limit: 1 });
  if (items.length === 0) return unknownProduct(catalog, productId);
  return new SvcError('not_found', 'no source sells this product any more; only its snapshots remain', {
    hint: 'svc catalog history <id> draws them',
  });
}

/** The service answers an unknown id with an empty list of sources: only the product itself tells which of the two it is. */
export async function unknownProduct(catalog: Reader, productId: string): Promise<SvcError> {
  await catalog.product(productId);
  return new SvcError('not_found', 'no source has this product, and it has no snapshots', {
    hint: 'svc catalog products list --search <text> finds ids',
  });
}
