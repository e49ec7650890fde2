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

describe('who is cheapest', () => {
  test('is decided by the lowest price of each source, including loyalty prices', async () => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await compare();
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
    expect(stderr).toBe('1 stale: observed more than 7 days ago; --newer-than omits them\n');
    expect(catalog.asked()).toEqual(['/products/p1/sources?limit=100&offset=0']);
  });

  test.each([40, 80, 200])('at %i columns', async (terminal) => {
    catalog.replies(shop());
    const { stdout } = await catalog.run(['compare', 'p1'], { terminal, env: { NO_COLOR: '1' } });
    expect(stdout).toMatchSnapshot();
  });

  test('JSON has each source unchanged, and its comparison', async () => {
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

  test('with --field only that field counts; offers without it are last and never cheapest', async () => {
    catalog.replies(shop());
    const found = rows((await compare('--field', 'discount_price', '-o', 'json')).stdout);
    expect(found.map((one) => [one['effective_price'], one['cheapest']])).toEqual([
      [95, true],
      [null, false],
      [null, false],
    ]);
  });

  test('prices by different units are not compared', async () => {
    const kilogram = { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } };
    catalog.replies(shop({ places: [FIXPRICE, kilogram] }));
    const found = rows((await compare('-o', 'json')).stdout);
    expect(found.map((one) => one['cheapest'])).toEqual([true, true]);
  });

  test('prices in strings are numbers, and a missing price is not zero', async () => {
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

test('csv has an empty cell for a missing price, and no formulas', async () => {
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

test('percentages are numbers in csv', async () => {
  catalog.replies(shop());
  expect((await compare('-o', 'csv', '--columns', 'lowest,above')).stdout).toBe(
    'lowest,above\n89.9,0\n99,10.1223581758\n105,16.7964404894\n',
  );
  expect((await compare('-o', 'tsv', '--columns', 'lowest,above', '--sort', '-above')).stdout).toContain(
    '\n105\t16.79',
  );
});

test('text from the service stays in its line and its cell', async () => {
  const bad = 'red \u001b[31m \u202e\r\nsvc: fake';
  const fields = { ...CHIZHIK.fields, title_original: bad, price_unit: bad, settlement: { name: bad, region: bad } };
  catalog.replies(shop({ places: [{ ...CHIZHIK, parser_name: bad, fields }] }));
  const { stdout, stderr } = await compare();
  expect(stdout.split('\n')).toHaveLength(3);
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
});

describe('selected sources', () => {
  test.each([
    [
      ['--store', 'chizhik'],
      ['r:2', 'r:3'],
    ],
    [
      ['--region', 'moscow'],
      ['receiver:run-1:1', 'r:3'],
    ],
    [['--region', 'Татарстан'], ['r:2']],
    [
      ['--newer-than', '7d'],
      ['r:2', 'receiver:run-1:1'],
    ],
  ])('%j', async (argv, ids) => {
    catalog.replies(shop());
    const { code, stdout } = await compare(...argv, '-o', 'id');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter(Boolean)).toEqual(ids);
  });
});

test('names an unknown store or region, and the existing ones', async () => {
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

test.each([
  [['--store', 'lidl'], 'nothing has --store lidl: there are chizhik, fixprice'],
  [['--store', 'fixprice', '--region', 'Tula'], 'nothing has --region Tula: there are Moscow, tatarstan, Татарстан'],
])('%j exits 5 if nothing is left', async (argv, message) => {
  catalog.replies(shop());
  const { code, stdout, stderr } = await compare(...argv);
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain(message);
});

test('prices for different units show their units', async () => {
  catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } }] }));
  const header = (await compare()).stdout.split('\n')[0];
  expect(header?.trim().split(/\s+/)).toEqual(['STORE', 'WHERE', 'LOWEST', 'UNIT', 'ABOVE', 'OBSERVED', 'KIND']);
});

describe('several products', () => {
  const several = shop();
  const known = (id: string) => (asked: Parameters<typeof several>[0]) =>
    several({ ...asked, path: asked.path.replace(`/products/${id}`, '/products/p1') });

  test('are in the order of their ids; a missing one is left out and named', async () => {
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

  test('that are found by text, all of them', async () => {
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

  test('of which none exists are a failure', async () => {
    catalog.replies(products(0));
    const { code, stdout, stderr } = await catalog.run(['compare', '--search', 'milk']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('no product matches the selection');
  });
});

test.each([
  [['compare'], 'no products are given'],
  [['compare', 'p1', '--search', 'milk'], 'cannot be used together'],
])('%j is refused before anything is sent', async (argv, message) => {
  catalog.replies(shop());
  expect(await catalog.run(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(catalog.asked()).toEqual([]);
});
