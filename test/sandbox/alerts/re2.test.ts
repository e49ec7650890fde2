import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRe2 } from '../../../src/sandbox/alerts/re2.ts';

function matches(pattern: string, text: string): boolean {
  const expression = compileRe2(`^(?:${pattern})$`);
  if (typeof expression === 'string') throw new Error(expression);
  return expression.test(text);
}

describe('RE2 expressions', () => {
  // What JavaScript would read differently, or not at all.
  test.each([
    ['(?i)aB', 'Ab', true],
    ['a(?i)b', 'AB', false],
    ['a(?i:b)c', 'aBc', true],
    ['a(?i:b)c', 'aBC', false],
    ['(?i)[a-c]+', 'AbC', true],
    ['(?i)a(?-i)b', 'AB', false],
    ['(a(?i)b|c)d', 'aBd', true],
    ['(a(?i)b|c)d', 'aBD', false],
    ['(?P<x>a)(?P<x>b)', 'ab', true],
    ['\\Qa.b\\E+', 'a.bb', true],
    ['\\Qa.b\\E', 'axb', false],
    ['.', '\r', true],
    ['.', '\n', false],
    ['(?s).', '\n', true],
    ['(?m)a$\\n^b', 'a\nb', true],
    ['a$\\n^b', 'a\nb', false],
    ['\\Aa\\z', 'a', true],
    ['\\s', '\v', false],
    ['[\\s\\v]', '\v', true],
    ['\\s', '\u00a0', false],
    ['\\S', '\u00a0', true],
    ['[^\\S]', ' ', true],
    ['[[:word:]-]+', 'a-_9', true],
    ['[[:^alpha:]]', '1', true],
    ['[]a]+', ']a', true],
    ['[^]a]', 'b', true],
    ['[\\d-z]+', '1-z', true],
    ['\\pN', '٣', true],
    ['\\p{Greek}+', 'αβγ', true],
    ['[^\\p{^Greek}]', 'α', true],
    ['\\x{1F600}', '😀', true],
    ['.', '😀', true],
    ['\\101', 'A', true],
    ['\\07', '\x07', true],
    ['a{,2}', 'a{,2}', true],
    ['{', '{', true],
    ['x{2}?', 'xx', true],
    ['^*a', 'a', true],
    ['a|', '', true],
    ['()', '', true],
    ['(?U)a+?', 'aaa', true],
    ['\\-\\_\\/', '-_/', true],
    ['a/b', 'a/b', true],
    ['&&', '&&', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ['(?<n>a)', 'invalid or unsupported Perl syntax: `(?<`'],
    ['(?>a)', 'invalid or unsupported Perl syntax: `(?>`'],
    ['(?i-)a', 'invalid or unsupported Perl syntax: `(?i-)`'],
    ['(?P=n)', 'invalid or unsupported Perl syntax: `(?P`'],
    ['(?P<>a)', 'invalid named capture: `(?P<>`'],
    ['(?P<n', 'invalid named capture: `(?P<n`'],
    ['\\C', 'invalid escape sequence: `\\C`'],
    ['\\é', 'invalid escape sequence: `\\é`'],
    ['\\xZ', 'invalid escape sequence: `\\xZ`'],
    ['[\\1]', 'invalid escape sequence: `\\1`'],
    ['[a-\\d]', 'invalid escape sequence: `\\d`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['a*+', 'invalid nested repetition operator: `*+`'],
    ['x{1}{2}', 'invalid nested repetition operator: `{1}{2}`'],
    ['(*)', 'missing argument to repetition operator: `*`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['a)b', 'unexpected ): `a)b`'],
    ['((a)', 'missing closing ): `((a)`'],
  ])('%s is refused', (pattern, complaint) => {
    expect(compileRe2(pattern)).toBe(`error parsing regexp: ${complaint}`);
  });

  test('every text is an expression or a complaint of RE2, never of JavaScript', () => {
    const part = fc.oneof(
      fc.constantFrom(...'()[]{}*+?|^$.\\-,:<>=!PpQEdDsSwWbBzAxiU09a&~é', '(?', '(?i)', '[[:alpha:]]', '\\p{', '{2}'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const result = compileRe2(parts.join(''));
        if (typeof result === 'string') expect(result).not.toContain('Invalid regular expression');
      }),
      { numRuns: 1000 },
    );
  });

  test('quoted text matches itself alone', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(text, text, (wanted, other) => {
        const quoted = wanted.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
        expect(matches(quoted, wanted)).toBe(true);
        expect(matches(quoted, other)).toBe(wanted === other);
        expect(
          matches(
            `(?i)${quoted}`,
            wanted.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
          ),
        ).toBe(true);
      }),
    );
  });
});
