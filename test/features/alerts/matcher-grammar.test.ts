import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatMatcher,
  type Matcher,
  matcher,
  type Operator,
  parseClassic,
  parseFallback,
  parseUtf8,
  splitList,
} from '../../../src/features/alerts/matcher.ts';
import { GRAMMAR_TABLE, type Result, refused } from './grammar-table.ts';

const result = (parse: (input: string) => Matcher | undefined, input: string): Result => parse(input) ?? refused;
const m = (name: string, operator: Operator, value: string): Matcher => matcher(name, operator, value);

describe('a matcher', () => {
  const GRAMMARS = { classic: parseClassic, utf8: parseUtf8, fallback: parseFallback };

  it('is read as its grammar says', () => {
    for (const [input, classic, utf8, fallback] of GRAMMAR_TABLE) {
      const read = Object.entries(GRAMMARS).map(([name, parse]) => [name, result(parse, input)]);
      expect({ input, ...Object.fromEntries(read) }).toEqual({ input, classic, utf8, fallback });
    }
  });

  it('may have escapes of Go in the UTF-8 grammar', () => {
    const escapes = {
      '\\a\\b\\f\\n\\r\\t\\v\\\\\\"': '\x07\b\f\n\r\t\v\\"',
      '\\101\\x41\\u00e9\\U0001f600': 'AAé😀',
      '\\xc3\\xa9': 'é',
      '\\ufeffa': '\ufeffa',
    };
    for (const [escaped, value] of Object.entries(escapes))
      expect(parseUtf8(`a="${escaped}"`)).toEqual(m('a', '=', value));
    const wrong = ['\\xff', '\\xc3', '\\ud800', '\\U00110000', "\\'", '\\q', '\\400', '\\x4', '\\u41', '\\1'];
    expect(wrong.filter((escaped) => parseUtf8(`a="${escaped}"`) !== undefined)).toEqual([]);
  });

  it('in a list ends at a comma outside quotes', () => {
    const lists = {
      'a=b,c=d': ['a=b', 'c=d'],
      'a="b,c",d=e,': ['a="b,c"', 'd=e'],
      'a="b\\",c",d=e': ['a="b\\",c"', 'd=e'],
      'a=b,,c=d': ['a=b', '', 'c=d'],
      '': [],
      ' , ': [' '],
    };
    expect(Object.fromEntries(Object.keys(lists).map((list) => [list, splitList(list)]))).toEqual(lists);
  });
});

const operators = fc.constantFrom<Operator>('=', '!=', '=~', '!~');
const nasty = fc.constantFrom(...'"\\\n\t\r\0\x1b,{}=~!\'` \u0085\u00a0\u2028\ufeffné😀');
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: nasty }),
  fc.array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 3 }))).map((parts) => parts.join('')),
);
const classicNames = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/);

it.each([
  ['any grammar', classicNames, [parseClassic, parseUtf8, parseFallback]],
  ['the UTF-8 grammar', texts, [parseUtf8, parseFallback]],
] as const)('what is shown of a matcher with a name of %s is read back', (_grammar, names, parsers) => {
  fc.assert(
    fc.property(names, operators, texts, (name, operator, value) => {
      const wanted = m(name, operator, value);
      const text = formatMatcher(wanted);
      for (const parse of parsers) expect(parse(text)).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});

it('any text is read by one of the grammars, or refused', () => {
  const input = fc.string({ unit: fc.constantFrom(...'ab=!~"\\,{} \n\'é'), maxLength: 12 });
  fc.assert(
    fc.property(input, (text) => {
      const [classic, utf8, fallback] = [parseClassic, parseUtf8, parseFallback].map((parse) => result(parse, text));
      if (fallback === refused) expect(utf8).toBe(refused);
      else if (classic !== refused) expect(fallback).toEqual(classic);
      else expect(fallback).toEqual(utf8);
    }),
    { numRuns: 1000 },
  );
});

it('a long open quote is refused in linear time', () => {
  expect(result(parseUtf8, `a="${'x\\"'.repeat(100_000)}`)).toBe(refused);
});
