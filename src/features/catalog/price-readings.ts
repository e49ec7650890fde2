/** What is known of a product's prices at one time: now, and how far they moved. */
import type { Catalog, SeriesField } from './api.ts';
import { amountOf, type OfferField, observedBefore } from './offers.ts';
import type { Report } from './paging.ts';
import type { Reading } from './price-condition.ts';
import {
  listedSources,
  missingSources,
  nothingThere,
  notListed,
  productSeries,
  type SourceSelection,
  selects,
} from './product-sources.ts';
import { inEffect, type PriceSeries, seriesOf } from './series.ts';
import { seriesNames, unitOf } from './series-names.ts';
import { exact, percentOf } from './statistics.ts';
import { wireTime } from './window.ts';

export interface ReadingWanted extends SourceSelection {
  readonly field: OfferField | undefined;
  /** Since when its change is measured; undefined where only the value counts. */
  readonly since: number | undefined;
  readonly now: number;
  /** What was observed longer ago is no current value. */
  readonly maxAgeMs: number;
}

export interface Readings {
  readonly readings: readonly Reading[];
  /** What was asked for and is not there. */
  readonly missing: readonly string[];
}

/** Throws `not_found` where there is no such product or source. */
export async function readings(
  catalog: Catalog,
  productId: string,
  wanted: ReadingWanted,
  report: Report,
): Promise<Readings> {
  const { since } = wanted;
  if (since === undefined) return offered(catalog, productId, wanted, report);
  const { series, missing } = await productSeries(catalog, productId, wanted, report);
  const field = (wanted.field ?? 'price') as SeriesField;
  const names = seriesNames(series);
  return {
    readings: series.map((one, index) => moved(one, names[index] ?? '', field, { ...wanted, since })),
    missing,
  };
}

async function offered(catalog: Catalog, productId: string, wanted: ReadingWanted, report: Report): Promise<Readings> {
  const listed = await listedSources(catalog, productId, report);
  const chosen = seriesOf(
    listed.filter((source) => selects(wanted, source)),
    [],
  );
  if (chosen.length === 0) throw nothingThere(listed, wanted) ?? (await notListed(catalog, productId));
  const names = seriesNames(chosen);
  const known = chosen.map((series, index): Reading => {
    const { parser_name, source_id, observed_at, offer } = series;
    const amount = offer && amountOf(offer, wanted.field ?? 'lowest');
    return {
      parser_name,
      source_id,
      series: names[index] ?? parser_name,
      field: amount?.field ?? null,
      value: amount?.value ?? null,
      unit: measuredBy(series, wanted.field),
      observed_at,
      stale: observedBefore(series, wanted.now - wanted.maxAgeMs),
    };
  });
  return { readings: known, missing: missingSources(wanted, listed) };
}

function moved(
  series: PriceSeries,
  name: string,
  field: SeriesField,
  { now, since, maxAgeMs }: ReadingWanted & { readonly since: number },
): Reading {
  const last = inEffect(series.observations, field, now);
  const first = inEffect(series.observations, field, since)?.value ?? null;
  // A row may have no snapshot yet: its value is known, and how far it moved is not.
  const value = last === undefined ? ((series.offer && amountOf(series.offer, field)?.value) ?? null) : last.value;
  const observed_at = last === undefined ? series.observed_at : wireTime(last.until);
  return {
    parser_name: series.parser_name,
    source_id: series.source_id,
    series: name,
    field,
    value,
    unit: measuredBy(series, field),
    observed_at,
    stale: observedBefore({ observed_at }, now - maxAgeMs),
    first,
    changePercent: first === null || value === null ? null : percentOf(exact(value - first), first),
  };
}

/** A count is of pieces, whatever its product's price is for. */
function measuredBy(series: PriceSeries, field: OfferField | undefined): string {
  return field === 'available_count' ? '' : unitOf(series);
}
