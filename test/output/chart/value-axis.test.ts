import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DOTS_PER_ROW, rowScale } from '../../../src/output/chart/value-axis.ts';

const written = (low: number, high: number, rows: number): string[] =>
  rowScale(low, high, rows).labels.filter((label) => label !== undefined);

describe('the scale of values', () => {
  test.each<[number, number, number, string[]]>([
    [76.24, 142.96, 15, ['140', '130', '120', '110', '100', '90', '80']],
    [0.29, 0.31, 9, ['0.310', '0.305', '0.300', '0.295', '0.290']],
    [94.9, 94.95, 5, ['94.95', '94.90']],
    [0, 1, 3, ['1', '0']],
    [-5, 5, 11, ['4', '2', '0', '-2', '-4']],
    [959_000_000_000_000, 959_340_000_000_000, 5, ['959400000000000', '959200000000000', '959000000000000']],
  ])('has round labels from %d to %d in %d rows', (low, high, rows, labels) => {
    expect(written(low, high, rows)).toEqual(labels);
  });

  test.each<[number, number]>([
    [-1.7976931348623157e308, 1.7976931348623157e308],
    [0, 5e-324],
    [2 ** 53, 2 ** 53 + 2],
    [1, 1 + Number.EPSILON],
    [1e21, 2e22],
  ])('shows both ends exactly if no round values distinguish them: %d to %d', (low, high) => {
    const { labels, dotOf } = rowScale(low, high, 9);
    expect([labels[0], labels[8]]).toEqual([String(high), String(low)]);
    expect([dotOf(high), dotOf(low)]).toEqual([2, 34]);
  });

  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100),
  );
  const scales = fc
    .tuple(numbers, numbers, fc.integer({ min: 3, max: 40 }))
    .filter(([one, other]) => one !== other)
    .map(([one, other, rows]) => ({ low: Math.min(one, other), high: Math.max(one, other), rows }));

  test('has a place for every value, and no lower one for a greater value', () => {
    fc.assert(
      fc.property(scales, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (scale, parts) => {
        const { low, high, rows } = scale;
        const { dotOf } = rowScale(low, high, rows);
        const values = [0, ...parts, 1].sort((a, b) => a - b).map((part) => low * (1 - part) + high * part);
        const dots = values.map(dotOf);
        expect(dots.every((one) => Number.isInteger(one) && one >= 0 && one < rows * DOTS_PER_ROW)).toBe(true);
        expect(dots).toEqual([...dots].sort((a, b) => b - a));
      }),
    );
  });

  test('has distinct labels, each at its value', () => {
    fc.assert(
      fc.property(scales, ({ low, high, rows }) => {
        const { labels, dotOf } = rowScale(low, high, rows);
        const texts = labels.filter((label) => label !== undefined);
        expect(texts.length).toBeGreaterThan(1);
        expect(new Set(texts).size).toBe(texts.length);
        for (const [row, label] of labels.entries()) {
          const value = Number(label);
          if (label === undefined || value < low || value > high) continue;
          expect(Math.floor(dotOf(value) / DOTS_PER_ROW), label).toBe(row);
        }
      }),
    );
  });
});
