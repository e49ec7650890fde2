import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostableSilence } from '../../../../src/features/alerts/schema.ts';
import { importPlan } from '../../../../src/features/silences/commands/import.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('silences of a file that are the same', () => {
  const base = { startsAt: '2026-11-20T12:00:00.000Z', endsAt: '2027-01-01T00:00:00.000Z' };
  const meaning = ({ matchers, createdBy, comment }: PostableSilence): string => {
    const all = matchers.map((m) => JSON.stringify([m.name, m.value, m.isRegex, m.isEqual ?? true]));
    return JSON.stringify([[...new Set(all)].sort(), createdBy, comment]);
  };
  // Few characters, so that texts run into each other: digits and blanks are what the lengths are written with.
  const few = fc.string({ unit: fc.constantFrom('1', ' ', 't'), maxLength: 3 });
  const small = fc.record({
    matchers: fc.array(
      fc.record({
        name: few,
        value: few,
        isRegex: fc.boolean(),
        isEqual: fc.constantFrom(true, false, null, undefined),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    createdBy: few,
    comment: few,
  });

  it('have the same matchers in any order, author and comment', () => {
    fc.assert(
      fc.property(fc.array(small, { minLength: 2, maxLength: 12 }), (rows) => {
        const silences: PostableSilence[] = rows.map((one) => ({ ...base, ...one }));
        const doubled = [
          ...silences,
          ...silences.map((one) => ({ ...one, matchers: [...one.matchers, ...one.matchers].reverse() })),
        ];
        const planOf = importPlan([], NOW);
        const created = doubled.filter((one) => planOf(one).result === 'created');
        expect(created.map(meaning)).toEqual([...new Set(doubled.map(meaning))]);
      }),
    );
  });
});
