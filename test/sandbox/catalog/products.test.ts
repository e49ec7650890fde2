/** Filters before grouping, orders, search, and the counts. */
import { afterAll, describe, expect, test } from 'vitest';
import { at, catalogOf, category, row, settlement, startCatalog } from './service.ts';

interface Item {
  readonly canonical_product_id: string;
  readonly title: string | null;
  readonly price_from: number | null;
  readonly sources_count: number;
  readonly parsers: readonly string[];
}

const moscow = settlement({});
const khimki = settlement({ id: 2, region: 'Московская область', region_normalized: 'moscow oblast', name: 'Химки' });
const torshavn = settlement({ id: 3, region: 'Streymoy', region_normalized: null, name: 'Tórshavn', country: 'FO' });

const service = await startCatalog({
  catalog: catalogOf({
    settlements: [moscow, khimki, torshavn],
    categories: [
      category({}),
      category({ id: 2, source_uid: '20-tea', parent_source_uid: '10-food', title: 'Чай', alias: 'chaj', depth: 1 }),
      category({ id: 3, parser_name: 'fixprice', source_uid: '2001', updated_at: at('2026-03-01T00:00:00Z') }),
    ],
    sources: [
      // a member's price below the discount does not count
      row({
        id: 1,
        canonical_product_id: 'a',
        price: 100,
        discount_price: 90,
        loyal_price: 85,
        promo: true,
        settlement: moscow,
        title_original: 'Older',
        rating: 5,
        observed_at: at('2026-01-01T00:00:00Z'),
      }),
      row({
        id: 2,
        canonical_product_id: 'a',
        parser_name: 'fixprice',
        price: 95,
        promo: false,
        settlement: torshavn,
        title_original: 'Newer 50%',
        rating: 3,
        observed_at: at('2026-01-02T00:00:00Z'),
      }),
      row({
        id: 3,
        canonical_product_id: 'b',
        price: 20,
        loyal_price: 18,
        brand: 'ÉCLAIR',
        category: category({ id: 2 }),
        settlement: khimki,
        title_original: 'Химчистка_x',
        rating: 4,
        observed_at: at('2026-01-03T00:00:00Z'),
      }),
      row({
        id: 4,
        canonical_product_id: 'c',
        title_normalized_no_stopwords: 'plain',
        observed_at: at('2026-01-03T00:00:00Z'),
      }),
      row({
        id: 5,
        canonical_product_id: 'a',
        price: 99,
        settlement: khimki,
        observed_at: at('2025-12-01T00:00:00Z'),
      }),
    ],
  }),
});
afterAll(() => service.close());

async function items(query: string): Promise<readonly Item[]> {
  return (await service.json<{ items: Item[] }>(`/products?${query}`)).items;
}
async function ids(query: string): Promise<string> {
  return (await items(query)).map(({ canonical_product_id }) => canonical_product_id).join('');
}

describe('products', () => {
  test('have as price_from the least of discount, else loyalty, else price', async () => {
    expect(await items('parser_name=chizhik&settlement_id=1')).toMatchObject([{ price_from: 90 }]);
    expect(await items('brand=%C3%A9clair')).toEqual([]);
    expect(await items('category_id=2')).toMatchObject([{ canonical_product_id: 'b', price_from: 18 }]);
    expect(await items('q=plain')).toMatchObject([{ canonical_product_id: 'c', price_from: null }]);
  });

  test('show what their filtered sources have', async () => {
    const [whole] = await items('q=&sort=price_desc');
    expect(whole).toMatchObject({
      title: 'Newer 50%',
      price_from: 90,
      sources_count: 3,
      parsers: ['chizhik', 'fixprice'],
    });
    expect(await items('promo=true')).toMatchObject([{ title: 'Older', sources_count: 1, parsers: ['chizhik'] }]);
    expect(await items('promo=0')).toMatchObject([{ title: 'Newer 50%', price_from: 95, sources_count: 1 }]);
    expect(await items('price_min=95')).toMatchObject([{ price_from: 95, sources_count: 2 }]);
    expect(await ids('price_max=18')).toBe('b');
  });

  test('are sorted, and pages have each once', async () => {
    const ORDERS = [
      ['observed_at_desc', 'bca'],
      ['observed_at_asc', 'abc'],
      ['price_asc', 'bac'],
      ['price_desc', 'abc'],
      // the rating of the row that speaks for the product, which is the latest
      ['rating_desc', 'bac'],
    ] as const;
    for (const [sort, order] of ORDERS) {
      expect(await ids(`sort=${sort}`), sort).toBe(order);
      const pages = [0, 1, 2].map((offset) => ids(`sort=${sort}&limit=1&offset=${offset}`));
      expect((await Promise.all(pages)).join(''), sort).toBe(order);
    }
  });

  test('are found by a text as in the database', async () => {
    const FOUND = [
      ['q=OLDER', 'a'],
      ['q=%25', 'bca'],
      ['q=n_wer', 'a'],
      ['q=w%25r', 'a'],
      ['q=50%25%25', 'a'],
      ['q=_x', 'b'],
      ['q=plain_', ''],
      ['q=%20plain%20', 'c'],
      // the database knows no other capitals than those of ASCII
      ['q=%D0%A5%D0%B8%D0%BC', ''],
      ['q=%D1%85%D0%B8%D0%BC', ''],
      ['q=%D0%B8%D0%BC%D1%87', 'b'],
      ['parser_name=Fixprice', ''],
      ['parser_name=fixprice', 'a'],
      ['settlement_id=2', 'ba'],
    ] as const;
    for (const [query, found] of FOUND) expect(await ids(query), query).toBe(found);
  });
});

