import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../src/store/settings-file.ts';

describe('jsonFault', () => {
  it.each([
    ['', { line: 1, column: 1 }],
    ['{\n  "a": 1,\n}', { line: 3, column: 1 }],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', { line: 3, column: 3 }],
    ['{"a": tru}', { line: 1, column: 7 }],
    ['{"a": "x', { line: 1, column: 7 }],
    ['{} {}', { line: 1, column: 4 }],
    ['[1,', { line: 1, column: 4 }],
    ['{"a" 1}', { line: 1, column: 6 }],
    ["{'a': 1}", { line: 1, column: 2 }],
    ['[1}', { line: 1, column: 3 }],
  ])('finds the fault in %j', (text, place) => expect(jsonFault(text)).toEqual(place));

  it('finds a fault exactly where JSON.parse does', () => {
    const json = fc.json({ depthSize: 'medium' });
    const spoilt = fc
      .tuple(
        json,
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', '.', 'e', ' ', '\n', 't', '\x01'),
      )
      .map(([text, at, cut, inserted]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted + text.slice(place + cut);
      });
    fc.assert(
      fc.property(fc.oneof(json, spoilt), (text) => {
        expect(jsonFault(text) === undefined).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not recurse', () => expect(jsonFault('['.repeat(200_000))).toEqual({ line: 1, column: 258 }));
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
