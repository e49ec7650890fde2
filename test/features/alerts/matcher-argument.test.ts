import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { formatMatcher, type Matcher, matcher, type Operator } from '../../../src/features/alerts/matcher.ts';
import { parseMatcherArguments } from '../../../src/features/alerts/matcher-arguments.ts';
import { refusalOf } from '../../support/refusal.ts';
import { argumentsOf, spellingsIn } from '../../support/shell-arguments.ts';

const refusal = (args: readonly string[]) => refusalOf(() => parseMatcherArguments(args));

/** What is accepted, and the matcher that it means. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'foo=bar': 'foo="bar"',
  ' foo = bar ': 'foo="bar"',
  'foo=bar baz': 'foo="bar baz"',
  'foo=': 'foo=""',
  'foo!=bar': 'foo!="bar"',
  'foo=~bar|baz': 'foo=~"bar|baz"',
  'foo!~"b.r"': 'foo!~"b.r"',
  'foo-bar=baz': '"foo-bar"="baz"',
  '"foo bar"="baz"': '"foo bar"="baz"',
  'foo="b\\"ar"': 'foo="b\\"ar"',
  'foo="a\\tb"': 'foo="a\\\\tb"',
  'foo="\\u0041"': 'foo="\\\\u0041"',
  'foo=~"\\d+"': 'foo=~"\\\\d+"',
  'foo=~"\\\\d+"': 'foo=~"\\\\d+"',
  'foo=~"(?!x)a"': 'foo=~"(?!x)a"',
  'foo="=bar"': 'foo="=bar"',
  'foo="\'bar\'"': 'foo="\'bar\'"',
  'foo="{x}"': 'foo="{x}"',
  'foo="bar,bar=baz"': 'foo="bar,bar=baz"',
  '"[foo"="bar]"': '"[foo"="bar]"',
};

const NO_OPERATOR = 'needs an operator (= != =~ !~)';
const NOT_PLAIN = 'is not one plain matcher';
const SEVERAL = 'has several matchers, which must be separate arguments';
const PATTERN = 'may be a regular expression or several values';
const NO_LIST = 'is not a list of matchers';
/** What is shown where svc does not know what was meant. */
const EXAMPLE = 'name="value"';

/** What is refused, with the reason and the spellings of what may be meant. */
const REFUSED: readonly (readonly [args: readonly string[], why: string, ...spellings: readonly string[]])[] = [
  // The name of an alert is a bare word, and the first of all.
  [['x=y', 'foo'], NO_OPERATOR, EXAMPLE],
  [['foo,bar'], NO_OPERATOR, EXAMPLE],
  [['"foo"'], NO_OPERATOR, EXAMPLE],
  [['(foo)'], NO_OPERATOR, EXAMPLE],
  [[''], NO_OPERATOR, EXAMPLE],
  [['Foo|Bar'], 'may be several names', 'alertname="Foo|Bar"'],
  // The operators of other languages
  [['foo==bar'], NOT_PLAIN, 'foo="bar"', 'foo="=bar"'],
  [['foo!=~bar'], NOT_PLAIN, 'foo!~"bar"', 'foo!="~bar"'],
  [['foo=!bar'], NOT_PLAIN, 'foo!="bar"', 'foo="!bar"'],
  [['foo~=bar'], NOT_PLAIN, 'foo=~"bar"'],
  [['foo= =bar'], NOT_PLAIN, 'foo="=bar"'],
  [['foo>=5'], NOT_PLAIN, '"foo>"="5"'],
  // Quotes that a shell should have taken away
  [["foo='bar'"], NOT_PLAIN, 'foo="bar"', 'foo="\'bar\'"'],
  [["foo=~'a|b'"], NOT_PLAIN, 'foo=~"a|b"', 'foo=~"\'a|b\'"'],
  [['foo=`bar`'], NOT_PLAIN, 'foo="bar"', 'foo="`bar`"'],
  [['foo=“bar”'], NOT_PLAIN, 'foo="bar"', 'foo="“bar”"'],
  [["foo=bar'"], NOT_PLAIN, 'foo="bar"', 'foo="bar\'"'],
  // Several matchers in one argument
  [['foo="bar",'], NOT_PLAIN, 'foo="bar"'],
  [['foo=bar,'], NOT_PLAIN, 'foo="bar"', 'foo="bar,"'],
  [['foo=bar,bar=baz'], SEVERAL, 'foo="bar"', 'bar="baz"', 'foo="bar,bar=baz"'],
  [['foo="bar",bar="baz"'], SEVERAL, 'foo="bar"', 'bar="baz"'],
  [['foo=bar bar=baz'], SEVERAL, 'foo="bar"', 'bar="baz"', 'foo="bar bar=baz"'],
  [['foo=bar && bar!="b z"'], SEVERAL, 'foo="bar"', 'bar!="b z"'],
  [['foo=~\\d+ bar=baz'], SEVERAL, 'foo=~"\\\\d+"', 'bar="baz"', 'foo=~"\\\\d+ bar=baz"'],
  [['foo= bar=baz'], NOT_PLAIN, 'foo="bar=baz"'],
  [['foo bar=baz'], NOT_PLAIN, EXAMPLE],
  [['foo=bar or bar=baz'], NOT_PLAIN, 'foo="bar or bar=baz"'],
  // What the server takes literally, and a person may not mean so
  [['foo=a,b'], NOT_PLAIN, 'foo=~"a|b"', 'foo="a,b"'],
  [['foo!=a.b|c'], PATTERN, 'foo!~"a.b|c"', 'foo!="a.b|c"'],
  [['foo=a or b'], PATTERN, 'foo="a or b"'],
  [['foo=bar and '], PATTERN, 'foo="bar and"'],
  [['foo=a.*'], PATTERN, 'foo=~"a.*"', 'foo="a.*"'],
  [['foo=a-*.b'], PATTERN, 'foo="a-*.b"'],
  [['foo=bar)'], PATTERN, 'foo="bar)"'],
  // Lists, complete or not
  [['{foo}'], NO_LIST, EXAMPLE],
  [['{}'], NO_LIST, EXAMPLE],
  [['{foo="bar"'], NO_LIST, 'foo="bar"'],
  [['{foo="bar"x'], NO_LIST, EXAMPLE],
  [['{a="b",foo=="bar"}'], NO_LIST, 'a="b"', 'foo="bar"'],
  [['{foo="bar",,a="b"}'], NO_LIST, 'foo="bar"', 'a="b"'],
  [['{foo="bar"} {a="b"}'], NO_LIST, 'foo="bar"', 'a="b"'],
  [['up{env="prod"}'], NOT_PLAIN, EXAMPLE],
  [['[foo=bar]'], NOT_PLAIN, 'foo="bar"', '"[foo"="bar]"'],
  // What selects nothing, or everything
  [['foo="a.b"', 'bar=', 'foo=c'], 'cannot have several values', 'foo=~"a\\\\.b|c"'],
  [['foo=~""'], 'has an empty regular expression', 'foo=""'],
  // What no grammar takes
  [['=bar'], NOT_PLAIN, EXAMPLE],
  [['""=bar'], NOT_PLAIN, EXAMPLE],
  [['foo="bar'], NOT_PLAIN, EXAMPLE],
  [['foo=b"ar'], NOT_PLAIN, EXAMPLE],
  [['foo={x}'], NOT_PLAIN, EXAMPLE],
];

