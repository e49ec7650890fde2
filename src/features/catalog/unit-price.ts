/** Prices by the kilogram or the liter, from the size of the package. */
import { SvcError } from '../../errors.ts';
import type { Source } from './schema.ts';
import { type Observation, type PriceSeries, sourceKey } from './series.ts';
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

/** Prices by this unit, rounded to cents; without one, as they are. Names how many have no size. */
export function pricesPer(
  series: readonly PriceSeries[],
  { per, field }: { readonly per: Per | undefined; readonly field: string | undefined },
): { readonly series: readonly PriceSeries[]; readonly notes: readonly string[] } {
  if (per === undefined) return { series, notes: [] };
  if (field === 'available_count') throw new SvcError('usage', '--per applies to prices, not to available_count');
  const converted = series.flatMap((one) => convertedSeries(one, per) ?? []);
  const left = series.length - converted.length;
  const text = `${left} of ${series.length} offers are left out: their size by ${per} is not known`;
  return { series: converted, notes: left === 0 ? [] : [text] };
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

type Prices = Pick<Source, 'price' | 'discount_price' | 'loyal_price'>;

function pricesOf({ price, discount_price, loyal_price }: Prices, amount: number): Prices {
  const by = (value: Prices['price']): number | null => {
    const number = numberOf(value);
    return number === null || number <= 0 ? number : Number((number / amount).toFixed(2));
  };
  return { price: by(price), discount_price: by(discount_price), loyal_price: by(loyal_price) };
}
