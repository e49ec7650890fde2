import { expect, test } from 'vitest';
import { formatMatcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { isWide, matcherWarnings, needsLabel } from '../../../src/features/alerts/matching.ts';

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
])('warns about %j: %j', async (matchers, warnings) => {
  expect(await matcherWarnings(matchers)).toEqual(warnings);
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
])('%j needs its label: %s', async (of, needs) => {
  expect(await needsLabel(of), formatMatcher(of)).toBe(needs);
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
])('%j requires a definite value: %s', async (of, definite) => {
  expect(await isWide([of]), formatMatcher(of)).toBe(!definite);
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
  '[A-Za-z0-9].*',
])('%s matches every value', async (regex) => {
  expect(await isWide([matcher('a', '=~', regex)])).toBe(true);
});

test.each(['x', 'x+', '.{2,}', '..+', '.+.+', 'x.*', '.*x', '[a-z]+', '[^a]+', '\\S+', '.*x?y'])(
  '%s does not match every value',
  async (regex) => {
    expect(await isWide([matcher('a', '=~', regex)])).toBe(false);
  },
);

test.each(['', '.*', 'x*', 'x||y', '^$', '(?i)x*', '\\pL*', '[[:alpha:]]*', '\\Q\\E', '(?!x)y', '(x', '*x'])(
  '%s may match the empty text',
  async (regex) => {
    expect(await needsLabel(matcher('a', '=~', regex))).toBe(false);
  },
);

test.each(['x', '.', '.+', '(a|b)', '^x$', '[]a]', '[[:alpha:]]', '\\x{1F600}', '(?i)foo', 'x{1,}', 'h1.*:9100', '😀'])(
  '%s needs at least one character',
  async (regex) => {
    expect(await needsLabel(matcher('a', '=~', regex))).toBe(true);
  },
);
