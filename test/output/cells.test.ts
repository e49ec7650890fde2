import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawSparkline, showTime } from '../../src/output/cells.ts';
import type { ListOutput } from '../../src/output/types.ts';
import { NOW, rendering } from './rendering.ts';

const show = (text: string, time: 'relative' | 'utc' | 'local' | 'iso') => showTime(text, { time, now: NOW });

test.each([
  ['2026-03-01T11:57:00Z', '3m ago'],
  ['2026-03-01T14:00:00Z', 'in 2h'],
  ['2026-03-01T12:00:00.4Z', 'now'],
  ['2026-03-01T12:00:00.9Z', 'in 1s'],
  ['2026-03-01T13:59:59Z', 'in 2h'],
  ['2026-03-01T12:59:50Z', 'in 1h'],
  ['2026-03-02T11:59:40Z', 'in 1d'],
  ['2026-03-01T11:59:48Z', '12s ago'],
  ['2026-03-01T11:55:29Z', '5m ago'],
  ['2026-03-01T10:54:59Z', '1h5m ago'],
  ['2026-02-26T07:59:59Z', '3d4h ago'],
  ['2026-03-02T12:00:59Z', 'in 1d'],
  ['2028-03-01T12:00:00Z', 'in 2y1d'],
  ['2026-03-01T13:57:00+02:00', '3m ago'],
])('%s is %s', (text, relative) => {
  expect(show(text, 'relative')).toBe(relative);
});

test('utc is RFC 3339 and keeps the digits of the service, iso keeps everything', () => {
  expect(show('2026-03-01T11:57:00.123456789Z', 'utc')).toBe('2026-03-01T11:57:00.123456789Z');
  expect(show('2026-03-01T13:57:00+02:00', 'utc')).toBe('2026-03-01T11:57:00Z');
  expect(show('2026-03-01T13:57:00+02:00', 'iso')).toBe('2026-03-01T13:57:00+02:00');
});

test('shows a value unchanged that is not a time', () => {
  for (const time of ['relative', 'utc', 'local', 'iso'] as const) expect(show('soon', time)).toBe('soon');
});

test('local and utc show the same second', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true }), (date) => {
      const text = date.toISOString();
      const second = Math.floor(date.getTime() / 1000);
      expect(Math.floor(Date.parse(show(text, 'local')) / 1000)).toBe(second);
      expect(Math.floor(Date.parse(show(text, 'utc')) / 1000)).toBe(second);
    }),
  );
});

describe('sparkline', () => {
  test.each<[(number | null)[], number, string]>([
    [[1, 2, 3, 4, 5, 6, 7, 8], 8, '▁▂▃▄▅▆▇█'],
    [[0, 0, 10], 16, '▁▁█'],
    [[5, 5, 5], 16, '▄▄▄'],
    [[0, 0], 16, '▄▄'],
    [[1, null, 2], 16, '▁ █'],
    [[null, null], 16, '  '],
    [[Number.NaN, 1, Number.POSITIVE_INFINITY], 16, ' ▄ '],
    [[-1.7976931348623157e308, 0, 1.7976931348623157e308], 3, '▁▅█'],
    [[], 16, ''],
    [[1], 0, ''],
  ])('%j in %d bars', (values, bars, line) => {
    expect(drawSparkline(values, bars, false)).toBe(line);
  });

  test('uses darker characters in ASCII', () => {
    expect(drawSparkline([1, 2, 3, 4, 5, 6, 7, 8, null], 9, true)).toBe('.:-=+*%# ');
  });

  test('shows both extremes with two or more bars', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 0, max: 999 }), fc.boolean(), (bars, at, down) => {
        const values = Array.from({ length: 1000 }, (_, index) => (index === at ? (down ? -50 : 50) : 0));
        const line = drawSparkline(values, bars, false);
        expect(line).toHaveLength(bars);
        expect([...line].filter((bar) => bar === '▁')).toHaveLength(down ? 1 : bars - 1);
        expect([...line].filter((bar) => bar === '█')).toHaveLength(down ? bars - 1 : 1);
      }),
    );
  });
});

describe('a cell of bars', () => {
  interface Row {
    readonly name: string;
    readonly prices: readonly (number | null)[];
  }
  const ROWS: ListOutput<Row> = {
    kind: 'list',
    columns: [
      { name: 'name', cell: ({ name }) => name },
      { name: 'trend', cell: ({ prices }) => ({ spark: prices }) },
      { name: 'tone', cell: ({ prices }) => ({ spark: prices, tone: 'bad' }), wide: true },
    ],
    id: ({ name }) => name,
  };
  const rows: readonly Row[] = [
    { name: 'b', prices: [1, 2, -9.5] },
    { name: 'a', prices: [1, 2, 3, 4, 5, 6, 7, 8] },
    { name: 'gone', prices: [4, null] },
    { name: 'new', prices: [] },
  ];

  test('is drawn in a table, also in ASCII and with its tone', async () => {
    expect((await rendering(rows, ROWS)).text).toBe('NAME  TREND\nb     ▇█▁\na     ▁▂▃▄▅▆▇█\ngone  ▄\nnew\n');
    expect((await rendering(rows, ROWS, { ascii: true })).text).toContain('a     .:-=+*%#');
    expect((await rendering(rows.slice(0, 1), ROWS, { format: 'wide', color: 1 })).text).toContain(
      '\x1b[31m▇█▁\x1b[39m',
    );
    const record = { kind: 'record', columns: ROWS.columns, id: ROWS.id } as const;
    expect((await rendering(rows[1], record)).text).toBe('NAME   a\nTREND  ▁▂▃▄▅▆▇█\n');
  });

  test('is its last value in csv and tsv, as a number, and nothing where that is null', async () => {
    expect((await rendering(rows, ROWS, { format: 'csv' })).text).toBe(
      'name,trend,tone\nb,-9.5,-9.5\na,8,8\ngone,,\nnew,,\n',
    );
    expect((await rendering(rows, ROWS, { format: 'tsv', columns: ['trend'] })).text).toBe('trend\n-9.5\n8\n\n\n');
  });

  test('is sorted by its last value', async () => {
    expect((await rendering(rows, ROWS, { format: 'id', sort: ['trend'] })).text).toBe('b\na\ngone\nnew\n');
    expect((await rendering(rows, ROWS, { format: 'id', sort: ['-trend'] })).text).toBe('a\nb\ngone\nnew\n');
  });
});
