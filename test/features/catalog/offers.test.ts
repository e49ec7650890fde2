import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Offer, offersOf, spreadsOf } from '../../../src/features/catalog/offers.ts';
import type { Source } from '../../../src/features/catalog/schema.ts';
import { seriesNames, sharedUnit } from '../../../src/features/catalog/series.ts';

const price = fc.option(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }).map(String)));
const source: fc.Arbitrary<Source> = fc.record({
  parser_name: fc.constantFrom('fixprice', 'chizhik'),
  source_id: fc.uuid(),
  price,
  discount_price: price,
  loyal_price: price,
  price_unit: fc.constantFrom('RUB', 'EUR', null),
  unit: fc.constantFrom('PCE', undefined),
  settlement: fc.option(
    fc.record({ name: fc.constantFrom('Moscow', 'Химки'), region: fc.constantFrom('A', 'B', null) }),
  ),
});
const sources = fc.array(source, { maxLength: 12 });
const RULES = { field: 'lowest', freshSince: 0 } as const;

const lowestOf = (one: Source): number | null => {
  const known = [one.price, one.discount_price, one.loyal_price].map(Number).filter((each) => each > 0);
  return known.length === 0 ? null : Math.min(...known);
};

test('the cheapest of a unit has the lowest price, and each source appears once', () => {
  fc.assert(
    fc.property(sources, (all) => {
      const offers = offersOf('p1', all, RULES);
      expect(offers.map((one) => one.source_id).sort()).toEqual(all.map((one) => one.source_id).sort());
      for (const offer of offers) {
        const lowest = lowestOf(offer);
        expect(offer.effective_price).toBe(lowest);
        const same = all.filter((one) => one.price_unit === offer.price_unit && one.unit === offer.unit).map(lowestOf);
        const floor = Math.min(...same.filter((each) => each !== null));
        expect(offer.cheapest).toBe(lowest !== null && lowest === floor);
        expect(offer.above_cheapest).toBe(lowest === null ? null : lowest - floor);
      }
      const prices = offers.map((one) => one.effective_price ?? Number.POSITIVE_INFINITY);
      expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    }),
  );
});

test('a spread counts every price once, from the lowest to the highest', () => {
  fc.assert(
    fc.property(sources, fc.constantFrom('store' as const, 'region' as const), (all, by) => {
      const offers = offersOf('p1', all, RULES);
      const placeOf = (one: Offer) => (by === 'store' ? one.parser_name : (one.settlement?.region ?? null));
      const spreads = spreadsOf(offers, placeOf);
      const priced = offers.filter((one) => one.effective_price !== null);
      expect(spreads.reduce((sum, one) => sum + one.offers, 0)).toBe(priced.length);
      for (const { place, min, max, spread } of spreads) {
        const here = priced.filter((one) => placeOf(one) === place);
        expect(here.map((one) => one.effective_price)).toContain(min);
        expect(here.map((one) => one.effective_price)).toContain(max);
        expect(spread).toBe(max - min);
      }
    }),
  );
});

test('names of sources are unique and begin with the store', () => {
  fc.assert(
    fc.property(sources, (all) => {
      const names = seriesNames(all);
      expect(new Set(names).size).toBe(all.length);
      for (const [index, name] of names.entries()) expect(name.startsWith(all[index]?.parser_name ?? '?')).toBe(true);
    }),
  );
});

test('a name is the store and the place, and more only if necessary', () => {
  const one = { parser_name: 'a', source_id: '1', settlement: { name: 'X', region: 'R' } };
  const names = (...more: Parameters<typeof seriesNames>[0]) => seriesNames([one, ...more]);
  expect(names()).toEqual(['a X']);
  expect(names({ parser_name: 'b', source_id: '1' })).toEqual(['a X', 'b']);
  expect(names({ ...one, source_id: '2', settlement: { name: 'Y', region: 'R' } })).toEqual(['a X', 'a Y']);
  expect(names({ ...one, source_id: '2', settlement: { name: 'X', region: 'S' } })).toEqual(['a X R', 'a X S']);
  expect(names({ ...one, source_id: '2' })).toEqual(['a X R 1', 'a X R 2']);
  expect(names({ parser_name: 'b', source_id: '1', price_unit: 'EUR', unit: 'KGM' })).toEqual(['a X', 'b (EUR/KGM)']);
  const city = { ...one, settlement: { name: 'X', region: 'X' } };
  expect(seriesNames([city, { ...city, source_id: '2' }])).toEqual(['a X 1', 'a X 2']);
  expect(sharedUnit([one])).toBeUndefined();
  expect(sharedUnit([{ ...one, price_unit: 'EUR' }])).toBe('EUR');
});
