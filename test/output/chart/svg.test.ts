import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawSvg } from '../../../src/output/chart/svg.ts';
import type { ChartPicture } from '../../../src/output/types.ts';
import { FORBIDDEN } from '../rendering.ts';
import { DAY, FROM, ONE_STORE, POINTS, picture, STORE_PRICES, series } from './pictures.ts';
import { allElements, type Element, parseXml, textOf } from './xml.ts';

const drawn = async (shown: ChartPicture, time: 'utc' | 'local' = 'utc'): Promise<Element> =>
  parseXml(await drawSvg(shown, { time }));
const named = (root: Element, name: string): Element[] => [...allElements(root)].filter((one) => one.name === name);
const lines = (root: Element): Element[] =>
  named(root, 'path').filter(({ attributes }) => !attributes['d']?.endsWith('h26'));

/** The points that a path goes through; anything but moves and steps is an error. */
function pointsOf(path: string): { readonly x: number; readonly y: number; readonly pen: boolean }[] {
  const points: { x: number; y: number; pen: boolean }[] = [];
  for (const [, command, first, second] of path.matchAll(/([A-Za-z])([-\d.]+)(?: ([-\d.]+))?/g)) {
    const last = points.at(-1) ?? { x: Number.NaN, y: Number.NaN };
    if (command === 'M') points.push({ x: Number(first), y: Number(second), pen: false });
    else if (command === 'H') points.push({ x: Number(first), y: last.y, pen: true });
    else if (command === 'V') points.push({ x: last.x, y: Number(first), pen: true });
    else throw new Error(`a command that is no step: ${command}`);
  }
  return points;
}

describe('an SVG file', () => {
  test.each([STORE_PRICES, ONE_STORE, POINTS])('of $title', async (shown) => {
    expect(await drawSvg(shown, { time: 'utc' })).toMatchSnapshot();
  });

  test('is self-contained and accessible', async () => {
    const text = await drawSvg(STORE_PRICES, { time: 'utc' });
    const root = parseXml(text);
    expect(root.name).toBe('svg');
    expect(root.attributes).toMatchObject({ xmlns: 'http://www.w3.org/2000/svg', role: 'img' });
    expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|url\(|@import|@font-face|script|href|<!/,
    );
    const [title, desc, style] = root.children.filter((child) => typeof child !== 'string');
    expect([title?.name, desc?.name, style?.name]).toEqual(['title', 'desc', 'style']);
    expect(textOf(title as Element)).toBe('Milk «Prostokvashino» 2.5 % 930 ml: price, RUB');
    expect(textOf(desc as Element)).toContain('Magnit / Kazan: least 89.29, greatest 98.58, last 98.58.');
    expect(textOf(style as Element)).toContain('@media (prefers-color-scheme:dark)');
  });

  test('shows isolated values as circles, and names series without values', async () => {
    expect(named(await drawn(POINTS), 'circle').length).toBeGreaterThanOrEqual(8);
    const empty = await drawn(picture({ series: [series({ values: [null] })] }));
    expect(textOf(empty)).toContain('no values from 2026-01-15 to 2026-02-14 UTC');
    expect(textOf(await drawn(picture({ series: [series(), series({ name: 'Lidl', values: [null] })] })))).toContain(
      'Lidl (no values)',
    );
    expect(named(await drawn(picture({ series: [] })), 'path')).toEqual([]);
    const instant = await drawn(picture({ to: FROM, series: [series({ until: FROM })] }));
    expect(named(instant, 'circle').length).toBeGreaterThan(0);
  });

  test('is well-formed, within its frame and reproducible for any data', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '</title><script>alert(1)</script>',
        'a & b "c" \'d\' <e>',
        ']]>',
        '\x00\x1b[2J\u202e\ufffe\uffff',
        '\ud800',
        '日本 '.repeat(60),
      ),
    );
    const value = fc.option(fc.oneof(fc.double(), fc.integer({ min: 0, max: 500 }), fc.constant(1.7e308)));
    const anySeries = fc
      .record({ name: hostile, values: fc.array(value, { maxLength: 30 }), step: fc.integer({ min: 0, max: 3 * DAY }) })
      .map(({ name, values, step }) =>
        series({ name, values, at: values.map((_, index) => FROM + index * step), until: FROM + values.length * step }),
      );
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.array(anySeries, { maxLength: 8 }),
        fc.constantFrom(0, 1, DAY, 30 * DAY, 10_000 * DAY, 1e300),
        async (title, all, length) => {
          const shown = picture({ title, unit: title, series: all, to: FROM + length });
          const text = await drawSvg(shown, { time: 'utc' });
          expect(text.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
          expect(text).not.toMatch(/NaN|Infinity"|undefined|\.\d{3,}"/);
          const root = parseXml(text);
          expect(named(root, 'script')).toEqual([]);
          const [, , width = 0, height = 0] = (root.attributes['viewBox'] ?? '').split(' ').map(Number);
          for (const { attributes } of lines(root)) {
            for (const { x, y } of pointsOf(attributes['d'] ?? '')) {
              expect(x >= 0 && x <= width && y >= 0 && y <= height).toBe(true);
            }
          }
          expect(await drawSvg(shown, { time: 'utc' })).toBe(text);
        },
      ),
    );
  });
});
