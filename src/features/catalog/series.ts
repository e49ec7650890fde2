/**
 * The prices of a product at one store, in one place, by one unit. The catalog's writer makes a new
 * source with one snapshot for every scrape; here they are joined by time of observation.
 */
import type { SeriesField } from './api.ts';
import type { Snapshot, SnapshotRow, Source, SourceKey } from './schema.ts';
import { compare, isBlank, numberOf } from './statistics.ts';
import type { CalendarWindow } from './window.ts';

/** `lowest` may be a loyalty price, and so below the product's `price_from`. */
export type OfferField = 'lowest' | SeriesField;

const PRICES = ['price', 'discount_price', 'loyal_price'] as const;
export const SERIES_FIELDS = [...PRICES, 'available_count'] as const;

export const PRICE_FIELDS = ['lowest', ...PRICES] as const;

export interface Amount {
  readonly value: number;
  /** The one that it is. */
  readonly field: SeriesField;
}

type Amounts = Partial<Pick<Source, SeriesField>>;

/** A price of 0 or less is no price, but a count may be 0. */
export function amountOf(source: Amounts, wanted: OfferField): Amount | undefined {
  let lowest: Amount | undefined;
  for (const field of wanted === 'lowest' ? PRICES : [wanted]) {
    const value = numberOf(source[field]);
    if (value === null || (value <= 0 && field !== 'available_count')) continue;
    if (lowest === undefined || value < lowest.value) lowest = { value, field };
  }
  return lowest;
}

/** Microseconds since 1970, the finest that the service keeps. */
type Micros = number;

/** What is used of a snapshot: a thousand products have many. */
type Observed = Pick<Snapshot, SeriesField | 'id' | 'parser_name' | 'source_id' | 'observed_at'>;

/** It is valid from valid_from_at to valid_to_at, else when it was observed (doc 3 §4). */
export interface Observation {
  readonly snapshot: Observed;
  readonly from: Micros;
  readonly to: Micros;
  readonly observed: Micros;
}

/** Named by its newest row, or by its newest snapshot where no row is left. */
export interface PriceSeries extends SourceKey {
  readonly price_unit: string | null;
  readonly unit: string | null;
  readonly settlement: Source['settlement'];
  readonly title_original: string | null;
  readonly observed_at: string | null;
  /** What the product is offered for now: rows from before are history. */
  readonly offer: Source | undefined;
  /** Those that are joined in it. */
  readonly rows: readonly Source[];
  /** By the time of observation. */
  readonly observations: readonly Observation[];
}

interface Group {
  readonly place: string;
  readonly units: readonly [price: string | null, goods: string | null];
  readonly rows: Source[];
  readonly snapshots: Snapshot[];
}

/** In the order of stores and places: the same picture each time, whichever was seen last. */
export function seriesOf(rows: readonly Source[], snapshots: readonly Snapshot[] = []): readonly PriceSeries[] {
  const rowOf = new Map(rows.map((row) => [sourceKey(row), row]));
  const groups = new Map<string, Group>();
  const groupOf = (place: string, units: Group['units']): Group => {
    const key = JSON.stringify([place, units]);
    const group = groups.get(key) ?? { place, units, rows: [], snapshots: [] };
    groups.set(key, group);
    return group;
  };
  for (const row of rows) groupOf(placeOf(row), unitsOf(row)).rows.push(row);
  for (const snapshot of snapshots) {
    const row = rowOf.get(sourceKey(snapshot));
    // Only a source's row has its place. Without it two sources may be of different places.
    const place =
      row === undefined ? JSON.stringify([snapshot.parser_name, 'source', snapshot.source_id]) : placeOf(row);
    const [price, goods] = row === undefined ? [null, null] : unitsOf(row);
    groupOf(place, [snapshot.price_unit || price, goods]).snapshots.push(snapshot);
  }
  return joinedUnits([...groups.values()])
    .map(seriesIn)
    .sort(byPlace);
}

