/** Where a product is or was sold: the rows and snapshots of its prices and history. */
import { SvcError } from '../../errors.ts';
import type { Catalog, Page, PageQuery } from './api.ts';
import { everyItem, type Report } from './lists.ts';
import { findRegions, isInside, type Region, reportUnknown, storesOf } from './places.ts';
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

/** The sources that are selected, newest first. Throws `not_found` if nothing is sold. */
export async function selectSources(
  catalog: Reader,
  productId: string,
  selection: SourceSelection,
  report: Report,
): Promise<readonly Source[]> {
  const listed = await listSources(catalog, productId, report);
  if (listed.length === 0) throw await explainEmpty(catalog, productId);
  return selectRows(listed, selection, report);
}

/** Names what is not there; throws `not_found` if nothing is selected. */
function selectRows<Row extends Known>(rows: readonly Row[], selection: SourceSelection, report: Report) {
  checkSelection(selection, rows, report);
  const selected = rows.filter((row) => selects(selection, row));
  if (selected.length > 0) return selected;
  throw new SvcError('not_found', 'the product has no source in these stores and places', FIND_SOURCES);
}

async function listSources(catalog: Reader, productId: string, report: Report): Promise<readonly Source[]> {
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
  const left: (Row & SourceKey)[] = [];
  for (const row of rows) {
    const { parser_name, source_id } = row;
    const problem = parser_name && !isBlank(source_id) ? problemOf(row) : 'parser_name or source_id is missing';
    if (problem === undefined) left.push({ ...row, parser_name, source_id: String(source_id) } as Row & SourceKey);
    else problems.push(problem);
  }
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
  // A run that is written meanwhile has its row, which tells its place.
  const found = await productSnapshots(catalog, productId, selection, report);
  const listed = await listSources(catalog, productId, report);
  const rowOf = new Map(listed.map((row) => [sourceKey(row), row]));
  const placed = found.map((snapshot) => ({ ...snapshot, settlement: rowOf.get(sourceKey(snapshot))?.settlement }));
  if (placed.length + listed.length === 0) throw await explainEmpty(catalog, productId);
  const rows = selectRows<Known>([...listed, ...placed], selection, report);
  const own = new Set(rows.map(sourceKey));
  const isOwn = (row: SourceKey) => own.has(sourceKey(row));
  const snapshots = found.filter(isOwn);
  if (snapshots.length === 0) {
    throw new SvcError('not_found', 'the product has no snapshots from these sources yet', FIND_SOURCES);
  }
  const chosen = listed.filter(isOwn);
  const recorded = new Set(snapshots.map(sourceKey));
  return {
    series: seriesOf(chosen, snapshots),
    unrecorded: chosen.filter((source) => !recorded.has(sourceKey(source))),
  };
}

/** The service takes only one name of each. */
export async function productSnapshots(
  catalog: Pick<Catalog, 'snapshots'>,
  productId: string,
  { stores, sources }: SourceSelection,
  report: Report,
): Promise<readonly Snapshot[]> {
  const narrowed: PageQuery = {
    parser_name: stores.length === 1 ? stores[0] : undefined,
    source_id: sources.length === 1 ? sources[0] : undefined,
  };
  const all = await everyItem((page) => catalog.snapshots(productId, { ...narrowed, ...page }), report);
  return usable<SnapshotRow>(all, snapshotProblem, `snapshots of ${productId}`, report);
}

/** Only the row of a source has its place. */
type Known = SourceKey & Pick<Source, 'settlement'>;

function selects({ stores, sources, regions }: SourceSelection, row: Known): boolean {
  const { parser_name, source_id, settlement } = row;
  return (
    (stores.length === 0 || stores.includes(parser_name)) &&
    (sources.length === 0 || sources.includes(source_id)) &&
    (regions.length === 0 || isInside(regions, settlement))
  );
}

const FIND_SOURCES = { hint: 'svc catalog products sources <id> shows each store, source and place' };

/** Reports names that nothing has, and rows that no region can be told of. */
function checkSelection({ stores, sources, regions }: SourceSelection, rows: readonly Known[], report: Report): void {
  const check = (option: '--store' | '--source', given: readonly string[], known: readonly string[]) =>
    reportUnknown({ option, unknown: given.filter((name) => !known.includes(name)), known }, given, report);
  check('--store', stores, storesOf(rows));
  check(
    '--source',
    sources,
    rows.map(({ source_id }) => source_id),
  );
  if (regions.length === 0) return;
  const placed = new Set(rows.filter(({ settlement }) => settlement).map(sourceKey));
  const nowhere = new Set(rows.map(sourceKey)).size - placed.size;
  if (nowhere === 0) return;
  report({
    text: `left out by --region because they have no settlement: ${nowhere} of the sources`,
    incomplete: false,
  });
}

/** An unknown product has an empty list of sources, too: reading the product throws for it. */
async function explainEmpty(catalog: Reader, productId: string): Promise<SvcError> {
  await catalog.product(productId);
  return new SvcError('not_found', 'no source sells this product', FIND_SOURCES);
}

/** The same for a list of a product. */
export function ofProduct<Item>(
  ask: (id: string, query: PageQuery) => Promise<Page<Item>>,
  productId: string,
  catalog: Pick<Catalog, 'product'>,
) {
  return async (query: PageQuery): Promise<Page<Item>> => {
    const page = await ask(productId, query);
    if (page.items.length === 0 && !query.offset) await catalog.product(productId);
    return page;
  };
}
