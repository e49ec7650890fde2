/** What movers, discounts, index and basket compute, against a second implementation and against SQL, and what they refuse. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_HARD } from '../../../support/turns.ts';
import {
  referenceBasket,
  referenceComings,
  referenceDiscounts,
  referenceIndex,
  referenceMovers,
  round,
} from '../reference-prices.ts';
import { market, type Shelf } from './market.ts';
import { type Misbehaving, misbehaving, NOW } from './misbehaving.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

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

const ALL = ['--max-products', '100'];
const everything = async (command: string, list: readonly Shelf[], ...argv: string[]) => {
  catalog.replies(market(list));
  const stores = [...new Set(list.map(({ store }) => store))].flatMap((store) => ['--store', store]);
  const { code, stdout, stderr } = await catalog.run([command, ...stores, ...ALL, ...argv, '-o', 'json']);
  const asked = catalog.asked();
  expect(asked).toEqual([...new Set(asked)]);
  return { code, stderr, rows: code === 0 ? JSON.parse(stdout) : [] };
};
const sorted = <T>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const rounds = (check: (list: readonly Shelf[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(shelves, check), { numRuns: ROUNDS });

describe('numbers equal those of a second implementation', () => {
  test.each(['product', 'store'] as const)('movers by %s', async (by) => {
    await rounds(async (list) => {
      const { rows } = await everything('movers', list, '--by', by, '--since', '7d', '--max-age', '20d');
      const own = rows.map((one: Record<string, unknown>) => {
        const { canonical_product_id: product, parser_name: store, unit, from, to, change, changePercent } = one;
        return { product, store, unit, from, to, change, changePercent };
      });
      expect(sorted(own)).toEqual(sorted(referenceMovers(list, by, 7, 20)));
      const sizes = rows.map(({ changePercent }: { changePercent: number }) => Math.abs(changePercent));
      expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
    });
  });

  test.each(['new', 'gone'] as const)('movers --direction %s', async (direction) => {
    await rounds(async (list) => {
      const { rows } = await everything('movers', list, '--direction', direction, '--since', '7d', '--max-age', '20d');
      const own = rows.map((one: Record<string, unknown>) => {
        const { canonical_product_id: product, from, to, change, changePercent } = one;
        const [known, ...others] = direction === 'new' ? [to, from] : [from, to];
        expect([...others, change, changePercent]).toEqual([null, null, null]);
        return [product, known];
      });
      expect(sorted(own)).toEqual(sorted(referenceComings(list, 7, 20)[direction]));
    });
  });

  test('discounts', async () => {
    await rounds(async (list) => {
      const { rows } = await everything('discounts', list);
      const own = rows.map((one: Record<string, unknown>) => {
        const {
          canonical_product_id: product,
          parser_name: store,
          price,
          discounted,
          priceBefore,
          lowestBefore,
          raised,
        } = one;
        return { product, store, price, discounted, priceBefore, lowestBefore, raised };
      });
      expect(sorted(own)).toEqual(sorted(referenceDiscounts(list)));
    });
  });

  test('index', async () => {
    await rounds(async (list) => {
      const argv = ['--since', '20d', '--interval', '7d', '--tz', 'UTC', '--max-age', '15d'];
      const { rows, code } = await everything('index', list, ...argv);
      const days = ['2025-12-22', '2025-12-29', '2026-01-05', '2026-01-12'].map(
        (day) => (NOW - Date.parse(day)) / 86_400_000,
      );
      const expected = referenceIndex(list, [...days, 0], 15);
      if (expected[0] === null) {
        expect(code).toBe(5);
        return;
      }
      expect(rows).toHaveLength(5);
      for (const [at, { index }] of rows.entries()) {
        const wanted = expected[at] ?? null;
        if (wanted === null) expect(index).toBeNull();
        else expect(Math.abs(index - wanted)).toBeLessThanOrEqual(0.005_001);
      }
    });
  });

  test('basket', async () => {
    await rounds(async (list) => {
      const sold = new Set(list.map(({ product }) => product));
      const basket = new Map(['a', 'b', 'c', 'd'].filter((id) => sold.has(id)).map((id, at) => [id, at + 1]));
      catalog.replies(market(list));
      const stdin = [...basket].map(([id, quantity]) => `${id} ${quantity}`).join('\n');
      const { code, stdout } = await catalog.run(['basket', '-', '-o', 'json'], { stdin });
      expect(code).toBe(0);
      const { single, best } = referenceBasket(list, basket);
      const rows: { stores: string[]; place: string; cost: number; missing: string[] }[] = JSON.parse(stdout);
      const own = rows.map(({ stores, place, cost, missing }) => ({ stores, place, cost, missing }));
      expect(sorted(own.filter(({ stores }) => stores.length === 1))).toEqual(sorted(single));
      const split = own.find(({ stores }) => stores.length === 2);
      expect([split?.cost, split?.missing.length]).toEqual([best?.cost, best?.missing.length]);
    });
  });
});

const SHELVES: readonly Shelf[] = [
  {
    product: 'a',
    store: 'fixprice',
    place: 'Moscow',
    prices: [
      { ago: 9, price: 100 },
      { ago: 1, price: 110 },
    ],
  },
  {
    product: 'a',
    store: 'chizhik',
    place: 'Moscow',
    prices: [
      { ago: 9, price: 90 },
      { ago: 1, price: 80 },
    ],
  },
  {
    product: 'b',
    store: 'fixprice',
    place: 'Moscow',
    prices: [
      { ago: 40, price: 50 },
      { ago: 20, price: 80 },
      { ago: 1, price: 80, discount_price: 60 },
    ],
  },
  {
    product: 'c',
    store: 'fixprice',
    place: 'Moscow',
    prices: [
      { ago: 9, price: 10 },
      { ago: 1, price: 30 },
    ],
  },
];
const run = (argv: readonly string[], stdin?: string) => {
  catalog.replies(market(SHELVES));
  return catalog.run(argv, stdin === undefined ? {} : { stdin });
};

test('movers are sorted by absolute percentage', async () => {
  const { stdout } = await run([
    'movers',
    'a',
    'b',
    'c',
    '--by',
    'store',
    '-o',
    'csv',
    '--columns',
    'product,store,from,to,percent',
  ]);
  expect(stdout.split(/\r?\n/).slice(1)).toEqual([
    'Title c,fixprice,10,30,200',
    'Title b,fixprice,80,60,-25',
    'Title a,chizhik,90,80,-11.1111111111',
    'Title a,fixprice,100,110,10',
    '',
  ]);
  const { stdout: up } = await run([
    'movers',
    'a',
    'c',
    '--by',
    'store',
    '--direction',
    'up',
    '--limit',
    '1',
    '-o',
    'json',
  ]);
  expect(JSON.parse(up).map((one: { change: number }) => one.change)).toEqual([20]);
});

test('lists prices that appeared or ended on demand', async () => {
  const shelf = (product: string, ...days: number[]): Shelf => {
    return { product, store: 'fixprice', place: 'Moscow', prices: days.map((ago) => ({ ago, price: 10 })) };
  };
  const list = [shelf('stays', 9, 1), shelf('came', 3), shelf('went', 9)];
  const listed = async (...argv: string[]) => {
    catalog.replies(market(list));
    const ids = ['stays', 'came', 'went'];
    return catalog.run(['movers', ...ids, '--since', '7d', '-o', 'json', ...argv]);
  };
  expect(JSON.parse((await listed('--direction', 'new')).stdout)).toMatchObject([
    { canonical_product_id: 'came', from: null, to: 10, change: null, changePercent: null },
  ]);
  expect(JSON.parse((await listed('--direction', 'gone')).stdout)).toMatchObject([
    { canonical_product_id: 'went', from: 10, to: null, change: null },
  ]);
  expect(await listed()).toMatchObject({
    stdout: '[]\n',
    stderr: expect.stringContaining(
      '2 of 3 prices are left out: no price at both times; --direction lists 1 new, 1 gone',
    ),
  });
});

test('marks a discount after a higher base price', async () => {
  const { stdout, stderr } = await run(['discounts', 'b', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { price: 80, discounted: 60, priceBefore: 80, lowestBefore: 50, raised: true, discountPercent: 25 },
  ]);
  expect(stderr).toBe('');
  expect((await run(['discounts', 'b'])).stderr).toContain('1 of 1: the base price rose within 30 days before');
});

test.each([
  ['up', 'no price changed'],
  ['new', 'no price is new'],
  ['gone', 'no price is gone'],
])('movers --direction %s without a match: %s', async (direction, text) => {
  const { code, stdout, stderr } = await run(['movers', 'b', '--direction', direction]);
  expect({ code, stdout, stderr: stderr.split('\n')[0] }).toEqual({ code: 0, stdout: '', stderr: text });
});

test('discounts name a product with snapshots only', async () => {
  const reply = market(SHELVES);
  catalog.replies((asked) => (asked.path === '/products/a/sources' ? { items: [], meta: { total: 0 } } : reply(asked)));
  const { code, stdout, stderr } = await catalog.run(['discounts', 'a', 'b', '-o', 'json']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^a is not sold any more: only its snap/),
  });
  expect(JSON.parse(stdout)).toMatchObject([{ canonical_product_id: 'b' }]);
});

test('the basket finds the cheapest two stores, and names what is missing', async () => {
  const { code, stdout, stderr } = await run(['basket', '-', '-o', 'json'], '# shopping\na,2\nb\nc\t0.5\na 1\nnope\n');
  expect(code).toBe(10);
  expect(stderr).toContain('nope is skipped');
  expect(JSON.parse(stdout)).toMatchObject([
    { stores: ['fixprice'], cost: 405, missing: ['nope'] },
    { stores: ['chizhik'], cost: 240, missing: ['b', 'c', 'nope'] },
    { stores: ['fixprice', 'chizhik'], cost: 315, missing: ['nope'] },
  ]);
});

describe('refused options', () => {
  test.each([
    [['basket', '-'], 'a 1\nb x\n', 2, 'standard input, line 2: "b x" is not an id with a quantity'],
    [['basket', '-'], 'a 0\n', 2, 'line 1'],
    [['basket', '-'], 'a 1 2\n', 2, 'line 1'],
    [['basket', '-'], '# none\n', 5, 'there is no id in it'],
    ...['compare', 'movers', 'discounts', 'index', 'history'].map(
      (command) =>
        [[command, 'a', '--per', 'kg'], undefined, 5, 'the catalog has no size by kg of these offers'] as const,
    ),
    [['movers', 'a', '--since', 'in 2h'], undefined, 2, 'not in the past'],
    [['index', 'a', '--since', 'now'], undefined, 2, 'not in the past'],
    [['index', 'a', '--since', '300d'], undefined, 5, 'no product has a price at'],
    [['movers'], undefined, 2, 'no products are given'],
    [['discounts', '--store', 'lidl'], undefined, 5, 'no product matches --store lidl'],
  ] as const)('%j %j', async (argv, stdin, status, message) => {
    const { code, stdout, stderr } = await run(argv, stdin);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(message);
  });
});

const SQL = `
import json, sqlite3, sys
given = json.load(sys.stdin)
db = sqlite3.connect(':memory:')
db.execute('create table seen (product, store, place, ago real, price real, paid real)')
db.executemany('insert into seen values (?, ?, ?, ?, ?, ?)', given['rows'])
shelf = 'product, store, place'

def seen(ago, oldest):
    return f'(select {shelf}, paid from (select {shelf}, paid, min(ago) as ago from seen where ago >= {ago} group by {shelf}) where paid is not null and ago - {ago} <= {oldest})'

at = lambda ago: f'(select product, min(paid) as paid from {seen(ago, 1000)} group by product)'
movers = [row for row in db.execute(f'select a.product, a.paid, b.paid from {at(7)} a join {at(0)} b using (product)') if row[1] != row[2]]

db.execute(f'create view offers as select * from {seen(0, 1000)}')
basket = db.execute('select store, place, sum(paid) from offers group by store, place').fetchall()

one = 'select store, place, count(*) as n, round(sum(paid), 2) as cost from offers group by store, place'
two = """select a.store as s1, b.store as s2, a.place, o.product, min(o.paid) as paid
  from (select distinct store, place from offers) a join (select distinct store, place from offers) b
  on a.place = b.place and a.store < b.store join offers o on o.place = a.place and o.store in (a.store, b.store)
  group by a.store, b.store, a.place, o.product"""
split = db.execute(f"""select p.n, p.cost from
  (select s1, s2, place, count(*) as n, round(sum(paid), 2) as cost from ({two}) group by s1, s2, place) p
  where not exists (select 1 from ({one}) q where q.place = p.place and q.store in (p.s1, p.s2) and (q.n > p.n or (q.n = p.n and q.cost <= p.cost)))
  order by p.n desc, p.cost limit 1""").fetchone()

same = 'and '.join(f'{{0}}.{name} = {{1}}.{name} ' for name in ('product', 'store', 'place'))
start = f"""(select max(s.ago) from seen s where {same.format('s', 'd')} and s.price is not null and not exists
  (select 1 from seen r where {same.format('r', 's')} and r.price is not null and r.ago <= s.ago and r.paid >= r.price))"""
begun = f'select d.*, {start} as start from seen d where price is not null and paid < price and ago = (select min(n.ago) from seen n where {same.format("n", "d")})'
opening = f'(select min(o.ago) from seen o where {same.format("o", "b")} and o.price is not null and o.ago >= b.start + 30 and o.ago > b.start)'
lowest = f"""(select min(e.price) from seen e where {same.format('e', 'b')} and e.price is not null and e.ago > b.start
  and (e.ago <= b.start + 30 or e.ago = {opening}))"""
before = f'(select e.price from seen e where {same.format("e", "b")} and e.price is not null and e.ago > b.start order by e.ago limit 1)'
discounts = db.execute(f'select product, store, price, paid, {before}, {lowest}, price > {lowest} from ({begun}) b').fetchall()

base = f'(select * from {seen(given["since"], 15)} where paid > 0)'
index = db.execute(f"""select 100 * sum(n.paid / b.paid / c.n) / sum(1.0 / c.n) from {base} b
  join {seen(0, 15)} n on {same.format('n', 'b')} join (select product, count(*) as n from {base} group by product) c on c.product = b.product""").fetchone()[0]
print(json.dumps({'movers': movers, 'basket': basket, 'split': split, 'discounts': discounts, 'index': index}))
`;
const python = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

test.skipIf(!python)('numbers equal those of SQL', async () => {
  const lists = fc.sample(shelves, IS_HARD ? 100 : 3);
  // The first point of the index below: the beginning of the week.
  const since = (NOW - Date.parse('2025-12-22')) / 86_400_000;
  for (const list of lists) {
    const rows = list.flatMap(({ product, store, place, prices: all }) =>
      all.map(({ ago, price, discount_price, loyal_price }) => {
        const known = [price, discount_price, loyal_price].filter((one) => typeof one === 'number');
        return [product, store, place, ago, price, known.length === 0 ? null : Math.min(...known)];
      }),
    );
    const answer = spawnSync('python3', ['-c', SQL], { input: JSON.stringify({ rows, since }), encoding: 'utf8' });
    expect(answer.stderr).toBe('');
    const sql = JSON.parse(answer.stdout);

    const movers = await everything('movers', list, '--since', '7d', '--max-age', '1000d');
    const moved = movers.rows.map((one: Record<string, unknown>) => [
      one['canonical_product_id'],
      one['from'],
      one['to'],
    ]);
    expect(sorted(moved)).toEqual(sorted(sql.movers));

    const discounts = await everything('discounts', list);
    const discounted = discounts.rows.map((one: Record<string, unknown>) => [
      ...[one['canonical_product_id'], one['parser_name'], one['price'], one['discounted'], one['priceBefore']],
      ...[one['lowestBefore'], one['raised'] === null ? null : Number(one['raised'])],
    ]);
    expect(sorted(discounted)).toEqual(sorted(sql.discounts));

    const week = ['--since', '20d', '--interval', '7d', '--tz', 'UTC', '--max-age', '15d'];
    const index = (await everything('index', list, ...week)).rows.at(-1)?.index ?? null;
    if (sql.index === null) expect(index).toBeNull();
    else expect(Math.abs(index - sql.index)).toBeLessThanOrEqual(0.005_001);

    catalog.replies(market(list));
    const stdin = [...new Set(list.map(({ product }) => product))].join('\n');
    const costs: { stores: string[]; place: string; cost: number; missing: string[] }[] = JSON.parse(
      (await catalog.run(['basket', '-', '-o', 'json'], { stdin })).stdout,
    );
    const asked = catalog.asked();
    expect(asked).toEqual([...new Set(asked)]);
    const single = costs.filter(({ stores }) => stores.length === 1);
    expect(sorted(single.map(({ stores, place, cost }) => [stores[0], place, cost]))).toEqual(
      sorted(sql.basket.map(([store, place, cost]: [string, string, number]) => [store, place, round(cost)])),
    );
    const split = costs.find(({ stores }) => stores.length === 2);
    const all = stdin.split('\n').length;
    expect(split && [all - split.missing.length, split.cost]).toEqual(sql.split ?? undefined);
  }
});
