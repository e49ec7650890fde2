import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeJson, escapeLines, escapeText, jsonByteFilter } from '../../src/output/escape.ts';
import { FORBIDDEN } from './rendering.ts';

const hostile = fc.stringMatching(
  /^[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u202e\u2066-\u2069\ufeff\u{e0001}-\u{e007f}a-z\\"é日😀]*$/u,
);
const anyText = fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

describe('text that is shown', () => {
  test('shows what a terminal obeys or hides, and nothing else', () => {
    const shown = {
      '\x1b[31mred': '\\x1b[31mred',
      'a\nb\tc\rd': 'a\\nb\\tc\\rd',
      '\x7f\x85\x9b': '\\x7f\\x85\\x9b',
      'user\u202etxt.exe': 'user\\u202etxt.exe',
      'a\u200bb\u2066c\ufeff': 'a\\u200bb\\u2066c\\ufeff',
      'tag\u{e0041}': 'tag\\u{e0041}',
      'half \ud800 pair': 'half \\ud800 pair',
      'line\u2028end': 'line\\u2028end',
      'blank\u2800pattern': 'blank\\u2800pattern',
      '\u{13000}\u{13430}\u{13000}': '\u{13000}\\u{13430}\u{13000}',
      'C:\\new\\table': 'C:\\new\\table',
      'Zürich 日本 😀 é ⚠️ hot': 'Zürich 日本 😀 é ⚠️ hot',
      'admin\ufe0f': 'admin\\ufe0f',
      '👩\u200d💻': '👩\\u200d💻',
    };
    expect(Object.fromEntries(Object.keys(shown).map((text) => [text, escapeText(text)]))).toEqual(shown);
  });

  test('has nothing of it left in any text, and is the same again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeText(text);
        expect(escaped).not.toMatch(FORBIDDEN);
        expect(escapeText(escaped)).toBe(escaped);
      }),
      { numRuns: 2000 },
    );
  });

  test('of several lines has its line feeds and tabs, and no other controls', () => {
    expect(escapeLines('a:\n\tb: \x1b[2J\r\n')).toBe('a:\n\tb: \\x1b[2J\\r\n');
  });
});

describe('JSON that is shown', () => {
  test('has the same value, and nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyText), (value) => {
        const escaped = escapeJson(JSON.stringify(value));
        expect(JSON.parse(escaped)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(escaped).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 1000 },
    );
  });

  test('writes astral characters as surrogate pairs', () => {
    expect(escapeJson('"\u{e0001}\u007f"')).toBe('"\\udb40\\udc01\\u007f"');
  });
});

describe('JSON that passes through', () => {
  function filtered(chunks: readonly Uint8Array[]): string {
    const filter = jsonByteFilter();
    const written = chunks.map((chunk) => {
      const buffer = Uint8Array.from(chunk);
      const safe = Buffer.from(filter(buffer));
      // The next chunk may come in the same buffer.
      buffer.fill(0x21);
      return safe;
    });
    return Buffer.concat([...written, filter()]).toString('latin1');
  }

  function split(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    let at = 0;
    for (const size of sizes) {
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    return [...chunks, bytes.subarray(at)];
  }

  test('has the same changes as JSON that is shown, for every character', () => {
    const wrong: string[] = [];
    let clean = '';
    for (let code = 0x20; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const expected = escapeJson(character);
      if (expected === character) clean += character;
      else if (Buffer.from(jsonByteFilter()(Buffer.from(`"${character}"`))).toString() !== `"${expected}"`) {
        wrong.push(code.toString(16));
      }
    }
    expect(Buffer.from(jsonByteFilter()(Buffer.from(clean))).toString()).toBe(clean);
    expect(wrong).toEqual([]);
  });

  test('gives the same safe result for any chunks', () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyText, fc.oneof(anyText, fc.jsonValue())),
        fc.boolean(),
        fc.array(fc.nat({ max: 7 }), { maxLength: 40 }),
        (value, pretty, sizes) => {
          const bytes = Buffer.from(JSON.stringify(value, null, pretty ? '\t' : 0));
          const whole = filtered([bytes]);
          expect(filtered(split(bytes, sizes))).toBe(whole);
          const text = Buffer.from(whole, 'latin1').toString('utf8');
          expect(JSON.parse(text)).toEqual(JSON.parse(bytes.toString('utf8')));
          expect(text.replace(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('turns any bytes in any chunks into safe UTF-8', () => {
    const sharp = fc.constantFrom(
      ...[0xc2, 0x9b, 0xe2, 0x80, 0xae, 0xf0, 0xf3, 0xa0, 0x81, 0xed, 0xef, 0xbb, 0xbf, 0x1b, 0x41, 0xff, 0xc0, 0xf5],
    );
    const bytes = fc.array(fc.oneof(sharp, fc.nat({ max: 255 })), { maxLength: 60 });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat({ max: 5 }), { maxLength: 30 }), (values, sizes) => {
        const input = Uint8Array.from(values);
        const whole = filtered([input]);
        expect(filtered(split(input, sizes))).toBe(whole);
        const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(whole, 'latin1'));
        expect(text.replace(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 3000 },
    );
  });

  test('escapes controls in strings, and leaves out others and byte order marks', () => {
    expect(filtered([Buffer.from('{"a":"\x1b[2J\x07"}')])).toBe('{"a":"\\u001b[2J\\u0007"}');
    expect(filtered([Buffer.from('{\r\n"a":1}\r\n')])).toBe('{ \n"a":1} \n');
    expect(filtered([Buffer.from('\ufeff["\ufeff"]')])).toBe('["\\ufeff"]');
  });

  test('replaces invalid UTF-8 by \\ufffd, also at the end', () => {
    expect(filtered([Buffer.from([0x22, 0xff, 0x22])])).toBe('"\\ufffd"');
    expect(filtered([Buffer.from([0x5b, 0xe2, 0x80])])).toBe('[\\ufffd');
  });
});
