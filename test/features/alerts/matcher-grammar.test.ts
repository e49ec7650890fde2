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

describe.each(GRAMMAR_TABLE)('%j', (input, classic, utf8, fallback) => {
  it('classic', () => expect(result(parseClassic, input)).toEqual(classic));
  it('UTF-8', () => expect(result(parseUtf8, input)).toEqual(utf8));
  it('fallback', () => expect(result(parseFallback, input)).toEqual(fallback));
});

it.each([
  ['\\a\\b\\f\\n\\r\\t\\v\\\\\\"', '\x07\b\f\n\r\t\v\\"'],
  ['\\101\\x41\\u00e9\\U0001f600', 'AAé😀'],
  ['\\xc3\\xa9', 'é'],
  ['\\ufeffa', '\ufeffa'],
])('the UTF-8 grammar reads the escapes %s', (escaped, value) => {
  expect(parseUtf8(`a="${escaped}"`)).toEqual(m('a', '=', value));
});

it.each(['\\xff', '\\xc3', '\\ud800', '\\U00110000', "\\'", '\\q', '\\400', '\\x4', '\\u41', '\\1'])(
  'the UTF-8 grammar refuses the escape %s',
  (escaped) => {
    expect(parseUtf8(`a="${escaped}"`)).toBeUndefined();
  },
);

it.each([
  ['a=b,c=d', ['a=b', 'c=d']],
  ['a="b,c",d=e,', ['a="b,c"', 'd=e']],
  ['a="b\\",c",d=e', ['a="b\\",c"', 'd=e']],
  ['a=b,,c=d', ['a=b', '', 'c=d']],
  ['', []],
  [' , ', [' ']],
])('splits %s at the commas outside quotes', (list, items) => {
  expect(splitList(list)).toEqual(items);
});

const operators = fc.constantFrom<Operator>('=', '!=', '=~', '!~');
const nasty = fc.constantFrom(
  '"',
  '\\',
  '\n',
  '\t',
  '\r',
  '\0',
  '\x1b',
  ',',
  '{',
  '}',
  '=',
  '~',
  '!',
  "'",
  '`',
  ' ',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\ufeff',
  'n',
  'é',
  '😀',
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: nasty }),
  fc.array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 3 }))).map((parts) => parts.join('')),
);
const classicNames = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/);

it.each([
  ['the canonical spelling', 'all three grammars', classicNames, [parseClassic, parseUtf8, parseFallback]],
  ['a name that the classic grammar does not know', 'both others', texts, [parseUtf8, parseFallback]],
] as const)('%s means the same to %s', (_what, _grammars, names, parsers) => {
  fc.assert(
    fc.property(names, operators, texts, (name, operator, value) => {
      const wanted = m(name, operator, value);
      const text = formatMatcher(wanted);
      for (const parse of parsers) expect(parse(text)).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});

it('never throws, and the fallback returns the result of one of the grammars', () => {
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

it('refuses a long unclosed quote in linear time', () => {
  expect(result(parseUtf8, `a="${'x\\"'.repeat(100_000)}`)).toBe(refused);
});
