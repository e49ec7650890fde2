import { describe, expect, test } from 'vitest';
import { misbehaving } from './misbehaving.ts';

const catalog = await misbehaving();

const SOURCE = ['products', 'dynamics', 'p1', '--store', 'fixprice', '--source', 'receiver:run-1:1'];
const SERIES = {
  dates: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'],
  values: [99.5, null, 0],
  meta: { canonical_product_id: 'p1', more: [1] },
};

describe('svc catalog products dynamics', () => {
  const CASES: readonly (readonly [times: string, query: string, reported: string])[] = [
    [
      '--since 2026-01-01T00:00:00Z --until=2026-01-03T00:00:00Z',
      'date_from=2026-01-01T00%3A00%3A00Z&date_to=2026-01-03T00%3A00%3A00Z',
      '',
    ],
    [
      '--since -30d',
      'date_from=2025-12-16T00%3A00%3A00Z&date_to=2026-01-15T12%3A00%3A00Z',
      'sent: from 2025-12-16T00:00:00Z to 2026-01-15T12:00:00Z\n',
    ],
    [
      '--since 2026-01-01T03:00:00.250+03:00 --until 2026-01-03T00:00:00Z',
      'date_from=2026-01-01T00%3A00%3A00.250Z&date_to=2026-01-03T00%3A00%3A00Z',
      'sent: from 2026-01-01T00:00:00.250Z to 2026-01-03T00:00:00Z\n',
    ],
    [
      '--since 2026-01-01T00:00:00Z --until 2026-01-01T00:00:00Z',
      'date_from=2026-01-01T00%3A00%3A00Z&date_to=2026-01-01T00%3A00%3A00Z',
      '',
    ],
  ];
  test.each(CASES)('sends %s', async (times, query, reported) => {
    catalog.replies(() => SERIES);
    const { code, stderr } = await catalog.run([...SOURCE, ...times.split(' '), '-o', 'csv']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: reported });
    const source = 'parser_name=fixprice&source_id=receiver%3Arun-1%3A1&field=price';
    expect(catalog.asked()).toEqual([`/products/p1/dynamics?${source}&${query}&interval=1d`]);
  });

  test('sends the field and the interval', async () => {
    catalog.replies(() => SERIES);
    await catalog.run([...SOURCE, '--since', '-1d', '--field', 'available_count', '--interval', '6h']);
    expect(catalog.asked()[0]).toMatch(/&field=available_count&.*&interval=6h$/);
  });

  const REFUSED: readonly (readonly [argv: string, texts: string])[] = [
    ['', '--since is required'],
    ['--since 2026-01-02 --until 2026-01-01', '--since is 2026-01-02T00:00:00Z, after --until, 2026-01-01T00:00:00Z'],
    ['--since -1d --field cost', '--field: unknown value "cost"'],
    ['--since -1d --interval 2h', '--interval: unknown value "2h"'],
    ['--since -1d --store=', '--store is empty'],
  ];
  test.each(REFUSED)('refuses %j, and sends nothing', async (argv, texts) => {
    catalog.replies(() => SERIES);
    const { code, stderr } = await catalog.run([...SOURCE, ...argv.split(' ').filter((text) => text !== '')]);
    expect(code).toBe(2);
    expect(stderr).toContain(texts);
    expect(catalog.asked()).toEqual([]);
  });

  test('requests 20,000 points, but not one more', async () => {
    catalog.replies(() => SERIES);
    const window = (hours: number): string[] => [
      '--since',
      new Date(Date.UTC(2026, 0, 1) - hours * 3_600_000).toISOString(),
      '--until',
      '2026-01-01T00:00:00Z',
      '--interval',
      '1h',
    ];
    expect((await catalog.run([...SOURCE, ...window(19_999)])).code).toBe(0);
    const { code, stderr } = await catalog.run([...SOURCE, ...window(20_000)]);
    expect(code).toBe(2);
    expect(stderr).toContain('20001 points, but the service returns at most 20000');
    expect(stderr).toContain('svc catalog history gives more');
    expect(catalog.asked()).toHaveLength(1);
  });
});

describe('the output of svc catalog products dynamics', () => {
  const printed = async (...argv: string[]) => catalog.run([...SOURCE, '--since', '2026-01-01T00:00:00Z', ...argv]);

  test('is the object of the service in JSON', async () => {
    catalog.replies(() => SERIES);
    expect(JSON.parse((await printed('-o', 'json')).stdout)).toEqual(SERIES);
    expect((await printed('-o', 'json', '--query', 'values[2]')).stdout).toBe('0\n');
  });

  test('has a line for each date, with a dash or an empty cell for a missing value', async () => {
    catalog.replies(() => SERIES);
    const { stdout, stderr } = await printed();
    expect(stdout).toBe(
      'DATE                  VALUE\n2026-01-01T00:00:00Z   99.5\n2026-01-02T00:00:00Z      -\n2026-01-03T00:00:00Z      0\n',
    );
    expect(stderr).toContain('2 of 3 points have a value');
    expect((await printed('-o', 'csv')).stdout.split(/\r?\n/).slice(1, 4)).toEqual([
      '2026-01-01T00:00:00Z,99.5',
      '2026-01-02T00:00:00Z,',
      '2026-01-03T00:00:00Z,0',
    ]);
    expect((await printed('-o', 'ndjson')).stdout.split('\n')[1]).toBe('{"date":"2026-01-02T00:00:00Z","value":null}');
  });
});
