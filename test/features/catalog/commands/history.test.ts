import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../../../support/servers.ts';
import { temporaryHome } from '../../../support/svc.ts';
import { type Misbehaving, misbehaving } from './misbehaving.ts';
import { CHIZHIK, FIXPRICE, lasting, PLACES, seen, shop } from './shop.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

const DAILY = ['--since', '-30d', '--interval', '1d'];
const history = (...argv: string[]) => catalog.run(['history', 'p1', ...argv]);
/** The window of the first series, and how many points it has. */
const windowOf = async (...argv: string[]) => {
  const [{ meta, dates }] = JSON.parse((await history(...argv, '-o', 'json')).stdout);
  return { from: meta.date_from, to: meta.date_to, interval: meta.interval, first: dates[0], points: dates.length };
};

describe('the chart', () => {
  test.each([
    ['at 80 columns', 80, { NO_COLOR: '1' }],
    ['at 40 columns', 40, { NO_COLOR: '1' }],
    ['at 80 columns in color', 80, {}],
    ['at 40 columns in color', 40, {}],
  ])('%s', async (_, terminal, env) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await catalog.run(['history', 'p1', ...DAILY], { terminal, env });
    expect(stderr.replace(/\u001b\[[0-9;]*m/g, '').replace(/\s+/g, ' ')).toContain('a point every 1d');
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test.each([
    ['in a pipe, as wide as 80 columns', []],
    ['of a given size', ['--width', '60', '--height', '6']],
    ['of a count, which has no unit of money', ['--field', 'available_count', '--store', 'fixprice', '--height', '4']],
  ])('%s', async (_, argv) => {
    catalog.replies(shop());
    const { code, stdout } = await history(...DAILY, ...argv);
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('of one instant, of one constant value, and of no value', async () => {
    const instant = ['--since', '2026-01-14T12:00:00Z', '--until', '2026-01-14T12:00:00Z'];
    catalog.replies(shop({ places: [FIXPRICE] }));
    expect(await history(...instant)).toMatchObject({ code: 0, stdout: expect.stringContaining('1/1') });
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [lasting(40, 0, 5)] }] }));
    expect(await history(...DAILY)).toMatchObject({ code: 0, stdout: expect.stringContaining('0 (0%)') });
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(300, 5)] }] }));
    const { code, stdout } = await history(...DAILY);
    expect(code).toBe(0);
    expect(stdout).toContain('no values');
    expect(stdout).toContain('0/31');
  });

  test('of sources with different units names the unit of each', async () => {
    catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } }] }));
    const { stdout } = await history(...DAILY);
    expect(stdout).toContain('fixprice Moscow (RUB/PCE)');
    expect(stdout).toContain('chizhik Казань (RUB/KGM)');
    expect(stdout.split('\n')[0]).toBe('Milk 3.2 %, 930 ml (p1): price');
  });

  test.each([
    [[1e-9, 3e-9], '2e-9'],
    [[1e15, 2e15], '1500000000000000.00'],
    [[10, 11], '10.50'],
    [[0.000012, 0.000014], '0.000013'],
    [[0.1234567890123, 0.2], '0.161728394506'],
  ])('of %j has the mean %s', async ([first = 0, second = 0], mean) => {
    catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(2.5, first), seen(1.5, second)] }] }));
    const { stdout } = await history(...DAILY);
    expect(stdout.split(/\s+/)).toContain(mean);
  });
});