/** A row without a price often has no unit. It joins its place's series if there is just one. */
function joinedUnits(groups: readonly Group[]): readonly Group[] {
  const left = new Set(groups);
  for (const group of groups) {
    if (!group.units.includes(null)) continue;
    const [fitting, ...others] = [...left].filter(
      (other) => other !== group && other.place === group.place && completes(other.units, group.units),
    );
    if (fitting === undefined || others.length > 0) continue;
    fitting.rows.push(...group.rows);
    fitting.snapshots.push(...group.snapshots);
    left.delete(group);
  }
  return [...left];
}

function completes(whole: Group['units'], part: Group['units']): boolean {
  return part.every((unit, index) => unit === null || unit === whole[index]) && whole.join() !== part.join();
}

function seriesIn({ units: [price_unit, unit], rows, snapshots }: Group): PriceSeries {
  const offer = rows.reduce<Source | undefined>(
    (newest, row) => (newest && !isNewer(row, newest) ? newest : row),
    undefined,
  );
  const observations = snapshots.map(observationOf).sort(byObservation);
  const newest = offer ?? observations.at(-1)?.snapshot ?? snapshots[0];
  const { parser_name = '', source_id = '', observed_at } = newest ?? {};
  return {
    parser_name,
    source_id,
    price_unit,
    unit,
    settlement: offer?.settlement ?? null,
    title_original: offer?.title_original ?? null,
    observed_at: observed_at ?? null,
    offer,
    rows,
    observations,
  };
}

/** As in the service's own `dynamics`, the latest observation in an interval decides. */
export function bucketAmounts(
  observations: readonly Observation[],
  field: OfferField,
  { from: begin, to: until, starts, end }: Pick<CalendarWindow, 'from' | 'to' | 'starts' | 'end'>,
): readonly (Amount | null)[] {
  const values = new Array<Amount | null>(starts.length).fill(null);
  for (const { snapshot, from, to } of observations) {
    const [first, last] = [Math.max(from, begin * 1000), Math.min(to, until * 1000, end * 1000 - 1)];
    if (first <= last)
      values.fill(amountOf(snapshot, field) ?? null, startsUntil(first, starts) - 1, startsUntil(last, starts));
  }
  return values;
}

/** How many of the points begin until then. */
function startsUntil(time: Micros, starts: readonly number[]): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) * 1000 <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface InEffect {
  readonly value: number | null;
  readonly field: SeriesField | null;
  /** When it was last observed, in milliseconds since 1970: not after the given time. */
  readonly until: number;
}

/** The first title that one of these has. */
export function titleOf(rows: readonly { readonly title_original?: string | null | undefined }[]): string | undefined {
  return rows.find((one) => one.title_original)?.title_original ?? undefined;
}

/** A value lasts until the next observation. `at` is in milliseconds since 1970. */
export function inEffect(observations: readonly Observation[], field: OfferField, at: number): InEffect | undefined {
  const time = at * 1000;
  let found: Observation | undefined;
  let until = Number.NEGATIVE_INFINITY;
  for (const one of observations) {
    if (one.from > time || Math.min(one.to, time) < until) continue;
    found = one;
    until = Math.min(one.to, time);
  }
  if (found === undefined) return undefined;
  const amount = amountOf(found.snapshot, field);
  return { value: amount?.value ?? null, field: amount?.field ?? null, until: Math.floor(until / 1000) };
}

type Timed = Pick<SnapshotRow, 'observed_at' | 'valid_from_at' | 'valid_to_at'>;

/** NaN where a time cannot be read. */
export function timesOf(snapshot: Timed): Pick<Observation, 'from' | 'to' | 'observed'> {
  const observed = microsOf(snapshot.observed_at);
  const [one, other] = [snapshot.valid_from_at, snapshot.valid_to_at].map((text) => (text ? microsOf(text) : observed));
  const [from, to] = [Math.min(one ?? observed, other ?? observed), Math.max(one ?? observed, other ?? observed)];
  return { from, to, observed: Number.isNaN(observed) ? to : observed };
}

