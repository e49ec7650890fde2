/** Many products in one command: by id, by text, by category, store and place, from a file and from standard input. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SCRATCH } from '../../../support/scratch.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { type Asked, misbehaving, NOW } from './misbehaving.ts';
import { at, detail } from './shop.ts';

const folder = mkdtempSync(join(SCRATCH, 'svc-selection-'));
const catalog = await misbehaving();
afterAll(() => rmSync(folder, { recursive: true }));

interface Item {
  readonly id: string;
  readonly store: string;
  readonly place: number;
  readonly category: number;
}
const ITEMS: readonly Item[] = [
  { id: 'a', store: 'fixprice', place: 1, category: 11 },
  { id: 'b', store: 'fixprice', place: 2, category: 12 },
  { id: 'c', store: 'chizhik', place: 1, category: 13 },
  { id: 'd', store: 'chizhik', place: 2, category: 99 },
];
const SETTLEMENTS = [
  { id: 1, name: 'Moscow', region: 'Moscow' },
  { id: 2, name: 'Казань', region: 'Татарстан', region_normalized: 'tatarstan' },
];
const category = (id: number, store: string, uid: string, parent: string | null) => ({
  id,
  parser_name: store,
  source_uid: uid,
  parent_source_uid: parent,
  title: uid,
});
/** Dairy and its children; a circle; the same uid at another store. */
const CATEGORIES = [
  category(10, 'fixprice', 'dairy', null),
  category(11, 'fixprice', 'milk', 'dairy'),
  category(12, 'fixprice', 'kefir', 'milk'),
  category(13, 'chizhik', 'milk', 'dairy'),
  category(20, 'fixprice', 'x', 'y'),
  category(21, 'fixprice', 'y', 'x'),
];

function server({ path, query }: Asked): object | string {
  const [, , id, what] = path.split('/');
  const page = (items: readonly object[]) => ({
    items: items.slice(Number(query.get('offset') ?? 0)).slice(0, Number(query.get('limit') ?? 20)),
    meta: { total: items.length },
  });
  if (path === '/categories') return page(CATEGORIES);
  if (path === '/settlements') return page(SETTLEMENTS);
  if (path === '/products/count') return { products_count: 0 };
  if (path === '/sync/cursors') return { items: ['fixprice', 'chizhik'].map((parser_name) => ({ parser_name })) };
  if (id === undefined) {
    const has = (name: string, value: string | number) => (query.get(name) ?? String(value)) === String(value);
    const matching = ITEMS.filter(
      (one) =>
        has('parser_name', one.store) &&
        has('settlement_id', one.place) &&
        has('category_id', one.category) &&
        [one.id, `Title ${one.id}`].includes(query.get('q') ?? one.id),
    );
    return page(matching.map((one) => ({ canonical_product_id: one.id, title: `Title ${one.id}` })));
  }
  const item = ITEMS.find((one) => one.id === id);
  if (what === undefined) return item ? { canonical_product_id: id } : detail(404, 'product_not_found');
  const rows = item === undefined ? [] : [item];
  const keys = {
    parser_name: item?.store,
    source_id: `s-${id}`,
    canonical_product_id: id,
    price_unit: 'RUB',
    price: 10 * (1 + ITEMS.findIndex((one) => one.id === id)),
  };
  if (what === 'snapshots') return page(rows.map(() => ({ id: 1, ...keys, observed_at: at(1) })));
  const settlement = SETTLEMENTS.find((one) => one.id === item?.place);
  return page(
    rows.map(() => ({ ...keys, unit: 'PCE', title_original: `Title ${id}`, settlement, observed_at: at(1) })),
  );
}

const compared = async (...argv: string[]): Promise<string[]> => {
  catalog.replies(server);
  const { code, stdout, stderr } = await catalog.run(['compare', ...argv, '-o', 'ndjson']);
  expect(code, stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).canonical_product_id);
};

