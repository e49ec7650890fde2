import { expect, test } from 'vitest';
import {
  formatMatcher,
  formatMatchers,
  matcher,
  matcherFrom,
  sameMatchers,
} from '../../../src/features/alerts/matcher.ts';

test.each([
  [matcher('alertname', '=', 'Up'), 'alertname="Up"'],
  [matcher('a:b_1', '!=', ''), 'a:b_1!=""'],
  [matcher('path', '=~', '\\d+"x"\n'), 'path=~"\\\\d+\\"x\\"\\n"'],
  [matcher('foo-bar', '!~', 'a\tb'), '"foo-bar"!~"a\tb"'],
  [matcher('say "hi"', '=', 'x'), '"say \\"hi\\""="x"'],
  [matcher('1st', '=', 'x'), '"1st"="x"'],
])('%j is written %s', (of, text) => {
  expect(formatMatcher(of)).toBe(text);
});

test('several are written as one list', () => {
  expect(formatMatchers([matcher('a', '=', 'b'), matcher('c', '=~', 'd|e')])).toBe('{a="b",c=~"d|e"}');
});

test.each([undefined, null, true])('isEqual %s of the service is true', (isEqual) => {
  expect(matcherFrom({ name: 'a', value: 'b', isRegex: false, isEqual })).toEqual(matcher('a', '=', 'b'));
});

test('isEqual false and unknown fields of the service', () => {
  const wire = { name: 'a', value: 'b', isRegex: true, isEqual: false, added: 1 };
  expect(matcherFrom(wire)).toEqual(matcher('a', '!~', 'b'));
});

test('order and repetition do not make matchers different, anything else does', () => {
  const [a, b] = [matcher('a', '=', 'x'), matcher('b', '=', 'y')];
  expect(sameMatchers([a, b], [b, a])).toBe(true);
  expect(sameMatchers([a, b], [b, a, b])).toBe(true);
  expect(sameMatchers([a], [a, b])).toBe(false);
  expect(sameMatchers([a, b], [a])).toBe(false);
  expect(sameMatchers([a], [matcher('a', '=~', 'x')])).toBe(false);
  expect(sameMatchers([a], [matcher('a', '!=', 'x')])).toBe(false);
  expect(sameMatchers([], [])).toBe(true);
});
