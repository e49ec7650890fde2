/** Candlesticks: each column shows the prices of its time, and times without a candle are empty. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawSvg } from '../../../src/output/chart/svg.ts';
import { chartLines } from '../../../src/output/chart/terminal.ts';
import { rowScale } from '../../../src/output/chart/value-axis.ts';
import type { ChartCandle, ChartPicture } from '../../../src/output/types.ts';
import { options } from '../rendering.ts';
import { FROM, HOUR, picture } from './pictures.ts';
import { allElements, parseXml } from './xml.ts';

function pictureOf(list: readonly ChartCandle[], changes: Partial<ChartPicture> = {}): ChartPicture {
  const at = list.map((one) => one.at);
  const until = list.at(-1)?.until ?? FROM;
  const series = [{ name: 'close', at, values: list.map(({ close }) => close), until }];
  return picture({ series, candles: { periodMs: HOUR, list }, from: at[0] ?? FROM, to: until, ...changes });
}

/** Open, high, low, close; null is a missing one. */
function hourly(prices: readonly (readonly [number, number, number, number] | null)[]): ChartCandle[] {
  return prices.flatMap((one, index) => {
    if (one === null) return [];
    const [open, high, low, close] = one;
    return [{ at: FROM + index * HOUR, until: FROM + (index + 1) * HOUR, open, high, low, close }];
  });
}

const price = fc.integer({ min: 100, max: 160 });
const candle = fc.tuple(price, price, price, price).map(([a, b, c, d]) => {
  return [a, Math.max(a, b, c, d), Math.min(a, b, c, d), d] as const;
});
const missing = fc.constant(null);
const some = fc
  .array(fc.oneof({ weight: 4, arbitrary: candle }, { weight: 1, arbitrary: missing }), {
    minLength: 1,
    maxLength: 150,
    size: 'max',
  })
  .map((prices) => hourly(prices.map((one) => (one === null ? null : ([...one] as const)))))
  .filter((list) => list.length > 0);

/** By the rule alone: `each` hours from the first candle on are one. */
function groups(list: readonly ChartCandle[], each: number): Map<number, ChartCandle[]> {
  const found = new Map<number, ChartCandle[]>();
  for (const one of list) {
    const place = Math.floor((one.at - (list[0]?.at ?? 0)) / HOUR / each);
    found.set(place, [...(found.get(place) ?? []), one]);
  }
  return found;
}

/** The cells of the plot, by column from the left: row and glyph from the top. */
function columnsOf(lines: readonly string[], rows: number): Map<number, [row: number, glyph: string][]> {
  const columns = new Map<number, [number, string][]>();
  for (const [row, line] of lines.slice(1, 1 + rows).entries()) {
    const edge = line.search(/[┤│|+]/) + 1;
    for (const [column, glyph] of [...line.slice(edge)].entries()) {
      if (glyph !== ' ') columns.set(column, [...(columns.get(column) ?? []), [row, glyph]]);
    }
  }
  return columns;
}

const eachOf = (lines: readonly string[]): number =>
  Number(/(\d+) candles each/.exec(lines.find((line) => line.includes('rising')) ?? '')?.[1] ?? 1);

