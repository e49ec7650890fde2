import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../../http/servers.ts';
import { temporaryHome } from '../../support/svc.ts';
import { type Misbehaving, misbehaving } from './misbehaving.ts';
import { at, CHIZHIK, detail, FIXPRICE, held, PLACES, seen, shop } from './shop.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

const DAILY = ['--from', '-30d', '--interval', '1d'];
const history = (...argv: string[]) => catalog.run(['history', 'p1', ...argv]);
const dynamics = (asked: readonly string[]) =>
  asked.filter((one) => one.includes('/dynamics')).map((one) => new URLSearchParams(one.replace(/.*\?/, '')));

describe('the chart', () => {
  test.each([
    ['at 80 columns', 80, { NO_COLOR: '1' }],
    ['at 40 columns', 40, { NO_COLOR: '1' }],
    ['at 80 columns in colour', 80, {}],
    ['at 40 columns in colour', 40, {}],
  ])('%s', async (_, terminal, env) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await catalog.run(['history', 'p1', ...DAILY], { terminal, env });
    expect(stderr.replace(/\u001b\[[0-9;]*m/g, '').replace(/\s+/g, ' ')).toContain('a point every 1d');
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test.each([
    ['in a pipe, as wide as 80 columns', []],
    ['of ASCII', ['--ascii', '--width', '60', '--height', '6']],
    ['filled', ['--fill', 'last', '--store', 'chizhik', '--height', '8']],
    ['as one line a source', ['--sparkline']],
    ['of a count, which has no unit of money', ['--field', 'available_count', '--store', 'fixprice', '--height', '4']],
  ])('%s', async (_, argv) => {
    catalog.replies(shop());
    const { code, stdout } = await history(...DAILY, ...argv);
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('of one instant, of one value that stays, and of no value at all', async () => {
    const instant = ['--from', '2026-01-14T12:00:00Z', '--to', '2026-01-14T12:00:00Z'];
    catalog.replies(shop({ places: [FIXPRICE] }));
    expect(await history(...instant)).toMatchObject({ code: 0, stdout: expect.stringContaining('1/1') });
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [held(40, 0, 5)] }] }));
    expect(await history(...DAILY)).toMatchObject({ code: 0, stdout: expect.stringContaining('0 (0%)') });
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(300, 5)] }] }));
    const { code, stdout } = await history(...DAILY);
    expect(code).toBe(0);
    expect(stdout).toContain('no values');
    expect(stdout).toContain('0/31');
  });

  test('of sources that sell by different units says so with each, and of none together', async () => {
    catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } }] }));
    const { stdout, stderr } = await history(...DAILY);
    expect(stderr).toContain('prices by different units share this axis: RUB/KGM, RUB/PCE; --store and --source');
    expect((await history(...DAILY, '--store', 'fixprice')).stderr).not.toContain('share this axis');
    expect((await history(...DAILY, '--field', 'available_count')).stderr).not.toContain('share this axis');
    expect(stdout).toContain('fixprice (RUB/PCE)');
    expect(stdout).toContain('chizhik (RUB/KGM)');
    expect(stdout.split('\n')[0]).toBe('Milk 3.2 %, 930 ml: price');
  });

  test.each([
    [[1e-9, 3e-9], '2e-9'],
    [[1e15, 2e15], '1500000000000000.00'],
    [[10, 11], '10.50'],
    [[0.000012, 0.000014], '0.000013'],
    [[0.1234567890123, 0.2], '0.161728394506'],
  ])('whose mean of %j is %s', async ([first = 0, second = 0], mean) => {
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(2.5, first), seen(1.5, second)] }] }));
    const { stdout } = await history(...DAILY);
    expect(stdout.split(/\s+/)).toContain(mean);
  });

  test('that is mostly holes says what may be done', async () => {
    catalog.replies(shop({ places: [{ ...CHIZHIK, past: [seen(20, 1), seen(10, 2)] }] }));
    expect((await history()).stderr).toContain('few points have a value: a longer --interval, or --fill last');
    expect((await history('--fill', 'last')).stderr).not.toContain('few points');
    const never = { ...CHIZHIK, past: [held(40, 0, null)] };
    catalog.replies(shop({ places: [FIXPRICE, never, { ...never, source_id: 'r:9' }] }));
    expect((await history('--from', '-9d')).stderr).not.toContain('few points');
  });
});

