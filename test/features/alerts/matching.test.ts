import { expect, it } from 'vitest';
import { formatMatcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { isWide, needsLabel } from '../../../src/features/alerts/matching.ts';

it.each([
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

it.each([
  [matcher('team', '=', 'a'), true],
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

it.each([
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

it.each(['x', 'x+', '.{2,}', '..+', '.+.+', 'x.*', '.*x', '[a-z]+', '[^a]+', '\\S+', '.*x?y'])(
  '%s does not match every value',
  async (regex) => {
    expect(await isWide([matcher('a', '=~', regex)])).toBe(false);
  },
);

it.each(['', '.*', 'x*', 'x||y', '^$', '(?i)x*', '\\pL*', '[[:alpha:]]*', '\\Q\\E', '(?!x)y', '(x', '*x'])(
  '%s may match the empty text',
  async (regex) => {
    expect(await needsLabel(matcher('a', '=~', regex))).toBe(false);
  },
);

it.each(['x', '.', '.+', '(a|b)', '^x$', '[]a]', '[[:alpha:]]', '\\x{1F600}', '(?i)foo', 'x{1,}', 'h1.*:9100', '😀'])(
  '%s needs at least one character',
  async (regex) => {
    expect(await needsLabel(matcher('a', '=~', regex))).toBe(true);
  },
);
