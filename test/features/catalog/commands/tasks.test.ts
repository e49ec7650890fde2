/** Tasks of an analyst, each as the lines that the reference gives, on the data of the sandbox. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CatalogEmulator, startCatalogEmulator } from '../../../../src/sandbox/catalog/server.ts';
import { type Run, svc } from '../../../support/svc.ts';
import { isoAgo, market } from './market.ts';
import { type Misbehaving, misbehaving } from './misbehaving.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const OAT = '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11';
const BUTTER = '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03';

interface Offer {
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly source_id: string;
  readonly title_original: string | null;
  readonly price: number | null;
  readonly discount_price: number | null;
  readonly loyal_price: number | null;
  readonly observed_at: string;
  readonly settlement: { readonly name: string; readonly region: string } | null;
}

interface Product {
  readonly canonical_product_id: string;
  readonly title: string | null;
  readonly parsers: readonly string[];
  readonly observed_at_latest: string;
}

let emulator: CatalogEmulator;
/** What the service itself answers. */
let products: readonly Product[];
const offers = new Map<string, readonly Offer[]>();

async function items<Item>(path: string): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let offset = 0; ; offset += 100) {
    const page = (await (await fetch(`${emulator.url}${path}?limit=100&offset=${offset}`)).json()) as { items: Item[] };
    all.push(...page.items);
    if (page.items.length < 100) return all;
  }
}

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
  emulator = await startCatalogEmulator({ now: () => NOW, seed: 'demo' });
  products = await items<Product>('/products');
  for (const id of [OAT, BUTTER]) offers.set(id, await items<Offer>(`/products/${id}/sources`));
});
afterAll(async () => {
  await emulator.close();
  await catalog[Symbol.asyncDispose]();
});

/** How many commands the task took. */
let commands = 0;

const run = (line: string, stdin?: string): Promise<Run> => {
  commands++;
  return again(line, stdin);
};
/** To see whether the answer is right: no part of the task. */
const again = (line: string, stdin?: string): Promise<Run> => {
  const argv = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  const given = stdin === undefined ? {} : { stdin };
  return svc(['catalog', ...argv], { now: () => NOW, env: { SVC_CATALOG_URL: emulator.url }, ...given });
};
const json = async <T>(line: string, stdin?: string): Promise<T> => {
  const { code, stdout, stderr } = await run(`${line} -o json`, stdin);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
};
const paid = ({ price, discount_price, loyal_price }: Offer): number =>
  Math.min(...[price, discount_price, loyal_price].filter((one) => one !== null));