describe('what is asked', () => {
  test('the sources, and then each of them for the same window', async () => {
    catalog.replies(shop());
    const { stderr } = await history('--from', '2026-01-01', '--to', '2026-01-10T03:00:00+03:00');
    const asked = catalog.asked();
    expect(asked[0]).toBe('/products/p1/sources?limit=100&offset=0');
    expect(
      dynamics(asked)
        .map((query) => `${query.get('parser_name')} ${query.get('source_id')}`)
        .sort(),
    ).toEqual(['chizhik r:2', 'chizhik r:3', 'fixprice receiver:run-1:1']);
    for (const query of dynamics(asked)) {
      expect(query.get('date_from')).toBe('2026-01-01T00:00:00Z');
      expect(query.get('date_to')).toBe('2026-01-10T00:00:00Z');
      expect(query.get('interval')).toBe('1h');
      expect(query.get('field')).toBe('price');
    }
    expect(asked).toHaveLength(4);
    expect(stderr.split('\n')[0]).toBe('2026-01-01T00:00:00Z to 2026-01-10T00:00:00Z, a point every 1h');
  });

  test('the last 30 days unless told otherwise, by quarters of a day', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    await history();
    const [query] = dynamics(catalog.asked());
    expect(query?.get('date_from')).toBe('2025-12-16T12:00:00Z');
    expect(query?.get('date_to')).toBe('2026-01-15T12:00:00Z');
    expect(query?.get('interval')).toBe('6h');
  });

  test('whole seconds for what was not written to the millisecond', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    await catalog.run(['history', 'p1', '--from', '-30d'], { now: () => Date.UTC(2026, 0, 15, 12, 0, 5, 208) });
    await history('--from', '2026-01-01T00:00:00.250Z');
    const times = dynamics(catalog.asked()).map((query) => `${query.get('date_from')} ${query.get('date_to')}`);
    expect(times).toEqual([
      '2025-12-16T12:00:05Z 2026-01-15T12:00:05Z',
      '2026-01-01T00:00:00.250Z 2026-01-15T12:00:00Z',
    ]);
  });

  test('only what --store, --source and --field choose', async () => {
    catalog.replies(shop());
    await history('--store', 'CHIZHIK', '--source', 'r:3', '--field', 'loyal_price');
    const queries = dynamics(catalog.asked());
    expect(queries.map((query) => `${query.get('source_id')} ${query.get('field')}`)).toEqual(['r:3 loyal_price']);
  });

  test('more than 100 sources by pages', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ ...CHIZHIK, source_id: `r:${index}` }));
    catalog.replies(shop({ places: many }));
    const { code, stdout } = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(101);
  });

  test('more than 20,000 points in parts, which join to what one answer would be', async () => {
    const past = [held(1600, 1200, 70), seen(830, 75), seen(400.5, 90), held(300, 0, 99)];
    catalog.replies(shop({ places: [{ ...FIXPRICE, past }] }));
    const { code, stdout } = await history('--from', '-1700d', '--interval', '1h', '-o', 'json');
    expect(code).toBe(0);
    expect(dynamics(catalog.asked()).map((query) => `${query.get('date_from')} ${query.get('date_to')}`)).toEqual([
      '2021-05-21T12:00:00Z 2023-09-01T19:59:59.999999Z',
      '2023-09-01T20:00:00Z 2025-12-13T03:59:59.999999Z',
      '2025-12-13T04:00:00Z 2026-01-15T12:00:00Z',
    ]);
    const [{ dates, values, meta, statistics }] = JSON.parse(stdout);
    expect(dates).toHaveLength(40_801);
    expect(Date.parse(dates[40_800]) - Date.parse(dates[0])).toBe(1700 * 86_400_000);
    expect(values.filter((value: unknown) => value !== null)).toHaveLength(400 * 24 + 1 + 2 + 300 * 24 + 1);
    expect(meta).toMatchObject({ date_from: '2021-05-21T12:00:00Z', date_to: '2026-01-15T12:00:00Z' });
    expect(statistics).toMatchObject({ first: 70, last: 99, change: 29 });
    expect((await history('--from', '-1700d', '--interval', '1h')).code).toBe(0);
  }, 15_000);

  test.each([
    [['--from', '2026-02-30'], 'that month has the days 01 to 28'],
    [['--from', '2026-01-10', '--to', '2026-01-09'], 'after --to'],
    [['--from', '1970-01-01', '--interval', '1h'], 'is the most'],
    [['--interval', '2h'], 'there is no "2h"'],
    [['--width', '19'], 'less than 20'],
    [['--field', 'cost'], 'there is no "cost"'],
  ])('nothing with %j', async (argv, message) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await history(...argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(catalog.asked()).toEqual([]);
  });
});