describe('in a terminal', () => {
  test('each column shows the high, the low and the direction of its time', async () => {
    await fc.assert(
      fc.asyncProperty(
        some,
        fc.integer({ min: 24, max: 200 }),
        fc.integer({ min: 3, max: 30 }),
        fc.boolean(),
        async (list, width, rows, ascii) => {
          const lines = await chartLines(pictureOf(list, { width, height: rows, ascii }), options());
          const columns = columnsOf(lines, rows);
          const shown = [...groups(list, eachOf(lines))].sort(([a], [b]) => a - b);
          expect(columns.size).toBe(shown.length);
          const [low, high] = [Math.min(...list.map((one) => one.low)), Math.max(...list.map((one) => one.high))];
          const { dot } = rowScale(low, high, rows);
          const rowOf = (value: number): number => Math.floor(dot(value) / 4);
          const places = [...columns.keys()].sort((a, b) => a - b);
          for (const [index, [, candles]] of shown.entries()) {
            const cells = columns.get(places[index] ?? -1) ?? [];
            const [open, close] = [candles[0]?.open ?? 0, candles.at(-1)?.close ?? 0];
            expect(cells[0]?.[0]).toBe(rowOf(Math.max(...candles.map((one) => one.high))));
            expect(cells.at(-1)?.[0]).toBe(rowOf(Math.min(...candles.map((one) => one.low))));
            expect(cells).toHaveLength((cells.at(-1)?.[0] ?? 0) - (cells[0]?.[0] ?? 0) + 1);
            const glyphs = cells.map(([, glyph]) => glyph).join('');
            const [rising, falling, same] = ascii ? [/O/, /#/, /[-+]/] : [/║/, /█/, /[─┼┬┴]/];
            expect([rising, falling, same].map((one) => one.test(glyphs))).toEqual([
              close > open,
              close < open,
              close === open,
            ]);
            const body = cells.filter(([, glyph]) => /[O#║█]/.test(glyph)).map(([row]) => row);
            for (const row of body) {
              expect(row).toBeGreaterThanOrEqual(rowOf(Math.max(open, close)));
              expect(row).toBeLessThanOrEqual(rowOf(Math.min(open, close)));
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a weekend and a missing candle are as wide as their time', async () => {
    const up = [1, 2, 1, 2] as const;
    const list = hourly([up, up, null, up, ...Array(8).fill(null), up]);
    const widest = await chartLines(pictureOf(list, { width: 5 + 13 * 3, height: 4 }), options());
    expect([...columnsOf(widest, 4).keys()]).toEqual([0, 1, 3, 12].map((hour) => hour * 3 + 1));
  });

  test.each([
    ['drawn', false],
    ['in ASCII', true],
  ])('rising and falling differ without colors, %s', async (_, ascii) => {
    const list = hourly([
      [1, 4, 1, 3],
      [3, 4, 1, 1],
      [2, 3, 1, 2],
      [2, 2, 2, 2],
    ]);
    const shown = await chartLines(pictureOf(list, { width: 5 + 4 * 4, height: 7, ascii }), options());
    expect(`\n${shown.join('\n')}\n`).toMatchSnapshot();
    expect(shown.join('')).not.toContain('\u001b');
    const colored = (await chartLines(pictureOf(list, { width: 21, ascii }), options({ color: 3 }))).join('');
    expect(colored.replaceAll(/\u001b\[[\d;]*m/g, '')).toBe(
      (await chartLines(pictureOf(list, { width: 21, ascii }), options())).join(''),
    );
    expect(colored).toContain('\u001b');
  });
});

describe('as SVG', () => {
  const number = (text: string | undefined): number => Number(text ?? Number.NaN);

  test('each has its body and wicks at its prices, and is hollow if it rose', async () => {
    await fc.assert(
      fc.asyncProperty(some, async (list) => {
        const root = parseXml(await drawSvg(pictureOf(list), { time: 'utc' }, 400));
        const all = [...allElements(root)];
        const each = Number(/(\d+) candles each/.exec(JSON.stringify(root))?.[1] ?? 1);
        const shown = [...groups(list, each).values()];
        // The last two are the legend.
        const bodies = all.filter(({ name, attributes }) => name === 'rect' && attributes['class'] !== 'svc-page');
        const flat = shown.filter((one) => one[0]?.open === one.at(-1)?.close);
        expect(bodies).toHaveLength(shown.length - flat.length + 2);
        const [low, high] = [Math.min(...list.map((one) => one.low)), Math.max(...list.map((one) => one.high))];
        const y = (value: number): number => (low === high ? Number.NaN : 68 + ((high - value) / (high - low)) * 256);
        const moved = shown.filter((one) => !flat.includes(one));
        for (const [index, candles] of moved.entries()) {
          const attributes: Readonly<Record<string, string>> = bodies[index]?.attributes ?? {};
          const [open, close] = [candles[0]?.open ?? 0, candles.at(-1)?.close ?? 0];
          expect(attributes['class']).toBe(close > open ? 'svc-rise' : 'svc-fall');
          expect(number(attributes['y'])).toBeCloseTo(y(Math.max(open, close)), 1);
          expect(number(attributes['y']) + number(attributes['height'])).toBeCloseTo(y(Math.min(open, close)), 1);
        }
        const wicks = all.flatMap(({ attributes }) =>
          attributes['class']?.startsWith('svc-wick') ? [attributes['d'] ?? ''] : [],
        );
        const ends = wicks.flatMap((path) =>
          [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].flatMap(([, a, b]) => [a, b]),
        );
        const expected = shown.flatMap((one) => {
          const [open, close] = [one[0]?.open ?? 0, one.at(-1)?.close ?? 0];
          const [top, bottom] = [Math.max(...one.map((c) => c.high)), Math.min(...one.map((c) => c.low))];
          const [upper, lower] = [Math.max(open, close), Math.min(open, close)];
          return [...(top > upper ? [top, upper] : []), ...(lower > bottom ? [lower, bottom] : [])];
        });
        expect(ends).toHaveLength(expected.length);
        for (const [index, value] of expected.entries()) expect(number(ends[index])).toBeCloseTo(y(value), 1);
      }),
      { numRuns: 12 },
    );
  });
});
