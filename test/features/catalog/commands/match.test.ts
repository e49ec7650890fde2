import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '../../../../src/sandbox/catalog/records.ts';
import {
  catalogOf,
  NOON_MS,
  row,
  settlement,
  snapshot,
  startCatalog,
  type TestCatalog,
} from '../../../sandbox/catalog/service.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const MOSCOW = settlement({ id: 1 });
const MILK = { title_original: 'Молоко 3,2 %, 930 мл', brand: 'Луговое', price_unit: 'RUB', unit: 'PCE' };
const SIZE = { package_quantity: 0.93, package_unit: 'LTR' };

const SOURCES = [
  { canonical_product_id: 'milk', parser_name: 'chizhik', ...MILK, ...SIZE, price: 80 },
  { canonical_product_id: 'same', parser_name: 'magnit', ...MILK, ...SIZE, price: 70 },
  { canonical_product_id: 'grams', parser_name: 'lenta', ...MILK, package_quantity: 900, package_unit: 'GRM' },
  { canonical_product_id: 'titled', parser_name: 'lenta', ...MILK, title_original: 'Молока 3.2 % 0,93 л', brand: null },
  { canonical_product_id: 'other', parser_name: 'lenta', ...MILK, ...SIZE, title_original: 'Луговое масло' },
  { canonical_product_id: 'here', parser_name: 'chizhik', ...MILK, ...SIZE },
  // One of its rows is of the same store, which the list of products does not say.
  { canonical_product_id: 'both', parser_name: 'lenta', ...MILK, ...SIZE },
  { canonical_product_id: 'both', parser_name: 'chizhik', ...MILK, title_original: 'x', brand: null },
  { canonical_product_id: 'tea', parser_name: 'lenta', title_original: 'Tea', brand: 'Harbour' },
].map((fields, index) =>
  row({ id: index + 1, source_id: `s${index}`, settlement: MOSCOW, observed_at: NOON_MS * 1000, ...fields }),
);

let catalog: TestCatalog;
let file: string;

beforeAll(async () => {
  const snapshots = SOURCES.slice(0, 2).flatMap((source, index) =>
    [1, 2].map((day) =>
      snapshot({
        id: index * 2 + day,
        canonical_product_id: source.canonical_product_id,
        parser_name: source.parser_name,
        source_id: source.source_id,
        price: 10 * index + day,
        observed_at: (NOON_MS - (day * DAY) / 1000) * 1000,
      }),
    ),
  );
  catalog = await startCatalog({ catalog: catalogOf({ sources: SOURCES, snapshots }) });
});
afterAll(() => catalog.close());
beforeEach(() => {
  file = join(temporaryHome(), 'my matches.ndjson');
});

const run = (argv: readonly string[], options: RunOptions = {}) =>
  svc(['catalog', ...argv], { at: NOON_MS, env: { SVC_CATALOG_URL: catalog.url }, ...options });
const matched = async (...argv: string[]) => JSON.parse((await run(['match', ...argv, '-o', 'json'])).stdout);

test('requests no product twice, joined ones included', async () => {
  writeFileSync(file, '{"product":"milk","match":"same"}\n');
  const joined = ['same', 'milk', '--matches', file];
  for (const argv of [
    ['match', 'milk', '-v'],
    ['movers', ...joined, '-v'],
    ['compare', ...joined, '-v'],
  ]) {
    const { code, stderr } = await run(argv);
    const asked = [...stderr.matchAll(/GET (\S+)/g)].map(([, path]) => path);
    expect({ code, asked }).toEqual({ code: 0, asked: [...new Set(asked)] });
    expect(asked.length).toBeGreaterThan(1);
  }
});
const lines = () =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('candidates', () => {
  test('are products of other stores, with reasons', async () => {
    expect(await matched('milk')).toMatchObject([
      {
        match: 'same',
        score: 100,
        reasons: ['same title', 'same brand Луговое', 'same size 0.93 l'],
        stores: ['magnit'],
      },
      { match: 'titled', score: 88, reasons: ['same title', 'brand unknown', 'same size 0.93 l'] },
      { match: 'grams', score: 75, reasons: ['same title', 'same brand Луговое', 'size 0.9 kg, not 0.93 l'] },
      { match: 'other', score: 50, reasons: ['title 0% alike', 'same brand Луговое', 'same size 0.93 l'] },
    ]);
  });

  test('can be limited to one store, or found by another text', async () => {
    expect((await matched('milk', '--store', 'MAGNIT')).map(({ match }: { match: string }) => match)).toEqual(['same']);
    expect(await matched('milk', '--search', 'масло')).toMatchObject([{ match: 'other' }]);
  });

  test('are read once each', async () => {
    const { stderr } = await run(['match', 'milk', '-v']);
    const read = [...stderr.matchAll(/GET \S*?(\/products\/\S*)/g)].map(([, path]) => path);
    expect(read.length).toBeGreaterThan(4);
    expect(new Set(read).size).toBe(read.length);
  });

  test('may be none', async () => {
    const { code, stderr } = await run(['match', 'tea']);
    expect([code, stderr]).toEqual([0, 'no candidates\n']);
  });

  test('of a missing product: exit 5', async () => {
    expect((await run(['match', 'nothing'])).code).toBe(5);
  });
});

