import { describe, expect, test } from 'vitest';
import { misbehaving } from './misbehaving.ts';
import { CHIZHIK, FIXPRICE, shop } from './shop.ts';

const catalog = await misbehaving();

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

  test('prints a table that fits a narrow terminal', async () => {
    catalog.replies(shop());
    const { stdout } = await catalog.run(['compare', 'p1'], { terminal: 40, env: { NO_COLOR: '1' } });
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
  const { stdout, stderr } = await catalog.run(
    'compare p1 --store lidl --store fixprice --region moscow --region Tula -o json'.split(' '),
  );
  expect(rows(stdout)).toMatchObject([{ source_id: 'receiver:run-1:1' }]);
  expect(stderr).toMatch(
    /^nothing has --region Tula: there are Moscow, tatarstan, Татарстан\nnothing has --store lidl: there are chizhik, fixprice\n/,
  );
});
