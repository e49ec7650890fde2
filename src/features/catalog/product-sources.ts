/** Where a product is or was sold: the rows and snapshots of its prices and history. */
import { SvcError } from '../../errors.ts';
import type { Catalog, PageQuery } from './api.ts';
import { everyItem, type Report } from './lists.ts';
import { findRegions, isInside, isNamed, missingNames, type Region, storesOf, unknownNames } from './places.ts';
import type { Snapshot, SnapshotRow, Source, SourceKey, SourceRow } from './schema.ts';
import { type PriceSeries, SERIES_FIELDS, seriesOf, sourceKey, timesOf } from './series.ts';
import { isBlank, numberOf } from './statistics.ts';

/** Those that are wanted; all where nothing is said. */
export interface SourceSelection {
  readonly stores: readonly string[];
  readonly sources: readonly string[];
  readonly regions: readonly Region[];
}

interface SelectionOptions {
  readonly store: readonly string[];
  readonly region: readonly string[];
  readonly source?: readonly string[];
}

/** Throws `not_found` for a region that no settlement has. */
export async function sourceSelection(
  catalog: Pick<Catalog, 'settlements'>,
  { store, region, source = [] }: SelectionOptions,
  report: Report,
): Promise<SourceSelection> {
  return { stores: store, sources: source, regions: await findRegions(catalog, region, report) };
}

type Reader = Pick<Catalog, 'sources' | 'snapshots' | 'product'>;

/** As they are listed, newest first. */
export async function listSources(
  catalog: Pick<Catalog, 'sources'>,
  productId: string,
  report: Report,
): Promise<readonly Source[]> {
  const rows = await everyItem((page) => catalog.sources(productId, page), report);
  return usable<SourceRow>(rows, priceProblem, `sources of ${productId}`, report);
}

/** What svc can compute with. The others are shown by the raw lists alone. */
function usable<Row extends SourceRow | SnapshotRow>(
  rows: readonly Row[],
  problemOf: (row: Row) => string | undefined,
  what: string,
  report: Report,
): readonly (Row & SourceKey)[] {
  const problems: string[] = [];
  const left = rows.flatMap((row) => {
    const { parser_name, source_id } = row;
    const problem = parser_name && !isBlank(source_id) ? problemOf(row) : 'parser_name or source_id is missing';
    if (problem === undefined) return [{ ...row, parser_name, source_id: String(source_id) } as Row & SourceKey];
    problems.push(problem);
    return [];
  });
  if (problems.length > 0) {
    const why = [...new Set(problems)].join('; ');
    if (left.length === 0) throw new SvcError('wrong_shape', `none of the ${what} can be read: ${why}`);
    report({ text: `${problems.length} of ${rows.length} ${what} are left out: ${why}`, incomplete: true });
  }
  return left;
}

function priceProblem(row: SourceRow | SnapshotRow): string | undefined {
  const field = SERIES_FIELDS.find((name) => !isBlank(row[name]) && numberOf(row[name]) === null);
  return field && `${field} is not a number`;
}

function snapshotProblem(row: SnapshotRow): string | undefined {
  const { from, to } = timesOf(row);
  return priceProblem(row) ?? (Number.isNaN(from + to) ? 'the time of observation is missing' : undefined);
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
 * One series for each store, place and unit, from the snapshots: `dynamics` shows one source, and
 * the catalog's writer makes a new source for every scrape. All snapshots are read, because an old
 * one may be valid for longer than a new one (doc 3 §4). Throws `not_found` if there is nothing.
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
  const snapshots = selection.regions.length > 0 ? found.filter((snapshot) => own.has(sourceKey(snapshot))) : found;
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

/** The service takes only one exact name of each, so svc selects from the shorter list. */
export async function productSnapshots(
  catalog: Pick<Catalog, 'snapshots'>,
  productId: string,
  selection: SourceSelection,
  listed: readonly SourceKey[],
  report: Report,
): Promise<readonly Snapshot[]> {
  const spelled = storesOf(listed).filter((store) => isNamed(selection.stores, store));
  const narrowed: PageQuery = {
    parser_name: selection.stores.length === 1 && spelled.length === 1 ? spelled[0] : undefined,
    source_id: selection.sources.length === 1 ? selection.sources[0] : undefined,
  };
  const all = await everyItem((page) => catalog.snapshots(productId, { ...narrowed, ...page }), report);
  const snapshots = usable<SnapshotRow>(all, snapshotProblem, `snapshots of ${productId}`, report);
  return snapshots.filter((snapshot) => selects({ ...selection, regions: [] }, snapshot));
}

/** A snapshot has no settlement. */
type Known = SourceKey & Pick<Source, 'settlement'>;

export function selects({ stores, sources, regions }: SourceSelection, row: SourceKey & Partial<Known>): boolean {
  const { parser_name, source_id, settlement } = row;
  return (
    (stores.length === 0 || isNamed(stores, parser_name)) &&
    (sources.length === 0 || sources.includes(source_id)) &&
    (regions.length === 0 || isInside(regions, settlement))
  );
}

export const FIND_SOURCES = { hint: 'svc catalog products sources <id> shows each store, source and place' };

/** What is said where a product is there, and not what was chosen of it. */
export function nothingThere(
  listed: readonly SourceKey[],
  { stores, sources, regions }: SourceSelection,
): SvcError | undefined {
  const options = { '--store': stores, '--region': regions.map(({ name }) => name), '--source': sources };
  const chosen = Object.entries(options).flatMap(([option, names]) => names.map((name) => `${option} ${name}`));
  if (listed.length === 0 || chosen.length === 0) return undefined;
  const names = storesOf(listed);
  const unknown = stores.filter((store) => !isNamed(names, store));
  if (unknown.length > 0 && unknown.length === stores.length) return unknownNames('--store', unknown, names);
  return new SvcError(
    'not_found',
    `the product has no source for ${chosen.join(' ')}; its stores are ${[...names].sort().join(', ')}`,
    FIND_SOURCES,
  );
}

/** What to say of names that nothing has, and of rows that no region can be told of. */
export function missingSources({ stores, sources, regions }: SourceSelection, known: readonly Known[]) {
  const sourceIds = known.map(({ source_id }) => source_id);
  const isEmpty = (region: Region) => !known.some(({ settlement }) => isInside([region], settlement));
  const elsewhere = regions.filter(isEmpty).map(({ name }) => name);
  const places = known.flatMap(({ settlement }) => settlement?.region ?? []);
  const placed = new Set(known.filter(({ settlement }) => settlement).map(sourceKey));
  const nowhere = regions.length === 0 ? 0 : new Set(known.map(sourceKey)).size - placed.size;
  return [
    ...missingNames('--store', stores, storesOf(known)),
    ...missingNames('--source', sources, sourceIds),
    ...missingNames('--region', elsewhere, places),
    ...(nowhere === 0 ? [] : [`left out by --region because they have no settlement: ${nowhere} of the sources`]),
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

/** An unknown product has an empty list of sources, too: reading the product throws for it. */
export async function unknownProduct(catalog: Reader, productId: string): Promise<SvcError> {
  await catalog.product(productId);
  return new SvcError('not_found', 'no source has this product, and it has no snapshots', {
    hint: 'svc catalog products list --search <text> finds ids',
  });
}
