/** Prices of a product side by side: where it is sold now, the cheapest place, the differences. */
import type { Cell, Column, ListOutput } from '../../output/types.ts';
import type { SeriesField } from './api.ts';
import type { Source } from './schema.ts';
import { amountOf, type OfferField, unitOf } from './series.ts';
import { exact, percentOf, type Series } from './statistics.ts';

/** A source, and how its price compares with others of the product in the same unit. */
export type Offer = Source & {
  readonly canonical_product_id: string;
  readonly effective_price: number | null;
  readonly effective_field: SeriesField | null;
  readonly cheapest: boolean;
  readonly above_cheapest: number | null;
  readonly above_cheapest_percent: number | null;
  /** It was observed long ago. */
  readonly stale: boolean;
  /** Its price day by day, where that was asked for. */
  readonly trend?: Series;
};

export interface OfferRules {
  readonly field: OfferField;
  /** What was observed before is marked. */
  readonly freshSince: number;
}

/** Of one product; the cheapest first, those without a price last. */
export function offersOf(productId: string, sources: readonly Source[], rules: OfferRules): readonly Offer[] {
  const lowest = new Map<string, number>();
  for (const source of sources) {
    const value = amountOf(source, rules.field)?.value ?? Number.POSITIVE_INFINITY;
    lowest.set(unitOf(source), Math.min(value, lowest.get(unitOf(source)) ?? value));
  }
  const offers = sources.map((source) => {
    const amount = amountOf(source, rules.field);
    const floor = lowest.get(unitOf(source)) ?? null;
    const above = amount === undefined || floor === null ? null : exact(amount.value - floor);
    return {
      ...source,
      canonical_product_id: String(source.canonical_product_id ?? productId),
      effective_price: amount?.value ?? null,
      effective_field: amount?.field ?? null,
      cheapest: above === 0,
      above_cheapest: above,
      above_cheapest_percent: above === null ? null : percentOf(above, floor),
      stale: observedBefore(source, rules.freshSince),
    };
  });
  const order = ({ effective_price }: Offer): number => effective_price ?? Number.MAX_VALUE;
  return offers.sort((a, b) => order(a) - order(b));
}

/** What does not say when it was observed is not taken for old. */
export function observedBefore({ observed_at }: Pick<Source, 'observed_at'>, time: number): boolean {
  return observed_at !== undefined && observed_at !== null && Date.parse(observed_at) < time;
}

export type Place = 'store' | 'region';

/** How far the prices of one product, by one unit, are apart within a store or a region. */
export interface Spread {
  readonly canonical_product_id: string;
  readonly title: string | null;
  /** The store (`parser_name`) or the region; null where the sources have none. */
  readonly place: string | null;
  /** What a price is for. */
  readonly unit: string;
  /** How many sources have a price. */
  readonly offers: number;
  readonly min: number;
  readonly max: number;
  readonly spread: number;
  readonly spread_percent: number | null;
}

/** In the offers' order: by product, cheapest first. `placeOf` names the store or the region. */
export function spreadsOf(offers: readonly Offer[], placeOf: (offer: Offer) => string | null): readonly Spread[] {
  const priced = offers.filter(({ effective_price }) => effective_price !== null);
  return grouped(priced, (offer) => [offer.canonical_product_id, placeOf(offer), unitOf(offer)]).map((group) => {
    const [first] = group;
    const prices = group.map(({ effective_price }) => effective_price ?? 0);
    const [min, max] = [Math.min(...prices), Math.max(...prices)];
    return {
      canonical_product_id: first.canonical_product_id,
      title: group.find(({ title_original: title }) => title)?.title_original ?? null,
      place: placeOf(first),
      unit: unitOf(first),
      offers: group.length,
      min,
      max,
      spread: exact(max - min),
      spread_percent: percentOf(max - min, min),
    };
  });
}

type Group<Row = Offer> = readonly [Row, ...Row[]];

/** Those whose key is the same, in the order of the first of each. */
export function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => readonly unknown[]): readonly Group<Row>[] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

interface OfferView {
  /** The rows are of several products. */
  readonly several: boolean;
  readonly trend: boolean;
  /** Prices are for different units: each needs its own beside it. */
  readonly mixed?: boolean;
}

