import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const MICROS = NOON_MS * 1000;
const HOSTILE = `<script>alert("1")</script>&'\u001b[2J\u202e`;
const MOSCOW = settlement({ id: 1, name: HOSTILE });

const SOURCES = [
  { canonical_product_id: 'milk', parser_name: 'chizhik', title_original: HOSTILE, price: 80 },
  { canonical_product_id: 'milk', parser_name: 'magnit', title_original: HOSTILE, price: 70.5 },
  { canonical_product_id: 'tea', parser_name: 'lenta', title_original: 'Tea', price: 10 },
  { canonical_product_id: 'green', parser_name: 'magnit', title_original: 'Tea', price: 9 },
].map((fields, index) =>
  row({
    id: index + 1,
    source_id: `s${index}`,
    settlement: MOSCOW,
    price_unit: 'RUB',
    unit: 'PCE',
    observed_at: MICROS - 3_600_000_000,
    ...fields,
  }),
);
const SNAPSHOTS = SOURCES.flatMap((source, index) =>
  [1, 2, 3].map((day) =>
    snapshot({
      id: index * 10 + day,
      canonical_product_id: source.canonical_product_id,
      parser_name: source.parser_name,
      source_id: source.source_id,
      price: 100 - day,
      observed_at: MICROS - day * DAY,
    }),
  ),
);

let catalog: TestCatalog;
let folder: string;

beforeAll(async () => {
  catalog = await startCatalog({ catalog: catalogOf({ sources: SOURCES, snapshots: SNAPSHOTS }) });
});
afterAll(() => catalog.close());
beforeEach(() => {
  folder = temporaryHome();
});

const run = (yaml: string, argv: readonly string[] = [], options: RunOptions = {}) => {
  writeFileSync(join(folder, 'report.yaml'), yaml);
  return svc(['catalog', 'report', join(folder, 'report.yaml'), '--html', join(folder, 'out.html'), ...argv], {
    at: NOON_MS,
    env: { SVC_CATALOG_URL: catalog.url },
    ...options,
  });
};
const page = (): string => readFileSync(join(folder, 'out.html'), 'utf8');

const BOTH = `
title: Week <1>
tz: Asia/Tokyo
sections:
  - type: history
    id: milk
    from: -7d
    interval: 1d
  - type: compare
    title: Now
    id: [milk, tea]
    trend: true
`;

/** Elements that have no end. */
const VOID = new Set(['meta', 'path', 'line', 'rect', 'circle', '!doctype']);

/** The names of its elements, each of which ends where it has to. */
function elementsOf(html: string): ReadonlySet<string> {
  const open: string[] = [];
  const names = new Set<string>();
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([!a-z][a-z0-9]*)(?:\s[^<>]*)?>/gi)) {
    if (end) expect(open.pop(), name).toBe(name);
    else if (!VOID.has(name)) open.push(name);
    names.add(name);
  }
  expect(open).toEqual([]);
  return names;
}

