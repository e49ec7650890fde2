import { type Matcher, matcher, type Operator } from '../../../src/features/alerts/matcher.ts';

export const refused = 'refused';
export type Result = Matcher | typeof refused;

const m = (name: string, operator: Operator, value: string): Matcher => matcher(name, operator, value);

/** Input, then what the classic grammar, the UTF-8 grammar and the fallback make of it. */
export const GRAMMAR_TABLE: readonly (readonly [input: string, classic: Result, utf8: Result, fallback: Result])[] = [
  ['foo=bar', m('foo', '=', 'bar'), m('foo', '=', 'bar'), m('foo', '=', 'bar')],
  ['foo!=bar', m('foo', '!=', 'bar'), m('foo', '!=', 'bar'), m('foo', '!=', 'bar')],
  ['foo=~bar', m('foo', '=~', 'bar'), m('foo', '=~', 'bar'), m('foo', '=~', 'bar')],
  ['foo!~bar', m('foo', '!~', 'bar'), m('foo', '!~', 'bar'), m('foo', '!~', 'bar')],
  [' foo = bar ', m('foo', '=', 'bar'), m('foo', '=', 'bar'), m('foo', '=', 'bar')],
  ['foo=bar baz', m('foo', '=', 'bar baz'), refused, m('foo', '=', 'bar baz')],
  ['foo=', m('foo', '=', ''), refused, m('foo', '=', '')],
  ['foo=""', m('foo', '=', ''), m('foo', '=', ''), m('foo', '=', '')],
  ['foo', refused, refused, refused],
  ['', refused, refused, refused],
  ['=bar', refused, refused, refused],
  ['foo-bar=baz', refused, m('foo-bar', '=', 'baz'), m('foo-bar', '=', 'baz')],
  ['"foo bar"="baz"', refused, m('foo bar', '=', 'baz'), m('foo bar', '=', 'baz')],
  ["foo='bar'", m('foo', '=', "'bar'"), refused, m('foo', '=', "'bar'")],
  ['foo==bar', m('foo', '=', '=bar'), refused, m('foo', '=', '=bar')],
  ['foo!=~bar', m('foo', '!=', '~bar'), refused, m('foo', '!=', '~bar')],
  ['foo="bar', refused, refused, refused],
  ['foo="bar\\', refused, refused, refused],
  ['foo=bar"', refused, refused, refused],
  ['foo="b"ar"', refused, refused, refused],
  ['foo="b\\"ar"', m('foo', '=', 'b"ar'), m('foo', '=', 'b"ar'), m('foo', '=', 'b"ar')],
  ['foo=b\\"ar', m('foo', '=', 'b"ar'), refused, m('foo', '=', 'b"ar')],
  ['foo="a\\nb"', m('foo', '=', 'a\nb'), m('foo', '=', 'a\nb'), m('foo', '=', 'a\nb')],
  ['foo="a\nb"', m('foo', '=', 'a\nb'), refused, m('foo', '=', 'a\nb')],
  ['foo="a\\tb"', m('foo', '=', 'a\\tb'), m('foo', '=', 'a\tb'), m('foo', '=', 'a\\tb')],
  ['foo="\\u0041"', m('foo', '=', '\\u0041'), m('foo', '=', 'A'), m('foo', '=', '\\u0041')],
  ['foo=~"\\d+"', m('foo', '=~', '\\d+'), refused, m('foo', '=~', '\\d+')],
  ['foo=~"\\\\d+"', m('foo', '=~', '\\d+'), m('foo', '=~', '\\d+'), m('foo', '=~', '\\d+')],
  ['foo=a\\', m('foo', '=', 'a\\'), refused, m('foo', '=', 'a\\')],
  ['foo=a,b', m('foo', '=', 'a,b'), refused, m('foo', '=', 'a,b')],
  ['foo={x}', m('foo', '=', '{x}'), refused, refused],
  ['foo="bar",', refused, m('foo', '=', 'bar'), m('foo', '=', 'bar')],
  ['foo=bar,', m('foo', '=', 'bar,'), m('foo', '=', 'bar'), m('foo', '=', 'bar,')],
  ['foo=bar,,', m('foo', '=', 'bar,,'), refused, m('foo', '=', 'bar,,')],
  ['foo=bar,bar=baz', m('foo', '=', 'bar,bar=baz'), refused, m('foo', '=', 'bar,bar=baz')],
  ['{foo="bar"}', refused, refused, refused],
  [' {foo="bar"} ', refused, m('foo', '=', 'bar'), m('foo', '=', 'bar')],
  [' {foo="bar",} ', refused, m('foo', '=', 'bar'), m('foo', '=', 'bar')],
  [' {foo="bar" ', refused, refused, refused],
  ['foo="bar"} ', refused, refused, refused],
  [' {} ', refused, refused, refused],
  [' {foo="bar"}x', refused, refused, refused],
  // Whether a regular expression is valid is the server's to say: it takes RE2, which is not JavaScript's.
  ['foo=~"(?!x)a"', m('foo', '=~', '(?!x)a'), m('foo', '=~', '(?!x)a'), m('foo', '=~', '(?!x)a')],
  ['foo=~"(?P<n>a)"', m('foo', '=~', '(?P<n>a)'), m('foo', '=~', '(?P<n>a)'), m('foo', '=~', '(?P<n>a)')],
  ['[foo=bar]', refused, m('[foo', '=', 'bar]'), m('[foo', '=', 'bar]')],
  ['é=x', refused, m('é', '=', 'x'), m('é', '=', 'x')],
  ['a:b=x', m('a:b', '=', 'x'), m('a:b', '=', 'x'), m('a:b', '=', 'x')],
  // A space beyond ASCII surrounds a token only in the UTF-8 grammar.
  ['foo=bar\u00a0', m('foo', '=', 'bar\u00a0'), m('foo', '=', 'bar'), m('foo', '=', 'bar\u00a0')],
  ['foo=bar\u0085', m('foo', '=', 'bar\u0085'), m('foo', '=', 'bar'), m('foo', '=', 'bar\u0085')],
  // Neither treats a byte order mark as a space.
  ['foo=\ufeffbar', m('foo', '=', '\ufeffbar'), m('foo', '=', '\ufeffbar'), m('foo', '=', '\ufeffbar')],
  ['\ufefffoo=bar', refused, m('\ufefffoo', '=', 'bar'), m('\ufefffoo', '=', 'bar')],
];
