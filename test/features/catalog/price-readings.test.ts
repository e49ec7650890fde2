import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Catalog, Page, PageQuery } from '../../../src/features/catalog/api.ts';
import { conditionOf, type Judged, judge, readPrices } from '../../../src/features/catalog/price-check.ts';
import type { Snapshot, Source } from '../../../src/features/catalog/schema.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 15, 12);

/** An observation in one place, some hours ago: a price, or none. */
interface Sight {
  readonly hours: number;
  readonly price: number | null;
}
/** A source has `perSource` observations before the next one begins: one, or all of them. */
interface Place {
  readonly sights: readonly Sight[];
  readonly perSource: number;
}

/** The catalog as its writer leaves it: a source knows its last sight, a snapshot one sight. */
function catalogOf(places: readonly Place[]): Catalog {
  const rows: Source[] = [];
  const snapshots: Snapshot[] = [];
  for (const [place, { sights, perSource }] of places.entries()) {
    const inOrder = sights.toSorted((a, b) => b.hours - a.hours);
    for (const [index, { hours, price }] of inOrder.entries()) {
      const source_id = `receiver:${place}:${Math.floor(index / perSource)}`;
      const at = new Date(NOW - hours * HOUR).toISOString();
      const keys = { parser_name: 'fixprice', source_id, price, price_unit: 'RUB', observed_at: at };
      snapshots.push({ id: snapshots.length, ...keys, valid_from_at: at, valid_to_at: at });
      const row = { ...keys, unit: 'PCE', settlement: { id: place, name: `Place ${place}` } };
      const known = rows.findIndex((one) => one.source_id === source_id);
      if (known === -1) rows.unshift(row);
      else rows[known] = row;
    }
  }
  const page = <Item>(items: readonly Item[], { limit = 20, offset = 0 }: PageQuery): Page<Item> => ({
    items: items.slice(offset, offset + limit),
    total: items.length,
    size: undefined,
  });
  const served = {
    members: (id: string) => [id],
    sources: async (_: string, query: PageQuery = {}) => page(rows, query),
    snapshots: async (_: string, query: PageQuery = {}) => page(snapshots, query),
  };
  return served as unknown as Catalog;
}

interface Asked {
  readonly sinceHours: number;
  readonly maxAgeHours: number;
  readonly judged: Judged;
  readonly limit: number;
  readonly kind: 'below' | 'above' | 'change';
}

/** The same once more, as plainly as possible. Undefined is "not known". */
function reference(
  places: readonly Place[],
  { sinceHours, maxAgeHours, judged, limit, kind }: Asked,
): boolean | undefined {
  const at = ({ sights }: Place, hours: number): Sight | undefined =>
    sights
      .filter((sight) => sight.hours >= hours)
      .toSorted((a, b) => a.hours - b.hours)
      // A price of 0 or below is none.
      .map(({ price, ...sight }) => ({ ...sight, price: price !== null && price > 0 ? price : null }))[0];
  const isOld = (place: Place): boolean => (at(place, 0)?.hours ?? 0) > maxAgeHours;
  const answer = (place: Place): boolean | undefined => {
    const price = at(place, 0)?.price ?? null;
    if (price === null) return undefined;
    if (kind === 'below') return price < limit;
    if (kind === 'above') return price > limit;
    const before = at(place, sinceHours)?.price ?? null;
    if (before === null) return undefined;
    return (Math.abs(price - before) / before) * 100 >= limit;
  };
  const current = places.filter((place) => !isOld(place));
  if (judged === 'all') {
    const answers = current.map(answer);
    if (answers.includes(false)) return false;
    return current.length < places.length || answers.length === 0 || answers.includes(undefined) ? undefined : true;
  }
  const priced = current.filter((place) => (at(place, 0)?.price ?? null) !== null);
  if (judged === 'lowest') {
    const cheapest = priced.toSorted((a, b) => (at(a, 0)?.price ?? 0) - (at(b, 0)?.price ?? 0))[0];
    return cheapest && answer(cheapest);
  }
  const answers = priced.map(answer);
  if (answers.includes(true)) return true;
  return answers.length === 0 || answers.includes(undefined) ? undefined : false;
}

test('equals a simple evaluation of a thousand random histories', async () => {
  const place: fc.Arbitrary<Place> = fc.record({
    sights: fc.uniqueArray(
      fc.record({ hours: fc.nat(300), price: fc.option(fc.integer({ min: -2, max: 40 }), { freq: 6 }) }),
      { minLength: 1, maxLength: 20, selector: ({ hours }) => hours },
    ),
    perSource: fc.constantFrom(1, 3, 100),
  });
  const asked: fc.Arbitrary<Asked> = fc.record({
    sinceHours: fc.nat(300),
    maxAgeHours: fc.integer({ min: 1, max: 200 }),
    judged: fc.constantFrom('lowest', 'any', 'all'),
    limit: fc.integer({ min: 1, max: 40 }),
    kind: fc.constantFrom('below', 'above', 'change'),
  });
  const seen = new Map<boolean | undefined, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 4 }), asked, async (places, given) => {
      // A change is computed per offer, not for the lowest one.
      const wanted: Asked = given.kind === 'change' && given.judged === 'lowest' ? { ...given, judged: 'any' } : given;
      const { kind, limit, sinceHours, maxAgeHours, judged } = wanted;
      const none = { below: undefined, above: undefined, change: undefined };
      const condition = conditionOf({ ...none, [kind]: kind === 'change' ? `${limit}%` : limit });
      const since = kind === 'change' ? NOW - sinceHours * HOUR : undefined;
      const rules = {
        stores: [],
        sources: [],
        regions: [],
        field: undefined,
        per: undefined,
        since,
        now: NOW,
        maxAgeMs: maxAgeHours * HOUR,
      };
      const problems: unknown[] = [];
      const found = await readPrices(catalogOf(places), 'p1', rules, (problem) => problems.push(problem));
      const expected = reference(places, wanted);
      expect(judge(condition, found.readings, judged).ok).toBe(expected ?? null);
      expect(problems).toEqual([]);
      seen.set(expected, (seen.get(expected) ?? 0) + 1);
    }),
    { numRuns: 1000 },
  );
  // Every kind of answer was among them.
  for (const answer of [true, false, undefined]) expect(seen.get(answer) ?? 0).toBeGreaterThan(50);
});
