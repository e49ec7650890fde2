/** Reads one product for an export: its offers, and the snapshots that are new since the last run. */
import type { Catalog, PageQuery } from '../api.ts';
import { pages, type Report, rowKey } from '../lists.ts';
import { listedSources, unknownProduct } from '../product-sources.ts';
import type { Snapshot } from '../schema.ts';
import { microsOf } from '../series.ts';
import type { ProductState } from './state.ts';
import { offerRows, type SnapshotRow, snapshotRows } from './tables.ts';

interface Before {
  /** What earlier runs read. */
  readonly known: ProductState | undefined;
  /** Read the snapshots from here on, in milliseconds since 1970. */
  readonly since: number | undefined;
}

/** Throws `not_found` if the service has nothing of it, now or then. */
export async function readProduct(
  catalog: Catalog,
  id: string,
  { known, since }: Before,
  report: Report,
): Promise<ProductState> {
  const sources = await listedSources(catalog, id, report);
  const before = known?.snapshots ?? [];
  const newest = Date.parse(before.at(-1)?.observed_at ?? '');
  const oldest = known === undefined ? since : known.since && Math.min(known.since, since ?? known.since);
  const from = Number.isNaN(newest) ? oldest : Math.min(newest, since ?? newest);
  const read = await snapshotsSince(catalog, id, from, report);
  let rows = joined(before, snapshotRows(sources, read.snapshots));
  if (from !== undefined && oldest === undefined && read.total !== undefined && rows.length !== read.total) {
    // Some came late, or were removed.
    const all = await snapshotsSince(catalog, id, undefined, report);
    const keys = new Set(all.snapshots.map(rowKey));
    rows = joined(
      before.filter((row) => keys.has(rowKey(row))),
      snapshotRows(sources, all.snapshots),
    );
  }
  if (sources.length === 0 && rows.length === 0) throw await unknownProduct(catalog, id);
  return { id, offers: offerRows(sources), snapshots: rows.toSorted(byTime), since: oldest };
}

/** The newest first, as long as the service sorts them so (undocumented). */
async function snapshotsSince(catalog: Catalog, id: string, from: number | undefined, report: Report) {
  const ask = (page: PageQuery) => catalog.snapshots(id, { ...page, sort: 'observed_at_desc' });
  const snapshots: Snapshot[] = [];
  let total: number | undefined;
  let last = Number.POSITIVE_INFINITY;
  let isSorted = true;
  for await (const page of pages(ask, { limit: undefined, offset: 0 }, report)) {
    total = page.total;
    snapshots.push(...page.items);
    for (const { observed_at } of page.items) {
      const at = Date.parse(observed_at ?? '');
      isSorted &&= at <= last;
      last = at;
    }
    if (from !== undefined && isSorted && last < from) break;
  }
  return {
    total,
    snapshots: snapshots.filter((one) => from === undefined || !(Date.parse(one.observed_at ?? '') < from)),
  };
}

/** A row of a source that is no longer listed keeps the place that it had. */
function joined(before: readonly SnapshotRow[], read: readonly SnapshotRow[]): readonly SnapshotRow[] {
  const rows = new Map(before.map((row) => [rowKey(row), row]));
  for (const row of read) {
    const { title_original, unit, settlement } = row.settlement ? row : (rows.get(rowKey(row)) ?? row);
    rows.set(rowKey(row), { ...row, title_original, unit, settlement });
  }
  return [...rows.values()];
}

function byTime(a: SnapshotRow, b: SnapshotRow): number {
  const [one, other] = [microsOf(a.observed_at), microsOf(b.observed_at)];
  if (one !== other && !Number.isNaN(one) && !Number.isNaN(other)) return one - other;
  return rowKey(a).localeCompare(rowKey(b), 'en', { numeric: true });
}
