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

const DIRECTIONS: Readonly<Record<string, string>> = { '': 'either', '+': 'up', '-': 'down' };

test('a change is a percentage with or without a direction, and nothing else', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '+', '-'), fc.integer({ min: 1, max: 99_999 }), fc.nat(99), (sign, whole, part) => {
      const percent = Number(`${whole}.${part}`);
      const condition = conditionOf({ ...only, change: `${sign}${whole}.${part}%` });
      expect(condition).toEqual({ kind: 'change', percent, direction: DIRECTIONS[sign] });
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

test('a verdict names the sources that decide', () => {
  const readings = [1, 2, 3, 4, 5, 6].map((one) => ({ ...reading(one), series: `s${one}` }));
  const text = (above: number, judged: 'any' | 'all') =>
    verdictText(judge(conditionOf({ ...only, above }), readings, judged), judged);
  const plain = readings.map(({ change_percent: _, ...one }) => one);
  expect(verdictText(judge(conditionOf({ ...only, above: 4 }), plain, 'any'), 'any')).toBe(
    'it holds for 2 of 6 offers (s5 5, s6 6, s1 1, s2 2, and 2 more)',
  );
  const unpriced = judge(
    conditionOf({ ...only, above: 1 }),
    [{ ...plain[0], value: null } as Reading, reading(2)],
    'all',
  );
  expect(verdictText(unpriced, 'all')).toContain('s1 unknown');
  expect(text(1, 'all')).toMatch(/^it holds for 5 of 6 offers \(s1 /);
  expect(text(5, 'any')).toMatch(/^it holds for 1 of 6 offers \(s6 /);
});