describe('the window', () => {
  const LATE = Date.UTC(2026, 0, 15, 12, 34, 56, 789);
  const at34 = async (...argv: string[]) => {
    const { stdout } = await catalog.run(['history', 'p1', ...argv, '-o', 'json'], { now: () => LATE });
    const [{ meta, dates }] = JSON.parse(stdout);
    return [meta.interval, meta.date_from, dates[0], meta.date_to];
  };

  test('is the last 30 days by default', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    expect(await windowOf()).toEqual({
      from: '2025-12-16T00:00:00Z',
      to: '2026-01-15T12:00:00Z',
      interval: '1d',
      first: '2025-12-16T00:00:00Z',
      points: 31,
    });
  });

  test.each([
    [['--since', '-3d'], '1h', '2026-01-12T12:00:00Z'],
    [[], '1d', '2025-12-16T00:00:00Z'],
    [['--since', '-30d', '--interval', '6h'], '6h', '2025-12-16T12:00:00Z'],
    [['--since', '3d ago', '--interval', '1d'], '1d', '2026-01-12T00:00:00Z'],
    [['--since', '-30d', '--interval', '7d'], '7d', '2025-12-15T00:00:00Z'],
  ] as const)('of %j starts at a whole %s, at any time of day', async (argv, interval, from) => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    expect(await at34(...argv)).toEqual([interval, from, from, '2026-01-15T12:34:56Z']);
  });

  test('begins with the day, hour or week of --since', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    const from = ['--since', '2026-01-01T09:14:27.250Z'];
    const [day, monday] = ['2026-01-01T00:00:00Z', '2025-12-29T00:00:00Z'];
    expect(await at34(...from, '--interval', '1d')).toEqual(['1d', day, day, '2026-01-15T12:34:56Z']);
    expect(await at34(...from, '--interval', '7d')).toEqual(['7d', monday, monday, '2026-01-15T12:34:56Z']);
  });

  test('follows the calendar of the time zone, and excludes the day of --until', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    const month = ['--since', '2025-10-20', '--until', '2025-11-01', '--interval', '1d'];
    const { stdout, stderr } = await history(...month, '--tz', 'Europe/Berlin', '-o', 'json');
    const [{ dates, meta }] = JSON.parse(stdout);
    expect(dates).toHaveLength(12);
    expect([dates[0], dates.at(-1)]).toEqual(['2025-10-20T00:00:00+02:00', '2025-10-31T00:00:00+01:00']);
    expect(meta).toMatchObject({
      date_from: '2025-10-19T22:00:00Z',
      date_to: '2025-10-31T23:00:00Z',
      timezone: 'Europe/Berlin',
    });
    expect(stderr).toBe('from 2025-10-19T22:00:00Z to 2025-10-31T23:00:00Z\n');
    const table = await history(...month, '--tz', 'Asia/Tokyo');
    expect(table.stderr).toContain(
      '2025-10-20T00:00:00+09:00 to 2025-11-01T00:00:00+09:00, a point every 1d (Asia/Tokyo)',
    );
    expect(table.stdout).toContain('UTC+09:00');
  });

  test('of a time zone joins the data of its days, even a day of 25 hours', async () => {
    // Midnight of 26 October in Berlin is 23:00 UTC, and 22:00 UTC is the last hour of the 25th.
    const noted = (day: string, value: number) => ({ observed: Date.parse(day) * 1000, value });
    const past = [
      noted('2025-10-24T21:59:59Z', 10),
      noted('2025-10-24T22:00:00Z', 20),
      noted('2025-10-25T22:30:00Z', 30),
      noted('2025-10-26T22:59:59Z', 40),
      noted('2025-10-26T23:00:00Z', 50),
    ];
    catalog.replies(shop({ places: [{ ...FIXPRICE, past }] }));
    const days = [
      '--since',
      '2025-10-24',
      '--until',
      '2025-10-27',
      '--tz',
      'Europe/Berlin',
      '--interval',
      '1d',
      '-o',
      'csv',
    ];
    const { stdout } = await history(...days, '--columns', 'date,value', '--no-headers');
    expect(stdout.split(/\r?\n/)).toEqual([
      '2025-10-24T00:00:00+02:00,10',
      '2025-10-25T00:00:00+02:00,20',
      '2025-10-26T00:00:00+02:00,40',
      '',
    ]);
  });
});

