/** Prices by the kilogram or the liter, from the size of the package. */
import { SvcError } from '../../errors.ts';
import type { Source } from './schema.ts';
import { type Observation, type PriceSeries, seriesNames, sourceKey } from './series.ts';
import { numberOf } from './statistics.ts';

const PER = ['kg', 'l'] as const;
export type Per = (typeof PER)[number];

export const PER_FLAG = {
  type: 'choice',
  choices: PER,
  value: 'unit',
  help: 'Prices by weight or volume',
} as const;

/** How many kilograms or liters a unit of the catalog is. */
const MEASURES: Readonly<Record<string, readonly [per: Per, amount: number]>> = {
  KGM: ['kg', 1],
  GRM: ['kg', 0.001],
  LTR: ['l', 1],
  MLT: ['l', 0.001],
};

interface UnitPrices {
  readonly series: readonly PriceSeries[];
  /** How many cannot be converted. */
  readonly left: number;
  /** Packages whose size changed, or may not be what the price is for. */
  readonly doubts: readonly string[];
}

/** Those whose size cannot be converted are left out. Prices are rounded to cents. */
export function pricesPer(series: readonly PriceSeries[], per: Per): UnitPrices {
  const converted = series.flatMap((one) => convertedSeries(one, per) ?? []);
  const names = seriesNames(series);
  const doubts = series.flatMap((one, index) => {
    const sizes = sizesOf(one);
    const texts = sizes.length > 1 ? [`the size changed: ${sizes.join(', then ')}`] : [];
    return [...texts, ...multipackNote(one.offer, per)].map((text) => `${names[index]}: ${text}`);
  });
  return { series: converted, left: series.length - converted.length, doubts };
}

/** The same for one product, with what to say of it. Throws `not_found` where nothing is left. */
export function productPricesPer(
  series: readonly PriceSeries[],
  { per, field }: { readonly per: Per | undefined; readonly field: string | undefined },
): { readonly series: readonly PriceSeries[]; readonly notes: readonly string[] } {
  if (per === undefined) return { series, notes: [] };
  if (field === 'available_count') throw new SvcError('usage', '--per applies to prices, not to available_count');
  const { left, doubts, ...converted } = pricesPer(series, per);
  return { ...converted, notes: [...leftOut(left, series.length, per), ...doubts] };
}

/** What to say of those that cannot be converted. Throws `not_found` if none of them can. */
export function leftOut(left: number, all: number, per: Per): readonly string[] {
  if (left > 0 && left === all) {
    throw new SvcError('not_found', `the catalog has no size by ${per} of these offers`, {
      hint: 'svc catalog products sources <id> -o json shows unit, package_quantity and package_unit',
    });
  }
  return left === 0 ? [] : [`${left} of ${all} offers are left out: their size by ${per} is not known`];
}

function convertedSeries({ offer, observations, rows, ...one }: PriceSeries, per: Per): PriceSeries | undefined {
  const rowOf = new Map(rows.map((row) => [sourceKey(row), row]));
  const sizeOf = (source: Source | undefined): number | undefined => source && amountIn(source, per);
  const newest = sizeOf(offer);
  if (newest === undefined) return undefined;
  const past = observations.flatMap(({ snapshot, ...when }): Observation[] => {
    // A snapshot without its row has the size of the newest.
    const row = rowOf.get(sourceKey(snapshot));
    const size = row === undefined ? newest : sizeOf(row);
    return size === undefined ? [] : [{ ...when, snapshot: { ...snapshot, ...pricesOf(snapshot, size) } }];
  });
  return {
    ...one,
    unit: per,
    rows,
    offer: offer && { ...offer, ...pricesOf(offer, newest), unit: per },
    observations: past,
  };
}

/** How many kilograms or liters its price is for. */
function amountIn({ unit, package_quantity, package_unit }: Source, per: Per): number | undefined {
  const [sold, count] = MEASURES[unit?.toUpperCase() ?? ''] ?? [];
  if (sold === per) return count;
  const [packed, size] = MEASURES[package_unit?.toUpperCase() ?? ''] ?? [];
  const quantity = numberOf(package_quantity);
  if (unit?.toUpperCase() !== 'PCE' || packed !== per || size === undefined || quantity === null || quantity <= 0)
    return undefined;
  return quantity * size;
}

/** `x 12`, `12x`, `12 шт`, `12 pcs`, also with a Cyrillic x: one group is the number of pieces. */
const PIECES =
  /(?<=^|[\s(,\d]|kg|g|l|кг|г|л)[x×х*]\s?(\d{1,3})(?![\d.,\p{L}])|(?<![\p{L}\d.,])(\d{1,3})\s?(?:[x×х*]|шт(?:ук)?|pcs?|pieces?|packs?|pk)(?!\p{L})/iu;
/** `0.5 l` */
const SIZE = /(\d+(?:[.,]\d+)?)\s?(kg|g|ml|l|кг|г|мл|л)(?!\p{L})/giu;
const SIZE_UNITS: Readonly<Record<string, number>> = {
  ...{ kg: 1, кг: 1, l: 1, л: 1 },
  ...{ g: 0.001, г: 0.001, ml: 0.001, мл: 0.001 },
};

/** The size may be that of one piece and the price that of all, unless the title denies it. */
function multipackNote(offer: Source | undefined, per: Per): readonly string[] {
  const title = offer?.title_original ?? '';
  const [, after, before] = PIECES.exec(title) ?? [];
  const pieces = Number(after ?? before ?? 1);
  const size = offer?.unit?.toUpperCase() === 'PCE' && pieces > 1 ? amountIn(offer, per) : undefined;
  if (size === undefined) return [];
  const sizes = [...title.matchAll(SIZE)].map(
    ([, number = '', unit = '']) => Number(number.replace(',', '.')) * (SIZE_UNITS[unit.toLowerCase()] ?? 0),
  );
  if (sizes.some((one) => Math.abs(pieces * one - size) < size / 1000)) return [];
  const doubt = `if ${size} ${per} is the size of one of them, the price by ${per} is too high`;
  return [`${JSON.stringify(title)} has ${pieces} pieces: ${doubt}`];
}

type Prices = Pick<Source, 'price' | 'discount_price' | 'loyal_price'>;

function pricesOf({ price, discount_price, loyal_price }: Prices, amount: number): Prices {
  const by = (value: Prices['price']): number | null => {
    const number = numberOf(value);
    return number === null || number <= 0 ? number : Number((number / amount).toFixed(2));
  };
  return { price: by(price), discount_price: by(discount_price), loyal_price: by(loyal_price) };
}

/** Of its packages, the oldest first, each as often as it was new. */
function sizesOf({ rows }: PriceSeries): readonly string[] {
  const inOrder = rows.toSorted((a, b) => Date.parse(a.observed_at ?? '') - Date.parse(b.observed_at ?? ''));
  const sizes = inOrder.flatMap(({ package_quantity, package_unit }) =>
    numberOf(package_quantity) === null ? [] : [`${numberOf(package_quantity)} ${package_unit ?? ''}`.trim()],
  );
  return sizes.filter((size, index) => size !== sizes[index - 1]);
}
