import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DOTS_PER_ROW, rowScale, stepsFrom, ticksBetween } from '../../../src/output/chart/value-axis.ts';

const written = (low: number, high: number, rows: number): string[] =>
  rowScale(low, high, rows).labels.filter((label) => label !== undefined);

describe('rowScale', () => {
  test.each<[number, number, number, string[]]>([
    [76.24, 142.96, 15, ['140', '130', '120', '110', '100', '90', '80']],
    [0.29, 0.31, 9, ['0.310', '0.305', '0.300', '0.295', '0.290']],
    [94.9, 94.95, 5, ['94.95', '94.90']],
    [0, 1, 3, ['1', '0']],
    [-5, 5, 11, ['4', '2', '0', '-2', '-4']],
    [959_000_000_000_000, 959_340_000_000_000, 5, ['959400000000000', '959200000000000', '959000000000000']],
  ])('%d to %d in %d rows', (low, high, rows, labels) => {
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

  test('every value has a dotOf, and a greater value is not lower', () => {
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

  test('every label is at its value, and labels are distinct', () => {
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

  test('most of the height is used', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500_000 }), fc.integer({ min: 1, max: 500_000 }), (low, range) => {
        const { dotOf } = rowScale(low / 100, (low + range) / 100, 15);
        expect(dotOf(low / 100) - dotOf((low + range) / 100)).toBeGreaterThanOrEqual(15 * DOTS_PER_ROW * 0.5);
      }),
    );
  });
});

test('a tick has no more decimals than necessary', () => {
  const texts = (low: number, high: number, most: number): string[] => {
    const [step] = stepsFrom((high - low) / most, Math.max(Math.abs(low), Math.abs(high)));
    return step === undefined ? [] : ticksBetween(low, high, step).map(({ text }) => text);
  };
  expect(texts(0.1, 0.7, 6)).toEqual(['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7']);
  expect(texts(0.00001, 0.00005, 4)).toEqual(['0.00001', '0.00002', '0.00003', '0.00004', '0.00005']);
  expect(texts(1200, 6800, 6)).toEqual(['2000', '3000', '4000', '5000', '6000']);
  expect(texts(Number.NEGATIVE_INFINITY, 0, 6)).toEqual([]);
});
