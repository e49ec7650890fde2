/** Wherever a command takes a product: an id, or a part of its title. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../../../http/servers.ts';
import { type Asked, type Misbehaving, misbehaving } from './misbehaving.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

const MILK = '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11';
const SKIMMED = '5c0f9999-7d1e-4b86-9a37-0a7d0c3e9b12';
const BEEF = 'beef1a52-7d1e-4b86-9a37-0a7d0c3e9b13';
const product = (canonical_product_id: string, title: string, brand: string | null = null) => ({
  canonical_product_id,
  title,
  brand,
  price_from: 10,
  parsers: ['fixprice', 'chizhik'],
});
const PRODUCTS = [
  product(MILK, 'Milk 1 l', 'Farm'),
  product(SKIMMED, 'Skimmed milk 1 l', 'Farm'),
  product(BEEF, 'Steak, 300 g', 'Ranch'),
  product('p1', 'Crème brûlée'),
  product('p2', '100% juice'),
];

const missing = answer(404, JSON.stringify({ detail: 'product_not_found' }));

/** As the public implementation does: an unknown product has no sources and no snapshots, and is itself not found. */
function service(items: readonly ReturnType<typeof product>[] = PRODUCTS, lastOnly?: { readonly gone: string }) {
  return ({ path, query }: Asked): object | string => {
    const [, , encoded, what] = path.split('/');
    const id = encoded && decodeURIComponent(encoded);
    const page = (rows: readonly object[]): object => {
      const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
      return { items: rows.slice(offset, offset + limit), meta: { limit, offset, total: rows.length } };
    };
    const q = query.get('q')?.toLowerCase();
    if (id === undefined)
      return page(items.filter((one) => !q || `${one.title} ${one.brand ?? ''}`.toLowerCase().includes(q)));
    const known = items.find((one) => one.canonical_product_id === id);
    const row = {
      parser_name: 'fixprice',
      source_id: 's1',
      price: 10,
      price_unit: 'RUB',
      observed_at: '2026-01-15T11:00:00Z',
    };
    if (what === undefined) return known ?? missing;
    if (what === 'dynamics') {
      if (known === undefined) return answer(404, JSON.stringify({ detail: 'source not found' }));
      return { dates: ['2026-01-14T00:00:00Z'], values: [10], meta: {} };
    }
    if (what === 'snapshots' && id === lastOnly?.gone) return page([row]);
    return page(known === undefined ? [] : [row]);
  };
}

const DYNAMICS = ['--store', 'fixprice', '--source', 's1', '--from', '-1d'];
const COMMANDS: readonly (readonly [name: string, argv: (product: string) => readonly string[]])[] = [
  ['get', (id) => ['products', 'get', id]],
  ['sources', (id) => ['products', 'sources', id]],
  ['sources, all pages', (id) => ['products', 'sources', id, '--all']],
  ['snapshots', (id) => ['products', 'snapshots', id]],
  ['dynamics', (id) => ['products', 'dynamics', id, ...DYNAMICS]],
  ['history', (id) => ['history', id]],
  ['compare', (id) => ['compare', id]],
  ['check', (id) => ['check', id, '--below', '20']],
];

describe.each(COMMANDS)('%s', (_, argv) => {
  test.each([
    ['a part of the title', 'steak', BEEF],
    ['a whole title that is also a part of another', 'milk 1 L', MILK],
  ])('finds a product by %s, and names it', async (_what, text, id) => {
    catalog.replies(service());
    const { code, stderr } = await catalog.run(argv(text));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`${text} → ${id} "${PRODUCTS.find((one) => one.canonical_product_id === id)?.title}"`);
    expect(catalog.asked().at(-1)).toMatch(new RegExp(`^/products/${id}`));
  });

  test('sends no extra request for an exact id, and prints no notice', async () => {
    catalog.replies(service());
    const { code, stderr } = await catalog.run(argv(MILK));
    const asked = catalog.asked();
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('→');
    await catalog.run(argv('p1'));
    expect(catalog.asked()).toEqual(asked.map((path) => path.replace(MILK, 'p1')));
  });

  test('refuses a text that matches several products, and lists them', async () => {
    catalog.replies(service());
    const { code, stdout, stderr } = await catalog.run(argv('milk'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`svc: 2 products match "milk"
  ID                                    TITLE             STORES
  ${MILK}  Milk 1 l          fixprice, chizhik
  ${SKIMMED}  Skimmed milk 1 l  fixprice, chizhik
hint: did you mean: svc catalog ${argv(MILK).join(' ')}
`);
  });

  test('reports a missing product', async () => {
    catalog.replies(service());
    const { code, stderr } = await catalog.run(argv('staek'));
    expect(code).toBe(5);
    expect(stderr).toContain('there is no product with this id, or with "staek" in its title\n');
    expect(stderr).toContain('svc catalog products list --search <text> finds ids');
  });

  test('offers a choice at a terminal, and prints the line that needs none', async () => {
    catalog.replies(service());
    const answers = [`Skimmed milk 1 l  fixprice, chizhik  ${SKIMMED}`];
    const { code, stderr, asked } = await catalog.run(argv('milk'), { terminal: 200, answers });
    expect(code, stderr).toBe(0);
    expect(asked).toEqual(['Which product is "milk"?']);
    expect(stderr).toContain(`svc catalog ${argv(SKIMMED).join(' ')}`);
  });

  test('a choice takes one line of a narrow terminal', async () => {
    catalog.replies(service());
    const offered: string[] = [];
    const answers = (_: string, choices: readonly string[]): string => {
      offered.push(...choices);
      return 'Skimmed';
    };
    expect((await catalog.run(argv('milk'), { terminal: 60, answers })).code).toBe(0);
    expect(offered).toContain(`Skimmed milk 1 l  fixprice, chizhik  ${SKIMMED}`.slice(0, 54).concat('…'));
  });
});