it('a matcher has one meaning, in quotes or not', () => {
  const notices: string[] = [];
  const meaning = (text: string) => parseMatcherArguments([text], (notice) => notices.push(notice)).map(formatMatcher);
  expect(Object.fromEntries(Object.keys(ACCEPTED).map((text) => [text, meaning(text).join()]))).toEqual(ACCEPTED);
  expect(notices).toEqual([]);
});

it('what may mean something else is refused with the reason, and with spellings that are accepted', () => {
  for (const [args, why, ...spellings] of REFUSED) {
    const error = refusal(args);
    expect([args, error]).toEqual([args, expect.objectContaining({ code: 'invalid_value', exit: 2 })]);
    expect(error.message).toContain(why);
    const shown = argumentsOf(spellingsIn(error.hint).join(' '));
    expect([args, shown]).toEqual([args, spellings]);
    for (const word of shown) expect(parseMatcherArguments([word]).map(formatMatcher)).toEqual([word]);
  }
});

it('a bare word in the first place is the name of an alert', () => {
  for (const word of ['up', 'job:rate5m', 'node-1.example/a', '2xx', '磁盘已满', '🔥', 'Disk full (/var)', "it's"]) {
    const notices: string[] = [];
    const matchers = parseMatcherArguments([word, 'a=b'], (notice) => notices.push(notice));
    expect(matchers).toEqual([matcher('alertname', '=', word), matcher('a', '=', 'b')]);
    expect(notices).toEqual([`${word} means alertname="${word}"`]);
  }
});

it('a list in one argument means its items', () => {
  const matchers = parseMatcherArguments(['{a="b", c=~"d,e" ,"f g"!="h",}', 'i=j']);
  expect(matchers.map(formatMatcher)).toEqual(['a="b"', 'c=~"d,e"', '"f g"!="h"', 'i="j"']);
});

/** The matchers, or the code of the refusal. */
function reading(args: readonly string[]): readonly Matcher[] | string {
  try {
    return parseMatcherArguments(args);
  } catch (error) {
    if (error instanceof SvcError && error.hint !== undefined) return error.code;
    throw error;
  }
}

it('a long run of spaces is read in linear time', () => {
  for (const begin of ['', 'a', 'a=', 'a="b"x', '=', 'a=b,']) {
    for (const end of ['', 'c', ',']) reading([`${begin}${' '.repeat(500_000)}${end}`]);
  }
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'a=!~"\\,{}[(\'` \n\u00a0é') }),
);
const operators = fc.constantFrom<Operator>('=', '!=', '=~', '!~');
const anyMatcher = fc
  .tuple(texts, operators, texts)
  .map(([name, operator, value]) => matcher(name || 'x', operator, operator.endsWith('~') ? value || '.' : value));

it('name and value in double quotes always mean what they say, alone and in a list', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyMatcher, { minLength: 1, maxLength: 3, selector: ({ name }) => name }), (wanted) => {
      const spelled = wanted.map(formatMatcher);
      expect(parseMatcherArguments(spelled)).toEqual(wanted);
      expect(parseMatcherArguments([`{${spelled.join(', ')}}`])).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});
