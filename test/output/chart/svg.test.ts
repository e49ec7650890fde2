import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawSvg } from '../../../src/output/chart/svg.ts';
import type { ChartPicture } from '../../../src/output/types.ts';
import { FORBIDDEN } from '../rendering.ts';
import { DAY, FROM, ONE_STORE, POINTS, picture, STORE_PRICES, series } from './pictures.ts';

const drawn = (shown: ChartPicture): Promise<string> => drawSvg(shown, { time: 'utc' });
const circlesIn = (svg: string): number => svg.split('<circle ').length - 1;

const TAG = /<(\/?)([a-z]+)(?: [\w:-]+="(?:[^"<>&]|&(?:amp|lt|gt|quot);)*")*(\/?)>/g;
/** Characters that XML 1.0 allows. */
const ALLOWED = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Each element is closed, and nothing of a text is active. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  const texts = svg.replace(TAG, (_tag, closing: string, name: string, empty: string) => {
    if (closing !== '') expect(open.pop()).toBe(name);
    else if (empty === '') open.push(name);
    return '';
  });
  expect(open).toEqual([]);
  expect(texts).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
  expect(svg).toMatch(ALLOWED);
}

/** The points that the lines go through; anything but moves and steps is an error. */
function pointsIn(svg: string): readonly { readonly x: number; readonly y: number }[] {
  const paths = [...svg.matchAll(/<path [^>]*\bd="([^"]*)"/g)].map(([, path = '']) => path);
  return paths.filter((path) => !path.endsWith('h26')).flatMap(pointsOf);
}

function pointsOf(path: string): { readonly x: number; readonly y: number }[] {
  const points: { x: number; y: number }[] = [];
  for (const [, command, first, second] of path.matchAll(/([A-Za-z])([-\d.]+)(?: ([-\d.]+))?/g)) {
    const last = points.at(-1) ?? { x: Number.NaN, y: Number.NaN };
    if (command === 'M') points.push({ x: Number(first), y: Number(second) });
    else if (command === 'H') points.push({ x: Number(first), y: last.y });
    else if (command === 'V') points.push({ x: last.x, y: Number(first) });
    else throw new Error(`a command that is no step: ${command}`);
  }
  return points;
}

describe('an SVG file', () => {
  test.each([STORE_PRICES, ONE_STORE, POINTS])('of $title', async (shown) => {
    expect(await drawn(shown)).toMatchSnapshot();
  });

  test('is self-contained and accessible', async () => {
    const svg = await drawn(STORE_PRICES);
    expectWellFormed(svg);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]* role="img"/);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|url\(|@import|@font-face|script|href|<!/,
    );
    expect(svg).toContain('\n<title>Milk «Prostokvashino» 2.5 % 930 ml: price, RUB</title>\n<desc>');
    expect(svg).toContain('Magnit / Kazan: least 89.29, greatest 98.58, last 98.58.');
    expect(svg).toContain('@media (prefers-color-scheme:dark)');
  });

  test('shows isolated values as circles, and names series without values', async () => {
    expect(circlesIn(await drawn(POINTS))).toBeGreaterThanOrEqual(8);
    const empty = await drawn(picture({ series: [series({ values: [null] })] }));
    expect(empty).toContain('no values from 2026-01-15 to 2026-02-14 UTC');
    const two = await drawn(picture({ series: [series(), series({ name: 'Lidl', values: [null] })] }));
    expect(two).toContain('Lidl (no values)');
    expect(await drawn(picture({ series: [] }))).not.toContain('<path ');
    expect(circlesIn(await drawn(picture({ to: FROM, series: [series({ until: FROM })] })))).toBeGreaterThan(0);
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
          const svg = await drawn(shown);
          expect(svg.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
          expect(svg).not.toMatch(/NaN|Infinity"|undefined|\.\d{3,}"|<script/);
          expectWellFormed(svg);
          const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
          for (const { x, y } of pointsIn(svg)) {
            expect(x >= 0 && x <= Number(width) && y >= 0 && y <= Number(height)).toBe(true);
          }
          expect(await drawn(shown)).toBe(svg);
        },
      ),
    );
  });
});