export function offerList({ several, trend, mixed = false }: OfferView): ListOutput<Offer> {
  const product: Column<Offer> = { name: 'product', cell: productOf, shrinks: true };
  const unit: Column<Offer> = { name: 'unit', cell: unitOf };
  const columns: Column<Offer>[] = [
    several ? product : { ...product, wide: true },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, shrinks: true },
    { name: 'lowest', cell: priceCell, align: 'right' },
    ...(mixed ? [unit] : []),
    { name: 'above', cell: aboveCell, align: 'right' },
    ...(trend ? [{ name: 'trend', cell: (one: Offer): Cell => one.trend && { spark: one.trend.values } }] : []),
    { name: 'observed', cell: observedCell },
    { name: 'stale', cell: ({ stale }) => (stale ? { text: 'stale', tone: 'warn' } : undefined) },
    { name: 'kind', cell: (one) => one.effective_field?.replace('_price', '') },
    ...(mixed ? [] : [unit]),
    { name: 'region', cell: ({ settlement }) => settlement?.region, wide: true },
    { name: 'source', cell: (one) => one.source_id, wide: true },
    { name: 'price', cell: ({ price }) => price, align: 'right', wide: true },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right', wide: true },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right', wide: true },
    { name: 'id', cell: (one) => one.canonical_product_id, wide: true },
  ];
  return { kind: 'list', columns, id: (one) => one.source_id, empty: 'no prices' };
}

export function spreadList(by: Place): ListOutput<Spread> {
  return {
    kind: 'list',
    columns: [
      { name: 'product', cell: (one) => one.title ?? one.canonical_product_id, shrinks: true },
      { name: by, cell: ({ place }) => place, shrinks: true },
      { name: 'unit', cell: ({ unit }) => unit },
      { name: 'offers', cell: ({ offers }) => offers, align: 'right' },
      { name: 'min', cell: ({ min }) => min, align: 'right' },
      { name: 'max', cell: ({ max }) => max, align: 'right' },
      { name: 'spread', cell: ({ spread }) => spread, align: 'right' },
      { name: 'percent', cell: (one) => percentCell(one.spread_percent), align: 'right' },
      { name: 'id', cell: (one) => one.canonical_product_id, wide: true },
    ],
    id: ({ place }) => place ?? undefined,
    empty: 'no prices',
  };
}

function productOf(offer: Offer): string {
  return offer.title_original ?? offer.canonical_product_id;
}

function priceCell({ effective_price, cheapest }: Offer): Cell {
  return cheapest ? { text: String(effective_price), tone: 'good' } : effective_price;
}

function aboveCell({ cheapest, above_cheapest, above_cheapest_percent: amount }: Offer): Cell {
  if (cheapest) return { amount, text: 'cheapest', tone: 'good' };
  // Of nothing there is no percentage.
  return above_cheapest === null ? undefined : { amount, text: `${percentText(amount) || above_cheapest} more` };
}

function percentCell(amount: number | null): Cell {
  return amount === null ? undefined : { amount, text: percentText(amount) };
}

function percentText(percent: number | null): string {
  return percent === null ? '' : `${Number(percent.toFixed(1))}%`;
}

function observedCell({ observed_at, stale }: Offer): Cell {
  if (!observed_at) return undefined;
  return stale ? { time: observed_at, tone: 'warn' } : { time: observed_at };
}

/** With more products there is no line for each below the rows. */
const MOST_LINES = 5;

/** For each product, who is cheapest and how far the prices are apart. */
export function offersFooter(offers: readonly Offer[], staleDays: number): string | undefined {
  const cheapest = offers.filter((one) => one.cheapest);
  const stale = offers.filter((one) => one.stale).length;
  const groups = cheapest.length > MOST_LINES ? [] : grouped(cheapest, productAndUnit);
  // A footer may have several lines: a name in it must not make one of its own.
  const lines = groups.map((group) => cheapestLine(group, offers).replaceAll('\n', '\\n'));
  if (stale > 0) lines.push(`${stale} stale: observed more than ${staleDays} days ago; --newer-than omits them`);
  return lines.length === 0 ? undefined : lines.join('\n');
}

function productAndUnit(offer: Offer): readonly unknown[] {
  return [offer.canonical_product_id, unitOf(offer)];
}

function cheapestLine(group: Group, offers: readonly Offer[]): string {
  const [first] = group;
  const key = String(productAndUnit(first));
  const same = offers.filter((one) => one.effective_price !== null && String(productAndUnit(one)) === key);
  const dearest = same.at(-1);
  const places = group.map(({ parser_name, settlement }) => [parser_name, settlement?.name].filter(Boolean).join(' '));
  const where = [...new Set(places)].join(', ');
  const percent = dearest?.above_cheapest_percent ? `, ${percentText(dearest.above_cheapest_percent)} more` : '';
  const price = `${first.effective_price} ${unitOf(first)}`.trimEnd();
  const apart =
    same.length < 2 ? '' : `; the most expensive of ${same.length} is ${dearest?.effective_price}${percent}`;
  return `${productOf(first)}: cheapest at ${where}, ${price}${apart}`;
}