describe('data', () => {
  test('JSON has for each source what the service says, and what comes of it', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const { stdout, stderr } = await history('--from', '2026-01-08T12:00:00Z', '--interval', '1d', '-o', 'json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      {
        parser_name: 'chizhik',
        source_id: 'r:2',
        title_original: 'Milk 3.2 %, 930 ml',
        price_unit: 'RUB',
        unit: 'PCE',
        settlement: CHIZHIK.fields['settlement'],
        series: 'chizhik',
        fill: 'none',
        meta: {
          canonical_product_id: 'p1',
          parser_name: 'chizhik',
          source_id: 'r:2',
          field: 'price',
          interval: '1d',
          date_from: '2026-01-08T12:00:00Z',
          date_to: '2026-01-15T12:00:00Z',
        },
        dates: Array.from({ length: 8 }, (_, day) => new Date(Date.UTC(2026, 0, 8 + day, 12)).toISOString()),
        values: [240, null, 110, 110, 110, 110, 110, 110],
        statistics: {
          points: 8,
          covered: 7,
          first: 240,
          firstAt: '2026-01-08T12:00:00.000Z',
          last: 110,
          lastAt: '2026-01-15T12:00:00.000Z',
          min: 110,
          max: 240,
          mean: 128.571428571,
          change: -130,
          changePercent: -54.1666666667,
        },
      },
    ]);
  });

  test('what is filled in is said, and counts for nothing', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const { stdout } = await history(
      '--from',
      '2026-01-08T12:00:00Z',
      '--interval',
      '1d',
      '--fill',
      'last',
      '-o',
      'json',
    );
    const [{ values, fill, statistics }] = JSON.parse(stdout);
    expect(values).toEqual([240, 240, 110, 110, 110, 110, 110, 110]);
    expect(fill).toBe('last');
    expect(statistics.covered).toBe(7);
  });

  test('csv and ndjson have a line for each point, and an empty cell for no value', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const window = ['--from', '2026-01-08T12:00:00Z', '--to', '2026-01-10T12:00:00Z', '--interval', '1d'];
    expect((await history(...window, '-o', 'csv')).stdout.split(/\r?\n/)).toEqual([
      'store,source,date,value',
      'chizhik,r:2,2026-01-08T12:00:00.000Z,240',
      'chizhik,r:2,2026-01-09T12:00:00.000Z,',
      'chizhik,r:2,2026-01-10T12:00:00.000Z,110',
      '',
    ]);
    const lines = (await history(...window, '-o', 'ndjson')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))[1]).toEqual({
      parser_name: 'chizhik',
      source_id: 'r:2',
      date: '2026-01-09T12:00:00.000Z',
      value: null,
    });
  });
});

