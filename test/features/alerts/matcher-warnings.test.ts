import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMatcher, matcher } from '../../../src/features/alerts/matcher.ts';
import {
  isDefinite,
  isPositive,
  languageOf,
  matcherWarnings,
  mayMatchEmpty,
} from '../../../src/features/alerts/matcher-warnings.ts';

const [a, b] = [matcher('team', '=', 'a'), matcher('team', '=', 'b')];

test.each([
  [[a, b], ['team="a" and team="b" exclude each other: nothing can match']],
  [[a, matcher('team', '!=', 'a')], ['team="a" and team!="a" exclude each other: nothing can match']],
  [[matcher('team', '!=', 'a'), a], ['team="a" and team!="a" exclude each other: nothing can match']],
  [[matcher('team', '=', ''), a], ['team="" and team="a" exclude each other: nothing can match']],
  [[a, a], []],
  [[a, matcher('team', '!=', 'b')], []],
  [[a, matcher('team', '=~', 'b')], []],
  [[a, matcher('job', '=', 'b')], []],
  [[a, matcher('x', '=~', '.*')], ['x=~".*" matches everything']],
  [[a, matcher('x', '=~', '^(?:.*)$')], ['x=~"^(?:.*)$" matches everything']],
  [[a, matcher('x', '=~', '(?s).*')], ['x=~"(?s).*" matches everything']],
  [[a, matcher('x', '=~', '.+')], []],
  [[a, matcher('env', '!=', 'prod')], ['env!="prod" also matches every alert without the label env']],
  [[matcher('env', '!~', 'p.*')], ['env!~"p.*" also matches every alert without the label env']],
  [[matcher('env', '=~', '.+'), matcher('env', '!=', 'prod')], []],
  [[matcher('env', '!=', ''), matcher('env', '!=', 'prod')], []],
  [[], []],
])('%j is warned about: %j', (matchers, warnings) => {
  expect(matcherWarnings(matchers)).toEqual(warnings);
});

test.each([
  [matcher('a', '=', 'x'), true],
  [matcher('a', '=', ''), false],
  [matcher('a', '!=', 'x'), false],
  [matcher('a', '!=', ''), true],
  [matcher('a', '!~', 'x'), false],
  [matcher('a', '!~', ''), true],
  [matcher('a', '=~', 'web-.*'), true],
  [matcher('a', '=~', 'x|'), false],
])('%j needs its label: %s', (of, positive) => {
  expect(isPositive(of), formatMatcher(of)).toBe(positive);
});

test.each([
  [a, true],
  [matcher('a', '=', ''), false],
  [matcher('a', '!=', 'x'), false],
  [matcher('a', '!=', ''), false],
  [matcher('a', '!~', 'x'), false],
  [matcher('a', '=~', 'x'), true],
  [matcher('a', '=~', 'web-.*'), true],
  [matcher('a', '=~', '.+-1|.*x'), true],
  [matcher('a', '=~', 'x|'), false],
  [matcher('a', '=~', '.+'), false],
  [matcher('a', '=~', '(?!x)'), false],
])('%j requires a definite value: %s', (of, definite) => {
  expect(isDefinite(of), formatMatcher(of)).toBe(definite);
});

test.each([
  '.+',
  '.*',
  '..*',
  '.*.',
  '.*.*',
  '.+?',
  '.{1,}',
  '.{0,}',
  '(.+)',
  '(?:.)+',
  '(.*)+',
  '(.+){1}',
  '^.+$',
  '(?s).+',
  '(?s:.)+',
  '(?i)x|.+',
  '.+|x',
  'x?.+',
  '[\\s\\S]+',
  '[\\d\\D]*',
  '[^\\n]+',
  '\\b.*',
])('%s matches every value', (regex) => {
  expect(languageOf(regex)?.every).toBe(true);
});

test.each(['x', '', 'x+', '.', '.?', '.{2,}', '.{0}', '..+', '.+.+', 'x.*', '.*x', '[a-z]+', '[^a]+', '\\S+', '.*x?y'])(
  '%s does not match every value',
  (regex) => {
    expect(languageOf(regex)?.every).toBe(false);
  },
);

test.each([
  '',
  '.*',
  '.*?',
  '(.*)',
  '^.*$',
  'x*',
  'x?',
  'x??',
  'x|',
  '|x',
  'x||y',
  '(x|)',
  '(x)?',
  '(x*)+',
  'x{0}',
  'x{0,3}',
  '(?:x?y?)',
  '^$',
  '\\b',
  '(?i)',
  '(?i)x*',
  '\\pL*',
  '\\p{Greek}?',
  '\\x41*',
  '\\x{41}*',
  '\\12*',
  '[a]*',
  '[]]*',
  '[^]]?',
  '[[:alpha:]]*',
  '(?P<n>x*)',
  '(?<n>)',
  '(?i:x?)',
  '\\Q\\E',
  '\\Qab\\E',
  // not understood, or not RE2
  'x(?i)*',
  '-(?i){0}?',
  '(?!x)y',
  '(?=x)y',
  '(x',
  'x)',
  '*x',
  'x**',
  'x{1}{0}',
  '[x',
  '\\',
  'x\\',
])('%s may match the empty text', (regex) => {
  expect(mayMatchEmpty(regex)).toBe(true);
});

test.each([
  'x',
  '.',
  '.+',
  'a.*',
  '.*a',
  '(a|b)',
  'a|b|c.*',
  '^x$',
  '[a-z]+',
  '[]a]',
  '[^]a]',
  '[[:alpha:]]',
  '[\\]]',
  '\\d+',
  '\\.',
  '\\pL',
  '\\p{Greek}+',
  '\\x{1F600}',
  '(?i)foo',
  '(?i:x)',
  '(?P<n>a)b*',
  '(?<n>a)',
  'x{2}',
  'x{1,}',
  'x{2}?',
  'x+?',
  'x{,3}',
  '{a}',
  'a}',
  'h1.*:9100',
  '(web|db)-[0-9]+',
  'é',
  '😀',
])('%s needs at least one character', (regex) => {
  expect(mayMatchEmpty(regex)).toBe(false);
});

/** Expressions that mean the same in RE2 and JavaScript, so that the latter can be the judge. */
const regexes = fc.letrec<{ regex: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', '.', '\\d', '[ab]', '[^a]', '\\.', '^', '$', '\\b', 'é', '\\x41', '[\\]a]'),
    fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('regex')).map(([open, inner]) => `${open}${inner})`),
  ),
  regex: fc
    .array(
      fc.array(
        fc.tuple(tie('piece'), fc.constantFrom('', '', '*', '+', '?', '{0}', '{2}', '{0,2}', '{1,}', '*?', '+?', '??')),
        { maxLength: 3 },
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((branches) => branches.map((pieces) => pieces.flat().join('')).join('|')),
})).regex;

test('no expression that matches the empty text is ever held to need a character', () => {
  let decided = 0;
  fc.assert(
    fc.property(regexes, (regex) => {
      let judge: RegExp;
      try {
        judge = new RegExp(`^(?:${regex})$`, 'u');
      } catch {
        return; // not JavaScript: a repeated assertion or a group's name twice
      }
      const empty = judge.test('');
      if (!mayMatchEmpty(regex)) {
        decided++;
        expect(empty).toBe(false);
      }
    }),
    { numRuns: 3000 },
  );
  expect(decided).toBeGreaterThan(100);
});
