import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  formatMatcher,
  type Matcher,
  matcher,
  matcherFrom,
  sameMatchers,
} from '../../../src/features/alerts/matcher.ts';
import { labelTest } from '../../../src/features/alerts/matching.ts';
import { getJson, postAlerts, type RunningAlertmanager, startAlertmanager } from '../../support/alertmanager.ts';
import { describeRealServers } from '../../support/alertmanagers.ts';

it.each([
  [matcher('alertname', '=', 'Up'), 'alertname="Up"'],
  [matcher('a:b_1', '!=', ''), 'a:b_1!=""'],
  [matcher('path', '=~', '\\d+"x"\n'), 'path=~"\\\\d+\\"x\\"\\n"'],
  [matcher('foo-bar', '!~', 'a\tb'), '"foo-bar"!~"a\tb"'],
  [matcher('say "hi"', '=', 'x'), '"say \\"hi\\""="x"'],
  [matcher('1st', '=', 'x'), '"1st"="x"'],
])('formats %j as %s', (of, text) => {
  expect(formatMatcher(of)).toBe(text);
});

it.each([undefined, null, true])('reads isEqual %s of the service as true', (isEqual) => {
  expect(matcherFrom({ name: 'a', value: 'b', isRegex: false, isEqual })).toEqual(matcher('a', '=', 'b'));
});

it('preserves isEqual false and unknown fields of the service', () => {
  const wire = { name: 'a', value: 'b', isRegex: true, isEqual: false, added: 1 };
  expect(matcherFrom(wire)).toEqual(matcher('a', '!~', 'b'));
});

it('compares matchers without order and repetition', () => {
  const [a, b] = [matcher('a', '=', 'x'), matcher('b', '=', 'y')];
  expect(sameMatchers([a, b], [b, a])).toBe(true);
  expect(sameMatchers([a, b], [b, a, b])).toBe(true);
  expect(sameMatchers([a], [a, b])).toBe(false);
  expect(sameMatchers([a, b], [a])).toBe(false);
  expect(sameMatchers([a], [matcher('a', '=~', 'x')])).toBe(false);
  expect(sameMatchers([a], [matcher('a', '!=', 'x')])).toBe(false);
  expect(sameMatchers([], [])).toBe(true);
});

const VALUES = ['', 'db', 'db-1', 'db-1:9100', 'DB', 'a.b', 'a b', 'x/y', '10.0.0.7', 'foo|bar', 'aaa', 'd', '7', 'é'];
const PATTERNS = [
  'db',
  'db.*',
  '.*',
  '.+',
  'db-[0-9]',
  'db-[0-9]+:9100',
  '[a-c]+',
  '[^a-z]+',
  '(db|d)',
  'd|7',
  '(?:db|x)/?y?',
  'a.b',
  'a\\.b',
  '\\d',
  '\\d+',
  '\\w+',
  '\\W',
  '10\\.0\\.0\\.[0-9]',
  'foo\\|bar',
  'a*',
  'a?a?a?',
  'db-1(:9100)',
  '',
  '[.]',
  '[ ./]',
  '(?i)db',
  '(a+)+',
  'a{2,}',
  'a\\sb',
  '^db$',
  '\\bdb-1\\b.*',
  '(?P<n>a)+',
  '\\pL+',
  '(a|b)*',
  '[[:alpha:]]+',
];

const judge = async (one: Matcher, v: string): Promise<boolean> => (await labelTest([one]))(v === '' ? {} : { v });

it.each(['(a', 'a)', '[a', 'a**', '(?=a)'])('leaves the invalid expression %s to the server', async (pattern) => {
  await expect(labelTest([matcher('v', '=~', pattern)])).rejects.toThrow(/only the server can tell/);
});

it('all matchers have to match', async () => {
  const matches = await labelTest([matcher('v', '=~', '(?i)db'), matcher('team', '=', 'x')]);
  expect([matches({ team: 'y', v: 'db' }), matches({ team: 'x', v: 'DB' }), matches({ v: 'db' })]).toEqual([
    false,
    true,
    false,
  ]);
});

describeRealServers(({ release }) => {
  let server: RunningAlertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({ release });
    await postAlerts(
      server.url,
      VALUES.map((v, i) => ({ labels: { alertname: `A${i}`, ...(v === '' ? {} : { v }) } })),
    );
  });
  afterAll(() => server.stop());

  const operators = ['=~', '!~', '=', '!='] as const;
  it.each(PATTERNS.flatMap((pattern) => operators.map((operator) => [operator, pattern] as const)))(
    'v%s%j',
    async (operator, pattern) => {
      const one = matcher('v', operator, pattern);
      const query = encodeURIComponent(formatMatcher(one));
      const alerts = await getJson<{ labels: { v?: string } }[]>(server.url, `/api/v2/alerts?filter=${query}`);
      const theirs = new Set(alerts.map(({ labels }) => labels.v ?? ''));
      for (const value of VALUES) expect([value, await judge(one, value)]).toEqual([value, theirs.has(value)]);
    },
  );
});
