/** The catalog as its real writer fills it: every daily run makes a new source with one snapshot, and leaves the old rows. */
import { afterAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, type Snapshot, type SourceRow } from '../../../../src/sandbox/catalog/records.ts';
import { catalogOf, row, settlement, snapshot, startCatalog } from '../../../sandbox/catalog/service.ts';
import { svc } from '../../../support/svc.ts';

const NOW = Date.UTC(2026, 10, 22, 9, 14, 27);
const RUNS = 20;
const MOSCOW = settlement({ id: 1 });
const KAZAN = settlement({ id: 2, name: 'Казань', region: 'Татарстан', region_normalized: 'tatarstan' });

/** 99.9 twenty days ago, 82.9 for a while, and 111.9 today. */
function price(day: number): number {
  if (day === RUNS - 1) return 99.9;
  return day > 10 ? 82.9 : 111.9;
}

function run(place: typeof MOSCOW, store: string, day: number): readonly [SourceRow, Snapshot] {
  const id = place.id * 1000 + (store === 'fixprice' ? 500 : 0) + RUNS - day;
  const observed_at = NOW * 1000 - day * DAY - 3 * HOUR;
  const keys = {
    id,
    parser_name: store,
    source_id: `receiver:run-${store}-${day}:${id}`,
    price: price(day),
    observed_at,
  };
  const source = row({ ...keys, price_unit: 'RUB', unit: 'PCE', settlement: place, title_original: 'Milk' });
  return [source, snapshot({ ...keys, valid_from_at: observed_at, valid_to_at: observed_at })];
}

const runs = [...Array(RUNS).keys()].flatMap((day) => [run(MOSCOW, 'fixprice', day), run(KAZAN, 'fixprice', day)]);

const catalog = await startCatalog({
  now: () => NOW,
  catalog: catalogOf({
    settlements: [MOSCOW, KAZAN],
    sources: runs.map(([source]) => source),
    snapshots: runs.map(([, one]) => one),
  }),
});
afterAll(() => catalog.close());

const ask = (...argv: string[]) => svc(['catalog', ...argv], { now: () => NOW, env: { SVC_CATALOG_URL: catalog.url } });
const json = async (...argv: string[]) => JSON.parse((await ask(...argv, '-o', 'json')).stdout);

describe('a catalog of twenty daily runs', () => {
  test('has one history for each store and place', async () => {
    const { code, stdout } = await ask('history', 'p1');
    expect(code).toBe(0);
    const lines = stdout.split('\n').filter((line) => line.includes('fixprice'));
    expect(lines.map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      expect.stringContaining('fixprice Moscow 111.9 +12 (+12%)'),
      expect.stringContaining('fixprice Казань 111.9 +12 (+12%)'),
    ]);
    const histories = await json('history', 'p1');
    expect(histories).toHaveLength(2);
    expect(histories[0]).toMatchObject({
      source_id: 'receiver:run-fixprice-0:1520',
      statistics: { covered: RUNS, first: 99.9, last: 111.9, min: 82.9, max: 111.9, change: 12 },
    });
  });

  test('has one offer for each store and place, from the newest run', async () => {
    const { code, stdout, stderr } = await ask('compare', 'p1');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(stderr).toBe('');
    expect(await json('compare', 'p1', '--store', 'fixprice', '--region', 'moscow')).toHaveLength(1);
  });

  test('is checked by the newest run and by the one of --since', async () => {
    const STATUSES = {
      '--below 85': 1,
      '--below 112': 0,
      '--above 110 --all': 0,
      '--change +12% --since 19d': 0,
      '--change=-10% --since 19d': 1,
      '--change +30% --since 12d --all': 0,
      '--change +30% --since 30d': 11,
      '--below 85 --max-age 2h': 11,
    };
    const found: Record<string, number> = {};
    for (const argv of Object.keys(STATUSES)) found[argv] = (await ask('check', 'p1', ...argv.split(' '))).code;
    expect(found).toEqual(STATUSES);
  });
});

test('a list whose rows move while it is read is reported as incomplete', async () => {
  const more = [...Array(120).keys()].map((day) => run(MOSCOW, 'chizhik', day + 30));
  const data = catalogOf({
    settlements: [MOSCOW, KAZAN],
    sources: more.map(([one]) => one),
    snapshots: more.map(([, one]) => one),
  });
  await using service = await startCatalog({ catalog: data, now: () => NOW });
  service.traps.add('shifting-catalog');
  const shifting = (...argv: string[]) =>
    svc(['catalog', ...argv], { now: () => NOW, env: { SVC_CATALOG_URL: service.url } });
  const problem = 'the list may be incomplete: ';
  const list = await shifting('products', 'sources', 'p1', '--all', '-o', 'id');
  const ids = list.stdout.trim().split('\n');
  expect([list.code, new Set(ids).size]).toEqual([10, ids.length]);
  expect(list.stderr).toContain(problem);
  expect(await shifting('history', 'p1')).toMatchObject({ code: 10, stderr: expect.stringContaining(problem) });
  expect(await shifting('check', 'p1', '--above', '1', '--max-age', '900d')).toMatchObject({
    code: 11,
    stdout: expect.stringContaining(problem),
  });
});
