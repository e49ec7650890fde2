import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, type Snapshot, type SourceRow } from '../../../../src/sandbox/catalog/records.ts';
import {
  catalogOf,
  row,
  settlement,
  snapshot,
  startCatalog,
  type TestCatalog,
} from '../../../sandbox/catalog/service.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { csvRecords } from '../export/csv-records.ts';

const NOW = Date.UTC(2026, 10, 22, 9);
const MICROS = NOW * 1000;
const MOSCOW = settlement({ id: 1 });
/** A formula, a line break, quotes, delimiters, a control character, a family of joined pictographs. */
const HOSTILE = '=1+1;"a",\r\nb\u001b[2J 👨‍👩‍👧 ';

const sources: SourceRow[] = [];
const snapshots: Snapshot[] = [];
let catalog: TestCatalog;
let asked: string[] = [];
let folder: string;

beforeAll(async () => {
  catalog = await startCatalog({
    // Read at every request, so that a test can add to it.
    catalog: {
      ...catalogOf({}),
      sources,
      snapshots: (id) => snapshots.filter((one) => one.canonical_product_id === id),
    },
    now: () => NOW,
  });
});
afterAll(() => catalog.close());

beforeEach(() => {
  sources.length = 0;
  snapshots.length = 0;
  folder = join(temporaryHome(), 'out');
  for (const [index, product] of ['p1', 'p2', 'p3'].entries()) {
    const id = index * 1000;
    sources.push(
      row({
        id: id + 1,
        canonical_product_id: product,
        source_id: `run-2:${id}`,
        title_original: index === 1 ? HOSTILE : 'Milk 3.2 %',
        brand: index === 2 ? '' : 'Prosto',
        price: 99.9,
        discount_price: 0.0001,
        price_unit: 'RUB',
        unit: 'PCE',
        promo: true,
        image_urls: ['https://images.example/1'],
        observed_at: MICROS - DAY,
        settlement: MOSCOW,
      }),
      row({
        id: id + 2,
        canonical_product_id: product,
        source_id: `run-1:${id}`,
        settlement: MOSCOW,
        price_unit: 'RUB',
        unit: 'PCE',
        observed_at: MICROS - 2 * DAY,
      }),
    );
    for (let day = 1; day <= 3; day++) observe(product, id + day, 4 - day, 100 + day);
  }
});

function observe(product: string, id: number, daysAgo: number, price: number): void {
  const index = Math.floor(id / 1000);
  snapshots.push(
    snapshot({
      id,
      canonical_product_id: product,
      source_id: `run-1:${index * 1000}`,
      price,
      observed_at: MICROS - daysAgo * DAY + 7,
    }),
  );
}

const run = (argv: readonly string[], options: RunOptions = {}) =>
  svc(['catalog', 'export', ...argv, '-v'], { now: () => NOW, env: { SVC_CATALOG_URL: catalog.url }, ...options });

async function exported(...argv: string[]) {
  const { code, stdout, stderr } = await run([folder, ...argv, '-o', 'json']);
  asked = [...stderr.matchAll(/GET \S*?(\/products\S*)/g)].map(([, path = '']) => path);
  return { code, stderr, result: JSON.parse(stdout) };
}