const place = ({ parser_name, settlement }: Offer): string => `${parser_name} ${settlement?.name}`;

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  'the cheapest basket of several products per store': async () => {
    const rows = await json<{ parser_name: string; place: string; cost: number; missing: string[] }[]>(
      'basket -',
      `${OAT} 2\n${BUTTER}\n`,
    );
    const [oat = [], butter = []] = [offers.get(OAT), offers.get(BUTTER)];
    const both = rows.filter(({ missing }) => missing.length === 0);
    expect(both.length).toBeGreaterThan(0);
    for (const { parser_name, place: town, cost } of both) {
      const at = (one: Offer): boolean => place(one) === `${parser_name} ${town}`;
      const [milk, fat] = [oat.find(at), butter.find(at)];
      expect(cost).toBeCloseTo(2 * paid(milk as Offer) + paid(fat as Offer), 2);
    }
  },
  'the biggest movers of this week': async () => {
    const rows = await json<{ change_percent: number }[]>('movers --store chizhik --since 7d');
    const sizes = rows.map(({ change_percent }) => Math.abs(change_percent));
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  },
  'which products every store sells': async () => {
    const titles = await json<string[]>("products list --all --query '[?length(parsers)==`3`].title'");
    expect(titles).toEqual(products.filter(({ parsers }) => parsers.length === 3).map(({ title }) => title));
    expect(titles.length).toBeGreaterThan(0);
  },
  'a CSV for pandas': async () => {
    const { stdout } = await run(`history ${OAT} --interval 1d --tz UTC -o csv`);
    const [head, ...rows] = stdout.trim().split(/\r?\n/);
    expect(head).toBe('product,title,store,place,region,unit,source,field,date,value');
    expect(rows.length).toBe(31 * (offers.get(OAT)?.length ?? 0));
    for (const row of rows) expect(row).toMatch(/,\d{4}-\d\d-\d\dT00:00:00Z,(?:\d+(?:\.\d+)?)?$|T12:00:00Z,/);
  },
  'an alert when a price falls below a limit': async () => {
    const lowest = Math.min(...(offers.get(OAT) ?? []).map(paid));
    expect((await run(`check ${OAT} --below ${lowest + 1}`)).code).toBe(0);
    expect((await again(`check ${OAT} --below ${lowest}`)).code).toBe(1);
  },
  'an alert when a price falls by a percentage': async () => {
    const rows = await json<{ ok: boolean; sources: { first: number; value: number; holds: boolean }[] }>(
      `check ${OAT} --change -1% --since 30d --any`,
    );
    for (const { first, value, holds } of rows.sources) {
      if (first !== null) expect(holds).toBe((value - first) / first <= -0.01);
    }
  },
  'alerts for a watch list': async () => {
    const list = products.map((one) => one.canonical_product_id);
    const { code, stdout } = await run('check - --change 5% --since 30d -q', list.join('\n'));
    // Some have no price at all: their condition is unknown, and for others it is true.
    expect([0, 10]).toContain(code);
    for (const id of stdout.trim().split('\n')) expect(list).toContain(id);
  },
  'the price by the liter at each store': async () => {
    const rows = await json<{ effective_price: number; source_id: string }[]>(`compare ${OAT} --per l`);
    const own = new Map((offers.get(OAT) ?? []).map((one) => [one.source_id, paid(one)]));
    expect(rows.length).toBe(own.size);
    // It is sold by the liter.
    for (const one of rows) expect(one.effective_price).toBe(own.get(one.source_id));
  },
  'the history of the price that was really paid': async () => {
    const all = await json<{ values: (number | null)[]; source_id: string }[]>(
      `history ${OAT} --field lowest --interval 1d`,
    );
    const own = new Map((offers.get(OAT) ?? []).map((one) => [one.source_id, paid(one)]));
    for (const { values, source_id } of all) expect(values.at(-1)).toBe(own.get(source_id));
  },
  'times without stock': async () => {
    const snapshot = (ago: number, available_count: number): object => ({
      ...{ id: ago, canonical_product_id: 'p', parser_name: 'shop', source_id: 's', price: 90, price_unit: 'RUB' },
      ...{ available_count, observed_at: isoAgo(ago) },
    });
    const items = [snapshot(5, 7), snapshot(4, 0), snapshot(3, 0), snapshot(1, 2)];
    catalog.replies(() => ({ items, meta: { total: 4 } }));
    commands++;
    const argv = ['products', 'snapshots', 'p', '--all', '-o', 'json'];
    const { stdout } = await catalog.run([...argv, '--query', '[?available_count==`0`].observed_at']);
    expect(JSON.parse(stdout)).toEqual([isoAgo(4), isoAgo(3)]);
  },
  'products that are new this week': async () => {
    const rows = await json<{ from: null; to: number }[]>("movers --category 1 --since 90d --query '[?from==null]'");
    for (const { from, to } of rows) expect([from, typeof to]).toEqual([null, 'number']);
    expect(rows.length).toBeGreaterThan(0);
  },
  'products that have vanished': async () => {
    const shelf = (product: string, ...days: number[]) => ({
      ...{ product, store: 'shop', place: 'Moscow' },
      prices: days.map((ago) => ({ ago, price: 10 })),
    });
    catalog.replies(market([shelf('sold', 30, 1), shelf('vanished', 30, 20)]));
    commands++;
    const argv = ['movers', '--store', 'shop', '--since', '7d', '-o', 'json', '--query', '[?to==null].title'];
    expect(JSON.parse((await catalog.run(argv)).stdout)).toEqual(['Title vanished']);
  },
  'the dearest of a store': async () => {
    const rows = await json<{ price_from: number }[]>('products list --store perekrestok --order price_desc --limit 5');
    const prices = rows.map((one) => one.price_from);
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
    expect(rows).toHaveLength(5);
  },
  'how fresh each store is, as an exit status': async () => {
    const rows = await items<{ parser_name: string; ingested_at: string | null }>('/sync/cursors');
    const old = rows.filter((one) => one.ingested_at && Date.parse(one.ingested_at) < NOW - 2 * 3_600_000);
    expect(old.map((one) => one.parser_name)).toEqual(['perekrestok']);
    const { code, stderr } = await run('cursors --max-age 2h');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('older than 2h: perekrestok\n') });
    expect((await again('cursors --store chizhik --max-age 2h')).code).toBe(0);
  },
};

describe('a task of an analyst', () => {
  test.each(Object.entries(TASKS))('%s', async (_, work) => {
    commands = 0;
    await work();
    expect(commands).toBe(1);
  });
});
