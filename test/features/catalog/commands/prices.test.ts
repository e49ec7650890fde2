/** What movers and basket compute, against a second implementation, and what they refuse. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IS_HARD } from '../../../support/turns.ts';
import { referenceBasket, referenceComings, referenceMovers } from '../reference-prices.ts';
import { market, type Price, type Shelf } from './market.ts';
import { misbehaving } from './misbehaving.ts';

const catalog = await misbehaving();

const ROUNDS = IS_HARD ? 500 : 6;
const DAYS = [60, 45, 35, 31, 20, 12, 7, 6, 3, 1];

const amount = fc.integer({ min: 1, max: 30_000 }).map((value) => value / 100);
const prices = fc.subarray(DAYS, { minLength: 1 }).chain((days) =>
  fc.tuple(
    ...days
      .toSorted((a, b) => b - a)
      .map((ago) =>
        fc.record({
          ago: fc.constant(ago),
          price: fc.option(amount),
          discount_price: fc.option(amount),
          loyal_price: fc.option(amount),
        }),
      ),
  ),
);
const shelf = fc.record({
  product: fc.constantFrom('a', 'b', 'c', 'd'),
  store: fc.constantFrom('fixprice', 'chizhik', 'lenta'),
  place: fc.constantFrom('Moscow', 'Tula'),
  prices,
});
/** One shelf for each product, store and place. */
const shelves: fc.Arbitrary<Shelf[]> = fc.uniqueArray(shelf, {
  minLength: 1,
  maxLength: 14,
  selector: ({ product, store, place }) => `${product} ${store} ${place}`,
});

const everything = async (command: string, list: readonly Shelf[], ...argv: string[]) => {
  catalog.replies(market(list));
  const stores = [...new Set(list.map(({ store }) => store))].flatMap((store) => ['--store', store]);
  const { code, stdout, stderr } = await catalog.run([command, ...stores, ...argv, '-o', 'json']);
  const asked = catalog.asked();
  expect(asked).toEqual([...new Set(asked)]);
  return { code, stderr, rows: code === 0 ? JSON.parse(stdout) : [] };
};
const sorted = <T>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const rounds = (check: (list: readonly Shelf[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(shelves, check), { numRuns: ROUNDS });

describe('what a second implementation computes, too', () => {
  test.each(['product', 'store'] as const)('has the changes of svc catalog movers --by %s', async (by) => {
    await rounds(async (list) => {
      const { rows } = await everything('movers', list, '--by', by, '--since', '7d');
      const known = rows.filter(({ change }: { change: number | null }) => change !== null);
      const own = known.map((one: Record<string, unknown>) => {
        const { canonical_product_id: product, parser_name: store, unit, from, to, change, change_percent } = one;
        return { product, store, unit, from, to, change, change_percent };
      });
      expect(sorted(own)).toEqual(sorted(referenceMovers(list, by, 7, 30)));
      const sizes = known.map(({ change_percent }: { change_percent: number }) => Math.abs(change_percent));
      expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
    });
  });

  test.each(['new', 'gone'] as const)('has the prices that are %s in svc catalog movers', async (direction) => {
    await rounds(async (list) => {
      const { rows } = await everything('movers', list, '--since', '7d');
      const missing = direction === 'new' ? 'from' : 'to';
      const own = rows
        .filter((one: Record<string, unknown>) => one[missing] === null)
        .map((one: Record<string, unknown>) => {
          const { canonical_product_id: product, from, to, change, change_percent } = one;
          const [known, ...others] = direction === 'new' ? [to, from] : [from, to];
          expect([...others, change, change_percent]).toEqual([null, null, null]);
          return [product, known];
        });
      expect(sorted(own)).toEqual(sorted(referenceComings(list, 7, 30)[direction]));
    });
  });

  test('has the costs of svc catalog basket', async () => {
    await rounds(async (list) => {
      const sold = new Set(list.map(({ product }) => product));
      const basket = new Map(['a', 'b', 'c', 'd'].filter((id) => sold.has(id)).map((id, at) => [id, at + 1]));
      catalog.replies(market(list));
      const stdin = [...basket].map(([id, quantity]) => `${id} ${quantity}`).join('\n');
      const { code, stdout } = await catalog.run(['basket', '-', '-o', 'json'], { stdin });
      expect(code).toBe(0);
      const rows: { parser_name: string; place: string; cost: number; missing: string[] }[] = JSON.parse(stdout);
      const own = rows.map(({ parser_name, place, cost, missing }) => ({ store: parser_name, place, cost, missing }));
      expect(sorted(own)).toEqual(sorted(referenceBasket(list, basket)));
    });
  });
});

const sold = (product: string, store: string, ...prices: Price[]): Shelf => ({
  product,
  store,
  place: 'Moscow',
  prices,
});
const SHELVES: readonly Shelf[] = [
  sold('a', 'fixprice', { ago: 9, price: 100 }, { ago: 1, price: 110 }),
  sold('a', 'chizhik', { ago: 9, price: 90 }, { ago: 1, price: 80 }),
  sold('b', 'fixprice', { ago: 20, price: 80 }, { ago: 1, price: 80, discount_price: 60 }),
  sold('c', 'fixprice', { ago: 9, price: 10 }, { ago: 1, price: 30 }),
];
const run = (argv: readonly string[], stdin?: string) => {
  catalog.replies(market(SHELVES));
  return catalog.run(argv, stdin === undefined ? {} : { stdin });
};

test('svc catalog movers sorts by the absolute percentage', async () => {
  const { stdout } = await run('movers a b c --by store -o csv --columns product,store,from,to,percent'.split(' '));
  expect(stdout.split(/\r?\n/).slice(1)).toEqual([
    'Title c,fixprice,10,30,200',
    'Title b,fixprice,80,60,-25',
    'Title a,chizhik,90,80,-11.1111111111',
    'Title a,fixprice,100,110,10',
    '',
  ]);
});

test('svc catalog basket names what is missing', async () => {
  const { code, stdout, stderr } = await run(['basket', '-', '-o', 'json'], '# shopping\na,2\nb\nc\t0.5\na 1\nnope\n');
  expect(code).toBe(10);
  expect(stderr).toContain('nope is skipped');
  expect(JSON.parse(stdout)).toMatchObject([
    { parser_name: 'fixprice', cost: 405, missing: ['nope'] },
    { parser_name: 'chizhik', cost: 240, missing: ['b', 'c', 'nope'] },
  ]);
});

describe('svc catalog movers and basket', () => {
  test.each([
    [['basket', '-'], 'a 1\nb x\n', 2, 'standard input, line 2: "b x" is not an id with a quantity'],
    [['basket', '-'], '# none\n', 5, 'there is no id in it'],
    [['movers', 'a', '--since', 'in 2h'], undefined, 2, 'not in the past'],
    [['movers', '--store', 'lidl'], undefined, 5, 'nothing has --store lidl: there are'],
  ] as const)('refuse %j with the input %j', async (argv, stdin, status, message) => {
    const { code, stdout, stderr } = await run(argv, stdin);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(message);
  });
});
