import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { formatMatcher, matcher, type Operator } from '../../../src/features/alerts/matcher.ts';
import { parseMatcherArguments } from '../../../src/features/alerts/matcher-arguments.ts';
import { refusalOf } from '../../support/refusal.ts';
import { argumentsOf, spellingsIn } from '../../support/shell-arguments.ts';

const refusal = (args: readonly string[]) => refusalOf(() => parseMatcherArguments(args));

test.each([
  ['foo=bar', 'foo="bar"'],
  [' foo = bar ', 'foo="bar"'],
  ['foo=bar baz', 'foo="bar baz"'],
  ['foo=', 'foo=""'],
  ['foo!=bar', 'foo!="bar"'],
  ['foo=~bar|baz', 'foo=~"bar|baz"'],
  ['foo!~"b.r"', 'foo!~"b.r"'],
  ['foo-bar=baz', '"foo-bar"="baz"'],
  ['"foo bar"="baz"', '"foo bar"="baz"'],
  ['foo="b\\"ar"', 'foo="b\\"ar"'],
  ['foo="a\\tb"', 'foo="a\\\\tb"'],
  ['foo="\\u0041"', 'foo="\\\\u0041"'],
  ['foo=~"\\d+"', 'foo=~"\\\\d+"'],
  ['foo=~"\\\\d+"', 'foo=~"\\\\d+"'],
  ['foo=~"(?!x)a"', 'foo=~"(?!x)a"'],
  ['foo=~"(?P<n>a)"', 'foo=~"(?P<n>a)"'],
  ['foo="=bar"', 'foo="=bar"'],
  ['foo="~bar"', 'foo="~bar"'],
  ['foo="\'bar\'"', 'foo="\'bar\'"'],
  ['foo="{x}"', 'foo="{x}"'],
  ['foo="bar,"', 'foo="bar,"'],
  ['foo="bar,bar=baz"', 'foo="bar,bar=baz"'],
  ['"[foo"="bar]"', '"[foo"="bar]"'],
])('%s is %s', (text, canonical) => {
  const notices: string[] = [];
  const matchers = parseMatcherArguments([text], (notice) => notices.push(notice));
  expect([matchers.map(formatMatcher), notices]).toEqual([[canonical], []]);
});

describe.each([
  // (1) a bare word is an alert's name only in the first place
  [['x=y', 'foo'], 'has no operator', ['alertname="foo"']],
  [['foo,bar'], 'has no operator', ['alertname=~"foo|bar"', 'alertname="foo,bar"']],
  [['"foo"'], 'has no operator', ['alertname="foo"']],
  [['{foo}'], 'has no operator', ['alertname="foo"']],
  [['(foo)'], 'has no operator', ['alertname="(foo)"']],
  // (2) operators of other languages
  [['foo==bar'], '== is not an operator', ['foo="bar"', 'foo="=bar"']],
  [['foo!=~bar'], '!=~ is not an operator', ['foo!~"bar"', 'foo!="~bar"']],
  [['foo=!bar'], '=! is not an operator', ['foo!="bar"', 'foo="!bar"']],
  [['foo~=bar'], '~= is not an operator', ['foo=~"bar"']],
  [['foo= =bar'], '= = is not an operator', ['foo="bar"', 'foo="=bar"']],
  [['foo= ~bar'], '= ~ is not an operator', ['foo=~"bar"', 'foo="~bar"']],
  [['{a="b",foo=="bar"}'], '== is not an operator', ['foo="bar"']],
  // (3) quotes that a shell should have taken away
  [["foo='bar'"], 'single quotes', ['foo="bar"', `foo="'bar'"`]],
  [["foo=~'a|b'"], 'single quotes', ['foo=~"a|b"', `foo=~"'a|b'"`]],
  [['foo=`bar`'], 'single quotes', ['foo="bar"', 'foo="`bar`"']],
  // (4) several matchers in one argument
  [['foo="bar",'], 'ends with a comma', ['foo="bar"']],
  [['foo=bar,'], 'ends with a comma', ['foo="bar"', 'foo="bar,"']],
  [['foo=bar,bar=baz'], 'several matchers', ['foo="bar"', 'bar="baz"', 'foo="bar,bar=baz"']],
  [['foo="bar",bar="baz"'], 'several matchers', ['foo="bar"', 'bar="baz"']],
  [['foo=bar bar=baz'], 'several matchers', ['foo="bar"', 'bar="baz"', 'foo="bar bar=baz"']],
  [['foo=bar;bar=baz'], 'several matchers', ['foo="bar"', 'bar="baz"', 'foo="bar;bar=baz"']],
  [['foo=bar && bar!="b z"'], 'several matchers', ['foo="bar"', 'bar!="b z"']],
  [['foo= bar=baz'], 'several matchers', ['foo=""', 'bar="baz"', 'foo="bar=baz"']],
  [['foo=x|y bar=baz'], 'several matchers', ['foo=x|y', 'bar="baz"', 'foo="x|y bar=baz"']],
  [['foo bar=baz'], 'several matchers', ['alertname="foo"', 'bar="baz"']],
  [['foo=bar or foo=baz'], 'can only be joined by "and"', ['foo=~"bar|baz"', 'foo="bar or foo=baz"']],
  [['foo=bar or bar=baz'], 'can only be joined by "and"', ['foo="bar or bar=baz"']],
  [['foo=~\\d+ bar=baz'], 'several matchers', ['foo=~"\\\\d+"', 'bar="baz"', 'foo=~"\\\\d+ bar=baz"']],
  // what the server takes literally, and a person may not mean so
  [['foo=a,b'], 'several values', ['foo=~"a|b"', 'foo="a,b"']],
  [['foo!=a.b|c'], 'several values', ['foo!~"a\\\\.b|c"', 'foo!="a.b|c"']],
  [['foo=a or b'], 'several values', ['foo=~"a|b"', 'foo="a or b"']],
  [['foo=~a,b'], 'several values', ['foo=~"a|b"', 'foo=~"a,b"']],
  [['foo=a.*'], 'a regular expression', ['foo=~"a.*"', 'foo="a.*"']],
  [['foo=a-*.b'], '* needs', ['foo=~"a-.*\\\\.b"', 'foo="a-*.b"']],
  [['Foo|Bar'], 'several values', ['alertname=~"Foo|Bar"', 'alertname="Foo|Bar"']],
  [['foo=“bar”'], 'single quotes', ['foo="bar"', 'foo="“bar”"']],
  // (5) lists, whole
  [['{foo="bar"'], 'the list is not closed', ['foo="bar"']],
  [['{}'], 'the list is empty', ['name="value"']],
  [['{foo="bar",,a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar" a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar"} {a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar"} a="b"'], 'the list is not closed', ['foo="bar"', 'a="b"']],
  [['up{env="prod"}'], 'a name before a list', ['alertname="up"', 'env="prod"']],
  // (6) brackets
  [['[foo=bar]'], 'brackets around a matcher', ['foo="bar"', '"[foo"="bar]"']],
  [['(foo="bar")'], 'brackets around a matcher', ['foo="bar"']],
  // what no grammar takes
  [[''], 'is empty', ['name="value"']],
  [['=bar'], 'has no label name', ['name="value"']],
  [['""=bar'], 'has no label name', ['name="value"']],
  [['foo="bar'], 'needs double quotes', ['foo="bar"']],
  [['foo=b"ar'], 'needs double quotes', ['foo="b\\"ar"']],
  [['foo={x}'], 'needs double quotes', ['foo="{x}"']],
  [['foo=~a{2}'], 'needs double quotes', ['foo=~"a{2}"']],
  [['foo=bar and '], 'has text after', ['foo="bar"', 'foo="bar and"']],
  [["foo=bar'"], 'unmatched', [`foo="bar'"`]],
  [['foo=bar)'], 'unmatched', ['foo="bar)"']],
  [['foo*=bar'], 'needs double quotes', ['"foo*"="bar"']],
  [['foo>=5'], 'needs double quotes', ['"foo>"="5"']],
  [['foo="bar" baz'], 'has text after its value', ['name="value"']],
])('%j', (args, why, spellings) => {
  test('is refused with the reason', () => {
    const error = refusal(args);
    expect(error).toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(error.message).toContain(why);
  });
  test('suggests possible spellings, each of which is accepted', () => {
    const shown = argumentsOf(spellingsIn(refusal(args).hint).join(' '));
    expect(shown).toEqual(spellings);
    for (const word of shown.filter((one) => one.includes('"'))) {
      const matchers = parseMatcherArguments([word]);
      expect(matchers.map(formatMatcher)).toEqual([word]);
    }
  });
});

