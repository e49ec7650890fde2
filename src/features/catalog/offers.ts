/** Prices of a product side by side: what it can be had for now, where it is cheapest, and how far the places are apart. */
import type { SeriesField } from './api.ts';
import { numberOf } from './numeric.ts';
import type { Source } from './schema.ts';
import { unitOf } from './series-names.ts';
import { exact, percentOf, type Series } from './statistics.ts';

const PRICE_FIELDS: readonly SeriesField[] = ['price', 'discount_price', 'loyal_price'];

/** `lowest`: the lowest of the prices that a source has. A product's `price_from` is not: its loyalty price may be below it. */
export type OfferField = 'lowest' | SeriesField;

interface Amount {
  readonly value: number;
  readonly field: SeriesField;
}

/** Undefined where the source has no such value. */
export function amountOf(source: Source, wanted: OfferField): Amount | undefined {
  let lowest: Amount | undefined;
  for (const field of wanted === 'lowest' ? PRICE_FIELDS : [wanted]) {
    const value = numberOf(source[field]);
    if (value !== null && (lowest === undefined || value < lowest.value)) lowest = { value, field };
  }
  return lowest;
}

/** A source as it came, and how its price compares with the others of the product that sell by the same unit. */
export type Offer = Source & {
  readonly canonical_product_id: string;
  readonly effectivePrice: number | null;
  readonly effectiveField: SeriesField | null;
  readonly cheapest: boolean;
  readonly aboveCheapest: number | null;
  readonly aboveCheapestPercent: number | null;
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
    const amount = amountOf(source, rules.field);
    if (amount === undefined) continue;
    const unit = unitOf(source);
    lowest.set(unit, Math.min(amount.value, lowest.get(unit) ?? Number.POSITIVE_INFINITY));
  }
  const offers = sources.map((source) => {
    const amount = amountOf(source, rules.field);
    const floor = lowest.get(unitOf(source)) ?? null;
    const above = amount === undefined || floor === null ? null : exact(amount.value - floor);
    return {
      ...source,
      canonical_product_id: source.canonical_product_id ?? productId,
      effectivePrice: amount?.value ?? null,
      effectiveField: amount?.field ?? null,
      cheapest: above === 0,
      aboveCheapest: above,
      aboveCheapestPercent: above === null ? null : percentOf(above, floor),
      stale: observedBefore(source, rules.freshSince),
    };
  });
  return offers.sort((a, b) => {
    if (a.effectivePrice === null || b.effectivePrice === null) {
      return Number(a.effectivePrice === null) - Number(b.effectivePrice === null);
    }
    return a.effectivePrice - b.effectivePrice;
  });
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
  readonly spreadPercent: number | null;
}

/** In the order of the offers: product by product, the lowest price first. */
export function spreadsOf(offers: readonly Offer[], by: Place): readonly Spread[] {
  const groups = new Map<string, Spread>();
  for (const offer of offers) {
    const price = offer.effectivePrice;
    if (price === null) continue;
    const place = by === 'store' ? offer.parser_name : (offer.settlement?.region ?? null);
    const unit = unitOf(offer);
    const key = JSON.stringify([offer.canonical_product_id, place, unit]);
    const before = groups.get(key);
    const min = Math.min(price, before?.min ?? price);
    const max = Math.max(price, before?.max ?? price);
    groups.set(key, {
      canonical_product_id: offer.canonical_product_id,
      title: before?.title ?? offer.title_original ?? null,
      place,
      unit,
      offers: (before?.offers ?? 0) + 1,
      min,
      max,
      spread: exact(max - min),
      spreadPercent: percentOf(max - min, min),
    });
  }
  return [...groups.values()];
}
