/** What other implementations of the document send, and may send: spellings, nulls, numbers in strings, rows that lack a field. */
import { describe, expect, test } from 'vitest';
import { answer } from '../../../support/servers.ts';
import { market, type Price, type Shelf } from './market.ts';
import { type Asked, misbehaving, NOW } from './misbehaving.ts';

const catalog = await misbehaving();

const OBSERVED = new Date(NOW - 3_600_000).toISOString();
const MILK = {
  canonical_product_id: 'milk',
  title_original: 'Milk',
  price_unit: 'RUB',
  unit: 'PCE',
  observed_at: OBSERVED,
};
const OBLAST = { id: 1, name: 'Химки', region: 'Московская область' };
const OBLAST_TOO = { id: '2', name: 'Podolsk', region: 'Moscow Oblast' };
const TULA = { id: 3, name: 'Tula', region: 'Tula' };
const SETTLEMENTS: readonly object[] = [
  { ...OBLAST, region_normalized: 'moscow oblast' },
  { ...OBLAST_TOO, region_normalized: 'moscow oblast' },
  TULA,
];

interface Served {
  readonly sources?: readonly unknown[];
  readonly snapshots?: readonly unknown[];
  /** Lists are arrays, without an object around them. */
  readonly bare?: boolean;
}

function served({ sources = [], snapshots = sources, bare = false }: Served) {
  const list = (items: readonly unknown[]): object => (bare ? items : { items });
  return ({ path }: Asked): object | string => {
    if (path === '/settlements') return list(SETTLEMENTS);
    if (path === '/products/count') return { products_count: 0 };
    if (path === '/sync/cursors') return list([{ parser_name: 'fixprice' }, { parser_name: 'chizhik' }]);
    if (path.endsWith('/sources')) return list(sources);
    if (path.endsWith('/snapshots')) return list(snapshots);
    if (path === '/products/milk') return { canonical_product_id: 'milk' };
    return list([{ canonical_product_id: 'milk', title: 'Milk' }]);
  };
}

const offer = (parser_name: string, price: unknown, more: object = {}) => ({
  ...MILK,
  parser_name,
  source_id: `s-${parser_name}`,
  price,
  ...more,
});
const json = async (...argv: string[]) => JSON.parse((await catalog.run([...argv, '-o', 'json'])).stdout);

describe('a price of 0 or below', () => {
  test.each([0, '-1.00'])('%j is not the cheapest', async (price) => {
    catalog.replies(served({ sources: [offer('fixprice', price), offer('chizhik', 89)] }));
    const { code, stdout } = await catalog.run(['compare', 'milk']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^chizhik +89 +0 /m);
    expect(await json('compare', 'milk')).toMatchObject([{ effective_price: 89 }, { effective_price: null }]);
    expect((await catalog.run(['check', 'milk', '--below', '50'])).code).toBe(1);
    expect((await catalog.run(['check', 'milk', '--below', '90'])).code).toBe(0);
    const raw = await json('products', 'sources', 'milk');
    expect(raw[0].price).toBe(price);
  });

  test('a price of 0 beside another of the same source does not count', async () => {
    catalog.replies(served({ sources: [offer('fixprice', 99, { discount_price: 0, loyal_price: '95.5' })] }));
    expect(await json('compare', 'milk')).toMatchObject([{ effective_price: 95.5, effective_field: 'loyal_price' }]);
  });
});

describe('--region', () => {
  const sources = [
    offer('fixprice', 99, { settlement: OBLAST }),
    offer('chizhik', 89, { settlement: OBLAST_TOO }),
    offer('lenta', 10, { settlement: TULA }),
    offer('nowhere', 5, { settlement: null }),
  ];

  test('finds both spellings of a region by either', async () => {
    const region = 'МОСКОВСКАЯ ОБЛАСТЬ';
    catalog.replies(served({ sources }));
    const { code, stdout, stderr } = await catalog.run(['compare', 'milk', '--region', region, '-o', 'id']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 's-chizhik\ns-fixprice\n' });
    const left = 'left out by --region because they have no settlement: 1 of the sources\n';
    expect(stderr).toBe(left);
    const check = await catalog.run(['check', 'milk', '--below', '90', '--region', region]);
    expect(check).toMatchObject({ code: 0, stderr: left });
  });

  test('suggests a region if one is unknown', async () => {
    catalog.replies(served({ sources }));
    const { code, stderr } = await catalog.run(['compare', 'milk', '--region', 'Tola']);
    expect(code).toBe(5);
    expect(stderr).toContain('nothing has --region Tola: there are Moscow Oblast, Tula, moscow oblast,');
    expect(stderr).toContain('did you mean: svc catalog compare milk --region Tula\n');
    expect((await catalog.run(['compare', 'milk', '--place', 'Tula'])).code).toBe(2);
  });
});

