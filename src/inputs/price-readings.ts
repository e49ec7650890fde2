/** What is known of a product's prices at one look: now, or over a while. */
import type { RunContext } from '../cli/command.ts';
import type { SvcError } from '../errors.ts';
import type { Catalog, SeriesField } from '../services/catalog/client.ts';
import { historyWindow } from '../services/catalog/history-window.ts';
import { amountOf, type OfferField, observedBefore } from '../services/catalog/offers.ts';
import type { Reading } from '../services/catalog/price-condition.ts';
import {
  historySources,
  type KnownSource,
  listedSources,
  nothingThere,
  notListed,
  type SourceSelection,
  selects,
} from '../services/catalog/product-sources.ts';
import { seriesNames, unitOf } from '../services/catalog/series-names.ts';
import { statisticsOf } from '../services/catalog/statistics.ts';
import { type Histories, readHistories } from './product-histories.ts';

export interface ReadingWanted extends SourceSelection {
  readonly field: OfferField | undefined;
  /** How far it moved since, and not only what it is. */
  readonly change: boolean;
  readonly since: number;
  readonly now: number;
  readonly newerThan: number | undefined;
}

export interface Readings {
  readonly known: readonly Reading[];
  /** Why some sources could not be read. */
  readonly failure: SvcError | undefined;
}

/** Throws `not_found` where there is no such product or source. */
export async function readings(
  catalog: Catalog,
  productId: string,
  wanted: ReadingWanted,
  ctx: Pick<RunContext, 'progress'>,
): Promise<Readings> {
  if (wanted.change) return changes(catalog, productId, wanted, ctx);
  const listed = await listedSources(catalog, productId);
  const chosen = listed.filter((source) => selects(wanted, source));
  if (chosen.length === 0) throw nothingThere(listed, wanted) ?? (await notListed(catalog, productId));
  const names = seriesNames(chosen);
  const known = chosen.map((source, index) => {
    const old = wanted.newerThan !== undefined && observedBefore(source, wanted.now - wanted.newerThan);
    const amount = old ? undefined : amountOf(source, wanted.field ?? 'lowest');
    return {
      parser_name: source.parser_name,
      source_id: source.source_id,
      series: names[index] ?? source.parser_name,
      field: amount?.field ?? null,
      value: amount?.value ?? null,
      unit: unitOf(source),
      observed_at: source.observed_at ?? null,
    };
  });
  return { known, failure: undefined };
}

async function changes(
  catalog: Catalog,
  productId: string,
  wanted: ReadingWanted,
  ctx: Pick<RunContext, 'progress'>,
): Promise<Readings> {
  const field = (wanted.field ?? 'price') as SeriesField;
  const window = historyWindow({ from: wanted.since, to: wanted.now }, 'auto');
  const sources = await historySources(catalog, productId, wanted);
  const found = await readHistories(catalog, productId, sources, { field, window }, ctx);
  const names = seriesNames(sources);
  const known = sources.flatMap((source, index) => readingOf(source, names[index] ?? '', field, found));
  return { known, failure: found.failed[0]?.error };
}

/** None for a source that could not be read; one without a value for a source that has no snapshots. */
function readingOf(source: KnownSource, series: string, field: SeriesField, found: Histories): readonly Reading[] {
  if (found.failed.some((one) => one.source === source)) return [];
  const history = found.read.find((one) => one.source === source)?.history ?? { dates: [], values: [] };
  const { first, last, lastAt, changePercent } = statisticsOf(history);
  const { parser_name, source_id } = source;
  return [
    {
      parser_name,
      source_id,
      series,
      field,
      value: last,
      unit: unitOf(source),
      observed_at: lastAt,
      first,
      changePercent,
    },
  ];
}
