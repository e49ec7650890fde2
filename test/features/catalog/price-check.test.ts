import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import {
  conditionOf,
  conditionText,
  judge,
  type Reading,
  verdictText,
} from '../../../src/features/catalog/price-check.ts';

const only = { below: undefined, above: undefined, change: undefined };
const reading = (value: number | null, change_percent: number | null = null): Reading => ({
  parser_name: 'fixprice',
  source_id: 'r:1',
  series: 'fixprice',
  field: 'price',
  value,
  unit: 'RUB/PCE',
  observed_at: null,
  stale: false,
  change_percent,
});

test('accepts a percentage with or without a direction as a change, and nothing else', () => {
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

test('what is true for all is true for one, and unknown values decide nothing', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), fc.nat(100), fc.boolean(), (values, limit, below) => {
      const condition = conditionOf({ ...only, [below ? 'below' : 'above']: limit });
      const readings = values.map((one) => reading(one));
      const fits = (one: number | null): boolean => one !== null && (below ? one < limit : one > limit);
      const known = values.filter((one) => one !== null);
      const all = known.some((one) => !fits(one)) ? false : known.length < values.length ? null : true;
      expect(judge(condition, readings, 'any').ok).toBe(known.length === 0 ? null : values.some(fits));
      expect(judge(condition, readings, 'all').ok).toBe(known.length === 0 ? null : all);
      expect(judge(condition, readings, 'lowest').ok).toBe(known.length === 0 ? null : fits(Math.min(...known)));
      const old = { ...reading(below ? -1 : 1000), stale: true };
      for (const judged of ['any', 'lowest'] as const) {
        expect(judge(condition, [...readings, old], judged).ok).toBe(judge(condition, readings, judged).ok);
      }
      expect(judge(condition, [...readings, old], 'all').ok).toBe(all === false ? false : null);
    }),
  );
});

test('a rise is not a fall', () => {
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

test('names the deciding sources of many', () => {
  const readings = [1, 2, 3, 4, 5, 6].map((one) => ({ ...reading(one), series: `s${one}` }));
  const text = (above: number, judged: 'any' | 'all') =>
    verdictText(judge(conditionOf({ ...only, above }), readings, judged), judged);
  const plain = readings.map(({ change_percent: _, ...one }) => one);
  expect(verdictText(judge(conditionOf({ ...only, above: 4 }), plain, 'any'), 'any')).toBe(
    'it holds for 2 of 6 offers (s5 5, s6 6, s1 1, s2 2, and 2 more)',
  );
  expect(text(1, 'all')).toMatch(/^it holds for 5 of 6 offers \(s1 /);
  expect(text(5, 'any')).toMatch(/^it holds for 1 of 6 offers \(s6 /);
});