describe('the requests', () => {
  test('read sources and snapshots once, for any window', async () => {
    catalog.replies(shop());
    const { stderr } = await history('--since', '2026-01-01', '--until', '2026-01-10T03:00:00+03:00');
    expect(catalog.asked()).toEqual([
      '/products/p1/snapshots?limit=100&offset=0',
      '/products/p1/sources?limit=100&offset=0',
    ]);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'from 2026-01-01T00:00:00Z to 2026-01-10T00:00:00Z',
      '2026-01-01T00:00:00Z to 2026-01-10T00:00:00Z, a point every 6h',
    ]);
  });

  test('are limited to --store, --source and --field', async () => {
    catalog.replies(shop());
    const { stdout } = await history('--store', 'chizhik', '--source', 'r:3', '--field', 'loyal_price', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ source_id: 'r:3', meta: { field: 'loyal_price' } }]);
    expect(catalog.asked()[0]).toBe('/products/p1/snapshots?parser_name=chizhik&source_id=r%3A3&limit=100&offset=0');
  });

  test('read more than 100 sources by pages', async () => {
    const many = Array.from({ length: 101 }, (_, n) => {
      const fields = { ...CHIZHIK.fields, settlement: { id: n, name: `Place ${n}` } };
      return { ...CHIZHIK, source_id: `r:${n}`, fields };
    });
    catalog.replies(shop({ places: many }));
    const { code, stdout } = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(101);
  });

  test("read a window that is longer than the service's limit", async () => {
    const past = [lasting(1600, 1200, 70), seen(830, 75), seen(400.5, 90), lasting(300, 0, 99)];
    catalog.replies(shop({ places: [{ ...FIXPRICE, past }] }));
    const { code, stdout } = await history('--since', '2021-05-21T12:00:00Z', '--interval', '1h', '-o', 'json');
    expect(code).toBe(0);
    const [{ dates, values, meta, statistics }] = JSON.parse(stdout);
    expect(dates).toHaveLength(40_801);
    expect(Date.parse(dates[40_800]) - Date.parse(dates[0])).toBe(1700 * 86_400_000);
    expect(values.filter((value: unknown) => value !== null)).toHaveLength(400 * 24 + 1 + 2 + 300 * 24 + 1);
    expect(meta).toMatchObject({ date_from: '2021-05-21T12:00:00Z', date_to: '2026-01-15T12:00:00Z' });
    expect(statistics).toMatchObject({ first: 70, last: 99, change: 29 });
  });

  test.each([
    [['--since', '2026-02-30'], 'names a day or time that does not exist'],
    [['--since', '2026-01-10', '--until', '2026-01-09'], 'after --until'],
    [['--since', '1900-01-01', '--interval', '1h'], 'the maximum is'],
    [['--since', '2026-01-09', '--until', '2026-01-09'], 'the day in --until is not included'],
    [['--tz', 'Berlin'], 'there is no time zone "Berlin"'],
    [['--interval', '2h'], '"2h"'],
    [['--width', '19'], 'less than 20'],
    [['--field', 'cost'], 'unknown value "cost"'],
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
  test('JSON has the values of the service for each source, and the computed ones', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const { stdout, stderr } = await history('--since', '2026-01-08T12:00:00Z', '--interval', '1d', '-o', 'json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      {
        parser_name: 'chizhik',
        source_id: 'r:2',
        title_original: 'Milk 3.2 %, 930 ml',
        price_unit: 'RUB',
        unit: 'PCE',
        settlement: CHIZHIK.fields['settlement'],
        series: 'chizhik Казань',
        meta: {
          canonical_product_id: 'p1',
          parser_name: 'chizhik',
          source_id: 'r:2',
          field: 'price',
          interval: '1d',
          date_from: '2026-01-08T00:00:00Z',
          date_to: '2026-01-15T12:00:00Z',
          timezone: 'UTC',
        },
        dates: Array.from({ length: 8 }, (_, day) =>
          new Date(Date.UTC(2026, 0, 8 + day)).toISOString().replace('.000', ''),
        ),
        values: [null, 240, 110, 110, 110, 110, 110, 110],
        statistics: {
          points: 8,
          covered: 7,
          first: 240,
          first_at: '2026-01-09T00:00:00Z',
          last: 110,
          last_at: '2026-01-15T00:00:00Z',
          min: 110,
          max: 240,
          mean: 128.571428571,
          change: -130,
          change_percent: -54.1666666667,
        },
      },
    ]);
  });

  test('csv and ndjson have a line per point, and an empty cell for a missing value', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const window = ['--since', '2026-01-08T12:00:00Z', '--until', '2026-01-10T12:00:00Z', '--interval', '1d'];
    expect((await history(...window, '-o', 'csv')).stdout.split(/\r?\n/)).toEqual([
      'product,title,store,place,region,unit,source,field,date,value',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-08T00:00:00Z,',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-09T00:00:00Z,240',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-10T00:00:00Z,110',
      '',
    ]);
    const lines = (await history(...window, '-o', 'ndjson')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))[1]).toEqual({
      canonical_product_id: 'p1',
      title: 'Milk 3.2 %, 930 ml',
      field: 'price',
      parser_name: 'chizhik',
      place: 'Казань',
      region: 'Татарстан',
      unit: 'RUB/PCE',
      source_id: 'r:2',
      date: '2026-01-09T00:00:00Z',
      value: 240,
    });
  });
});

test.each([[['-q']], [['-o', 'id']]])('with %j names each source once, not each of its points', async (argv) => {
  catalog.replies(shop());
  const { stdout } = await history(...DAILY, ...argv);
  expect(stdout).toBe('r:3\nr:2\nreceiver:run-1:1\n');
});

