/** The catalog that the sandbox comes with, and its traps. */
import { describe, expect, test } from 'vitest';
import { demoCatalog } from '../../../src/sandbox/catalog/demo.ts';
import { DAY, type SourceRow } from '../../../src/sandbox/catalog/records.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { wire } from '../../support/alertmanager.ts';
import { catalogOf, NOON_MS, row, snapshot, startCatalog } from './service.ts';

const NOW = NOON_MS * 1000;
const catalog = demoCatalog(NOON_MS);
const products = new Set(catalog.sources.map(({ canonical_product_id }) => canonical_product_id));
const titled = (title: string): readonly SourceRow[] => catalog.sources.filter((row) => row.title_original === title);
const historyOf = (source: SourceRow) =>
  catalog.snapshots(source.canonical_product_id).filter(({ source_id }) => source_id === source.source_id);

describe('the demo', () => {
  test('is the same for the same clock', () => {
    const again = demoCatalog(NOON_MS);
    expect(again.sources).toEqual(catalog.sources);
    for (const id of products) expect(again.snapshots(id)).toEqual(catalog.snapshots(id));
  });

  test('has three stores, places in several scripts, a tree for each store, and a few products', () => {
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

  test('a history ends with what its row shows, and nothing is observed after the start', () => {
    for (const source of catalog.sources) {
      const past = historyOf(source);
      const { price, discount_price, loyal_price, available_count, observed_at } = source;
      expect(past.at(-1)).toMatchObject({ price, discount_price, loyal_price, available_count, observed_at });
      expect(observed_at).toBeLessThan(NOW);
      const wrong = past.filter(({ id, observed_at: seen, valid_from_at: from, valid_to_at: to }, index) => {
        const { id: before, observed_at: until } = past[index - 1] ?? { id: id - 1, observed_at: 0 };
        const backwards = from !== null && to !== null && from > to;
        return id !== before + 1 || until > (from ?? seen) || (from === null) !== (to === null) || backwards;
      });
      expect(wrong).toEqual([]);
    }
  });

  test('prices have at most two decimals', () => {
    const texts = catalog.sources
      .flatMap((source) => [source, ...historyOf(source)])
      .flatMap(({ price, discount_price, loyal_price }) => [price, discount_price, loyal_price].map(String));
    expect(texts.filter((text) => !/^(?:null|\d+(?:\.\d\d?)?)$/.test(text))).toEqual([]);
  });

  test('the last ninety days are intervals, earlier ones single observations', () => {
    const [source] = titled('Oat drink, barista, 1 l');
    const past = source === undefined ? [] : historyOf(source);
    const first = past.findIndex(({ valid_from_at }) => valid_from_at !== null);
    expect(first).toBeGreaterThan(10);
    expect(past[first]?.valid_from_at).toBeLessThan(NOW - 90 * DAY);
    expect(past.slice(first).every(({ valid_to_at }) => valid_to_at !== null)).toBe(true);
  });

  test('has the oddities of real catalogs', () => {
    const oat = titled('Oat drink, barista, 1 l');
    expect(new Set(oat.map(({ parser_name }) => parser_name)).size).toBe(3);
    expect(
      oat.some(({ loyal_price: member, discount_price: all }) => member !== null && all !== null && member < all),
    ).toBe(true);
    const [butter] = titled('Butter 82.5 %, 180 g');
    const unseen = (butter ? historyOf(butter) : []).map(({ valid_from_at, valid_to_at }, index, all) => {
      const next = all[index + 1]?.valid_from_at ?? null;
      return next === null || valid_from_at === null ? 0 : next - (valid_to_at ?? next);
    });
    expect(unseen.filter((gap) => gap > 5 * DAY)).toHaveLength(2);
    expect(catalog.cursors.map(({ product_id }) => product_id !== null)).toEqual([true, false, true]);
  });

  test('is written as the real writer does: a source for each run, one snapshot for each source, an id for each store', () => {
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

  test('is missing in an empty sandbox, but its traps work', async () => {
    const sandbox = await startSandbox({
      now: () => NOON_MS,
      random: () => 0.5,
      seed: 'empty',
      traps: ['hostile-text', 'database-down'],
    });
    const url = sandbox.env['SVC_CATALOG_URL'] ?? '';
    expect((await wire(url, '/healthz')).status).toBe(503);
    await sandbox.close();
  });
});

interface Page {
  readonly items: readonly { readonly canonical_product_id: string; readonly title: string }[];
  readonly meta: { readonly total: number };
}

describe('the traps', () => {
  const one = catalogOf({
    sources: [row({ title_original: 'Tea', price: 1 })],
    snapshots: [snapshot({ price: 1 })],
  });
  const series =
    '/products/p1/dynamics?parser_name=chizhik&source_id=receiver:run-1:1&field=price&interval=1d&date_from=2026-02-01T00:00:00Z&date_to=2026-02-03T00:00:00Z';

  test('database-down: the text of the database, and plain text elsewhere, after the parameters are read', async () => {
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

  test('shifting-catalog: a row is on two pages, and another on none', async () => {
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
