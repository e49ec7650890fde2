/** A condition on a product's prices, and whether it holds now: yes, no, or not known. */
import { SvcError } from '../../errors.ts';
import type { Catalog, SeriesField } from './api.ts';
import type { Report } from './lists.ts';
import { productSeries, type SourceSelection, selectSources } from './product-sources.ts';
import {
  amountOf,
  inEffect,
  type OfferField,
  observedBefore,
  type PriceSeries,
  seriesNames,
  seriesOf,
  titleOf,
  unitOf,
} from './series.ts';
import { exact, percentOf } from './statistics.ts';
import { type Per, pricesPer } from './unit-price.ts';
import { wireTime } from './window.ts';

export type Condition =
  | { readonly kind: 'below' | 'above'; readonly limit: number }
  | { readonly kind: 'change'; readonly percent: number; readonly direction: 'up' | 'down' | 'either' };

/** For the offer with the lowest value, for one at least, or for every one. */
export type Judged = 'lowest' | 'any' | 'all';

interface Wanted {
  readonly below: number | undefined;
  readonly above: number | undefined;
  readonly change: string | undefined;
}

/** Throws `usage` and `invalid_value` unless there is just one. */
export function conditionOf({ below, above, change }: Wanted): Condition {
  const given = [below, above, change].filter((option) => option !== undefined);
  if (given.length !== 1) {
    const what = given.length === 0 ? 'no condition to check' : 'only one condition can be checked';
    throw new SvcError('usage', what, { hint: 'pass one of --below, --above and --change' });
  }
  if (below !== undefined) return { kind: 'below', limit: below };
  return above === undefined ? changeOf(change ?? '') : { kind: 'above', limit: above };
}

function changeOf(text: string): Condition {
  const [, sign = '', digits = ''] = /^([+-]?)(\d{1,6}(?:\.\d{1,6})?)%$/.exec(text) ?? [];
  const percent = Number(digits);
  if (percent > 0) {
    const signed = sign === '+' ? 'up' : 'down';
    return { kind: 'change', percent, direction: sign === '' ? 'either' : signed };
  }
  throw new SvcError('invalid_value', `--change: "${text}" is not a percentage above 0`, {
    hint: 'write it like 10% (either way), +10% (a rise) or -10% (a fall)',
  });
}

/** As in a sentence: `below 100`. */
export function conditionText(condition: Condition): string {
  if (condition.kind !== 'change') return `${condition.kind} ${condition.limit}`;
  const way = { up: 'a rise', down: 'a fall', either: 'a change' }[condition.direction];
  return `${way} of ${condition.percent}% or more`;
}

/** What is known of one offer: of a product at one store, in one place, by one unit. */
export interface Reading {
  readonly parser_name: string;
  readonly source_id: string;
  /** Its name among the others. */
  readonly series: string;
  readonly field: SeriesField | null;
  /** The latest one; null where there is none. */
  readonly value: number | null;
  /** What a price is for: of different units there is no lowest one. Empty for a count. */
  readonly unit: string;
  readonly observed_at: string | null;
  /** It was observed too long ago to be a current value. */
  readonly stale: boolean;
  /** With a change: the value in effect at --since, and how far the latest is from it. */
  readonly first?: number | null;
  readonly change_percent?: number | null;
}

export type JudgedReading = Reading & {
  /** Null where it is not known. */
  readonly holds: boolean | null;
};

export interface Verdict {
  /** Null where it is not known. */
  readonly ok: boolean | null;
  readonly sources: readonly JudgedReading[];
  /** Those whose value is no current one. */
  readonly stale: readonly Reading[];
}

/**
 * An old value never satisfies the condition, because its offer may have ended. With `all` it
 * leaves the result unknown, unless another offer decides. Without `all`, an offer without a value
 * is ignored.
 */
export function judge(condition: Condition, readings: readonly Reading[], judged: Judged): Verdict {
  const stale = readings.filter((reading) => reading.stale);
  const current = readings.filter((reading) => !reading.stale);
  const chosen = judged === 'lowest' ? lowest(current) : current;
  const sources = chosen.map((reading) => ({ ...reading, holds: holds(condition, reading) }));
  const outcomes = sources.filter(({ value }) => judged === 'all' || value !== null).map((one) => one.holds);
  if (judged === 'all' && stale.length > 0) outcomes.push(null);
  // One outcome of this kind decides; else all must be known.
  const decisive = judged !== 'all';
  if (outcomes.includes(decisive)) return { ok: decisive, sources, stale };
  const isUnknown = outcomes.length === 0 || outcomes.includes(null);
  return { ok: isUnknown ? null : !decisive, sources, stale };
}

function holds(condition: Condition, { value, change_percent }: Reading): boolean | null {
  if (condition.kind === 'change') {
    if (change_percent === undefined || change_percent === null) return null;
    const { direction, percent } = condition;
    return { up: change_percent, down: -change_percent, either: Math.abs(change_percent) }[direction] >= percent;
  }
  if (value === null) return null;
  return condition.kind === 'below' ? value < condition.limit : value > condition.limit;
}

