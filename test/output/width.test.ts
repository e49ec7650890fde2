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

describe('the width of a text', () => {
  test('counts the cells of a terminal', () => {
    const widths = {
      '': 0,
      'Zürich …': 8,
      日本語: 6,
      Ａ: 2,
      '\u1112\u1161\u11ab': 2,
      'e\u0301': 1,
      '👍🏽': 2,
      '⚠': 1,
      '⚠️': 2,
      '🇩🇪': 2,
      𝒳: 1,
    };
    expect(Object.fromEntries(Object.keys(widths).map((text) => [text, displayWidth(text)]))).toEqual(widths);
  });

  test('is that of its characters, one by one', () => {
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

describe('a shortened text', () => {
  test('ends with … where it does not fit', () => {
    expect(shorten('fits', 4)).toBe('fits');
    expect(shorten('too long', 5)).toBe('too …');
    expect(shorten('日本語', 4)).toBe('日…');
    expect(shorten('ae\u0301io', 3)).toBe('ae\u0301…');
    expect(shorten('ab', 1)).toBe('…');
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

describe('a wrapped text', () => {
  test('breaks after spaces, and inside a word that is too long', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('https://example.com/x y', 8)).toEqual(['https://', 'example.', 'com/x y']);
    expect(wrap('日本語', 4)).toEqual(['日本', '語']);
    // a note with a stem and a flag, which take a cell each
    expect(wrap('\u{1d158}\u{1d165}\u{1d16e}', 2)).toEqual(['\u{1d158}\u{1d165}', '\u{1d16e}']);
  });

  test('has no line that is too wide, and loses only spaces', () => {
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
