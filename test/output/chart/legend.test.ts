import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingNames } from '../../../src/output/chart/legend.ts';
import { displayWidth } from '../../../src/output/terminal.ts';

describe('fittingNames', () => {
  test.each<[string[], number, string[]]>([
    [['store', 'shop'], 8, ['store', 'shop']],
    [['perekrestok Moscow', 'perekrestok Kazan'], 13, ['…estok Moscow', '…restok Kazan']],
    [['chizhik', 'perekrestok Moscow'], 12, ['chizhik', 'perekrestok…']],
    [['oat, store 1', 'oat, store 2', 'tea, store 1', 'tea, store 2'], 7, ['oat…e 1', 'oat…e 2', 'tea…e 1', 'tea…e 2']],
    [['店 大阪市の北', '店 大阪市の南'], 8, ['…市の北', '…市の南']],
    [['', '\u0301'], 0, ['', '\u0301']],
  ])('%j in %i cells', (names, width, expected) => {
    expect(fittingNames(names, width)).toEqual(expected);
  });

  test('no name is too wide, and names that differ at their ends stay distinct', () => {
    const name = fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 12, maxLength: 20 }),
      fc.constantFrom('1', '2', '3'),
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.integer({ min: 2, max: 40 }), (parts, width) => {
        const names = parts.map(([start, end]) => start + end);
        const fitting = fittingNames(names, width);
        expect(fitting.every((text) => displayWidth(text) <= width)).toBe(true);
        const same = fittingNames([`${names[0]}1`, `${names[0]}2`], width);
        expect(same[0]).not.toBe(same[1]);
      }),
    );
  });
});
