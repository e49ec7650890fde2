import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTime } from '../../../../src/cli/time.ts';
import { type PostableSilence, postableSilence } from '../../../../src/features/alerts/schema.ts';
import { importPlan, readSilences } from '../../../../src/features/silences/commands/import.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const instant = (text: string): string => parseTime(text, { now: NOW, bare: 'forward' }).iso;
const defaults = { startsAt: instant('now') };

async function parse(rows: readonly unknown[]): Promise<readonly PostableSilence[]> {
  const ctx = { startedAt: NOW, readInput: async () => Buffer.from(JSON.stringify(rows)) };
  return readSilences('f', 'me', ctx);
}

const matcher = fc.record(
  {
    name: fc.string(),
    value: fc.string(),
    isRegex: fc.boolean(),
    isEqual: fc.option(fc.boolean()),
    more: fc.jsonValue(),
  },
  { requiredKeys: ['name', 'value', 'isRegex'] },
);
const time = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const row = fc.record(
  {
    matchers: fc.array(matcher, { minLength: 1, maxLength: 4 }),
    startsAt: time,
    endsAt: time,
    createdBy: fc.string(),
    comment: fc.string(),
    id: fc.constantFrom('', '2F1A0000-0000-4000-8000-000000000001'),
    status: fc.constant({ state: 'active' }),
    updatedAt: time,
    annotations: fc.dictionary(fc.string(), fc.string()),
  },
  { requiredKeys: ['matchers', 'endsAt', 'comment', 'createdBy'] },
);

describe('the silences of a file', () => {
  it('are sent with defaults, and without the fields that the server sets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), async (rows) => {
        const expected = rows.map(({ status: _, updatedAt: __, id, startsAt, ...rest }) => {
          const known = id === undefined || id === '' ? {} : { id: id.toLowerCase() };
          const start = startsAt ?? (id === undefined || id === '' ? defaults.startsAt : undefined);
          const silence = { ...rest, ...known, ...(start === undefined ? {} : { startsAt: start }) };
          return JSON.parse(JSON.stringify(silence)) as unknown;
        });
        const wrong = expected.some((silence) => !postableSilence.safeParse(silence).success);
        if (wrong) await expect(parse(rows)).rejects.toThrow('startsAt');
        else expect(await parse(rows)).toEqual(expected);
      }),
    );
  });
});

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
