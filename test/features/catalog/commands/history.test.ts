import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../support/servers.ts';
import { temporaryHome } from '../../../support/svc.ts';
import { misbehaving } from './misbehaving.ts';
import { CHIZHIK, FIXPRICE, lasting, PLACES, seen, shop } from './shop.ts';

const catalog = await misbehaving();

const DAILY = ['--since', '-30d', '--interval', '1d'];
const history = (...argv: string[]) => catalog.run(['history', 'p1', ...argv]);

describe('the chart of svc catalog history', () => {
  test.each([
    ['at 80 columns', 80, { NO_COLOR: '1' }],
    ['at 40 columns, in color', 40, {}],
  ])('is drawn %s', async (_, terminal, env) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await catalog.run(['history', 'p1', ...DAILY], { terminal, env });
    expect(stderr.replace(/\u001b\[[0-9;]*m/g, '').replace(/\s+/g, ' ')).toContain('a point every 1d');
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('is drawn for a count in a given size, without a unit of money', async () => {
    catalog.replies(shop());
    const argv = '--field available_count --store fixprice --width 60 --height 4'.split(' ');
    const { code, stdout } = await history(...DAILY, ...argv);
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('may be of one instant, of one constant value, or of no value', async () => {
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

  test('rounds the mean to what its values have', async () => {
    const meanOf = async (first: number, second: number): Promise<string | undefined> => {
      catalog.replies(shop({ places: [{ ...FIXPRICE, past: [seen(2.5, first), seen(1.5, second)] }] }));
      return (await history(...DAILY)).stdout.split('\n').find((line) => line.includes('fixprice Moscow'));
    };
    expect(await meanOf(1e-9, 3e-9)).toMatch(/ 2e-9 /);
    expect(await meanOf(10, 11)).toMatch(/ 10\.50 /);
    expect(await meanOf(0.1234567890123, 0.2)).toMatch(/ 0\.161728394506 /);
  });
});

describe('the window of svc catalog history', () => {
  /** At 12:34:56. */
  const windowOf = async (...argv: string[]): Promise<readonly string[]> => {
    const now = () => Date.UTC(2026, 0, 15, 12, 34, 56, 789);
    const { stdout } = await catalog.run(['history', 'p1', ...argv, '-o', 'json'], { now });
    const [{ meta, dates }] = JSON.parse(stdout);
    return [meta.interval, meta.date_from, dates[0], meta.date_to];
  };

  test('is the last 30 days by default, and begins with a whole hour, day or week', async () => {
    catalog.replies(shop({ places: [FIXPRICE] }));
    const begins = async (interval: string, from: string, ...argv: string[]): Promise<void> => {
      expect(await windowOf(...argv), argv.join(' ')).toEqual([interval, from, from, '2026-01-15T12:34:56Z']);
    };
    await begins('1d', '2025-12-16T00:00:00Z');
    await begins('1h', '2026-01-12T12:00:00Z', '--since', '-3d');
    await begins('6h', '2025-12-16T12:00:00Z', '--since', '-30d', '--interval', '6h');
    await begins('1d', '2026-01-12T00:00:00Z', '--since', '3d ago', '--interval', '1d');
    await begins('7d', '2025-12-15T00:00:00Z', '--since', '-30d', '--interval', '7d');
    const since = ['--since', '2026-01-01T09:14:27.250Z'];
    await begins('1d', '2026-01-01T00:00:00Z', ...since, '--interval', '1d');
    await begins('7d', '2025-12-29T00:00:00Z', ...since, '--interval', '7d');
  });

  test('follows the calendar of --tz, and excludes the day of --until', async () => {
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
});

describe('the requests of svc catalog history', () => {
  test('read sources and snapshots once', async () => {
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

  test('find nothing of a source at another store', async () => {
    catalog.replies(shop());
    const { code, stderr } = await history('--store', 'chizhik', '--source', FIXPRICE.source_id);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('the product has no source in these stores and places'),
    });
  });

  test('are limited to --store, --source and --field', async () => {
    catalog.replies(shop());
    const { stdout } = await history('--store', 'chizhik', '--source', 'r:3', '--field', 'loyal_price', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ source_id: 'r:3', meta: { field: 'loyal_price' } }]);
    expect(catalog.asked()[0]).toBe('/products/p1/snapshots?parser_name=chizhik&source_id=r%3A3&limit=100&offset=0');
  });

  test.each([
    [['--since', '2026-01-10', '--until', '2026-01-09'], 'after --until'],
    [['--since', '1900-01-01', '--interval', '1h'], 'the maximum is'],
    [['--since', '2026-01-09', '--until', '2026-01-09'], 'the day in --until is not included'],
    [['--width', '19'], 'less than 20'],
  ])('are none with %j', async (argv, message) => {
    catalog.replies(shop());
    const { code, stdout, stderr } = await history(...argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(catalog.asked()).toEqual([]);
  });
});

describe('the data of svc catalog history', () => {
  test('has the values and the statistics of each source in JSON', async () => {
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

  test('has a line for each point in csv, with an empty cell for a missing value', async () => {
    catalog.replies(shop({ places: [CHIZHIK] }));
    const window = ['--since', '2026-01-08T12:00:00Z', '--until', '2026-01-10T12:00:00Z', '--interval', '1d'];
    expect((await history(...window, '-o', 'csv')).stdout.split(/\r?\n/)).toEqual([
      'product,title,store,place,region,unit,source,field,date,value',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-08T00:00:00Z,',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-09T00:00:00Z,240',
      'p1,"Milk 3.2 %, 930 ml",chizhik,Казань,Татарстан,RUB/PCE,r:2,price,2026-01-10T00:00:00Z,110',
      '',
    ]);
  });
});

test('svc catalog history names each source once with -q', async () => {
  catalog.replies(shop());
  const { stdout } = await history(...DAILY, '-q');
  expect(stdout).toBe('r:3\nr:2\nreceiver:run-1:1\n');
});

describe('svc catalog history of what is not in the lists', () => {
  test('draws a product that has snapshots only', async () => {
    catalog.replies(shop({ gone: true }));
    const { code, stdout } = await history(...DAILY, '-o', 'json', '--query', '[].source_id');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['r:2', 'r:3', 'receiver:run-1:1']);
    expect((await history(...DAILY)).stdout.split('\n')[0]).toBe('p1: price, RUB');
  });

  test.each([
    [['history', 'nope'], 'no store sells a product with this id'],
    [['history', 'p1', '--source', 'x'], 'nothing has --source x'],
    [['history', 'unsold'], 'no source sells this product'],
  ])('exits 5 for %j', async (argv, message) => {
    const known = shop();
    catalog.replies((asked) => (asked.path === '/products/unsold' ? { canonical_product_id: 'unsold' } : known(asked)));
    const { code, stdout, stderr } = await catalog.run(argv);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });
});

describe('svc catalog history of data that cannot be read', () => {
  test('leaves out and names a source without snapshots: exit 10', async () => {
    catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, past: [] }] }));
    const { code, stdout, stderr } = await history(...DAILY);
    expect(code).toBe(10);
    expect(stderr).toContain('chizhik r:2 is skipped: it has no snapshot\n');
    expect(stdout).toContain('fixprice Moscow');
    expect(stdout).not.toContain('chizhik');
    const quiet = await history(...DAILY, '-q');
    expect(quiet).toMatchObject({ code: 10, stderr: 'chizhik r:2 is skipped: it has no snapshot\n' });
  });

  test.each([
    [answer(500, 'Internal Server Error'), 7, 'answered 500'],
    [
      answer(200, '{"items":[{"parser_name":1}]}'),
      3,
      'none of the snapshots of p1 can be read: parser_name or source_id is missing',
    ],
  ])('fails if no snapshot can be read', async (reply, status, message) => {
    const all = shop();
    catalog.replies((asked) => (asked.path.endsWith('/snapshots') ? reply : all(asked)));
    const { code, stdout, stderr } = await history(...DAILY);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(message);
  });
});

test('svc catalog history escapes the text of a service', async () => {
  const bad = 'red \u001b[31m \u202e \u009b2J\u0007';
  const settlement = { name: bad, region: bad };
  const fields = { ...FIXPRICE.fields, title_original: bad, price_unit: bad, settlement };
  const place = { ...FIXPRICE, parser_name: bad, fields };
  catalog.replies(shop({ places: [place, { ...place, source_id: `${bad}2`, past: [] }] }));
  for (const format of ['table', 'json', 'csv', 'id']) {
    const { code, stdout, stderr } = await history(...DAILY, '-o', format);
    expect(code, format).toBe(10);
    expect(stdout + stderr, format).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
  }
});

describe('svc catalog history --svg', () => {
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

  test('replaces a file only with --force, and sends no request without it', async () => {
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

  test('prints only the SVG with -', async () => {
    catalog.replies(shop({ places: PLACES.slice(0, 1) }));
    const { code, stdout } = await history(...DAILY, '--svg', '-');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});

test('svc catalog history exits 5 without a snapshot of the selected sources', async () => {
  catalog.replies(shop({ places: [{ ...CHIZHIK, past: [] }] }));
  expect(await history(...DAILY)).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('no snapshot'),
  });
});
