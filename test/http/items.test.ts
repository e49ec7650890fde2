import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArrayItems, JsonFault } from '../../src/http/json.ts';
import { exactNumbers } from '../../src/json-object.ts';

function split(bytes: Buffer, cuts: readonly number[]): unknown[] {
  const array = new ArrayItems();
  const found: unknown[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    found.push(...array.push(bytes.subarray(from, cut)));
    from = cut;
  }
  array.finish();
  return found;
}

function everywhere(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

const blank = fc.stringMatching(/^[ \n\r\t]{0,3}$/);

describe('a list in chunks', () => {
  test('has the items of the whole list for any chunks', () => {
    const value = fc.array(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { maxLength: 8 });
    fc.assert(
      fc.property(
        value,
        fc.boolean(),
        blank,
        blank,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        (items, indent, before, after, places) => {
          const bytes = Buffer.from(before + JSON.stringify(items, null, indent ? 1 : 0) + after);
          const cuts = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
          const expected = JSON.parse(exactNumbers(bytes.toString()));
          expect(split(bytes, cuts)).toEqual(expected);
          expect(split(bytes, everywhere(bytes.length))).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is accepted or refused as the whole list', () => {
    const texts = fc.array(
      fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', '1', ' ', 'a', ':', 'null', '[]', '{}', '""', '"a":1'),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(texts, fc.nat(20), (pieces, cut) => {
        const text = `[${pieces.join('')}`;
        const bytes = Buffer.from(text);
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => split(bytes, [Math.min(cut, bytes.length)])).toThrow(JsonFault);
          return;
        }
        expect(split(bytes, [Math.min(cut, bytes.length)])).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  test('is refused with the reason', () => {
    for (const [text, why] of [
      ['   ', 'it is empty'],
      ['{"a":1}', 'it is an object, not an array'],
      ['"x"', 'it is not a JSON array'],
      ['<html>', 'it is not a JSON array'],
      ['[', 'its end is missing'],
      ['[1] 2', 'more text follows its end'],
      ['[1,]', 'it is not JSON'],
      ['[1,,2]', 'it is not JSON'],
      ['[{]}', 'it is not JSON'],
      [`${'['.repeat(300)}${']'.repeat(300)}`, 'it is nested more than 256 levels deep'],
    ] as const) {
      const bytes = Buffer.from(text);
      expect(() => split(bytes, []), text).toThrow(why);
      expect(() => split(bytes, everywhere(bytes.length)), text).toThrow(JsonFault);
    }
  });

  test('is refused if it is not UTF-8, and may have a byte order mark', () => {
    expect(() => split(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), [])).toThrow('it is not UTF-8');
    const marked = Buffer.from('\ufeff \n[1]');
    expect([split(marked, []), split(marked, everywhere(marked.length))]).toEqual([[1], [1]]);
  });

  test('has items before its end arrives', () => {
    const array = new ArrayItems();
    expect(array.push(Buffer.from('[{"a":1},{"a":2},{"a"'))).toEqual([{ a: 1 }, { a: 2 }]);
    expect(array.push(Buffer.from(':3},'))).toEqual([{ a: 3 }]);
    expect(() => array.finish()).toThrow('its end is missing');
  });

  test('takes linear time for an item of many chunks', () => {
    const array = new ArrayItems();
    array.push(Buffer.from('["'));
    const chunk = Buffer.alloc(1024, 0x61);
    for (let i = 0; i < 8_000; i++) expect(array.push(chunk)).toHaveLength(0);
    expect((array.push(Buffer.from('"]'))[0] as string).length).toBe(8_000 * 1024);
  });
});
