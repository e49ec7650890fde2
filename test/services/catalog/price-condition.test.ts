import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { conditionOf, conditionText, judge, type Reading } from '../../../src/services/catalog/price-condition.ts';

const only = { below: undefined, above: undefined, change: undefined };
const reading = (value: number | null, changePercent: number | null = null): Reading => ({
  parser_name: 'fixprice',
  source_id: 'r:1',
  series: 'fixprice',
  field: 'price',
  value,
  unit: 'RUB/PCE',
  observed_at: null,
  changePercent,
});

test('a change is a percentage with or without a direction, and nothing else is one', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '+', '-'), fc.integer({ min: 1, max: 99_999 }), fc.nat(99), (sign, whole, part) => {
      const percent = Number(`${whole}.${part}`);
      const condition = conditionOf({ ...only, change: `${sign}${whole}.${part}%` });
      expect(condition).toEqual({
        kind: 'change',
        percent,
        direction: sign === '+' ? 'up' : sign === '-' ? 'down' : 'either',
      });
      expect(conditionText(condition)).toContain(`${percent}%`);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[+-]?\d{1,6}(\.\d{1,6})?%$/.test(text));
      expect(() => conditionOf({ ...only, change: text })).toThrow(SvcError);
    }),
  );
});

const value = fc.option(fc.integer({ min: 0, max: 100 }));

test('what holds for all holds for one, and what is not known holds nowhere', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), fc.nat(100), fc.boolean(), (values, limit, below) => {
      const condition = conditionOf({ ...only, [below ? 'below' : 'above']: limit });
      const readings = values.map((one) => reading(one));
      const fits = (one: number | null): boolean => one !== null && (below ? one < limit : one > limit);
      expect(judge(condition, readings, 'any').ok).toBe(values.some(fits));
      expect(judge(condition, readings, 'all').ok).toBe(values.length > 0 && values.every(fits));
      const known = values.filter((one) => one !== null);
      expect(judge(condition, readings, 'lowest').ok).toBe(known.length > 0 && fits(Math.min(...known)));
    }),
  );
});

test('a rise is no fall', () => {
  fc.assert(
    fc.property(fc.double({ min: -200, max: 200, noNaN: true }), fc.integer({ min: 1, max: 100 }), (moved, percent) => {
      const ok = (sign: string) =>
        judge(conditionOf({ ...only, change: `${sign}${percent}%` }), [reading(1, moved)], 'any').ok;
      expect(ok('+')).toBe(moved >= percent);
      expect(ok('-')).toBe(moved <= -percent);
      expect(ok('')).toBe(ok('+') || ok('-'));
    }),
  );
});
