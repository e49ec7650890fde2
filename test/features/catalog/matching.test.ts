import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { likeness, searchTerms, type Traits, traitsOf } from '../../../src/features/catalog/matching.ts';

const titled = (title: string, brand: string | null = null): Traits => traitsOf({ title, brand }, []);

describe('the size in a title', () => {
  test.each([
    ['Oat drink, 1 l', 1, 'l'],
    ['Молоко 3,2 %, 930 мл', 0.93, 'l'],
    ['Beer 0,45л', 0.45, 'l'],
    ['Crackers, 6 × 30 g', 0.18, 'kg'],
    ['Juice 4x200ml', 0.8, 'l'],
    ['Сыр 45% 200 г', 0.2, 'kg'],
    ['Cream 33 CL', 0.33, 'l'],
    ['Cloths, 5 pcs', 5, 'piece'],
  ])('%j', (title, amount, per) => {
    expect(titled(title).size).toEqual({ amount, per });
  });

  test.each(['Milk 3.2 %', 'Model 5 large', '2 great things', 'Vitamin 12345678 g', ''])('%j has no size', (title) => {
    expect(titled(title).size).toBeUndefined();
  });
});

test('the size of the package takes precedence over the title', () => {
  const source = { parser_name: 'a', source_id: '1', title_original: 'Milk 1 l', package_quantity: '930' };
  expect(traitsOf({}, [{ ...source, package_unit: 'mlt' }]).size).toEqual({ amount: 0.93, per: 'l' });
  expect(traitsOf({}, [{ ...source, package_unit: 'XYZ' }]).size).toEqual({ amount: 1, per: 'l' });
});

test('ignores case, accents, the order of words and the position of brand and size', () => {
  const { score } = likeness(
    titled('Café Crème Müller, 250 g', 'Müller'),
    titled('MULLER creme cafe 0.25 kg', 'muller'),
  );
  expect(score).toBe(100);
});

test('a longer title has a lower score, and the reasons say so', () => {
  const { score, reasons } = likeness(titled('Oat drink 1 l'), titled('Oat drink vanilla, 500 ml'));
  expect(reasons).toEqual(['title 80% alike', 'brand unknown', 'size 0.5 l, not 1 l']);
  expect(score).toBe(53);
});

test('for any titles, a score is between 0 and 100 and symmetric', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(fc.constantFrom('milk', 'молоко', '1 l', '6 x 30 g', '柿の種', '%', '=1'), { maxLength: 8 })
      .map((parts) => parts.join(' ')),
  );
  const traits = fc.record({ title: text, brand: fc.option(text) }).map(({ title, brand }) => titled(title, brand));
  fc.assert(
    fc.property(traits, traits, (one, other) => {
      const { score, reasons } = likeness(one, other);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
      expect(likeness(other, one).score).toBe(score);
      expect(reasons).toHaveLength(3);
      expect(searchTerms(one).every((term) => term !== '')).toBe(true);
    }),
  );
});

test('compares a title of any length in linear time', () => {
  for (const part of ['1', '1 ', '1x', 'a ', '1.', 'й']) {
    const long = titled(part.repeat(200_000));
    likeness(long, long);
    searchTerms(long);
  }
});
