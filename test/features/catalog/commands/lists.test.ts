import { describe, expect, test } from 'vitest';
import { answer } from '../../../support/servers.ts';
import { type Asked, misbehaving, products } from './misbehaving.ts';

const catalog = await misbehaving();

const rowsOf = (stdout: string): number => stdout.split('\n').filter((line) => line !== '').length;

describe('the requests of svc catalog', () => {
  const CASES: readonly (readonly [argv: string, path: string])[] = [
    ['products list', '/products'],
    ['products list --limit 5 --offset 40', '/products?limit=5&offset=40'],
    [
      'products list --search a% --brand B --category 3 --settlement 4 --promo true --price-min 0.5 --price-max 9 --order price_asc',
      '/products?q=a%25&brand=B&category_id=3&settlement_id=4&promo=true&price_min=0.5&price_max=9&sort=price_asc',
    ],
    [
      'products sources 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --order observed_at_asc',
      '/products/5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10/sources?sort=observed_at_asc',
    ],
    [
      'products snapshots 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --source receiver:1',
      '/products/5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10/snapshots?source_id=receiver%3A1',
    ],
    ['categories list --parent c/food --depth 0', '/categories?depth=0&parent_source_uid=c%2Ffood'],
    ['settlements list --country RU', '/settlements?country=RU'],
  ];
  test('have each option as its parameter', async () => {
    for (const [argv, path] of CASES) {
      catalog.replies(() => ({ items: [{ canonical_product_id: 'p1' }] }));
      expect(await catalog.run(argv.split(' ')), argv).toMatchObject({ code: 0 });
      expect(catalog.asked()).toEqual([path]);
    }
  });

  test.each([
    [[], 11, ''],
    [['2026-01-15T07:00:00+00:00'], 0, ''],
    [['2026-01-15T05:59:59+00:00', null], 1, 'older than 6h: s0\nthe age is not known: s1\n'],
    [['2026-01-15T07:00:00+00:00', null], 11, 'the age is not known: s1\n'],
  ] as const)('svc catalog cursors --max-age 6h of stores of %j exits %i', async (times, code, stderr) => {
    catalog.replies(() => ({ items: times.map((ingested_at, index) => ({ parser_name: `s${index}`, ingested_at })) }));
    const run = await catalog.run(['cursors', '--max-age', '6h', '-o', 'id']);
    expect(run).toMatchObject({ code, stdout: times.map((_, index) => `s${index}\n`).join(''), stderr });
  });

  /** Two spellings of one region, one that was never normalized, and a store without a cursor. */
  const counting = ({ path, query }: Asked): object => {
    if (path === '/settlements') {
      const regions = [
        ['Московская область', 'moscow oblast'],
        ['Moscow Oblast', 'moscow oblast'],
        ['Tula', null],
      ];
      return { items: regions.map(([region, region_normalized], id) => ({ id, region, region_normalized })) };
    }
    if (path === '/sync/cursors') return { items: [{ parser_name: 'fixprice' }, { parser_name: 'Chizhik' }] };
    const count = query.getAll('store').includes('nope') ? 0 : 7;
    return { products_count: count, common_products_count: count };
  };

  test.each([
    ['count --store Chizhik --store fixprice', 'count?store=Chizhik&store=fixprice'],
    ['count --region Московская+область', 'count?region=Московская+область&region=moscow+oblast&region=Moscow+Oblast'],
    [
      'common --scope regions --region moscow+oblast --region Московская+область --region tula',
      'common/count?scope=regions&region=moscow+oblast&region=Tula',
    ],
    ['common --scope stores --region tula', 'common/count?scope=stores&region=Tula'],
  ])('svc catalog products %s sends the spellings of the service', async (argv, wanted) => {
    catalog.replies(counting);
    const run = await catalog.run(['products', ...argv.split(' ').map((word) => word.replaceAll('+', ' ')), '-q']);
    expect(run).toMatchObject({ code: 0, stdout: '7\n', stderr: '' });
    const sent = new URLSearchParams(catalog.asked().at(-1)?.split('?')[1]);
    expect([...sent]).toEqual([...new URLSearchParams(wanted.split('?')[1])]);
  });

  test.each([
    ['count --store nope', 5, 'nothing has --store nope: there are Chizhik, fixprice\n'],
    ['count --store nope --store fixprice', 0, 'nothing has --store nope: there are Chizhik, fixprice\n'],
    ['count --store chizhik', 5, 'hint: did you mean: svc catalog products count --store Chizhik\n'],
    ['count --store fixprice --region nope', 5, 'nothing has --region nope: there are Moscow Oblast, Tula'],
    ['count --region tulo', 5, 'hint: did you mean: svc catalog products count --region Tula\n'],
  ])('svc catalog products %s exits %i, and names what is unknown', async (argv, status, text) => {
    catalog.replies(counting);
    const { code, stderr } = await catalog.run(['products', ...argv.split(' ')]);
    expect(code).toBe(status);
    expect(stderr).toContain(text);
  });

  test('a store that finds nothing is looked up', async () => {
    const rows = [{ id: 1, canonical_product_id: 'p1', parser_name: 'Chizhik', source_id: 's1' }];
    catalog.replies(({ path: asked, query }) => {
      if (asked === '/sync/cursors') return { items: [{ parser_name: 'Chizhik' }, { parser_name: 'fixprice' }] };
      if (asked === '/products/count') return { products_count: 0 };
      return { items: query.get('parser_name') === 'Chizhik' ? rows : [] };
    });
    const list = (store: string) => catalog.run(['products', 'list', '--store', store, '-o', 'id']);
    expect(await list('Chizhik')).toMatchObject({ code: 0, stdout: 'p1\n', stderr: '' });
    expect(catalog.asked()).toEqual(['/products?parser_name=Chizhik']);
    expect(await list('CHIZHIK')).toMatchObject({ code: 5, stderr: expect.stringContaining('--store Chizhik') });
    expect(await list('fixprice')).toMatchObject({ code: 0, stdout: '' });
    const unknown = expect.stringContaining('Chizhik, fixprice');
    expect(await list('lidl')).toMatchObject({ code: 5, stdout: '', stderr: unknown });
  });

  test('svc catalog cursors --store does not find an unknown store', async () => {
    catalog.replies(counting);
    expect((await catalog.run(['cursors', '--store', 'fixprice', '-o', 'id'])).stdout).toBe('fixprice\n');
    expect((await catalog.run(['cursors', '--store', 'lidl', '--max-age', '1h'])).code).toBe(5);
  });

  const REFUSED: readonly (readonly [argv: string, texts: string])[] = [
    ['products common', '--scope is required'],
    ['products common --scope all_stores', 'unknown value "all_stores"'],
    ['products list --all --limit 5', '--all and --limit cannot be combined'],
    ['products list --price-min 9 --price-max 1', '--price-min is 9, more than --price-max, 1'],
    ['products list --sort from --offset 5', '--sort and --offset cannot be combined'],
    [
      'categories list --tree --limit 5',
      '--tree reads all categories, and cannot be combined with --limit or --offset',
    ],
    ['products get a/b', 'is not an id'],
    ['products sources ..', '".." cannot be a canonical_product_id'],
  ];
  test.each(REFUSED)('svc catalog %s is refused, and nothing is sent', async (argv, texts) => {
    catalog.replies(() => ({ items: [] }));
    const { code, stdout, stderr } = await catalog.run(argv.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(texts);
    expect(catalog.asked()).toEqual([]);
  });
});

describe('a long list', () => {
  test('is read in pages of 100 with --all, until a short one', async () => {
    let total = 1250;
    catalog.replies(products(250, { total: () => (total -= 400) }));
    const { code, stdout, stderr } = await catalog.run(['products', 'list', '--all', '-o', 'id']);
    expect({ code, rows: rowsOf(stdout) }).toEqual({ code: 0, rows: 250 });
    expect(stderr).toBe('the catalog changed while it was read: its total was 850, then 50\n');
    expect(catalog.asked()).toEqual([0, 100, 200].map((offset) => `/products?limit=100&offset=${offset}`));
  });

  /** A list of products, one of which moves to the front with each page. */
  const moving = (count: number) => {
    const ids = Array.from({ length: count }, (_, n) => `p${n}`);
    return ({ query }: { readonly query: URLSearchParams }): object => {
      ids.unshift(ids.pop() ?? '');
      const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
      const items = ids.slice(offset, offset + limit).map((id) => ({ canonical_product_id: id, price_from: 1 }));
      return { items, meta: { limit, offset, total: count } };
    };
  };

  test.each(['-o ndjson', '-o json', '-q'])(
    'prints rows that move between pages once, and exits 10 because others may be missing: %s',
    async (format) => {
      catalog.replies(moving(350));
      const { code, stdout, stderr } = await catalog.run(['products', 'list', '--all', ...format.split(' ')]);
      expect(code).toBe(10);
      expect(stderr).toContain('the list may be incomplete: 350 of 350 results, 3 of them twice\n');
      const ids = stdout.match(/\bp\d+\b/g) ?? [];
      expect([ids.length, new Set(ids).size]).toEqual([347, 347]);
      expect(catalog.asked()).toHaveLength(4);
    },
  );

  test('is read as a whole for --sort', async () => {
    const reply = products(250);
    catalog.replies((asked) => {
      const page = reply(asked) as { readonly items: readonly { readonly canonical_product_id: string }[] };
      const items = page.items.map((item) => ({
        ...item,
        price_from: 1000 - Number(item.canonical_product_id.slice(1)),
      }));
      return { ...page, items };
    });
    const { code, stdout } = await catalog.run(['products', 'list', '--sort', 'from', '--limit', '2', '-o', 'id']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'p249\np248\n' });
    expect(catalog.asked()).toHaveLength(3);
    expect(rowsOf((await catalog.run(['products', 'list', '--sort', 'from', '-o', 'id'])).stdout)).toBe(250);
  });

  test('is read page by page up to --limit', async () => {
    catalog.replies(products(1000));
    const { stdout, stderr } = await catalog.run(['products', 'list', '--limit', '130', '--offset', '7']);
    expect(stdout.split('\n')).toHaveLength(132);
    expect(stdout).toMatch(/\np136 +Product 136 +10 +fixprice\s+$/);
    expect(stderr).toBe('showing 130 of 1000; use --all for the rest\n');
    expect(catalog.asked()).toEqual(['/products?limit=100&offset=7', '/products?limit=30&offset=107']);
  });

  test('prints no table if it breaks off', async () => {
    const reply = products(300);
    catalog.replies((asked) => (asked.query.get('offset') === '100' ? answer(422, '{"detail":"no"}') : reply(asked)));
    expect(await catalog.run(['products', 'list', '--all'])).toMatchObject({ code: 3, stdout: '' });
  });

  test('is reported as incomplete if it ends before its total', async () => {
    const reply = products(500);
    // It silently returns 20, whatever the limit.
    catalog.replies(({ path, query }) => {
      const { items } = reply({ path, query: new URLSearchParams(`limit=20&offset=${query.get('offset')}`) }) as {
        items: object[];
      };
      return { items, total: 500 };
    });
    for (const [argv, texts] of [
      [['--all', '-o', 'ndjson'], '20 of 500 results\n'],
      [['--limit', '300', '--offset', '460', '-o', 'json'], '20 of 40 results\n'],
    ] as const) {
      const { code, stderr } = await catalog.run(['products', 'list', ...argv]);
      expect({ code, stderr }).toEqual({ code: 10, stderr: `the list may be incomplete: ${texts}` });
    }
  });
});

