import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { glyphOf } from '../../../src/output/chart/legend.ts';
import { chartLines } from '../../../src/output/chart/terminal.ts';
import { displayWidth } from '../../../src/output/terminal.ts';
import type { ChartPicture, ChartSeries, OutputOptions } from '../../../src/output/types.ts';
import { FORBIDDEN, options } from '../rendering.ts';
import { DAY, FROM, HOUR, NO_FACTS, ONE_STORE, POINTS, picture, STORE_PRICES, series, TO } from './pictures.ts';

const drawn = (shown: ChartPicture, changes: Partial<OutputOptions> = {}): Promise<readonly string[]> =>
  chartLines(shown, options(changes));
const at = (width: number): Partial<OutputOptions> => ({ width, canvas: width });
const BRAILLE = /[\u2801-\u28ff]/;

describe('equals the snapshot', () => {
  test.each([40, 200])('in %d columns', async (width) => {
    for (const shown of [STORE_PRICES, ONE_STORE, POINTS]) {
      expect(`\n${(await drawn(shown, at(width))).join('\n')}\n`).toMatchSnapshot(shown.title);
    }
  });

  test('with few and all colors, and in ASCII', async () => {
    expect(`\n${(await drawn(STORE_PRICES, { ...at(80), color: 1 })).join('\n')}\n`).toMatchSnapshot('16 colors');
    expect(`\n${(await drawn(STORE_PRICES, { ...at(80), color: 3 })).join('\n')}\n`).toMatchSnapshot('all colors');
    for (const shown of [STORE_PRICES, ONE_STORE]) {
      expect(`\n${(await drawn(shown, { ...at(80), ascii: true })).join('\n')}\n`).toMatchSnapshot(
        `${shown.title}, ASCII`,
      );
    }
  });
});

describe('a chart without values', () => {
  test('says that there are none in the window', async () => {
    const texts = ['Price', 'no values from 2026-01-15 to 2026-02-14 UTC'];
    expect(await drawn(picture({ series: [series({ values: [null] })] }))).toEqual(texts);
    expect(await drawn(picture({ series: [] }))).toEqual(texts);
    expect(await drawn(picture({ series: [series({ at: [TO + DAY], until: TO + 2 * DAY })] }))).toEqual(texts);
    expect(await drawn(picture({ series: [series({ at: [FROM - DAY], until: FROM - HOUR })] }))).toEqual(texts);
  });
});

test('names both offsets when the clocks change', async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.unstubAllEnvs());
  const [from, to] = [Date.parse('2026-10-24T00:00:00Z'), Date.parse('2026-10-27T00:00:00Z')];
  const shown = picture({ from, to, series: [series({ at: [from], until: to })] });
  const lines = await drawn(shown, { ...at(80), time: 'local' });
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(/2026-10-24 +2026-10-25 +2026-10-26 +2026-10-27$/),
    'UTC+02:00, then UTC+01:00',
  ]);
  expect((await drawn(shown, { ...at(80), time: 'utc' })).join('\n')).not.toContain('then');
});

describe('the plot', () => {
  const field = (lines: readonly string[]): string[] =>
    lines.filter((line) => /[│┤|+]/.test(line)).map((line) => line.replace(/^.*?[│┤|+]/, ''));

  test('has a constant value at mid-height', async () => {
    const lines = field(await drawn(picture()));
    expect(lines).toHaveLength(15);
    expect(lines.map((line) => BRAILLE.test(line)).indexOf(true)).toBe(7);
    expect(lines.filter((line) => BRAILLE.test(line))).toHaveLength(1);
  });

  test('has the requested number of lines, and shows a value of one instant', async () => {
    for (const height of [3, 5, 8, 30]) expect(field(await drawn(picture({ height })))).toHaveLength(height);
    const instant = picture({ from: FROM, to: FROM, series: [series({ until: FROM })] });
    expect(field(await drawn(instant)).join('')).toContain('●');
  });

  test.each([40, 200])('shows a spike of one point among 20,000 in %d columns', async (width) => {
    const count = 20_000;
    const values = Array.from({ length: count }, (_, index) => (index === 13_337 ? 99 : 50));
    const times = values.map((_, index) => FROM + (index * (TO - FROM)) / count);
    for (const ascii of [false, true]) {
      const lines = field(await drawn(picture({ series: [series({ at: times, values })] }), { ...at(width), ascii }));
      const height = lines.filter((line) => /\S/.test(line)).length;
      expect(height).toBeGreaterThan(9);
    }
  });
});