test.each([[['-q']], [['-o', 'id']]])('with %j each source is named once, not each of its points', async (argv) => {
  catalog.replies(shop());
  const { stdout } = await history(...DAILY, ...argv);
  expect(stdout).toBe('r:2\nr:3\nreceiver:run-1:1\n');
});

describe('where the lists do not help', () => {
  test('a product that only its snapshots know is drawn by these', async () => {
    catalog.replies(shop({ gone: true }));
    const { code, stdout } = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['r:2', 'r:3', 'receiver:run-1:1']);
    expect((await history(...DAILY)).stdout.split('\n')[0]).toBe('p1: price, RUB');
  });

  test('a product that was not observed then says when it was', async () => {
    const times = ['--from', '2025-11-01', '--to', '2025-11-02'];
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(1, 5)] }] }));
    expect((await history(...times)).stderr).toContain('last observed 2026-01-14T12:00:00Z: a later --to shows more');
    const fields = { ...FIXPRICE.fields, observed_at: at(90) };
    catalog.replies(shop({ places: [{ ...FIXPRICE, fields, past: [seen(90, 5)] }] }));
    expect((await history()).stderr).toContain('last observed 2025-10-17T12:00:00Z: an earlier --from shows more');
  });

  test('a source that is no longer listed is found by its snapshots alone', async () => {
    const all = shop();
    catalog.replies((asked) => (asked.path.endsWith('/sources') ? shop({ places: [FIXPRICE] })(asked) : all(asked)));
    const { code } = await history('--source', 'r:2');
    expect(code).toBe(0);
    expect(catalog.asked()).toContain('/products/p1/snapshots?source_id=r%3A2&limit=100&offset=0');
  });

  test.each([
    [['history', 'nope'], 'there is no product with this id'],
    [['history', 'p1', '--store', 'lidl'], 'no source for --store lidl; its stores are chizhik, fixprice'],
    [['history', 'p1', '--source', 'x'], 'no source for --source x'],
  ])('%j is not found', async (argv, message) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await catalog.run(argv);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });

  test('a product without sources and snapshots is not found, though it is listed', async () => {
    catalog.replies(shop({ places: [] }));
    expect(await history()).toMatchObject({ code: 5, stderr: expect.stringContaining('no source has this product') });
  });
});

describe('a source that fails', () => {
  const failing = { 'r:2': answer(500, 'Internal Server Error') };

  test('is left out and told, and the rest is drawn', async () => {
    catalog.replies(shop({ instead: failing }));
    const { code, stdout, stderr } = await history(...DAILY);
    expect(code).toBe(10);
    expect(stderr).toContain('chizhik r:2 is left out: ');
    expect(stdout).toContain('fixprice');
    const data = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(data.code).toBe(10);
    expect(JSON.parse(data.stdout)).toEqual(['r:3', 'receiver:run-1:1']);
  });

  test('is no failure where the service only has no snapshot of it', async () => {
    catalog.replies(shop({ instead: { 'r:2': detail(404, 'source not found') } }));
    const { code, stdout, stderr } = await history(...DAILY);
    expect(code).toBe(0);
    expect(stderr).toContain('chizhik r:2 is left out: there is no snapshot of this product from this source');
    expect(stdout).toContain('fixprice');
  });

  test.each([
    [detail(404, 'source not found'), 5, 'there is no snapshot'],
    [answer(500, 'Internal Server Error'), 7, 'answered 500'],
    [answer(200, '{"dates":["2026-01-01T00:00:00Z"],"values":[]}'), 7, '1 dates with 0 values'],
  ])('is the failure of the command where there is no other', async (reply, status, message) => {
    catalog.replies(shop({ places: [CHIZHIK], instead: { 'r:2': reply } }));
    const { code, stdout, stderr } = await history(...DAILY);
    expect(code).toBe(status);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });

  test('a part of a window that does not join is a failure, not a chart', async () => {
    const whole = shop({ places: [CHIZHIK] });
    catalog.replies((asked) => {
      const given = whole(asked);
      if (!asked.path.endsWith('/dynamics') || typeof given === 'string') return given;
      const { dates, values } = given as { dates: string[]; values: unknown[] };
      return { ...given, dates: dates.slice(1), values: values.slice(1) };
    });
    const { code, stderr } = await history('--from', '-900d', '--interval', '1h');
    expect(code).toBe(7);
    expect(stderr).toContain('the answers for this window do not join');
    expect(stderr).toContain('a coarser --interval');
  });
});