describe('svc catalog', () => {
  test('health escapes the text of a 503', async () => {
    catalog.replies(() =>
      answer(503, JSON.stringify({ detail: 'catalog_unavailable: no such table\n[SQL: SELECT 1] \u001b[31m' })),
    );
    const { code, stderr } = await catalog.run(['health']);
    expect(code).toBe(7);
    expect(stderr).toMatch(/answered 503: catalog_unavailable: no such table\\n\[SQL: SELECT 1\] \\x1b\[31m/);
    expect(catalog.asked()).toEqual(['/healthz']);
  });

  test('health exits 1 for an unhealthy service', async () => {
    catalog.replies(() => ({ status: 'degraded' }));
    expect(await catalog.run(['health'])).toMatchObject({ code: 1, stdout: 'STATUS  degraded\n' });
    catalog.replies(() => ({ status: 'OK', version: 2 }));
    expect(await catalog.run(['health', '-o', 'json', '--fields', 'version'])).toMatchObject({ code: 0 });
  });
});

describe('svc catalog categories list --tree', () => {
  const category = (id: number, store: string, uid: string, parent: string | null) => ({
    id,
    parser_name: store,
    source_uid: uid,
    parent_source_uid: parent,
    title: uid.toUpperCase(),
  });
  const CATEGORIES = [
    category(3, 'b', 'milk', 'dairy'),
    category(1, 'b', 'food', null),
    category(2, 'b', 'dairy', 'food'),
    category(4, 'a', 'food', null),
  ];

  test('is indented in tables and nested in JSON', async () => {
    catalog.replies(({ query }) => ({ items: query.get('offset') === '0' ? CATEGORIES : [] }));
    const { stdout } = await catalog.run(['categories', 'list', '--tree']);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'STORE  TITLE     ID  SOURCE-UID',
      'a      FOOD       4  food',
      'b      FOOD       1  food',
      'b        DAIRY    2  dairy',
      'b          MILK   3  milk',
      '',
    ]);
    const { stdout: json } = await catalog.run(['categories', 'list', '--tree', '-o', 'json']);
    expect(JSON.parse(json)).toEqual([
      { ...CATEGORIES[3], children: [] },
      { ...CATEGORIES[1], children: [{ ...CATEGORIES[2], children: [{ ...CATEGORIES[0], children: [] }] }] },
    ]);
  });

  test('has a line for each category in other formats, with its level and its path', async () => {
    catalog.replies(() => ({ items: CATEGORIES }));
    const { stdout } = await catalog.run(['categories', 'list', '--tree', '-o', 'ndjson']);
    const rows = stdout.trimEnd().split('\n');
    expect(JSON.parse(rows[3] ?? '')).toEqual({ ...CATEGORIES[0], level: 2, path: ['FOOD', 'DAIRY', 'MILK'] });
  });
});

describe('svc catalog products get --web', () => {
  const IMAGE = 'https://images.example/1.webp';
  const one = { canonical_product_id: 'p1', title: 'Milk', parsers: ['fixprice'], image_url: IMAGE };
  const env = { NO_COLOR: '1', DISPLAY: ':0' };

  test('opens the image of the product', async () => {
    catalog.replies(() => one);
    const web = (argv: readonly string[]) =>
      catalog.run(['products', 'get', 'p1', ...argv], { terminal: 100, env, browser: () => undefined });
    expect(await web(['--web'])).toMatchObject({ code: 0, stdout: `${IMAGE}\n`, stderr: '', opened: [IMAGE] });
    catalog.replies(() => ({ ...one, image_url: null }));
    expect(await web(['--web'])).toMatchObject({ code: 5, stdout: '', stderr: 'svc: product p1 has no image\n' });
  });
});