describe('the selection of products', () => {
  test('is by id, text, store, region or category with its children', async () => {
    const SELECTIONS = {
      'a b a': ['a', 'b'],
      '--search c': ['c'],
      '--store fixprice': ['a', 'b'],
      '--region moscow': ['a', 'c'],
      '--region Татарстан': ['b', 'd'],
      '--region tatarstan --store chizhik': ['d'],
      '--store fixprice --store chizhik': ['a', 'b', 'c', 'd'],
      '--category 10': ['a', 'b'],
      '--category 12': ['b'],
      '--category 10 --category 13 --region moscow': ['c', 'a'],
    };
    const found: Record<string, readonly string[]> = {};
    for (const argv of Object.keys(SELECTIONS)) found[argv] = await compared(...argv.split(' '));
    expect(found).toEqual(SELECTIONS);
  });

  test('is read from a file or standard input, without blank lines and comments', async () => {
    const file = join(folder, 'ids.txt');
    writeFileSync(file, '\ufeffa\r\n\r\n# cheese\n  c \na\n');
    expect(await compared('--file', file)).toEqual(['a', 'c']);
    catalog.replies(server);
    const piped = await catalog.run(['compare', '-', 'b', '-o', 'json'], { stdin: 'd\nb\n' });
    expect(JSON.parse(piped.stdout).map((one: { canonical_product_id: string }) => one.canonical_product_id)).toEqual([
      'b',
      'd',
    ]);
  });
});

/** Without their queries, in order. */
const productRequests = (): readonly string[] =>
  catalog
    .asked()
    .filter((path) => path.startsWith('/products/'))
    .map((path) => path.replace(/\?.*/, ''))
    .sort();

describe('svc catalog check of several products', () => {
  const check = async (...argv: string[]) => {
    catalog.replies(server);
    return catalog.run(['check', ...argv]);
  };

  test('prints those for which it is true, and exits 1 if there is none', async () => {
    const CHECKS: readonly (readonly [argv: string, status: number, ids: readonly string[], footer: string])[] = [
      ['a b c d --below 15', 0, ['a'], 'true for 1 of 4; expected below 15\n'],
      ['a b c d --below 5', 1, [], 'true for 0 of 4; expected below 5\n'],
      ['--above 20 --store fixprice', 1, [], 'true for 0 of 2; expected above 20\n'],
      ['--above 20 --region moscow', 0, ['c'], 'true for 1 of 2; expected above 20\n'],
      ['a b c d --below 100 --max-age 1s', 11, [], 'true for 0 of 4, unknown for 4; expected below 100\n'],
    ];
    for (const [argv, status, ids, footer] of CHECKS) {
      const { code, stdout, stderr } = await check(...argv.split(' '));
      expect({ code, stderr }, argv).toEqual({ code: status, stderr: footer });
      expect(stdout).toMatch(/^RESULT +TITLE +FOUND\n/);
      const quiet = await check(...argv.split(' '), '-q');
      expect(quiet.stdout, argv).toBe(ids.map((id) => `${id}\n`).join(''));
    }
  });

  test('reports each in JSON', async () => {
    const { stdout } = await check('a', 'b', '--below', '15', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject([
      { canonical_product_id: 'a', title: 'Title a', ok: true, condition: 'below 15' },
      { canonical_product_id: 'b', title: 'Title b', ok: false },
    ]);
  });

  test.each([
    [['--below', '15'], ['sources']],
    [
      ['--change', '1%'],
      ['snapshots', 'sources'],
    ],
  ])('%j requests each product once', async (argv, wanted) => {
    await check('--category', '10', '--category', '11', '--category', '12', ...argv);
    expect(productRequests()).toEqual(['a', 'b'].flatMap((id) => wanted.map((what) => `/products/${id}/${what}`)));
  });

  test('waits until it is true for one, and names a product that cannot be read once', async () => {
    let rounds = 0;
    catalog.replies((asked) => {
      if (asked.path !== '/products/b/sources') return server(asked);
      rounds++;
      return JSON.parse(JSON.stringify(server(asked)).replace('"price":20', `"price":${rounds > 2 ? 200 : 20}`));
    });
    const argv = ['check', '-', '--above', '100', '--wait', '1h', '-q'];
    const { code, stdout, stderr } = await catalog.run(argv, { stdin: 'a\nb\ngone\n' });
    expect({ code, stdout, rounds }).toEqual({ code: 10, stdout: 'b\n', rounds: 3 });
    expect(stderr.match(/gone is skipped/g)).toHaveLength(1);
  });
});

describe('svc catalog history of several products', () => {
  const history = async (...argv: string[]) => {
    catalog.replies(server);
    return catalog.run(['history', '--tz', 'UTC', '--since', '-2d', '--interval', '1d', ...argv]);
  };

  test('has the rows of each with its product, store and place', async () => {
    const { code, stdout } = await history('--category', '10', '--store', 'fixprice', '-o', 'csv');
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head).toBe('product,title,store,place,region,unit,source,field,date,value');
    expect(rows.map((row) => row.split(',').slice(0, 4).join(' '))).toEqual([
      ...Array.from({ length: 3 }, () => 'a Title a fixprice Moscow'),
      ...Array.from({ length: 3 }, () => 'b Title b fixprice Казань'),
    ]);
    expect(rows.at(-2)).toMatch(/,20$/);
  });

  const settled = (id: string) => ({ parser_name: 'shop', source_id: `s-${id}`, price_unit: 'RUB', price: 5 });
  /** Of p0, nothing was observed for a year. */
  const many = ({ path }: Asked): object => {
    const [, , id = '', what] = path.split('/');
    const observed_at = at(id === 'p0' ? 365 : 1);
    const row = { ...settled(id), unit: 'PCE', title_original: `Title ${id}`, observed_at };
    return { items: what === 'snapshots' ? [{ id: 1, ...row }] : [row], meta: { total: 1 } };
  };
  const stdin = Array.from({ length: 15 }, (_, index) => `p${index}\n`).join('');

  test('draws the first twelve, says so, and has all as data', async () => {
    catalog.replies(many);
    const { stdout, stderr } = await catalog.run(['history', '-'], { stdin });
    expect(stdout).toContain('Title p12, shop');
    expect(stdout).not.toMatch(/Title p(?:13|0),/);
    expect(stderr).toContain('12 of 15 lines are drawn; -o csv has all');
    catalog.replies(many);
    const { stdout: json } = await catalog.run(['history', '-', '-o', 'json'], { stdin });
    expect(JSON.parse(json)).toHaveLength(15);
  });
});