describe('--save', () => {
  test('asks which products are the same', async () => {
    const { code, stdout, asked } = await run(['match', 'milk', '--save', file], {
      terminal: 120,
      answers: [['100  Молоко', '88  Молока']],
    });
    expect(code).toBe(0);
    expect(asked).toEqual(['Which are the same product as "Молоко 3,2 %, 930 мл"?']);
    expect(stdout.match(/saved/g)).toHaveLength(2);
    expect(lines()).toMatchObject([
      { product: 'milk', match: 'same', title: MILK.title_original, size: '0.93 l' },
      { product: 'milk', match: 'titled' },
    ]);
  });

  test('accepts none of them', async () => {
    const { code, stderr } = await run(['match', 'milk', '--save', file], { terminal: 120, answers: [['none']] });
    expect([code, existsSync(file)]).toEqual([0, false]);
    expect(stderr).toContain('0 added to');
  });

  test('does not ask again about saved products', async () => {
    await run(['match', 'milk', '--save', file, '--accept', 'same']);
    const { asked } = await run(['match', 'same', '--save', file], { terminal: 120, answers: [['none']] });
    expect(asked).toHaveLength(1);
    await run(['match', 'same', '--save', file, '--accept', 'milk']);
    expect(lines()).toHaveLength(1);
  });

  test('--accept adds without a question, even what was not proposed', async () => {
    writeFileSync(file, '{"product":"a","match":"b","note":"mine"}');
    const { code, stderr } = await run(['match', 'milk', '--save', file, '--accept', 'same', '--accept', 'tea']);
    expect(code).toBe(0);
    expect(stderr).toContain(`2 added to ${file}; svc catalog compare milk --matches '${file}' joins them`);
    expect(lines()).toMatchObject([{ product: 'a', note: 'mine' }, { match: 'same' }, { match: 'tea' }]);
  });

  test('names an unknown id, and does not save it', async () => {
    const { code, stderr } = await run(['match', 'milk', '--save', file, '--accept', 'same', '--accept', 'unknown']);
    expect(code).toBe(10);
    expect(stderr).toContain('unknown is skipped');
    expect(lines()).toHaveLength(1);
  });

  test.each([
    [[], '--save asks which candidates are the same product'],
    [['--accept', 'same'], 'line 2: this is not a match of two products'],
  ])('is refused with %j', async (argv, text) => {
    const content = '{"product":"a","match":"b"}\n{"product":"a"}\n';
    writeFileSync(file, content);
    const { code, stderr } = await run(['match', 'milk', '--save', file, ...argv]);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  test('is required for --accept', async () => {
    expect((await run(['match', 'milk', '--accept', 'same'])).stderr).toContain('--accept needs --save');
  });
});

describe('--matches', () => {
  const save = (...pairs: readonly (readonly [string, string])[]) =>
    writeFileSync(file, pairs.map(([product, match]) => `${JSON.stringify({ product, match })}\n`).join(''));

  test('compare joins them, each once', async () => {
    save(['same', 'milk']);
    const { stdout, stderr } = await run(['compare', 'milk', 'same', '--matches', file, '-v', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { canonical_product_id: 'milk', matched_product_id: 'same', effectivePrice: 70, cheapest: true },
      { canonical_product_id: 'milk', effectivePrice: 80, aboveCheapest: 10 },
    ]);
    expect(stderr.match(/GET \S*\/sources/g)).toHaveLength(2);
  });

  test('joins a match of a match', async () => {
    save(['milk', 'tea'], ['same', 'tea']);
    const rows = JSON.parse((await run(['compare', 'milk', '--matches', file, '-o', 'json'])).stdout);
    expect(rows.map((one: Record<string, unknown>) => one['matched_product_id'])).toEqual(['same', undefined, 'tea']);
  });

  test('history has a line for each store', async () => {
    save(['milk', 'same']);
    const { stdout } = await run(['history', 'milk', '--matches', file, '--tz', 'UTC', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { parser_name: 'chizhik', meta: { canonical_product_id: 'milk' }, statistics: { last: 1, first: 2 } },
      { parser_name: 'magnit', statistics: { last: 11, first: 12 } },
    ]);
  });

  test('basket counts lines of one product together', async () => {
    save(['milk', 'same']);
    const list = join(temporaryHome(), 'basket.txt');
    writeFileSync(list, 'milk 2\nsame\n');
    const rows = JSON.parse((await run(['basket', list, '--matches', file, '-o', 'json'])).stdout);
    expect(rows).toMatchObject([
      { stores: ['magnit'], cost: 210, missing: [], items: [{ canonical_product_id: 'milk', quantity: 3, price: 70 }] },
      { stores: ['chizhik'], cost: 240, missing: [] },
    ]);
  });

  test('index has the offers of both', async () => {
    save(['milk', 'same']);
    const line = ['index', 'milk', '--since', '36h', '--tz', 'UTC', '-o', 'json'];
    const last = async (...argv: string[]) => JSON.parse((await run([...line, ...argv])).stdout).at(-1);
    expect(await last()).toMatchObject({ index: 50, ofOffers: 1 });
    expect(await last('--matches', file)).toMatchObject({ index: 70.83, ofOffers: 2 });
  });

  test('two products of one place stay on two lines', async () => {
    save(['milk', 'here']);
    const rows = JSON.parse((await run(['compare', 'milk', '--matches', file, '-o', 'json'])).stdout);
    expect(rows).toHaveLength(2);
  });

  test('names a matched product that has disappeared', async () => {
    save(['milk', 'gone']);
    const { code, stderr } = await run(['compare', 'milk', '--matches', file]);
    expect(code).toBe(0);
    expect(stderr).toContain('gone, which is matched with milk, is not sold any more');
  });

  test.each([
    ['not JSON', 'line 1: this is not a match of two products'],
    ['\n{"product":"a","match":""}', 'line 2: this is not a match of two products'],
  ])('refuses a file with %j before any request', async (content, text) => {
    writeFileSync(file, content);
    const { code, stderr } = await run(['compare', 'milk', '--matches', file, '-v']);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('GET');
  });
});
