import fc from 'fast-check';
import { expect, test } from 'vitest';
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
