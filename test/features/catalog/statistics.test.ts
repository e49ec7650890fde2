import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countIn, exact, percentOf, statisticsOf } from '../../../src/features/catalog/statistics.ts';

const series = (...values: (number | null)[]) => ({ dates: values.map((_, index) => `d${index}`), values });

test('statistics count only points with a value', () => {
  const statistics = statisticsOf(series(null, 99.9, null, 89.9, 120, null));
  expect(statistics).toEqual({
    points: 6,
    covered: 3,
    first: 99.9,
    first_at: 'd1',
    last: 120,
    last_at: 'd4',
    min: 89.9,
    max: 120,
    mean: 103.266666667,
    change: 20.1,
    change_percent: 20.1201201201,
  });
});

test('a series without values has no statistics', () => {
  const none = { first: null, first_at: null, last: null, last_at: null, min: null, max: null, mean: null };
  const unmoved = { change: null, change_percent: null };
  expect(statisticsOf(series())).toEqual({ points: 0, covered: 0, ...none, ...unmoved });
  expect(statisticsOf(series(null, null))).toEqual({ points: 2, covered: 0, ...none, ...unmoved });
});

test('counts of common products are read by any name that a service may have for them', () => {
  const names = ['common_products_count', 'products_count', 'common_count', 'count', 'total'];
  expect(names.map((name) => countIn({ other: 1, [name]: '7' }))).toEqual(names.map(() => '7'));
  expect(countIn({ total: 9, common_products_count: null, products_count: 7 })).toBe(7);
  expect(countIn({ other: 1, count: 'many' })).toBeUndefined();
});

test('one value has no change, and zero no percentage', () => {
  expect(statisticsOf(series(null, 5))).toMatchObject({ first: 5, last: 5, change: null, change_percent: null });
  expect(statisticsOf(series(0, 5))).toMatchObject({ first: 0, change: 5, change_percent: null });
  expect(statisticsOf(series(5, 0))).toMatchObject({ change: -5, change_percent: -100 });
  expect(statisticsOf(series(7, 7))).toMatchObject({ mean: 7, change: 0, change_percent: 0 });
  expect(percentOf(-3, null)).toBeNull();
});

const value = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));

test('the mean is between the minimum and the maximum, which are among the values', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 300 }), (values) => {
      const { min, max, mean, covered } = statisticsOf(series(...values));
      expect(covered).toBe(values.filter((one) => one !== null).length);
      if (min === null || max === null || mean === null) {
        expect(covered).toBe(0);
        return;
      }
      expect(values).toContain(min);
      expect(values).toContain(max);
      expect(mean).toBeGreaterThanOrEqual(min);
      expect(mean).toBeLessThanOrEqual(max);
    }),
  );
});

test('prices have no binary rounding errors', () => {
  expect(exact(99.9 - 89.8)).toBe(10.1);
  expect(exact(0.1 + 0.2)).toBe(0.3);
});
