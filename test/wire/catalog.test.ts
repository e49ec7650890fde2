/**
 * Answers of the catalog, written by hand from document 3 and from what the public implementation answers, and read by the client
 * itself: the sandbox may be wrong in the same way as the client, these files are not.
 */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { openCatalog } from '../../src/features/catalog/api.ts';
import { numberOf } from '../../src/features/catalog/statistics.ts';
import { answer, faultServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';

const FOLDER = new URL('catalog/', import.meta.url);
const sample = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

let bytes = '';
const server = await faultServer((socket) => socket.write(bytes));
const client = openCatalog(targetFor(server.url));
afterAll(async () => {
  await client.close();
  await server.close();
});

const TIMES = { date_from: '2026-01-31T21:00:00Z', date_to: '2026-02-03T21:00:00Z' };
const SERIES = {
  parser_name: 'fixprice',
  source_id: 'receiver:run-1:1',
  field: 'price',
  interval: '1d',
  ...TIMES,
} as const;

async function read<T>(name: string, call: () => Promise<T>): Promise<{ value: T; json: unknown; sent: string }> {
  bytes = answer(200, sample(name));
  const value = await call();
  const last = server.requests.at(-1);
  return { value, json: JSON.parse(sample(name)), sent: `${last?.method} ${last?.path}` };
}

const ALONE: readonly (readonly [file: string, sent: string, call: () => Promise<unknown>])[] = [
  ['health.json', '/healthz', () => client.health()],
  ['product.json', '/products/p%201%3F', () => client.product('p 1?')],
  [
    'count.json',
    '/products/count?store=fixprice&store=a%2Bb&region=M',
    () => client.count({ store: ['fixprice', 'a+b'], region: ['M'] }),
  ],
  ['count-documented.json', '/products/count', () => client.count()],
  [
    'common.json',
    '/products/common/count?scope=regions&region=x&region=y',
    () => client.common({ scope: 'regions', region: ['x', 'y'] }),
  ],
  [
    'dynamics.json',
    '/products/p1/dynamics?parser_name=fixprice&source_id=receiver%3Arun-1%3A1&field=price&interval=1d&date_from=2026-01-31T21%3A00%3A00Z&date_to=2026-02-03T21%3A00%3A00Z',
    () => client.dynamics('p1', SERIES),
  ],
  ['category.json', '/categories/5', () => client.category('5')],
  ['settlement.json', '/settlements/3', () => client.settlement('3')],
];

test('a record is requested by its path, and has its fields unchanged and in their order', async () => {
  for (const [file, path, call] of ALONE) {
    const { value, json, sent } = await read(file, call);
    expect(sent).toBe(`GET ${path}`);
    expect(JSON.stringify(value), file).toBe(JSON.stringify(json));
  }
});

const LISTS: readonly (readonly [file: string, sent: string, total: number, call: () => Promise<unknown>])[] = [
  [
    'products.json',
    '/products?q=%25&promo=true&limit=2&offset=0',
    7,
    () => client.products({ q: '%', promo: 'true', limit: 2, offset: 0 }),
  ],
  ['products-bare-total.json', '/products', 1, () => client.products()],
  ['sources.json', '/products/p1/sources', 2, () => client.sources('p1')],
  ['snapshots.json', '/products/p1/snapshots?source_id=a%3Ab', 2, () => client.snapshots('p1', { source_id: 'a:b' })],
  ['categories.json', '/categories?depth=1', 2, () => client.categories({ depth: 1 })],
  ['settlements.json', '/settlements', 1, () => client.settlements()],
];

describe('a list', () => {
  test('is requested by its path and its parameters, and has its items unchanged', async () => {
    for (const [file, path, total, call] of LISTS) {
      const { value, json, sent } = await read(file, call);
      const { items } = json as { readonly items: unknown };
      expect(sent).toBe(`GET ${path}`);
      expect(value, file).toMatchObject({ items, total });
    }
  });

  test('may be null, which is empty, and have no total', async () => {
    const { value } = await read('no-products.json', () => client.products());
    expect(value).toEqual({ items: [], total: undefined, size: undefined });
  });

  test('of cursors has no pages', async () => {
    const { value, json } = await read('cursors.json', () => client.cursors());
    expect(value.items).toEqual((json as { readonly items: unknown }).items);
  });

  test('of numbers may have texts and nulls', async () => {
    const { value } = await read('dynamics.json', () => client.dynamics('p1', SERIES));
    expect(value.values.map(numberOf)).toEqual([99, null, 0, 97.5]);
  });
});

async function failure(status: number, name: string, call: () => Promise<unknown>): Promise<SvcError> {
  bytes = answer(status, sample(name), name.endsWith('.txt') ? { 'content-type': 'text/plain; charset=utf-8' } : {});
  return call().then(
    () => expect.unreachable(),
    (error: unknown) => {
      if (!(error instanceof SvcError)) throw error;
      return error;
    },
  );
}

test('a response of another format is refused, and what is missing is named', async () => {
  const shapes: readonly (readonly [file: string, texts: string, call: () => Promise<unknown>])[] = [
    ['count.json', 'expected a product, but canonical_product_id is missing', () => client.product('count')],
    ['product.json', 'expected a count of products, but products_count is missing', () => client.count()],
    ['health.json', 'items is missing', () => client.products()],
    ['settlements.json', 'product 1: canonical_product_id is missing', () => client.products()],
    ['dynamics-uneven.json', 'dates and values differ in number', () => client.dynamics('p1', SERIES)],
    [
      'dynamics-no-numbers.json',
      'expected a series, but values: expected numbers and nulls',
      () => client.dynamics('p1', SERIES),
    ],
    ['product.json', 'expected a series', () => client.dynamics('p1', SERIES)],
  ];
  for (const [file, texts, call] of shapes) {
    const error = await failure(200, file, call);
    expect(error, file).toMatchObject({ code: 'wrong_shape', exit: 3 });
    expect(error.message, file).toContain(texts);
  }
});

describe('a failure', () => {
  const failures: readonly (readonly [number, string, exit: number, texts: string, hint: RegExp | undefined])[] = [
    [400, '400-text.json', 3, 'the catalog refused the request: unsupported sort: cheapest', undefined],
    [404, '404-product.json', 5, 'no store sells a product with this id', /--search/],
    [404, '404-source.json', 5, 'there is no snapshot of this product from this source', /products sources/],
    [404, '404-route.json', 3, 'GET /products: Not Found', /check the base URL/],
    [405, '404-route.json', 3, 'GET /products', /check the base URL/],
    [
      422,
      '422-list.json',
      3,
      'the catalog refused the request: query.limit: Input should be less than or equal to 100; query.promo: Input should be a valid boolean, unable to interpret input',
      undefined,
    ],
    [422, '422-text.json', 3, 'the catalog refused the request: datetime must include timezone', undefined],
    [
      503,
      '503-database.json',
      7,
      'answered 503: catalog_unavailable: (sqlite3.OperationalError) no such table',
      undefined,
    ],
    [500, '500.txt', 7, 'answered 500: Internal Server Error', undefined],
    [401, '404-route.json', 4, 'requires a credential', /SVC_CATALOG_TOKEN/],
  ];
  test('has the exit status and the message of its cause', async () => {
    for (const [status, file, exit, texts, hint] of failures) {
      // Only where an id was sent can it be the one that is not there.
      const call = () => (exit === 5 ? client.product('p1') : client.products());
      const error = await failure(status, `failures/${file}`, call);
      expect(error, file).toMatchObject({ exit, httpStatus: status, message: expect.stringContaining(texts) });
      expect(error.hint ?? '', file).toMatch(hint ?? /^$/);
    }
  });

  test('of a read is repeated, but not that of a health check', async () => {
    const count = async (call: () => Promise<unknown>): Promise<number> => {
      const before = server.requests.length;
      await failure(503, 'failures/503-database.json', call);
      return server.requests.length - before;
    };
    expect(await count(() => client.health())).toBe(1);
    expect(await count(() => client.products())).toBe(4);
  });

  test('is a redirect, which is not followed', async () => {
    bytes = answer(307, '', { location: 'http://elsewhere.example/products/' });
    const before = server.requests.length;
    await expect(client.products()).rejects.toMatchObject({ code: 'redirected' });
    expect(server.requests).toHaveLength(before + 1);
  });
});
