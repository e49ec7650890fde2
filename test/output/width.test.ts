import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText } from '../../src/output/escape.ts';
import { displayWidth, shorten, wrap } from '../../src/output/terminal.ts';

const texts = fc
  .oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('a', ' ', '日', 'e\u0301', '😀', '👍🏽', '🇩🇪', '한', '⚠️', 'ü', 'नि') }),
  )
  .map(escapeText);

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['Zürich …', 8],
    ['日本語', 6],
    ['ﾊﾛ', 2],
    ['Ａ', 2],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['e\u0301', 1],
    ['😀', 2],
    ['👍🏽', 2],
    ['⚠', 1],
    ['⚠️', 2],
    ['🇩🇪', 2],
    ['x日😀', 5],
    ['𝒳', 1],
  ])('%j is %d cells wide', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('a text is as wide as its characters, one by one', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(texts, (text) => {
        const sum = [...segmenter.segment(text)].reduce((width, { segment }) => width + displayWidth(segment), 0);
        expect(displayWidth(text)).toBe(sum);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('shorten', () => {
  test.each([
    ['fits', 4, 'fits'],
    ['too long', 5, 'too …'],
    ['日本語', 4, '日…'],
    ['日本語', 5, '日本…'],
    ['ae\u0301io', 3, 'ae\u0301…'],
    ['ab', 1, '…'],
  ])('%j to %d cells is %j', (text, width, short) => {
    expect(shorten(text, width)).toBe(short);
  });

  test('is never too wide, and a prefix of the text', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
        const short = shorten(text, width);
        expect(displayWidth(short)).toBeLessThanOrEqual(width);
        if (short !== text) {
          expect(short.endsWith('…')).toBe(true);
          expect(text.startsWith(short.slice(0, -1))).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('wrap', () => {
  test('breaks after spaces, and inside a word that is too long', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('https://example.com/x y', 8)).toEqual(['https://', 'example.', 'com/x y']);
    expect(wrap('日本語', 4)).toEqual(['日本', '語']);
    // a note with a stem and a flag, which take a cell each
    expect(wrap('\u{1d158}\u{1d165}\u{1d16e}', 2)).toEqual(['\u{1d158}\u{1d165}', '\u{1d16e}']);
  });

  test('keeps other white space', () => {
    expect(wrap('abcde \u3000', 6)).toEqual(['abcde', '\u3000']);
    expect(wrap('abcd\u00a0 efgh', 6)).toEqual(['abcd\u00a0', 'efgh']);
  });

  test('no line is too wide, and only spaces are lost', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 40 }), (text, width) => {
        const lines = wrap(text, width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
      { numRuns: 1000 },
    );
  });
});
