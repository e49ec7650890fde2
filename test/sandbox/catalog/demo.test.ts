/** The catalog that the sandbox comes with, and its traps. */
import { describe, expect, test } from 'vitest';
import { demoCatalog } from '../../../src/sandbox/catalog/demo.ts';
import type { SourceRow } from '../../../src/sandbox/catalog/records.ts';
import { wire } from '../../support/alertmanager.ts';
import { catalogOf, NOON_MS, row, snapshot, startCatalog } from './service.ts';

const catalog = demoCatalog(NOON_MS);
const products = new Set(catalog.sources.map(({ canonical_product_id }) => canonical_product_id));
const titled = (title: string): readonly SourceRow[] => catalog.sources.filter((row) => row.title_original === title);
const historyOf = (source: SourceRow) =>
  catalog.snapshots(source.canonical_product_id).filter(({ source_id }) => source_id === source.source_id);

describe('the demo of the catalog', () => {
  test('has three stores, places in several scripts, a tree for each store, and six products', () => {
    expect(new Set(catalog.sources.map((source) => source.parser_name))).toEqual(
      new Set(['chizhik', 'fixprice', 'perekrestok']),
    );
    expect(catalog.settlements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Moscow', 'Химки', 'Tórshavn']),
    );
    expect(products.size).toBe(6);
    for (const { parser_name, parent_source_uid, depth } of catalog.categories) {
      const parent = catalog.categories.find(
        (other) => other.parser_name === parser_name && other.source_uid === parent_source_uid,
      );
      expect(parent?.depth ?? -1).toBe(depth - 1);
    }
    expect(new Set(catalog.categories.map(({ id }) => id)).size).toBe(catalog.categories.length);
    expect(new Set(catalog.sources.map(({ source_id }) => source_id)).size).toBe(catalog.sources.length);
  });

  test('is written as by the real writer: with a source for each run, and a snapshot for each source', () => {
    const milk = titled('Молоко 3,2 %, 930 мл');
    expect(milk).toHaveLength(6 * 30);
    expect(new Set(milk.map(({ canonical_product_id: id, parser_name: store }) => `${id} ${store}`)).size).toBe(2);
    expect(new Set(milk.map(({ canonical_product_id: id }) => id)).size).toBe(2);
    for (const source of milk) {
      const { observed_at } = source;
      expect(historyOf(source)).toMatchObject([{ valid_from_at: observed_at, valid_to_at: observed_at, observed_at }]);
    }
    const daily = catalog.sources.filter((source) => historyOf(source).length === 1);
    expect(daily.length).toBeGreaterThan(catalog.sources.length / 2);
  });
});

interface Page {
  readonly items: readonly { readonly canonical_product_id: string; readonly title: string }[];
  readonly meta: { readonly total: number };
}

describe('a trap of the catalog', () => {
  const one = catalogOf({
    sources: [row({ title_original: 'Tea', price: 1 })],
    snapshots: [snapshot({ price: 1 })],
  });
  const series =
    '/products/p1/dynamics?parser_name=chizhik&source_id=receiver:run-1:1&field=price&interval=1d&date_from=2026-02-01T00:00:00Z&date_to=2026-02-03T00:00:00Z';

  test('database-down shows the text of the database', async () => {
    await using service = await startCatalog({ catalog: one });
    service.traps.add('database-down');
    const [status, body] = await service.get('/healthz');
    expect(status).toBe(503);
    expect(body).toMatch(
      /^\{"detail":"catalog_unavailable: \(psycopg\.OperationalError\) .*\\n\[SQL: SELECT 1 FROM .*"\}$/,
    );
    for (const path of ['/products', '/products/p1', '/products/count', '/categories/1', '/sync/cursors', series]) {
      const answer = await wire(service.url, path);
      expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
        500,
        'text/plain; charset=utf-8',
        'Internal Server Error',
      ]);
    }
    expect((await service.get('/products?limit=0'))[0]).toBe(422);
    expect((await service.get('/products?sort=x'))[0]).toBe(400);
    service.traps.clear();
    expect((await service.get('/products'))[0]).toBe(200);
  });

  test('shifting-catalog puts a row on two pages, and another on none', async () => {
    const sources = Array.from({ length: 150 }, (_, n) => row({ id: n + 1, canonical_product_id: `p${n}` }));
    await using service = await startCatalog({ catalog: catalogOf({ sources }) });
    const ids = async (offset: number) =>
      (await service.json<Page>(`/products?limit=100&offset=${offset}`)).items.map((one) => one.canonical_product_id);
    expect(new Set([...(await ids(0)), ...(await ids(100))]).size).toBe(150);
    service.traps.add('shifting-catalog');
    const read = [...(await ids(0)), ...(await ids(100))];
    expect([read.length, new Set(read).size]).toEqual([150, 149]);
  });
});