describe('sources', () => {
  test('are these bytes, the latest first', async () => {
    const [, body] = await service.get('/products/b/sources');
    expect(body).toBe(
      '{"items":[{"id":3,"canonical_product_id":"b","parser_name":"chizhik","source_id":"receiver:run-1:3","title_original":"Химчистка_x","title_normalized_no_stopwords":null,"brand":"ÉCLAIR","price":20,"discount_price":null,"loyal_price":18,"price_unit":null,"rating":4,"promo":null,"is_new":null,"hit":null,"adult":null,"unit":null,"available_count":null,"package_quantity":null,"package_unit":null,"image_urls":[],"observed_at":"2026-01-03T00:00:00Z","primary_category":{"id":2,"source_uid":"10-food","title":"Food"},"settlement":{"id":2,"name":"Химки","region":"Московская область","country":"RU"}}],"meta":{"limit":20,"offset":0,"total":1}}',
    );
    const order = async (query: string): Promise<readonly number[]> =>
      (await service.json<{ items: { id: number }[] }>(`/products/a/sources${query}`)).items.map(({ id }) => id);
    expect(await order('')).toEqual([2, 1, 5]);
    expect(await order('?sort=observed_at_asc')).toEqual([5, 1, 2]);
  });
});

test('counts are these bytes', async () => {
  const COUNTS = [
    ['/products/count', '{"products_count":3,"stores":null,"regions":null}'],
    ['/products/count?store=CHIZHIK&store=chizhik&store=', '{"products_count":3,"stores":["chizhik"],"regions":null}'],
    ['/products/count?region=MOSCOW&region=x', '{"products_count":1,"stores":null,"regions":["moscow","x"]}'],
    // the region itself where it was never normalized
    ['/products/count?region=streymoy', '{"products_count":1,"stores":null,"regions":["streymoy"]}'],
    ['/products/count?store=nobody', '{"products_count":0,"stores":["nobody"],"regions":null}'],
    [
      '/products/common/count?scope=Stores',
      '{"scope":"stores","common_products_count":1,"required_stores":2,"required_regions":null,"stores":null,"regions":null}',
    ],
    [
      '/products/common/count?scope=stores&store=chizhik&store=nobody',
      '{"scope":"stores","common_products_count":0,"required_stores":2,"required_regions":null,"stores":["chizhik","nobody"],"regions":null}',
    ],
    [
      '/products/common/count?scope=stores&store=chizhik&region=moscow%20oblast',
      '{"scope":"stores","common_products_count":2,"required_stores":1,"required_regions":null,"stores":["chizhik"],"regions":["moscow oblast"]}',
    ],
    [
      '/products/common/count?scope=regions',
      '{"scope":"regions","common_products_count":1,"required_stores":null,"required_regions":3,"stores":null,"regions":null}',
    ],
    [
      '/products/common/count?scope=regions&store=chizhik',
      '{"scope":"regions","common_products_count":1,"required_stores":null,"required_regions":2,"stores":["chizhik"],"regions":null}',
    ],
    [
      '/products/common/count?scope=regions&region=moscow&region=Streymoy',
      '{"scope":"regions","common_products_count":1,"required_stores":null,"required_regions":2,"stores":null,"regions":["moscow","streymoy"]}',
    ],
  ] as const;
  for (const [path, body] of COUNTS) expect(await service.get(path), path).toEqual([200, body]);
});

describe('categories, settlements and cursors', () => {
  test('are filtered by their parameters', async () => {
    const FILTERS: readonly (readonly [path: string, ids: readonly number[]])[] = [
      ['/categories', [3, 1, 2]],
      ['/categories?parser_name=chizhik&depth=1', [2]],
      ['/categories?parent_source_uid=10-food', [2]],
      ['/categories?q=CHAJ', [2]],
      ['/categories?q=20-t', [2]],
      ['/settlements?country=FO', [3]],
      ['/settlements?q=%D0%A5%D0%B8%D0%BC%D0%BA%D0%B8', []],
      ['/settlements?q=%D0%B8%D0%BC%D0%BA%D0%B8', [2]],
    ];
    for (const [path, found] of FILTERS) {
      const { items } = await service.json<{ items: { id: number }[] }>(path);
      expect(
        items.map(({ id }) => id),
        path,
      ).toEqual(found);
    }
  });

  test('of cursors has no pages, and their time as it is stored', async () => {
    await using other = await startCatalog({
      catalog: catalogOf({
        cursors: [
          {
            parser_name: 'chizhik',
            ingested_at: at('2026-01-05T10:30:00Z'),
            product_id: 5,
            updated_at: at('2026-01-05T10:30:00Z') + 7,
          },
          { parser_name: 'fixprice', ingested_at: null, product_id: null, updated_at: null },
        ],
      }),
    });
    const first =
      '{"parser_name":"chizhik","ingested_at":"2026-01-05T10:30:00+00:00","product_id":5,"updated_at":"2026-01-05T10:30:00.000007Z"}';
    const second = '{"parser_name":"fixprice","ingested_at":null,"product_id":null,"updated_at":null}';
    expect((await other.get('/sync/cursors'))[1]).toBe(`{"items":[${first},${second}]}`);
    expect((await service.get('/sync/cursors'))[1]).toBe('{"items":[]}');
  });
});
