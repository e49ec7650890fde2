import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { formatMatcher, matcher, type Operator } from '../../../src/features/alerts/matcher.ts';
import { parseMatcherArguments } from '../../../src/features/alerts/matcher-arguments.ts';
import { refusalOf } from '../../support/refusal.ts';
import { argumentsOf, spellingsIn } from '../../support/shell-arguments.ts';

const refusal = (args: readonly string[]) => refusalOf(() => parseMatcherArguments(args));

it.each([
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
  [['x=y', 'foo'], 'needs an operator (= != =~ !~)', ['name="value"']],
  [['foo,bar'], 'needs an operator (= != =~ !~)', ['name="value"']],
  [['"foo"'], 'needs an operator (= != =~ !~)', ['name="value"']],
  [['{foo}'], 'is not a list', ['name="value"']],
  [['(foo)'], 'needs an operator (= != =~ !~)', ['name="value"']],
  // (2) operators of other languages
  [['foo==bar'], 'is not one plain matcher', ['foo="bar"', 'foo="=bar"']],
  [['foo!=~bar'], 'is not one plain matcher', ['foo!~"bar"', 'foo!="~bar"']],
  [['foo=!bar'], 'is not one plain matcher', ['foo!="bar"', 'foo="!bar"']],
  [['foo~=bar'], 'is not one plain matcher', ['foo=~"bar"']],
  [['foo= =bar'], 'is not one plain matcher', ['foo="=bar"']],
  [['foo= ~bar'], 'is not one plain matcher', ['foo="~bar"']],
  [['{a="b",foo=="bar"}'], 'is not a list', ['a="b"', 'foo="bar"']],
  // (3) quotes that a shell should have taken away
  [[`foo='bar'`], 'is not one plain matcher', ['foo="bar"', `foo="'bar'"`]],
  [[`foo=~'a|b'`], 'is not one plain matcher', ['foo=~"a|b"', `foo=~"'a|b'"`]],
  [['foo=`bar`'], 'is not one plain matcher', ['foo="bar"', 'foo="`bar`"']],
  // (4) several matchers in one argument
  [['foo="bar",'], 'is not one plain matcher', ['foo="bar"']],
  [['foo=bar,'], 'is not one plain matcher', ['foo="bar"', 'foo="bar,"']],
  [
    ['foo=bar,bar=baz'],
    'has several matchers, which must be separate arguments',
    ['foo="bar"', 'bar="baz"', 'foo="bar,bar=baz"'],
  ],
  [['foo="bar",bar="baz"'], 'has several matchers, which must be separate arguments', ['foo="bar"', 'bar="baz"']],
  [
    ['foo=bar bar=baz'],
    'has several matchers, which must be separate arguments',
    ['foo="bar"', 'bar="baz"', 'foo="bar bar=baz"'],
  ],
  [
    ['foo=bar;bar=baz'],
    'has several matchers, which must be separate arguments',
    ['foo="bar"', 'bar="baz"', 'foo="bar;bar=baz"'],
  ],
  [['foo=bar && bar!="b z"'], 'has several matchers, which must be separate arguments', ['foo="bar"', 'bar!="b z"']],
  [['foo= bar=baz'], 'is not one plain matcher', ['foo="bar=baz"']],
  [['foo=x|y bar=baz'], 'is not one plain matcher', ['foo="x|y bar=baz"']],
  [['foo bar=baz'], 'is not one plain matcher', ['name="value"']],
  [['foo=bar or foo=baz'], 'is not one plain matcher', ['foo="bar or foo=baz"']],
  [['foo=bar or bar=baz'], 'is not one plain matcher', ['foo="bar or bar=baz"']],
  [
    ['foo=~\\d+ bar=baz'],
    'has several matchers, which must be separate arguments',
    ['foo=~"\\\\d+"', 'bar="baz"', 'foo=~"\\\\d+ bar=baz"'],
  ],
  // what the server takes literally, and a person may not mean so
  [['foo=a,b'], 'is not one plain matcher', ['foo=~"a|b"', 'foo="a,b"']],
  [['foo!=a.b|c'], 'may be a regular expression or several values', ['foo!~"a.b|c"', 'foo!="a.b|c"']],
  [['foo=a or b'], 'may be a regular expression or several values', ['foo="a or b"']],
  [['foo=~a,b'], 'is not one plain matcher', ['foo=~"a|b"', 'foo=~"a,b"']],
  [['foo=a.*'], 'may be a regular expression or several values', ['foo=~"a.*"', 'foo="a.*"']],
  [['foo=a-*.b'], 'may be a regular expression or several values', ['foo="a-*.b"']],
  [['Foo|Bar'], 'may be several names', ['alertname="Foo|Bar"']],
  [['foo=“bar”'], 'is not one plain matcher', ['foo="bar"', 'foo="“bar”"']],
  // (5) lists, whole
  [['{foo="bar"'], 'is not a list of matchers', ['foo="bar"']],
  [['{}'], 'is not a list of matchers', ['name="value"']],
  [['{foo="bar",,a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar" a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar"} {a="b"}'], 'is not a list', ['foo="bar"', 'a="b"']],
  [['{foo="bar"} a="b"'], 'is not a list of matchers', ['foo="bar"', 'a="b"']],
  [['up{env="prod"}'], 'is not one plain matcher', ['name="value"']],
  // (6) brackets
  [['[foo=bar]'], 'is not one plain matcher', ['foo="bar"', '"[foo"="bar]"']],
  [['(foo="bar")'], 'is not one plain matcher', ['foo="bar"']],
  // what no grammar takes
  [[''], 'needs an operator (= != =~ !~)', ['name="value"']],
  [['=bar'], 'is not one plain matcher', ['name="value"']],
  [['""=bar'], 'is not one plain matcher', ['name="value"']],
  [['foo="bar'], 'is not one plain matcher', ['name="value"']],
  [['foo=b"ar'], 'is not one plain matcher', ['name="value"']],
  [['foo={x}'], 'is not one plain matcher', ['name="value"']],
  [['foo=~a{2}'], 'is not one plain matcher', ['name="value"']],
  [['foo=bar and '], 'may be a regular expression or several values', ['foo="bar and"']],
  [[`foo=bar'`], 'is not one plain matcher', ['foo="bar"', `foo="bar'"`]],
  [['foo=bar)'], 'may be a regular expression or several values', ['foo="bar)"']],
  [['foo*=bar'], 'is not one plain matcher', ['"foo*"="bar"']],
  [['foo>=5'], 'is not one plain matcher', ['"foo>"="5"']],
  [['foo="bar" baz'], 'is not one plain matcher', ['name="value"']],
])('%j', (args, why, spellings) => {
  it('is refused with the reason', () => {
    const error = refusal(args);
    expect(error).toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(error.message).toContain(why);
  });
  it('suggests possible spellings, each of which is accepted', () => {
    const shown = argumentsOf(spellingsIn(refusal(args).hint).join(' '));
    expect(shown).toEqual(spellings);
    for (const word of shown.filter((one) => one.includes('"'))) {
      const matchers = parseMatcherArguments([word]);
      expect(matchers.map(formatMatcher)).toEqual([word]);
    }
  });
});

it.each([
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
  expect(notices).toEqual([`${word} means alertname="${word}"`]);
});

it('a list in one argument means its items', () => {
  const matchers = parseMatcherArguments(['{a="b", c=~"d,e" ,"f g"!="h",}', 'i=j']);
  expect(matchers.map(formatMatcher)).toEqual(['a="b"', 'c=~"d,e"', '"f g"!="h"', 'i="j"']);
});

it.each(['', 'a', 'a=', 'a="b"x', '=', 'a=b,'])('reads a long run of spaces after %j in linear time', (begin) => {
  for (const end of ['', 'c', ',']) {
    try {
      parseMatcherArguments([`${begin}${' '.repeat(500_000)}${end}`]);
    } catch (error) {
      expect(error).toBeInstanceOf(SvcError);
    }
  }
});

it('no argument means no matcher', () => {
  expect(parseMatcherArguments([])).toEqual([]);
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'a=!~"\\,{}[(\'` \n\u00a0é') }),
);
const operators = fc.constantFrom<Operator>('=', '!=', '=~', '!~');

it('name and value in double quotes always mean what they say, alone and in a list', () => {
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

it('accepts any argument or refuses it with exit 2', () => {
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
