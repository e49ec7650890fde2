import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Page, PageQuery } from '../../../src/features/catalog/api.ts';
import { LARGEST_PAGE, type PagingProblem, readPages, type Stretch } from '../../../src/features/catalog/lists.ts';

interface Numbered {
  readonly id: number;
}

interface Habits {
  /** It gives no more than this, and says so. */
  readonly size?: number;
  readonly total?: number;
}

/** A service with this many items, and its requests. */
function service(count: number, { size, total }: Habits = {}) {
  const asked: string[] = [];
  const ask = async ({ limit = 20, offset = 0 }: PageQuery): Promise<Page<Numbered>> => {
    asked.push(`${offset}+${limit}`);
    const given = Math.max(0, Math.min(limit, size ?? limit, count - offset));
    return { items: Array.from({ length: given }, (_, n) => ({ id: offset + n })), total, size };
  };
  return { asked, ask };
}

async function read(ask: (query: PageQuery) => Promise<Page<Numbered>>, stretch: Stretch) {
  const numbers: number[] = [];
  const problems: PagingProblem[] = [];
  for await (const { items } of readPages(ask, stretch, (problem) => problems.push(problem)))
    numbers.push(...items.map(({ id }) => id));
  return { numbers, problems };
}

const span = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);

test('any part of a list is read in order, with at most 100 rows a request', async () => {
  const numbers = { count: fc.nat(450), offset: fc.nat(460), size: fc.option(fc.integer({ min: 1, max: 120 })) };
  const cases = fc.record({ ...numbers, limit: fc.option(fc.integer({ min: 1, max: 460 })) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, offset, size, limit }) => {
      // The total is wrong: nothing may go by it.
      const { ask, asked } = service(count, { total: 0, ...(size === null ? {} : { size }) });
      const found = await read(ask, { limit: limit ?? undefined, offset });
      const end = Math.min(count, offset + (limit ?? Number.POSITIVE_INFINITY));
      expect(found).toEqual({ numbers: span(offset, end), problems: [] });
      const largest = Math.min(LARGEST_PAGE, size ?? LARGEST_PAGE);
      expect(asked.length).toBeLessThanOrEqual(Math.floor(Math.max(0, end - offset) / largest) + 1);
      for (const request of asked) expect(Number(request.split('+')[1])).toBeLessThanOrEqual(LARGEST_PAGE);
    }),
    { numRuns: 80 },
  );
});

test.each([
  [undefined, true],
  [100, false],
  [300, true],
])(
  'a service that ignores the offset is read no further than its second page, with a total of %s',
  async (total, incomplete) => {
    let turn = 0;
    const shuffled = async (): Promise<Page<Numbered>> => {
      turn++;
      return { items: span(0, 100).map((id) => ({ id: (id + turn) % 100 })), total, size: undefined };
    };
    const { numbers, problems } = await read(shuffled, { limit: undefined, offset: 0 });
    expect(numbers).toHaveLength(100);
    expect(turn).toBe(2);
    const text = `the list may be incomplete: 100 of ${total ?? 'more'} results`;
    expect(problems).toEqual(incomplete ? [{ text, incomplete }] : []);
  },
);

/** A list whose rows are observed again, one after the other: each comes to the front. `asked` counts requests. */
function written(count: number, moved: readonly (readonly [request: number, row: number])[], added = 0) {
  let ids = span(0, count);
  let asked = 0;
  const ask = async ({ limit = 20, offset = 0 }: PageQuery): Promise<Page<Numbered>> => {
    asked++;
    for (const [request, row] of moved) if (request === asked) ids = [row, ...ids.filter((id) => id !== row)];
    if (asked <= added) ids = [count + asked, ...ids];
    return { items: ids.slice(offset, offset + limit).map((id) => ({ id })), total: ids.length, size: undefined };
  };
  return { ask, requests: () => asked, all: () => ids };
}

test('a row that moves while a list is read is returned once, and lost rows are reported', async () => {
  const move = fc.tuple(fc.integer({ min: 2, max: 25 }), fc.nat(420));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 420 }),
      fc.array(move, { maxLength: 12 }),
      fc.nat(6),
      async (...given) => {
        const [count, moves, added] = given;
        const { ask, requests, all } = written(
          count,
          moves.filter(([, row]) => row < count),
          added,
        );
        const { numbers, problems } = await read(ask, { limit: undefined, offset: 0 });
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(problems.length).toBeLessThanOrEqual(1);
        const isLost = all().some((id) => id < count && !numbers.includes(id));
        if (isLost) expect(problems).toMatchObject([{ incomplete: true }]);
        expect(requests()).toBeLessThanOrEqual(Math.floor(all().length / LARGEST_PAGE) + 1);
      },
    ),
    { numRuns: 300 },
  );
});
