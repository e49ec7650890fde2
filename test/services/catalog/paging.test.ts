import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Page, PageQuery } from '../../../src/services/catalog/client.ts';
import { everyItem, LARGEST_PAGE, pages, type Stretch } from '../../../src/services/catalog/paging.ts';

interface Numbered {
  readonly n: number;
}

interface Habits {
  /** It gives no more than this, and says so. */
  readonly size?: number;
  readonly total?: number;
}

/** A service with so many items, and every request it gets. */
function service(count: number, { size, total }: Habits = {}) {
  const asked: string[] = [];
  const ask = async ({ limit = 20, offset = 0 }: PageQuery): Promise<Page<Numbered>> => {
    asked.push(`${offset}+${limit}`);
    const given = Math.max(0, Math.min(limit, size ?? limit, count - offset));
    return { items: Array.from({ length: given }, (_, n) => ({ n: offset + n })), total, size };
  };
  return { asked, ask };
}

async function read(ask: (query: PageQuery) => Promise<Page<Numbered>>, stretch: Stretch) {
  const numbers: number[] = [];
  const repeated: number[] = [];
  for await (const { items } of pages(ask, stretch, (at) => repeated.push(at)))
    numbers.push(...items.map(({ n }) => n));
  return { numbers, repeated };
}

const span = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);

test('any part of any list is read whole and in order, each request for 100 at most, and none after a short page', async () => {
  const numbers = { count: fc.nat(450), offset: fc.nat(460), size: fc.option(fc.integer({ min: 1, max: 120 })) };
  const cases = fc.record({ ...numbers, limit: fc.option(fc.integer({ min: 1, max: 460 })) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, offset, size, limit }) => {
      // The total is wrong: nothing may go by it.
      const { ask, asked } = service(count, { total: 3, ...(size === null ? {} : { size }) });
      const found = await read(ask, { limit: limit ?? undefined, offset });
      const end = Math.min(count, offset + (limit ?? Number.POSITIVE_INFINITY));
      expect(found).toEqual({ numbers: span(offset, end), repeated: [] });
      const largest = Math.min(LARGEST_PAGE, size ?? LARGEST_PAGE);
      expect(asked.length).toBeLessThanOrEqual(Math.floor(Math.max(0, end - offset) / largest) + 1);
      for (const request of asked) expect(Number(request.split('+')[1])).toBeLessThanOrEqual(LARGEST_PAGE);
    }),
    { numRuns: 80 },
  );
});

test('a full page at the very end costs a request more, whatever the total says', async () => {
  const { ask, asked } = service(200, { total: 200 });
  expect((await read(ask, { limit: undefined, offset: 0 })).numbers).toHaveLength(200);
  expect(asked).toEqual(['0+100', '100+100', '200+100']);
});

test('a service that takes no notice of the offset is read once', async () => {
  const same = async (): Promise<Page<Numbered>> => ({
    items: span(0, 100).map((n) => ({ n })),
    total: undefined,
    size: undefined,
  });
  expect(await read(same, { limit: undefined, offset: 0 })).toEqual({ numbers: span(0, 100), repeated: [100] });
});

test('a service that takes no notice of the limit gives no more than was wanted', async () => {
  const everything = async (): Promise<Page<Numbered>> => ({
    items: span(0, 500).map((n) => ({ n })),
    total: 500,
    size: undefined,
  });
  expect((await read(everything, { limit: 130, offset: 0 })).numbers).toEqual(span(0, 130));
});

test('nothing is asked for where nobody reads', async () => {
  const { ask, asked } = service(1000);
  for await (const { n } of everyItem(ask)) if (n === 150) break;
  expect(asked).toEqual(['0+100', '100+100']);
});