const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
const objects = (name: string): Record<string, unknown>[] =>
  file(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function service<T>(path: string): Promise<readonly T[]> {
  return (await catalog.json<{ items: T[] }>(path)).items;
}

interface Item extends Record<string, unknown> {
  readonly id: number;
  readonly title_original?: string | null;
  readonly unit?: string | null;
  readonly settlement: Record<string, unknown> | null;
  readonly primary_category: Record<string, unknown> | null;
}

/** The service's own values: the newest row of each product, and all snapshots, the oldest first. */
async function expectedRows() {
  const offers: Item[] = [];
  const rows: Item[] = [];
  for (const id of ['p1', 'p2', 'p3']) {
    const listed = await service<Item>(`/products/${id}/sources`);
    const [newest] = listed;
    if (newest !== undefined) offers.push(newest);
    const past = await service<Item>(`/products/${id}/snapshots?limit=100&sort=observed_at_asc`);
    rows.push(
      ...(past.map((one) => {
        const source = listed.find((item) => item['source_id'] === one['source_id']);
        const { title_original = null, unit = null, settlement: place = null } = source ?? {};
        return { ...one, title_original, unit, settlement: place };
      }) as Item[]),
    );
  }
  return { offers, snapshots: rows };
}

test('ndjson has the objects of the service, each product requested once', async () => {
  const { code, result } = await exported();
  expect(code).toBe(0);
  expect(result).toEqual({
    folder,
    format: 'ndjson',
    products: 3,
    offers: 3,
    snapshots: 9,
    newSnapshots: 9,
    files: [join(folder, 'offers.ndjson'), join(folder, 'snapshots.ndjson')],
    vanished: [],
  });
  const expected = await expectedRows();
  expect(objects('offers.ndjson')).toEqual(expected.offers);
  expect(objects('snapshots.ndjson')).toEqual(expected.snapshots);
  expect(asked.toSorted()).toEqual([
    '/products/p1/snapshots?limit=100&offset=0&sort=observed_at_desc',
    '/products/p1/sources?limit=100&offset=0',
    '/products/p2/snapshots?limit=100&offset=0&sort=observed_at_desc',
    '/products/p2/sources?limit=100&offset=0',
    '/products/p3/snapshots?limit=100&offset=0&sort=observed_at_desc',
    '/products/p3/sources?limit=100&offset=0',
    '/products?limit=100&offset=0',
  ]);
  expect(readdirSync(folder).sort()).toEqual(['offers.ndjson', 'snapshots.ndjson', 'state.ndjson']);
});

/** The value of a column as the service has it: `settlement_id` is the id of the settlement. */
function wantedValue(item: Item, column: string): unknown {
  const [, object, field] = /^(settlement|category|region|country)_?(.*)$/.exec(column) ?? [];
  if (object === 'region' || object === 'country') return item.settlement?.[object] ?? null;
  if (object === 'settlement') return item.settlement?.[field || 'name'] ?? null;
  if (object === 'category') return item.primary_category?.[field === 'uid' ? 'source_uid' : field || 'title'] ?? null;
  const value = item[column];
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

const TIMES = ['observed_at', 'valid_from_at', 'valid_to_at', 'created_at'];

describe.each(['offers', 'snapshots'] as const)('%s read back', (name) => {
  test('from raw csv equal the values of the service', async () => {
    await exported('--format', 'csv', '--raw');
    const expected = (await expectedRows())[name];
    const [columns = [], ...records] = csvRecords(file(`${name}.csv`));
    expect(columns.length).toBeGreaterThan(20);
    const text = (value: unknown): string | null => (value === null ? null : String(value));
    expect(records).toEqual(expected.map((item) => columns.map((column) => text(wantedValue(item, column ?? '')))));
  });

  test('from Parquet equal the values of the service, including types', async () => {
    const { stderr } = await exported('--format', 'parquet');
    expect(stderr).not.toContain('null');
    const expected = (await expectedRows())[name];
    const buffer = await asyncBufferFromFile(join(folder, `${name}.parquet`));
    const { schema } = await parquetMetadataAsync(buffer);
    const types = new Map(schema.slice(1).map((one) => [one.name, one]));
    const rows = await parquetReadObjects({
      file: buffer,
      parsers: { timestampFromMicroseconds: (micros: bigint) => micros },
    });
    for (const [index, item] of expected.entries()) {
      for (const [column, value] of Object.entries(rows[index] ?? {})) {
        const wanted = wantedValue(item, column);
        const { type } = types.get(column) ?? {};
        if (wanted === null) expect({ column, value }).toEqual({ column, value: null });
        else if (TIMES.includes(column))
          expect({ column, micros: value }).toEqual({ column, micros: micros(String(wanted)) });
        else if (type === 'INT64') expect(value).toBe(BigInt(wanted as number));
        else
          expect({ column, type, value }).toEqual({
            column,
            type: { string: 'BYTE_ARRAY', number: 'DOUBLE', boolean: 'BOOLEAN' }[typeof wanted as 'string'],
            value: wanted,
          });
      }
    }
    expect(rows).toHaveLength(expected.length);
    expect(types.get('observed_at')?.logical_type).toEqual({
      type: 'TIMESTAMP',
      isAdjustedToUTC: true,
      unit: 'MICROS',
    });
  });
});

function micros(text: string): bigint {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(text) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

describe('csv', () => {
  test('is safe to open without --raw', async () => {
    await exported('--format', 'csv');
    const [, , hostile = []] = csvRecords(file('offers.csv'));
    expect(hostile).toContain(`'=1+1;"a",\\r\\nb\\x1b[2J 👨\\u200d👩\\u200d👧 `);
    expect(file('offers.csv').split('\n')).toHaveLength(5);
  });

  test('has a byte order mark, another delimiter and a decimal comma', async () => {
    await exported('--format', 'csv', '--bom', '--delimiter', ';', '--decimal', ',');
    const text = file('snapshots.csv');
    expect(text.startsWith('\ufeffid;canonical_product_id;')).toBe(true);
    expect(text).toContain(';RUB;101;;;;');
    expect(file('offers.csv')).toContain(';RUB;"99,9";"0,0001";');
  });

  test.each([
    [['--raw'], '--delimiter, --decimal, --raw and --bom need --format csv'],
    [['--format', 'csv', '--decimal', ',', '--delimiter', ','], '--decimal , needs another --delimiter'],
    [['--format', 'csv', '--delimiter', 'x'], '--delimiter'],
  ])('%j is refused', async (argv, text) => {
    const { code, stderr } = await run([folder, ...argv]);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('the next run', () => {
  /** Of a folder that was exported at once. */
  async function bytesOfAll(format = 'ndjson'): Promise<readonly Buffer[]> {
    const other = join(temporaryHome(), 'whole');
    await run([other, '--format', format]);
    return ['offers', 'snapshots'].map((name) => readFileSync(join(other, `${name}.${format}`)));
  }
  const bytes = (format = 'ndjson'): readonly Buffer[] =>
    ['offers', 'snapshots'].map((name) => readFileSync(join(folder, `${name}.${format}`)));

  test.each(['ndjson', 'csv', 'parquet'])('adds new data: the same %s as a single run', async (format) => {
    await exported('--format', format);
    observe('p2', 1500, 0, 90);
    const { result } = await exported('--format', format);
    expect(result).toMatchObject({ snapshots: 10, newSnapshots: 1 });
    expect(bytes(format)).toEqual(await bytesOfAll(format));
  });

  test('reads only snapshots newer than the stored ones', async () => {
    for (let id = 100; id < 400; id++) observe('p1', id, 40 + id / 100, id);
    await exported();
    expect(asked.filter((path) => path.startsWith('/products/p1/snapshots'))).toHaveLength(4);
    observe('p1', 500, 0, 90);
    await exported();
    expect(asked.filter((path) => path.startsWith('/products/p1/snapshots'))).toHaveLength(1);
    expect(bytes()).toEqual(await bytesOfAll());
  });

  test('finds late and removed snapshots', async () => {
    await exported();
    observe('p1', 600, 30, 80);
    await exported();
    expect(bytes()).toEqual(await bytesOfAll());
    snapshots.splice(0, 1);
    await exported();
    expect(objects('snapshots.ndjson')).toHaveLength(9);
    expect(bytes()).toEqual(await bytesOfAll());
  });

  test('updates a snapshot that was observed again', async () => {
    await exported();
    const [last] = snapshots.splice(2, 1);
    if (last !== undefined) snapshots.push({ ...last, price: 1, observed_at: MICROS });
    await exported();
    expect(bytes()).toEqual(await bytesOfAll());
  });

  test('with another format reads no other data', async () => {
    await exported();
    await exported('--format', 'csv');
    expect(bytes('csv')).toEqual(await bytesOfAll('csv'));
    expect(bytes()).toEqual(await bytesOfAll());
  });

  test('--since limits the first run, and may go further back later', async () => {
    await exported('--since', '2026-11-20T09:00:00Z');
    expect(objects('snapshots.ndjson').map(({ id }) => id)).toEqual([2, 3, 1002, 1003, 2002, 2003]);
    await exported();
    expect(objects('snapshots.ndjson')).toHaveLength(6);
    await exported('--since', '-30d');
    expect(bytes()).toEqual(await bytesOfAll());
  });

  test('names a product that vanished, and keeps its snapshots', async () => {
    await exported();
    sources.splice(0, 2);
    const { code, result, stderr } = await exported();
    expect(code).toBe(0);
    expect(result).toMatchObject({ products: 3, offers: 2, snapshots: 9, vanished: ['p1'] });
    expect(stderr).toContain('no longer sold, only their snapshots are exported: p1');
    expect(objects('snapshots.ndjson')[0]).toMatchObject({ id: 1, settlement: { name: 'Moscow' } });
  });
});

describe('an interrupted run', () => {
  test.each([1, 3, 5])('at response %i is resumed with the same bytes', async (responses) => {
    const whole = join(temporaryHome(), 'whole');
    await run([whole, '--format', 'csv']);
    const ended = new AbortController();
    let count = 0;
    const interrupted = await run([folder, '--format', 'csv', '-v'], {
      signal: ended.signal,
      onStderr(text) {
        count += text.match(/GET /g)?.length ?? 0;
        if (count >= responses) ended.abort(new Error('stop'));
      },
    });
    expect(interrupted.code).not.toBe(0);
    expect(existsSync(join(folder, 'offers.csv'))).toBe(false);
    const { code } = await exported('--format', 'csv');
    expect(code).toBe(0);
    for (const name of ['offers.csv', 'snapshots.csv', 'state.ndjson']) {
      expect(file(name)).toBe(readFileSync(join(whole, name), 'utf8'));
    }
    expect(readdirSync(folder).sort()).toEqual(['offers.csv', 'snapshots.csv', 'state.ndjson']);
  });

  test('does not repeat its requests, and drops an incomplete line', async () => {
    await exported();
    const [header, first, second] = file('state.ndjson').split('\n');
    const cut = join(temporaryHome(), 'cut');
    mkdirSync(cut);
    writeFileSync(join(cut, 'state.part.ndjson'), `${header}\n${first}\n${second?.slice(0, 40)}`);
    const whole = file('snapshots.ndjson');
    folder = cut;
    const { stderr } = await exported();
    expect(stderr).toContain('an interrupted run is continued: 1 of 3 products were read');
    expect(asked.filter((path) => path.startsWith('/products/p1'))).toEqual([]);
    expect(asked.filter((path) => path.startsWith('/products/p2'))).toHaveLength(2);
    expect(file('snapshots.ndjson')).toBe(whole);
  });
});

describe('refused exports', () => {
  test('a run that read nothing does not bind the folder to a server', async () => {
    expect((await run([folder, '--base-url', 'http://127.0.0.1:1', 'p1'])).code).toBe(7);
    expect((await exported('p2')).result).toMatchObject({ products: 1 });
  });

  test('names a product that cannot be read, and exports the others', async () => {
    snapshots.push(snapshot({ canonical_product_id: 'p2', id: 'x' as never, observed_at: {} as never }));
    const { code, result, stderr } = await exported();
    expect(code).toBe(10);
    expect(result).toMatchObject({ products: 2 });
    expect(stderr).toContain('p2 is skipped');
  });

  test('does not touch a folder of another server', async () => {
    await exported();
    const before = file('snapshots.ndjson');
    await using other = await startCatalog({ now: () => NOW, seed: 'demo' });
    const { code, stderr } = await run([folder], { env: { SVC_CATALOG_URL: other.url } });
    expect(code).toBe(2);
    expect(stderr).toContain('has an export of another selection: server is not the same');
    expect(file('snapshots.ndjson')).toBe(before);
  });

  test("does not replace another program's file without --force", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'offers.csv'), 'mine');
    const { code, stderr } = await run([folder, '--format', 'csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('already exists');
    expect(file('offers.csv')).toBe('mine');
    expect((await run([folder, '--format', 'csv', '--force'])).code).toBe(0);
    expect(file('offers.csv')).toMatch(/^id,/);
  });

  test('the folder is a file', async () => {
    writeFileSync(folder, '');
    const { code, stderr } = await run([folder]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot use ${folder}`);
  });

  test('a state of a later version is refused', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'state.ndjson'), '{"version":2}\n');
    const { code, stderr } = await run([folder]);
    expect(code).toBe(2);
    expect(stderr).toContain('or by a later version');
  });
});