function observationOf(snapshot: Snapshot): Observation {
  const { id, parser_name, source_id, observed_at, price, discount_price, loyal_price, available_count } = snapshot;
  return {
    snapshot: { id, parser_name, source_id, observed_at, price, discount_price, loyal_price, available_count },
    ...timesOf(snapshot),
  };
}

function microsOf(text: string | null | undefined): Micros {
  const [, below = ''] = /\.\d{3}(\d{1,3})/.exec(text ?? '') ?? [];
  return Date.parse(text ?? '') * 1000 + Number(below.padEnd(3, '0'));
}

function byObservation(a: Observation, b: Observation): number {
  return a.observed - b.observed || Number(a.snapshot.id ?? 0) - Number(b.snapshot.id ?? 0);
}

function isNewer(row: Source, than: Source): boolean {
  const [one, other] = [microsOf(row.observed_at), microsOf(than.observed_at)];
  return !Number.isNaN(one) && (Number.isNaN(other) || one > other);
}

function placeOf({ parser_name, settlement }: Source): string {
  const { id, name, region, country } = settlement ?? {};
  return JSON.stringify([parser_name, isBlank(id) ? [name, region, country] : String(id)]);
}

function unitsOf({ price_unit, unit }: Source): Group['units'] {
  return [price_unit || null, unit || null];
}

export function sourceKey({ parser_name, source_id }: SourceKey): string {
  return JSON.stringify([parser_name, source_id]);
}

function byPlace(a: PriceSeries, b: PriceSeries): number {
  return (
    compare(a.parser_name, b.parser_name) ||
    compare(a.settlement?.name ?? '', b.settlement?.name ?? '') ||
    compare(a.source_id, b.source_id)
  );
}

type Named = Pick<Source, 'parser_name' | 'source_id' | 'settlement' | 'price_unit' | 'unit'>;

/** What does not say when it was observed is not taken for old. */
export function observedBefore({ observed_at }: Pick<Source, 'observed_at'>, time: number): boolean {
  return observed_at !== undefined && observed_at !== null && Date.parse(observed_at) < time;
}

/** Those whose key is the same, in the order of the first of each. */
export function grouped<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly unknown[],
): readonly (readonly [Row, ...Row[]])[] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** The store and the place; the region, the unit and the source where these do not tell them apart. */
export function seriesNames(series: readonly Named[]): readonly string[] {
  const names = series.map(({ parser_name, settlement }) => [parser_name, settlement?.name].filter(Boolean).join(' '));
  const units = series.map(unitOf);
  appendToAlike(
    names,
    series.map(({ settlement }) => (settlement?.name === settlement?.region ? '' : settlement?.region)),
  );
  if (new Set(units).size > 1) {
    for (const [index, unit] of units.entries()) if (unit !== '') names[index] += ` (${unit})`;
  }
  appendToAlike(
    names,
    series.map(({ source_id }) => source_id),
  );
  return names;
}

function appendToAlike(names: string[], texts: readonly (string | null | undefined)[]): void {
  const before = [...names];
  for (const [index, text] of texts.entries()) {
    const isAlone = before.filter((name) => name === before[index]).length === 1;
    if (text && !isAlone) names[index] += ` ${text}`;
  }
}

/** What a price of this source is for: `RUB/KGM`. */
export function unitOf({ price_unit, unit }: Pick<Source, 'price_unit' | 'unit'>): string {
  return [price_unit, unit].filter(Boolean).join('/');
}

/** That of all of them, or none. */
export function sharedUnit(series: readonly Named[]): string | undefined {
  const units = new Set(series.map(unitOf));
  const [unit, ...more] = units;
  return more.length === 0 && unit !== '' ? unit : undefined;
}
