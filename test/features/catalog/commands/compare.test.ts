import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Misbehaving, misbehaving, products } from './misbehaving.ts';
import { CHIZHIK, FIXPRICE, shop } from './shop.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

const compare = (...argv: string[]) => catalog.run(['compare', 'p1', ...argv]);
const rows = (text: string) => JSON.parse(text) as Record<string, unknown>[];

describe('svc catalog compare', () => {
  test('sorts by the lowest price of each source, including loyalty prices', async () => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await compare();
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
    expect(stderr).toBe('1 stale: observed more than 7 days ago; --newer-than omits them\n');
    expect(catalog.asked()).toEqual(['/products/p1/sources?limit=100&offset=0']);
  });

  test.each([40, 80])('prints a table that fits %i columns', async (terminal) => {
    catalog.replies(shop());
    const { stdout } = await catalog.run(['compare', 'p1'], { terminal, env: { NO_COLOR: '1' } });
    expect(stdout).toMatchSnapshot();
  });

  test('prints each source unchanged in JSON, with its comparison', async () => {
    catalog.replies(shop());
    const [first, second, third] = rows((await compare('-o', 'json')).stdout);
    expect(first).toEqual({
      canonical_product_id: 'p1',
      parser_name: 'chizhik',
      source_id: 'r:2',
      ...CHIZHIK.fields,
      effective_price: 89.9,
      effective_field: 'loyal_price',
      cheapest: true,
      above_cheapest: 0,
      above_cheapest_percent: 0,
      stale: false,
    });
    expect(second).toMatchObject({
      effective_price: 99,
      effective_field: 'price',
      above_cheapest: 9.1,
      cheapest: false,
    });
    expect(third).toMatchObject({ source_id: 'r:3', above_cheapest_percent: 16.7964404894, stale: true });
  });

  test('compares only --field, and puts offers without it last', async () => {
    catalog.replies(shop());
    const found = rows((await compare('--field', 'discount_price', '-o', 'json')).stdout);
    expect(found.map((one) => [one['effective_price'], one['cheapest']])).toEqual([
      [95, true],
      [null, false],
      [null, false],
    ]);
  });

  test('does not compare prices of different units', async () => {
    const kilogram = { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } };
    catalog.replies(shop({ places: [FIXPRICE, kilogram] }));
    const found = rows((await compare('-o', 'json')).stdout);
    expect(found.map((one) => one['cheapest'])).toEqual([true, true]);
  });

  test('reads a price in a text, and takes a missing price not for zero', async () => {
    const place = (source_id: string, price: unknown) => ({
      ...FIXPRICE,
      source_id,
      fields: { ...FIXPRICE.fields, settlement: { name: source_id }, price },
    });
    catalog.replies(shop({ places: [place('a', '100.50'), place('b', null), place('c', '99.5')] }));
    const found = rows((await compare('-o', 'json')).stdout);
    expect(found.map((one) => [one['source_id'], one['effective_price'], one['above_cheapest']])).toEqual([
      ['c', 99.5, 0],
      ['a', 100.5, 1],
      ['b', null, null],
    ]);
  });
});

test('svc catalog compare has an empty cell in csv for a missing price', async () => {
  catalog.replies(shop());
  const { stdout } = await compare('--field', 'discount_price', '-o', 'csv', '--columns', 'store,lowest,above,stale');
  expect(stdout.split(/\r?\n/)).toEqual([
    'store,lowest,above,stale',
    'chizhik,95,0,',
    'chizhik,,,stale',
    'fixprice,,,',
    '',
  ]);
});

describe('svc catalog compare of selected sources', () => {
  test.each([
    [
      ['--region', 'moscow'],
      ['receiver:run-1:1', 'r:3'],
    ],
    [['--region', 'Татарстан'], ['r:2']],
    [
      ['--newer-than', '7d'],
      ['r:2', 'receiver:run-1:1'],
    ],
  ])('prints those with %j', async (argv, ids) => {
    catalog.replies(shop());
    const { code, stdout } = await compare(...argv, '-o', 'id');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter(Boolean)).toEqual(ids);
  });
});

test('svc catalog compare names an unknown store or region, and those that there are', async () => {
  catalog.replies(shop());
  const some = await compare(
    '--store',
    'lidl',
    '--store',
    'fixprice',
    '--region',
    'moscow',
    '--region',
    'Tula',
    '-o',
    'id',
  );
  expect(some.stdout).toBe('receiver:run-1:1\n');
  expect(
    (await compare('--store', 'lidl', '--store', 'fixprice', '--region', 'moscow', '--region', 'Tula')).stderr,
  ).toMatch(
    /^nothing has --region Tula: there are Moscow, tatarstan, Татарстан\nnothing has --store lidl: there are chizhik, fixprice\n/,
  );
});

test('svc catalog compare exits 5 if no source is left', async () => {
  catalog.replies(shop());
  const { code, stdout, stderr } = await compare('--store', 'fixprice', '--region', 'Tula');
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain('nothing has --region Tula: there are Moscow, tatarstan, Татарстан');
});

describe('svc catalog compare of several products', () => {
  const several = shop();
  const known = (id: string) => (asked: Parameters<typeof several>[0]) =>
    several({ ...asked, path: asked.path.replace(`/products/${id}`, '/products/p1') });

  test('prints them in the order of their ids, and names a missing one: exit 10', async () => {
    catalog.replies((asked) => (asked.path.startsWith('/products/p2') ? known('p2')(asked) : several(asked)));
    const { code, stdout, stderr } = await catalog.run(['compare', 'p2', 'nope', 'p1', 'p1', '-o', 'json']);
    expect(code).toBe(10);
    expect(rows(stdout)).toHaveLength(6);
    expect(stderr).toContain('nope is skipped: no store sells a product with this id');
    const quiet = await catalog.run(['compare', 'p2', 'nope', 'p1', '-q']);
    expect(quiet).toMatchObject({
      code: 10,
      stderr: 'nope is skipped: no store sells a product with this id\n',
    });
  });

  test('reads all products that match a text', async () => {
    const found = products(25);
    catalog.replies((asked) =>
      asked.path === '/products' ? found(asked) : several({ ...asked, path: '/products/p1/sources' }),
    );
    const { code, stdout, stderr } = await catalog.run(['compare', '--search', 'milk & 50 %', '-o', 'json']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(rows(stdout)).toHaveLength(75);
    expect(catalog.asked()[0]).toBe('/products?limit=100&offset=0&q=milk%20%26%2050%20%25');
  });

  test('exits 5 if no product matches', async () => {
    catalog.replies(products(0));
    const { code, stdout, stderr } = await catalog.run(['compare', '--search', 'milk']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('no product matches the selection');
  });
});

test.each([
  [['compare'], 'no products are given'],
  [['compare', 'p1', '--search', 'milk'], 'cannot be used together'],
])('svc catalog %j is refused before anything is sent', async (argv, message) => {
  catalog.replies(shop());
  expect(await catalog.run(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(catalog.asked()).toEqual([]);
});