test('a page has charts and tables, and loads nothing', async () => {
  const { code, stdout } = await run(BOTH, ['-o', 'json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { file: join(folder, 'out.html'), sections: 2, failed: [] }]);
  const html = page();
  const names = elementsOf(html);
  for (const name of ['svg', 'table', 'h1', 'h2']) expect(names).toContain(name);
  for (const name of ['script', 'link', 'img', 'iframe', 'object', 'base']) expect(names).not.toContain(name);
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(html.replaceAll('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|@import|\son\w+=/);
  expect(html).toContain('<h1>Week &lt;1&gt;</h1>');
  expect(html).toContain('2026-02-01 21:00 (Asia/Tokyo)');
});

test('escapes remote text', async () => {
  await run(BOTH);
  expect(page()).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;');
  expect(page()).not.toMatch(/[\u001b\u202e]|<script/);
});

test('has the numbers of the commands', async () => {
  await run(BOTH);
  const cells = [...page().matchAll(/<td data-label="(Lowest|Above)"[^>]*>(?:<span[^>]*>)?([^<]*)/g)];
  expect(cells.map(([, name, text]) => `${name} ${text}`)).toEqual([
    ...['Lowest 70.5', 'Above cheapest', 'Lowest 80', 'Above 13.5% more', 'Lowest 10', 'Above cheapest'],
  ]);
  expect(page()).toContain('<td data-label="Last" class="right">99</td>');
});

test('sections share their requests', async () => {
  const { stderr } = await run(BOTH, ['-v']);
  const asked = [...stderr.matchAll(/GET (\S+)/g)].map(([, path]) => path);
  expect(asked.length).toBeGreaterThan(3);
  expect(new Set(asked).size).toBe(asked.length);
});

test.each(['compare', 'products list'])('%s has as many rows as its limit says', async (type) => {
  await run(`sections: [{type: ${type}, search: Tea, limit: 1}]`);
  expect(page().match(/<tr>/g)).toHaveLength(2);
});

test.each([
  ['movers', 'id: [milk, tea], since: 2d'],
  ['index', 'id: milk, since: 2d'],
  ['discounts', 'search: Tea'],
  ['basket', 'file: basket.txt'],
])('%s is a section', async (type, options) => {
  writeFileSync(join(folder, 'basket.txt'), 'milk 2\ntea\n');
  const { code, stderr } = await run(`sections: [{type: ${type}, ${options}}]`);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('svc:')]);
  expect(page()).toMatch(type === 'discounts' ? /class="note"/ : /<tbody>/);
});

test('files are relative to the report', async () => {
  mkdirSync(join(folder, 'lists'));
  writeFileSync(join(folder, 'lists/ids.txt'), 'tea\n');
  writeFileSync(join(folder, 'matches.ndjson'), '{"product":"tea","match":"green"}\n');
  const { code } = await run('sections: [{type: compare, file: lists/ids.txt, matches: matches.ndjson}]');
  expect(code).toBe(0);
  expect(page().match(/<td data-label="Store">\w+/g)).toHaveLength(2);
});

test('--html - prints the page', async () => {
  const { stdout } = await svc(['catalog', 'report', '-', '--html', '-'], {
    stdin: BOTH,
    at: NOON_MS,
    env: { SVC_CATALOG_URL: catalog.url },
  });
  await run(BOTH);
  expect(stdout).toBe(page());
});

test('an existing page is replaced with --force only', async () => {
  writeFileSync(join(folder, 'out.html'), 'mine');
  const { code, stderr } = await run(BOTH, ['-v']);
  expect([code, page()]).toEqual([2, 'mine']);
  expect(stderr).not.toContain('GET');
  expect((await run(BOTH, ['--force'])).code).toBe(0);
  expect(page()).toContain('<h1>');
});

describe('a section that fails', () => {
  const ONE = 'sections: [{type: compare, title: Gone, id: nothing}, {type: compare, id: tea}]';

  test('says why on the page', async () => {
    const { code, stdout, stderr } = await run(ONE, ['-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([10, { sections: 2, failed: ['Gone'] }]);
    expect(stderr).toContain('Gone: there is no product with this id');
    expect(page()).toContain('<p class="failure">there is no product with this id');
  });

  test('leaves the earlier page if all fail', async () => {
    writeFileSync(join(folder, 'out.html'), 'earlier');
    const { code } = await run('sections: [{type: compare, id: nothing}]', ['--force']);
    expect([code, page()]).toEqual([5, 'earlier']);
  });

  test('contains the choices that a prompt would offer', async () => {
    const { code } = await run('sections: [{type: compare, id: Te}, {type: compare, id: milk}]', [], { terminal: 100 });
    expect(code).toBe(10);
    expect(page()).toContain('2 products match &quot;Te&quot;');
  });
});

describe('bad input', () => {
  test.each([
    ['colour: red\nsections: []', 'line 1: a report has no key "colour"'],
    [
      'sections:\n  - type: history\n    id: milk\n    feild: price',
      'line 4: a section of type history has no key "feild"',
    ],
    [
      'sections:\n  - type: history\n    id: milk\n    svg: x.svg',
      'line 4: a section of type history has no key "svg"',
    ],
    ['sections:\n  - type: history\n    id: milk\n\n    field: cost', 'line 5: --field: there is no "cost"'],
    ['sections:\n  - type: compare\n    id: [milk, {a: b}]', 'line 3: id is not a text or a number'],
    ['sections:\n  - id: milk\n  - type: pie', 'line 2: type is not a command that a section can show'],
    ['sections:\n  - type: history\n    from: -1d', 'line 2: no products are given'],
    ['sections:\n  - type: history\n    id: a\n    search: b', 'line 2: ids and --search or --category cannot'],
    ['sections:\n  - type: export\n    folder: x', 'line 2: type is not a command that a section can show'],
    ['sections:\n  - milk', 'line 2: type is not a command that a section can show'],
    ['title: x', 'line 1: sections is not a list of sections'],
    ['- a', 'line 1: a report is a mapping with sections'],
    ['tz: Mars/X\nsections: [{type: history, id: milk}]', 'line 1: there is no time zone "Mars/X"'],
    ['title: x\nsections: [', 'line 2: '],
  ])('%j: %s', async (yaml, text) => {
    const { code, stderr } = await run(yaml, ['-v']);
    expect(stderr).toContain(`report.yaml, ${text}`);
    expect(code).toBe(2);
    expect(stderr).not.toContain('GET');
    expect(existsSync(join(folder, 'out.html'))).toBe(false);
  });

  test('a missing file', async () => {
    const { code, stderr } = await svc(['catalog', 'report', 'nothing.yaml', '--html', '-'], {
      env: { SVC_CATALOG_URL: catalog.url },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot read nothing.yaml')]);
  });
});