describe('what a service says never reaches the terminal as it is', () => {
  test.each([['table'], ['wide'], ['json'], ['ndjson'], ['csv'], ['tsv'], ['yaml'], ['id']])(
    '-o %s',
    async (format) => {
      const bad = 'red \u001b[31m \u202e \u009b2J\u0007';
      const fields = {
        ...FIXPRICE.fields,
        title_original: bad,
        price_unit: bad,
        settlement: { name: bad, region: bad },
      };
      catalog.replies(
        shop({
          places: [
            { ...FIXPRICE, parser_name: bad, fields },
            { ...FIXPRICE, parser_name: bad, source_id: `${bad}2`, fields },
          ],
          instead: { [`${bad}2`]: answer(500, bad) },
        }),
      );
      const { code, stdout, stderr } = await history(...DAILY, '-o', format);
      expect(code).toBe(10);
      const printed = stdout + stderr;
      // tabs part the cells of tsv
      const own = format === 'tsv' ? printed.replaceAll('\t', '') : printed;
      expect(own).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
    },
  );
});

describe('--svg', () => {
  const folder = (): string => {
    const path = join(temporaryHome(), 'charts');
    mkdirSync(path);
    return path;
  };

  test('writes a file that stands alone, beside the chart', async () => {
    catalog.replies(shop());
    const path = join(folder(), 'price.svg');
    const { code, stdout, stderr } = await history(...DAILY, '--svg', path);
    expect(code).toBe(0);
    expect(stderr).toContain(`the chart is in ${path}`);
    expect(stdout).toContain('fixprice');
    const svg = readFileSync(path, 'utf8');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg.trimEnd()).toMatch(/<\/svg>$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|href=/);
    expect(svg).toContain('Milk 3.2 %, 930 ml: price');
    expect(statSync(path).mode & 0o400).toBe(0o400);
  });

  test('never replaces a file unasked, and asks the service nothing then', async () => {
    catalog.replies(shop());
    const path = join(folder(), 'price.svg');
    writeFileSync(path, 'mine');
    const refused = await history('--svg', path);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is not overwritten') });
    expect(refused.stderr).toContain('--force');
    expect(catalog.asked()).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await history(...DAILY, '--svg', path, '--force')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^<svg /);
    expect(readdirSync(join(path, '..'))).toEqual(['price.svg']);
  });

  test('a link that leads nowhere is something, too; a folder is no file', async () => {
    catalog.replies(shop());
    const path = folder();
    symlinkSync(join(path, 'nothing'), join(path, 'link.svg'));
    expect((await history('--svg', join(path, 'link.svg'))).code).toBe(2);
    expect(existsSync(join(path, 'nothing'))).toBe(false);
    expect(await history('--svg', path, '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a folder'),
    });
    symlinkSync('/dev/null', join(path, 'null.svg'));
    expect(await history('--svg', join(path, 'null.svg'), '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is no file'),
    });
    expect(await history(...DAILY, '--svg', join(path, 'no', 'price.svg'))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('cannot write'),
    });
    expect(await history('--svg', '')).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
  });

  test('with - is printed alone', async () => {
    catalog.replies(shop({ places: PLACES.slice(0, 1) }));
    const { code, stdout } = await history(...DAILY, '--svg', '-');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});