test.each([
  'up',
  'Node_Down',
  'job:rate5m',
  'node-1.example/a',
  '_x',
  'Ünïcode',
  '磁盘已满',
  '🔥',
  '2xx',
  'Disk full (/var)',
  "it's",
])('a leading bare text %s is an alert name', (word) => {
  const notices: string[] = [];
  const matchers = parseMatcherArguments([word, 'a=b'], (notice) => notices.push(notice));
  expect(matchers).toEqual([matcher('alertname', '=', word), matcher('a', '=', 'b')]);
  expect(notices).toEqual([`${word} taken as alertname="${word}"`]);
});

test('a list in one argument means its items', () => {
  const matchers = parseMatcherArguments(['{a="b", c=~"d,e" ,"f g"!="h",}', 'i=j']);
  expect(matchers.map(formatMatcher)).toEqual(['a="b"', 'c=~"d,e"', '"f g"!="h"', 'i="j"']);
});

test.each(['', 'a', 'a=', 'a="b"x', '=', 'a=b,'])('reads a long run of spaces after %j in linear time', (begin) => {
  for (const end of ['', 'c', ',']) {
    try {
      parseMatcherArguments([`${begin}${' '.repeat(500_000)}${end}`]);
    } catch (error) {
      expect(error).toBeInstanceOf(SvcError);
    }
  }
});

test('no argument means no matcher', () => {
  expect(parseMatcherArguments([])).toEqual([]);
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'a=!~"\\,{}[(\'` \n\u00a0é') }),
);
const operators = fc.constantFrom<Operator>('=', '!=', '=~', '!~');

test('name and value in double quotes always mean what they say, alone and in a list', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, operators, texts), { minLength: 1, maxLength: 3 }), (parts) => {
      const wanted = parts.map(([name, operator, value]) => matcher(name || 'x', operator, value));
      const spelled = wanted.map(formatMatcher);
      expect(parseMatcherArguments(spelled)).toEqual(wanted);
      expect(parseMatcherArguments([`{${spelled.join(', ')}}`])).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});

test('accepts any argument or refuses it with exit 2', () => {
  const garbage = fc.string({ unit: fc.constantFrom(...'ab=!~"\\,{}[(\'` \n'), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(garbage, { minLength: 1, maxLength: 2 }), (args) => {
      try {
        const matchers = parseMatcherArguments(args);
        expect(matchers.every(({ name }) => name !== '')).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_value', hint: expect.any(String) });
      }
    }),
    { numRuns: 2000 },
  );
});