test('a list may come without an object around it', async () => {
  const LISTS = ['products list --all', 'products snapshots milk --all', 'categories list --tree', 'cursors'];
  for (const argv of [...LISTS, 'settlements list --region tula', 'compare milk', 'history milk']) {
    catalog.replies(served({ sources: [offer('fixprice', '99')], bare: true }));
    const { code, stdout, stderr } = await catalog.run([...argv.split(' '), '-o', 'ndjson']);
    expect({ code, stderr }, argv).toEqual({ code: 0, stderr: '' });
    expect(stdout, argv).toMatch(/^\{/);
  }
});

describe('rows of the service', () => {
  const BAD: readonly (readonly [name: string, row: unknown, why: string])[] = [
    ['have no parser_name', { ...offer('fixprice', 1), parser_name: null }, 'parser_name or source_id is missing'],
    ['have a price that is no number', offer('fixprice', '1 RUB'), 'price is not a number'],
  ];
  test.each(BAD)('that %s are shown unchanged, and left out of prices', async (_, row, why) => {
    const sources = [row, offer('chizhik', 89)];
    catalog.replies(served({ sources }));
    const raw = await catalog.run(['products', 'sources', 'milk', '-o', 'json']);
    expect({ code: raw.code, rows: JSON.parse(raw.stdout) }).toEqual({
      code: 0,
      rows: JSON.parse(JSON.stringify(sources)),
    });
    const { code, stdout, stderr } = await catalog.run(['compare', 'milk', '-o', 'id']);
    expect({ code, stdout }).toEqual({ code: 10, stdout: 's-chizhik\n' });
    expect(stderr).toContain(`1 of 2 sources of milk are left out: ${why}\n`);
    expect((await catalog.run(['history', 'milk', '-o', 'csv'])).code).toBe(10);
    const check = await catalog.run(['check', 'milk', '--below', '90']);
    expect({ code: check.code, stdout: check.stdout }).toMatchObject({
      code: 11,
      stdout: expect.stringContaining(why),
    });
  });

  test('leave a check unknown if a product cannot be read', async () => {
    const reply = served({ sources: [offer('chizhik', 89)] });
    const items = [{ canonical_product_id: 'milk', title: 'Milk' }, { title: 'no id' }];
    catalog.replies((asked) => (asked.path === '/products' ? { items } : reply(asked)));
    for (const limit of ['90', '80']) {
      const { code, stdout, stderr } = await catalog.run(['check', '--search', 'milk', '--below', limit]);
      expect(code).toBe(11);
      expect(stdout).toContain('; the selection is not complete');
      expect(stderr).toContain('product 2: canonical_product_id is missing');
    }
  });

  test('leave a check of several unknown if one cannot be read', async () => {
    const reply = served({ sources: [offer('chizhik', 89)] });
    catalog.replies((asked) => (asked.path.startsWith('/products/gone') ? answer(503, '') : reply(asked)));
    const check = (limit: string) => catalog.run(['check', '-', '--below', limit], { stdin: 'milk\ngone\n' });
    expect(await check('80')).toMatchObject({ code: 11, stderr: expect.stringContaining('gone is skipped') });
    expect((await check('90')).code).toBe(10);
  });

  test('are named if a snapshot has no time', async () => {
    const good = offer('chizhik', 89);
    catalog.replies(served({ sources: [good], snapshots: [good, { ...good, observed_at: null }] }));
    const { code, stderr } = await catalog.run(['history', 'milk', '-o', 'csv']);
    expect(code).toBe(10);
    expect(stderr).toContain('1 of 2 snapshots of milk are left out: the time of observation is missing\n');
  });
});

describe('a time', () => {
  const sources = [offer('fixprice', 99, { observed_at: '2026-01-14T00:00:00Z' })];

  test.each([
    [['movers', 'milk', '--since', '2026-01-10', '--tz', 'Asia/Tokyo'], 'since 2026-01-09T15:00:00Z\n'],
    [['check', 'milk', '--change', '1%', '--since', '2026-01-14 10:00', '--tz', 'Asia/Tokyo'], '2026-01-14T01:00:00'],
  ])('without a zone is of --tz: %j', async (argv, text) => {
    catalog.replies(served({ sources }));
    expect((await catalog.run([...argv, '-o', 'json'])).stderr).toContain(text);
  });
});

describe('a gate is not green on what it cannot see', () => {
  test.each(['yesterday', 1_700_000_000])(
    'svc catalog check does not know the age of an offer of %j',
    async (observed_at) => {
      catalog.replies(served({ sources: [offer('fixprice', 50, { observed_at }), offer('chizhik', 89)] }));
      for (const limit of [
        ['--below', '60'],
        ['--above', '60', '--any'],
      ]) {
        expect(await catalog.run(['check', 'milk', ...limit])).toMatchObject({
          code: 11,
          stdout: expect.stringContaining('its observed_at is not a time'),
        });
      }
      expect(await json('compare', 'milk')).toMatchObject([{ effective_price: 50 }, { effective_price: 89 }]);
    },
  );

  test('svc catalog cursors does not know the age of stores that its page does not have', async () => {
    catalog.replies(() => ({ items: [{ parser_name: 'fixprice', ingested_at: OBSERVED }], total: 2 }));
    const { code, stderr } = await catalog.run(['cursors', '--max-age', '6h']);
    expect({ code, stderr }).toEqual({ code: 11, stderr: 'the service returned 1 of 2 cursors\n' });
  });
});

test.each([true, false])(
  'a list without a total is read until nothing more comes, even if it is a bare array: %s',
  async (bare) => {
    const sources = ['a', 'b', 'c', 'd', 'e'].map((name, index) => offer(name, 100 - index));
    catalog.replies(({ path, query }) => {
      const from = Number(query.get('offset'));
      const items = path.endsWith('/sources') ? sources.slice(from, from + 2) : [];
      return bare ? items : { items };
    });
    const { code, stdout } = await catalog.run(['check', 'milk', '--below', '97']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('the lowest is 96 RUB/PCE (price, e)'),
    });
  },
);