describe('the statistics', () => {
  test('are a table with what fits, and with everything in a pipe and with -o wide', async () => {
    const shown = async (changes: Partial<OutputOptions>) => (await drawn(STORE_PRICES, changes)).join('\n');
    expect((await drawn(STORE_PRICES, at(80))).at(-1)).toMatch(/^■ {2}METRO 日本 +104\.39 /);
    expect(await shown(at(80))).toMatch(/ +SERIES +FIRST .* CHANGE\n/);
    expect(await shown(at(80))).not.toContain('POINTS');
    expect(await shown(at(40))).toMatch(/ +SERIES +FIRST +LAST\b.*\n● {2}Пятёрочка/);
    expect(await shown(at(40))).not.toContain('CHANGE');
    for (const complete of [{ ...at(40), format: 'wide' } as const, { canvas: 40 }])
      expect(await shown(complete)).toMatch(/ +SERIES +FIRST .* CHANGE/);
    expect(await shown({ ...at(40), format: 'wide' })).toContain('POINTS');
    expect(await shown({ ...at(80), headers: false })).not.toContain('FIRST');
  });
});

const prices = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100),
  fc.constantFrom(0, -0, 50, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, Number.NaN, 2 ** 53, 1e21, 1e-7),
  fc.double(),
);
const names = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constant('\x1b[31mred\u202e'),
);
const anySeries = fc
  .record({
    name: names,
    points: fc.array(fc.record({ after: fc.integer({ min: 0, max: 4 * DAY }), value: prices }), { maxLength: 40 }),
    start: fc.integer({ min: FROM - 5 * DAY, max: TO + DAY }),
    rest: fc.integer({ min: 0, max: 40 * DAY }),
  })
  .map(({ name, points, start, rest }): ChartSeries => {
    let time = start;
    const times = points.map(({ after }) => {
      time += after;
      return time;
    });
    return { name, at: times, values: points.map(({ value }) => value), until: time + rest };
  });
const anyPicture = fc
  .record({
    title: names,
    series: fc.array(anySeries, { maxLength: 5 }),
    length: fc.oneof(fc.constantFrom(0, 1, HOUR, 30 * DAY, 4000 * DAY), fc.integer({ min: 0, max: 40 * DAY })),
    height: fc.option(fc.integer({ min: -1, max: 40 }), { nil: undefined }),
    facts: fc.boolean(),
  })
  .map(
    ({ length, facts, ...rest }): ChartPicture => ({
      ...rest,
      from: FROM,
      to: FROM + length,
      facts: facts ? { columns: STORE_PRICES.facts.columns, rows: rest.series } : NO_FACTS,
    }),
  );

describe('with any data', () => {
  test('no line is too wide, nothing unsafe is printed, and the result is reproducible', async () => {
    await fc.assert(
      fc.asyncProperty(anyPicture, fc.integer({ min: 2, max: 220 }), async (shown, width) => {
        const lines = await drawn(shown, at(width));
        for (const line of lines) {
          expect(displayWidth(line), line).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(FORBIDDEN);
        }
        expect(await drawn(shown, at(width))).toEqual(lines);
      }),
      { numRuns: 150 },
    );
  });

  test('every series with a value in the window is visible', async () => {
    await fc.assert(
      fc.asyncProperty(anyPicture, fc.integer({ min: 60, max: 220 }), async (some, width) => {
        const shown: ChartPicture = { ...some, facts: NO_FACTS, title: '', height: 15 };
        const visible = shown.series.map((one) => hasValue(one, shown));
        fc.pre(visible.filter((one) => one).length > 1);
        const lines = await drawn({ ...shown, series: shown.series.map((one) => ({ ...one, name: 'n' })) }, at(width));
        const field = lines.slice(0, 15).join('\n');
        for (const [index, seen] of visible.entries()) {
          expect(field.includes(glyphOf(index, false)), `series ${index}\n${lines.join('\n')}`).toBe(seen);
        }
      }),
      { numRuns: 150 },
    );
  });

  function hasValue({ at: times, values, until }: ChartSeries, { from, to }: ChartPicture): boolean {
    return values.some((value, index) => {
      const start = times[index] ?? 0;
      const end = times[index + 1] ?? until;
      return value !== null && Number.isFinite(value) && start <= to && (end > from || start >= from);
    });
  }
});
