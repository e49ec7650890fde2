/** The catalog that the sandbox comes with, and its traps. */
import { describe, expect, test } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import { catalogOf, row, snapshot, startCatalog } from './service.ts';

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