describe('a name', () => {
  test('never hides the id of a product with snapshots only', async () => {
    catalog.replies(service([product(MILK, 'all that is gone')], { gone: 'gone' }));
    expect(await catalog.run(['products', 'sources', 'gone'])).toMatchObject({ code: 0, stdout: '' });
    const { code, stderr } = await catalog.run(['compare', 'gone']);
    expect(code).toBe(5);
    expect(stderr).toContain('only its snapshots remain');
    expect((await catalog.run(['history', 'gone'])).code).toBe(0);
  });

  test('does not match by brand alone: its products are only named', async () => {
    catalog.replies(service());
    const { code, stderr } = await catalog.run(['products', 'get', 'ranch']);
    expect(code).toBe(5);
    expect(stderr).toContain(`${BEEF}  Steak, 300 g`);
  });

  test('does not match everything if the service ignores the search', async () => {
    catalog.replies((asked) => service([product(MILK, 'Milk')])({ ...asked, query: new URLSearchParams() }));
    const { code, stderr } = await catalog.run(['products', 'get', 'bread']);
    expect(code).toBe(5);
    expect(stderr).not.toContain(MILK);
  });

  test('has no wildcards', async () => {
    catalog.replies((asked) => {
      const q = asked.query.get('q');
      asked.query.delete('q');
      const { items } = service()(asked) as { items: typeof PRODUCTS };
      return q === null ? service()(asked) : { items, meta: { total: items.length } };
    });
    expect((await catalog.run(['products', 'get', '100%', '-q'])).stdout).toBe('p2\n');
  });

  test('with letters that the service may not fold has a hint', async () => {
    catalog.replies((asked) => (asked.query.get('q') ? { items: [], meta: { total: 0 } } : service()(asked)));
    const { code, stderr } = await catalog.run(['products', 'get', 'BRÛLÉE']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('some instances ignore case only from a to z')]);
  });

  test('is not searched for if a complete id is unknown', async () => {
    catalog.replies(service());
    const { code } = await catalog.run(['products', 'get', SKIMMED.replace('9', '0')]);
    expect(code).toBe(5);
    expect(catalog.asked()).toHaveLength(1);
  });

  test('takes one request in a catalog of any size', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => product(`prd_${index}`, `Product ${index}`));
    catalog.replies(service(many));
    expect((await catalog.run(['products', 'get', 'nothing'])).code).toBe(5);
    expect(catalog.asked()).toEqual(['/products/nothing', '/products?q=nothing&limit=100']);
  });

  test('that is ambiguous lists at most ten products, escaped', async () => {
    catalog.replies(service(Array.from({ length: 150 }, (_, index) => product(`p${index}`, `Tea ${index}\u001b[31m`))));
    const { stderr } = await catalog.run(['products', 'get', 'tea']);
    expect(stderr).toContain('150 products match "tea"');
    expect(stderr.match(/Tea \d+\\x1b\[31m/g)).toHaveLength(10);
    const json = JSON.parse((await catalog.run(['products', 'get', 'tea', '-o', 'json'])).stderr);
    expect(json.error).toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(json.error.candidates[0]).toEqual({ id: 'p0', title: 'Tea 0\u001b[31m', stores: 'fixprice, chizhik' });
  });
});

describe('compare', () => {
  test('accepts several names, and counts a product once', async () => {
    catalog.replies(service());
    const { code, stdout } = await catalog.run(['compare', 'steak', BEEF, 'skimmed', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  test('reads no other product if one name is ambiguous', async () => {
    catalog.replies(service());
    expect(await catalog.run(['compare', 'steak', 'milk'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('asks about one name after the other', async () => {
    catalog.replies(service());
    const choice = (id: string, title: string): string => `${title}  fixprice, chizhik  ${id}`;
    const { asked, code } = await catalog.run(['compare', 'milk', '1 l'], {
      terminal: 200,
      answers: [choice(MILK, 'Milk 1 l'), choice(SKIMMED, 'Skimmed milk 1 l')],
    });
    expect(code).toBe(0);
    expect([...asked].sort()).toEqual(['Which product is "1 l"?', 'Which product is "milk"?']);
  });
});