describe('products that are not in the lists', () => {
  test('a product with snapshots only is drawn', async () => {
    catalog.replies(shop({ gone: true }));
    const { code, stdout } = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['r:2', 'r:3', 'receiver:run-1:1']);
    expect((await history(...DAILY)).stdout.split('\n')[0]).toBe('p1: price, RUB');
  });

  test('a source that is no longer listed is found by its snapshots', async () => {
    const all = shop();
    catalog.replies((asked) => (asked.path.endsWith('/sources') ? shop({ places: [FIXPRICE] })(asked) : all(asked)));
    const { code } = await history('--source', 'r:2');
    expect(code).toBe(0);
    expect(catalog.asked()).toContain('/products/p1/snapshots?source_id=r%3A2&limit=100&offset=0');
  });

  test.each([
    [['history', 'nope'], 'no store sells a product with this id'],
    [['history', 'p1', '--store', 'lidl'], 'nothing has --store lidl: there are chizhik, fixprice'],
    [['history', 'p1', '--source', 'x'], 'nothing has --source x'],
  ])('%j exits 5', async (argv, message) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await catalog.run(argv);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });

  test('a listed product without sources and snapshots exits 5', async () => {
    catalog.replies(shop({ places: [] }));
    expect(await history()).toMatchObject({ code: 5, stderr: expect.stringContaining('no source sells this product') });
  });
});

describe('unreadable data', () => {
  test('a source without snapshots is left out and named: exit 10', async () => {
    catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, past: [] }] }));
    const { code, stdout, stderr } = await history(...DAILY);
    expect(code).toBe(10);
    expect(stderr).toContain('chizhik r:2 is skipped: it has no snapshot\n');
    expect(stdout).toContain('fixprice Moscow');
    expect(stdout).not.toContain('chizhik');
    const quiet = await history(...DAILY, '-q');
    expect(quiet).toMatchObject({ code: 10, stderr: 'chizhik r:2 is skipped: it has no snapshot\n' });
  });

  test('of a missing store is named if another exists', async () => {
    catalog.replies(shop());
    const { code, stderr } = await history(...DAILY, '--store', 'lidl', '--store', 'fixprice');
    expect(code).toBe(0);
    expect(stderr).toContain('nothing has --store lidl: there are chizhik, fixprice\n');
  });

  test.each([
    [answer(500, 'Internal Server Error'), 7, 'answered 500'],
    [
      answer(200, '{"items":[{"parser_name":1}]}'),
      3,
      'none of the snapshots of p1 can be read: parser_name or source_id is missing',
    ],
  ])('is the failure of the command', async (reply, status, message) => {
    const all = shop();
    catalog.replies((asked) => (asked.path.endsWith('/snapshots') ? reply : all(asked)));
    const { code, stdout, stderr } = await history(...DAILY);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('without a snapshot of any selected source: exit 5', async () => {
    catalog.replies(shop({ places: [{ ...CHIZHIK, past: [] }] }));
    expect(await history(...DAILY)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('no snapshot'),
    });
  });
});

describe('text from a service never reaches the terminal unescaped', () => {
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
            { ...FIXPRICE, parser_name: bad, source_id: `${bad}2`, fields, past: [] },
          ],
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

  test('writes a self-contained file, in addition to the chart', async () => {
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
    expect(svg).toContain('Milk 3.2 %, 930 ml (p1): price');
    expect(statSync(path).mode & 0o400).toBe(0o400);
  });

  test('does not replace a file without --force, and sends no request then', async () => {
    catalog.replies(shop());
    const path = join(folder(), 'price.svg');
    writeFileSync(path, 'mine');
    const refused = await history('--svg', path);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('already exists') });
    expect(refused.stderr).toContain('--force');
    expect(catalog.asked()).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await history(...DAILY, '--svg', path, '--force')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^<svg /);
    expect(readdirSync(join(path, '..'))).toEqual(['price.svg']);
  });

  test('refuses a dangling link and a folder', async () => {
    catalog.replies(shop());
    const path = folder();
    symlinkSync(join(path, 'nothing'), join(path, 'link.svg'));
    expect((await history('--svg', join(path, 'link.svg'))).code).toBe(2);
    expect(existsSync(join(path, 'nothing'))).toBe(false);
    expect(await history('--svg', path, '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a directory'),
    });
    symlinkSync('/dev/null', join(path, 'null.svg'));
    expect(await history('--svg', join(path, 'null.svg'), '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a regular file'),
    });
    expect(await history(...DAILY, '--svg', join(path, 'no', 'price.svg'))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('cannot write'),
    });
    expect(await history('--svg', '')).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
  });

  test('with - prints only the SVG', async () => {
    catalog.replies(shop({ places: PLACES.slice(0, 1) }));
    const { code, stdout } = await history(...DAILY, '--svg', '-');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});