describe('a selection', () => {
  test.each([
    [[], 2, 'no products are given'],
    [['a', '--search', 'b'], 2, 'ids and --search or --category cannot be used together'],
    [['--search', 'nothing'], 5, 'no product matches the selection'],
    [['--category', '7'], 5, 'there is no category 7'],
    [['--category', '20'], 5, 'no product matches the selection'],
    [['--region', 'Atlantis'], 5, 'nothing has --region Atlantis: there are Moscow'],
    [['--store', 'lidl'], 5, 'nothing has --store lidl: there are chizhik, fixprice'],
  ])('of %j is refused: exit %i', async (argv, status, message) => {
    catalog.replies(server);
    const { code, stdout, stderr } = await catalog.run(['compare', ...argv]);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(message);
  });

  test.each([
    ['a\n\nid,title\n', 2, 'standard input, line 3: "id,title" is not an id'],
    ['[{"id":1}]', 2, 'standard input, line 1: "[{\\"id\\":1}]" is not an id'],
    ['a/b', 2, 'line 1: "a/b" is not an id'],
    ['\n# only a comment\n', 5, 'standard input: there is no id in it'],
  ])('of the lines %j is refused', async (stdin, status, message) => {
    catalog.replies(server);
    const { code, stderr } = await catalog.run(['compare', '-'], { stdin });
    expect(code).toBe(status);
    expect(stderr).toContain(message);
    expect(catalog.asked()).toEqual([]);
  });

  test('names a product that cannot be read, and prints the others', async () => {
    catalog.replies((asked) =>
      asked.path === '/products/b/sources'
        ? answer(500, 'Internal Server Error', { 'content-type': 'text/plain' })
        : server(asked),
    );
    const { code, stdout, stderr } = await catalog.run(['compare', '-', '-o', 'json'], { stdin: 'a\ngone\nb\n' });
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(stderr).toContain('gone is skipped: no store sells a product with this id');
    expect(stderr).toMatch(/^b is skipped: /m);
  });
});

test('products are read eight at a time', async () => {
  let waiting: Socket[] = [];
  let most = 0;
  const body = answer(200, JSON.stringify({ items: [], meta: { total: 0 } }));
  const one = { parser_name: 'x', source_id: 's', price: 1, observed_at: at(1) };
  const sources = answer(200, JSON.stringify({ items: [one], meta: { total: 1 } }));
  await using slow = await faultServer((socket, { path }) => {
    if (!path.includes('/sources')) return void socket.write(body);
    waiting.push(socket);
    most = Math.max(most, waiting.length);
    // Answers come only when eight requests wait.
    if (waiting.length < 8) return;
    setImmediate(() => {
      for (const each of waiting) each.write(sources);
      waiting = [];
    });
  });
  const stdin = Array.from({ length: 16 }, (_, index) => `x${index}`).join('\n');
  const argv = ['catalog', 'compare', '-', '-o', 'ndjson'];
  const { code, stdout } = await svc(argv, { stdin, now: () => NOW, env: { SVC_CATALOG_URL: slow.url } });
  expect({ code, lines: stdout.trim().split('\n').length, most }).toEqual({ code: 0, lines: 16, most: 8 });
});