function lowest(readings: readonly Reading[]): readonly Reading[] {
  const known = readings.filter(({ value }) => value !== null);
  const units = [...new Set(known.map(({ unit }) => unit || 'no unit'))].sort();
  if (units.length > 1) {
    throw new SvcError(
      'guarded',
      `the sources sell in different units, so there is no lowest price: ${units.join(', ')}`,
      { hint: 'choose some with --store and --source, or check each with --any or --all' },
    );
  }
  const [first, ...others] = known;
  if (first === undefined) return readings;
  return [others.reduce((least, one) => (Number(one.value) < Number(least.value) ? one : least), first)];
}

/** What was found: `the lowest is 79.9 RUB/PCE (discount_price, fixprice Moscow)`. */
export function verdictText({ sources, stale }: Verdict, judged: Judged): string {
  const old = stale.map((one) => `${one.series} ${one.value ?? '-'} of ${one.observed_at}`);
  const found = foundText(sources, judged);
  return old.length === 0 ? found : `${found}; too old to be current: ${listSome(old)}`;
}

function foundText(sources: readonly JudgedReading[], judged: Judged): string {
  const [first] = sources;
  if (sources.every(({ value }) => value === null)) return 'there is no current value';
  if (judged === 'lowest' && first !== undefined) {
    return `the lowest is ${`${first.value} ${first.unit}`.trimEnd()} (${first.field}, ${first.series})`;
  }
  const count = sources.filter(({ holds }) => holds === true).length;
  const offers = sources.length === 1 ? 'offer' : 'offers';
  // Those that decide come first.
  const decisive = judged !== 'all';
  const ordered = sources.toSorted((a, b) => Number(b.holds === decisive) - Number(a.holds === decisive));
  return `it holds for ${count} of ${sources.length} ${offers} (${listSome(ordered.map(sourceText))})`;
}

/** The number of offers that a sentence names. */
const MOST_NAMED = 4;

function listSome(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(', ') + more;
}

function sourceText({ series, value, first, change_percent }: JudgedReading): string {
  if (value === null) return `${series} unknown`;
  if (first === undefined) return `${series} ${value}`;
  if (change_percent === undefined || change_percent === null) return `${series} ${value}, change unknown`;
  const sign = change_percent > 0 ? '+' : '';
  return `${series} ${first} to ${value}, ${sign}${Number(change_percent.toFixed(1))}%`;
}

export interface ReadingWanted extends SourceSelection {
  readonly field: OfferField | undefined;
  readonly per: Per | undefined;
  /** Since when its change is measured; undefined where only the value counts. */
  readonly since: number | undefined;
  readonly now: number;
  /** What was observed longer ago is no current value. */
  readonly maxAgeMs: number;
}

export interface Readings {
  readonly title: string;
  readonly readings: readonly Reading[];
}

/** Throws `not_found` if there is no such product or source. */
export async function readPrices(
  catalog: Catalog,
  productId: string,
  wanted: ReadingWanted,
  report: Report,
): Promise<Readings> {
  const { since } = wanted;
  const all =
    since === undefined
      ? seriesOf(await selectSources(catalog, productId, wanted, report))
      : (await productSeries(catalog, productId, wanted, report)).series;
  if (all.some(({ observed_at }) => observed_at !== null && Number.isNaN(Date.parse(observed_at)))) {
    report({ text: 'the age of an offer is not known: its observed_at is not a time', incomplete: true });
  }
  const { series, notes } = pricesPer(all, wanted);
  for (const text of notes) report({ text, incomplete: false });
  const names = seriesNames(series);
  const readings = series.map((one, index): Reading => {
    const { parser_name, source_id } = one;
    const found = since === undefined ? readCurrent(one, wanted) : readChange(one, wanted, since);
    const stale = observedBefore(found, wanted.now - wanted.maxAgeMs);
    // A count is of pieces, whatever its product's price is for.
    const unit = wanted.field === 'available_count' ? '' : unitOf(one);
    return { parser_name, source_id, series: names[index] ?? parser_name, unit, stale, ...found };
  });
  return { title: titleOf(all) ?? productId, readings };
}

type FoundPrice = Omit<Reading, 'parser_name' | 'source_id' | 'series' | 'unit' | 'stale'>;

function readCurrent({ offer, observed_at }: PriceSeries, { field = 'lowest' }: ReadingWanted): FoundPrice {
  const amount = offer && amountOf(offer, field);
  return { field: amount?.field ?? null, value: amount?.value ?? null, observed_at };
}

/** Of the plain price: the lowest of several may be another one each time. */
function readChange(series: PriceSeries, { field = 'price', now }: ReadingWanted, since: number): FoundPrice {
  const { observations, offer, observed_at } = series;
  const last = inEffect(observations, field, now);
  const first = inEffect(observations, field, since)?.value ?? null;
  // A row may have no snapshot yet: its value is known, and how far it moved is not.
  const found = last ?? (offer && amountOf(offer, field));
  const value = found?.value ?? null;
  return {
    field: found?.field ?? (field === 'lowest' ? null : field),
    value,
    observed_at: last === undefined ? observed_at : wireTime(last.until),
    first,
    change_percent: first === null || value === null ? null : percentOf(exact(value - first), first),
  };
}
