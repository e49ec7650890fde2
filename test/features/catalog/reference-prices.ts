/** movers and basket computed once more, from the definitions in their help, as plainly as possible. */
import type { Price, Shelf } from './commands/market.ts';

const round = (value: number): number => Math.round(Number((value * 100).toPrecision(12))) / 100;

const lowestOf = ({ price, discount_price, loyal_price }: Price): number | null => {
  const values = [price, discount_price, loyal_price].flatMap((one) =>
    typeof one === 'number' && one > 0 ? [one] : [],
  );
  return values.length === 0 ? null : Math.min(...values);
};

/** The one last observed at a time, in days before now, if that was not more than `maxAge` before. */
function priceOn({ prices }: Shelf, ago: number, maxAge: number): number | null {
  let last: Price | undefined;
  for (const one of prices) if (one.ago >= ago) last = one;
  return last === undefined || last.ago - ago > maxAge ? null : lowestOf(last);
}

export const unitName = ({ unit }: Shelf): string => `RUB/${unit ?? 'PCE'}`;

export function referenceMovers(shelves: readonly Shelf[], by: 'product' | 'store', since: number, maxAge: number) {
  const keys = new Set(
    shelves.map((one) => JSON.stringify([one.product, unitName(one), by === 'store' ? one.store : null])),
  );
  return [...keys].flatMap((key) => {
    const [product, unit, store] = JSON.parse(key);
    const own = shelves.filter(
      (one) => one.product === product && unitName(one) === unit && (store === null || one.store === store),
    );
    const lowest = (ago: number) =>
      own
        .map((one) => priceOn(one, ago, maxAge))
        .filter((one) => one !== null)
        .sort((a, b) => a - b)[0];
    const isSeen = own.some(({ prices }) => prices.some(({ ago }) => ago < since));
    const [from, to] = [lowest(since), isSeen ? lowest(0) : undefined];
    if (from === undefined || to === undefined || round(to - from) === 0) return [];
    const change_percent = Number((((to - from) / from) * 100).toPrecision(12));
    return [{ product, store, unit, from, to, change: round(to - from), change_percent }];
  });
}

/** Products with a price at one of the times only; one that was not observed after `since` has none now. */
export function referenceComings(shelves: readonly Shelf[], since: number, maxAge: number) {
  const products = [...new Set(shelves.map((one) => one.product))].map((product) => {
    const own = shelves.filter((one) => one.product === product);
    const lowest = (ago: number): number | undefined =>
      own
        .map((one) => priceOn(one, ago, maxAge))
        .filter((one) => one !== null)
        .sort((a, b) => a - b)[0];
    const isSeen = own.some(({ prices }) => prices.some(({ ago }) => ago < since));
    return { product, from: lowest(since), to: isSeen ? lowest(0) : undefined };
  });
  return {
    new: products.flatMap(({ product, from, to }) => (from === undefined && to !== undefined ? [[product, to]] : [])),
    gone: products.flatMap(({ product, from, to }) =>
      from !== undefined && to === undefined ? [[product, from]] : [],
    ),
  };
}

/** Of one unit. */
export function referenceBasket(shelves: readonly Shelf[], basket: ReadonlyMap<string, number>) {
  const sold = shelves.filter((one) => basket.has(one.product) && lowestOf(one.prices.at(-1) as Price) !== null);
  const keys = [...new Set(sold.map(({ store, place }) => JSON.stringify([store, place])))];
  return keys.map((key) => {
    const [store, place] = JSON.parse(key);
    let cost = 0;
    const missing: string[] = [];
    for (const [product, quantity] of basket) {
      const prices = sold
        .filter((one) => one.product === product && one.place === place && one.store === store)
        .map((one) => lowestOf(one.prices.at(-1) as Price) ?? 0);
      if (prices.length === 0) missing.push(product);
      else cost += quantity * Math.min(...prices);
    }
    return { store, place, cost: round(cost), missing };
  });
}
