import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sparkline } from '../../../src/output/chart/sparkline.ts';
import type { ListOutput } from '../../../src/output/types.ts';
import { rendering } from '../rendering.ts';

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
    expect(sparkline(values, bars, false)).toBe(line);
  });

  test('in ASCII by how dark its characters are', () => {
    expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8, null], 9, true)).toBe('.:-=+*%# ');
  });

  test('has both extremes however few bars there are for them, but for one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 0, max: 999 }), fc.boolean(), (bars, at, down) => {
        const values = Array.from({ length: 1000 }, (_, index) => (index === at ? (down ? -50 : 50) : 0));
        const line = sparkline(values, bars, false);
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
      { name: 'trend', cell: ({ prices }) => ({ spark: prices, bars: 4 }) },
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

  test('is drawn in a table, in ASCII and with its tone as well', async () => {
    expect((await rendering(rows, ROWS)).text).toBe('NAME  TREND\nb     ▇█▁\na     ▁▃▆█\ngone  ▄\nnew\n');
    expect((await rendering(rows, ROWS, { ascii: true })).text).toContain('a     .-*#');
    expect((await rendering(rows.slice(0, 1), ROWS, { format: 'wide', color: 1 })).text).toContain(
      '\x1b[31m▇█▁\x1b[39m',
    );
    const record = { kind: 'record', columns: ROWS.columns, id: ROWS.id } as const;
    expect((await rendering(rows[1], record)).text).toBe('NAME   a\nTREND  ▁▃▆█\n');
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
