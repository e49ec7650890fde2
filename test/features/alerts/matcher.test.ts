import { describe, expect, it } from 'vitest';
import {
  formatMatcher,
  type Matcher,
  matcher,
  matcherFrom,
  sameMatchers,
} from '../../../src/features/alerts/matcher.ts';
import { isWide, labelTest, needsLabel } from '../../../src/features/alerts/matching.ts';

/** The answer for each matcher, by its text. */
async function answers(matchers: readonly Matcher[], ask: (one: Matcher) => unknown): Promise<Record<string, unknown>> {
  const rows = matchers.map(async (one) => [formatMatcher(one), await ask(one)] as const);
  return Object.fromEntries(await Promise.all(rows));
}

const ONE_OF_EACH = [
  matcher('a', '=', 'x'),
  matcher('a', '=', ''),
  matcher('a', '!=', 'x'),
  matcher('a', '!=', ''),
  matcher('a', '!~', 'x'),
];
const regexes = (...values: readonly string[]): Matcher[] => values.map((value) => matcher('a', '=~', value));
const valuesFor = async (matchers: readonly Matcher[], ask: (one: Matcher) => Promise<boolean>, answer: boolean) => {
  const rows = await Promise.all(matchers.map(async (one) => ((await ask(one)) === answer ? [] : [one.value])));
  return rows.flat();
};

describe('a matcher', () => {
  it('is shown in a spelling that every grammar reads in the same way', () => {
    expect(
      [
        matcher('alertname', '=', 'Up'),
        matcher('a:b_1', '!=', ''),
        matcher('path', '=~', '\\d+"x"\n'),
        matcher('foo-bar', '!~', 'a\tb'),
        matcher('say "hi"', '=', 'x'),
        matcher('1st', '=', 'x'),
      ].map(formatMatcher),
    ).toEqual([
      'alertname="Up"',
      'a:b_1!=""',
      'path=~"\\\\d+\\"x\\"\\n"',
      '"foo-bar"!~"a\tb"',
      '"say \\"hi\\""="x"',
      '"1st"="x"',
    ]);
  });

  it('of the service is an equality unless isEqual is false', () => {
    const wire = { name: 'a', value: 'b', isRegex: false };
    for (const isEqual of [undefined, null, true])
      expect(matcherFrom({ ...wire, isEqual })).toEqual(matcher('a', '=', 'b'));
    expect(matcherFrom({ ...wire, isRegex: true, isEqual: false })).toEqual(matcher('a', '!~', 'b'));
  });

  it('needs its label unless it matches the empty text', async () => {
    expect(await answers([...ONE_OF_EACH, matcher('a', '!~', '')], needsLabel)).toEqual({
      'a="x"': true,
      'a=""': false,
      'a!="x"': false,
      'a!=""': true,
      'a!~"x"': false,
      'a!~""': true,
    });
    const optional = regexes('', '.*', 'x*', 'x|', '^$', '(?i)x*', '\\pL*', '[[:alpha:]]*', '\\Q\\E', '(?!x)y', '(x');
    expect(await valuesFor(optional, needsLabel, false)).toEqual([]);
    const required = regexes(
      'x',
      '.+',
      '(a|b)',
      '^x$',
      '[]a]',
      '[[:alpha:]]',
      '\\x{1F600}',
      'x{1,}',
      'h1.*:9100',
      '😀',
    );
    expect(await valuesFor(required, needsLabel, true)).toEqual([]);
  });
});

describe('several matchers', () => {
  it('are the same in any order and however often repeated', () => {
    const [a, b] = [matcher('a', '=', 'x'), matcher('b', '=', 'y')];
    expect([sameMatchers([a, b], [b, a]), sameMatchers([a, b], [b, a, b]), sameMatchers([], [])]).toEqual([
      true,
      true,
      true,
    ]);
    for (const others of [[a, b], [b], [], [matcher('a', '=~', 'x')], [matcher('a', '!=', 'x')]]) {
      expect([others, sameMatchers([a], others), sameMatchers(others, [a])]).toEqual([others, false, false]);
    }
  });

  it('takes a missing label for an empty one', async () => {
    const operators = [
      matcher('a', '=', ''),
      matcher('a', '!=', ''),
      matcher('a', '=~', '.*'),
      matcher('a', '=~', 'x'),
    ];
    const tests = await Promise.all(operators.map((one) => labelTest([one])));
    expect(tests.map((matches) => [matches({}), matches({ a: '' }), matches({ a: 'x' })])).toEqual([
      [true, true, false],
      [false, false, true],
      [true, true, true],
      [false, false, true],
    ]);
  });

  it('have to match all', async () => {
    const matches = await labelTest([matcher('v', '=~', '(?i)db'), matcher('team', '=', 'x')]);
    const labels = [{ team: 'y', v: 'db' }, { team: 'x', v: 'DB' }, { v: 'db' }];
    expect(labels.map(matches)).toEqual([false, true, false]);
  });

  it('are left to the server if an expression is invalid', async () => {
    for (const pattern of ['(a', 'a)', '[a', 'a**', '(?=a)']) {
      await expect(labelTest([matcher('v', '=~', pattern)])).rejects.toThrow(/only the server can tell/);
    }
  });
});

describe('a silence could mute everything', () => {
  const wide = (one: Matcher): Promise<boolean> => isWide([one]);

  it('if no matcher requires a definite value', async () => {
    expect(await answers(ONE_OF_EACH, wide)).toEqual({
      'a="x"': false,
      'a=""': true,
      'a!="x"': true,
      'a!=""': true,
      'a!~"x"': true,
    });
    expect(await isWide([matcher('a', '!=', 'x'), matcher('b', '=', 'y')])).toBe(false);
  });

  it('if its expressions match every name', async () => {
    const every = ['.+', '.*', '..*', '.+?', '.{1,}', '(.+){1}', '(?:.)+', '^.+$', '(?s:.)+', '(?i)x|.+', 'x?.+', 'x|'];
    const classes = ['[\\s\\S]+', '[\\d\\D]*', '[^\\n]+', '\\b.*', '[A-Za-z0-9].*', '(?!x)'];
    expect(await valuesFor(regexes(...every, ...classes), wide, true)).toEqual([]);
    const some = ['x', 'x+', '.{2,}', '..+', 'x.*', '.*x', '[a-z]+', '[^a]+', '\\S+', '.*x?y', 'web-.*', '.+-1|.*x'];
    expect(await valuesFor(regexes(...some), wide, false)).toEqual([]);
  });
});