test('ids of sources above 2^53 are exact', async () => {
  const rows = ['9007199254740993', '9007199254740992'].map((id, index) =>
    JSON.stringify(offer('fixprice', 90 + index, { settlement: index ? TULA : OBLAST })).replace('"s-fixprice"', id),
  );
  catalog.replies(() => answer(200, `{"items":[${rows.join(',')}],"total":2}`));
  expect(await json('compare', 'milk')).toMatchObject([
    { source_id: '9007199254740993', effective_price: 90 },
    { source_id: '9007199254740992', effective_price: 91 },
  ]);
});

test('a product whose id cannot be in a path is left out', async () => {
  const items = [{ canonical_product_id: 'a/b' }, { canonical_product_id: '' }, { canonical_product_id: 'milk' }];
  catalog.replies(({ path }) => ({ items: path === '/products' ? items : [offer('fixprice', 90, { unit: 'KGM' })] }));
  const { code, stdout, stderr } = await catalog.run(['compare', '--search', 'milk', '-o', 'json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([10, [{ effective_price: 90 }]]);
  expect(stderr).toContain('a/b is skipped: ');
  expect(stderr).toContain('product 2: canonical_product_id: expected an id\n');
});

test('a price of 0 in the past is a gap in history, and no price of movers and basket', async () => {
  const shelf = (store: string, ...prices: Price[]): Shelf => ({ product: 'a', store, place: 'Tula', prices });
  const day = (ago: number, price: number): Price => ({ ago, price });
  catalog.replies(market([shelf('x', day(10, 0), day(2, 90)), shelf('y', day(10, 100), day(2, 80), day(1, 0))]));
  const [x, y] = await json('history', 'a', '--interval', '1d');
  expect([x.statistics.min, y.statistics.min, y.statistics.last]).toEqual([90, 80, 80]);
  const moved = await catalog.run(['movers', 'a', '--by', 'store', '-o', 'json']);
  expect(JSON.parse(moved.stdout)).toMatchObject([
    { parser_name: 'x', from: null, to: 90 },
    { parser_name: 'y', from: 100, to: null },
  ]);
  const basket = await catalog.run(['basket', '-', '-o', 'json'], { stdin: 'a 2\n' });
  expect(JSON.parse(basket.stdout)).toMatchObject([{ parser_name: 'x', cost: 180 }]);
});
