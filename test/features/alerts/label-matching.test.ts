/** What the client says of labels that no alert has must be what the server would say of an alert with them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { matchesLabels } from '../../../src/features/alerts/label-matching.ts';
import { formatMatcher, type Matcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { describeRealServers } from '../../contract/servers.ts';
import { getJson, postAlerts, type RunningAlertmanager, startAlertmanager } from '../../support/alertmanager.ts';

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
];
const REFUSED = [
  '(?i)db',
  '(a+)+',
  'a{2}',
  '\\s',
  '\\bdb',
  '^db$',
  '(a',
  'a)',
  '[a',
  '(?P<n>a)',
  '\\pL',
  '(a|b)*',
  '[[:alpha:]]',
  'a**',
];

const judge = (one: Matcher, v: string): boolean => matchesLabels([one], v === '' ? {} : { v });

test.each(REFUSED)('%s is left to the server', (pattern) => {
  expect(() => judge(matcher('v', '=~', pattern), 'a')).toThrow(/only the server can tell/);
});

test('text that a dot takes differently is left to the server too', () => {
  expect(() => judge(matcher('v', '=~', '.*'), 'a\u2028b')).toThrow(/only the server can tell/);
});

test('what an equality decides needs no pattern', () => {
  const matchers = [matcher('v', '=~', '(?i)db'), matcher('team', '=', 'x')];
  expect(matchesLabels(matchers, { team: 'y', v: 'db' })).toBe(false);
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
  test.each(PATTERNS.flatMap((pattern) => operators.map((operator) => [operator, pattern] as const)))(
    'v%s%j',
    async (operator, pattern) => {
      const one = matcher('v', operator, pattern);
      const query = encodeURIComponent(formatMatcher(one));
      const alerts = await getJson<{ labels: { v?: string } }[]>(server.url, `/api/v2/alerts?filter=${query}`);
      const theirs = new Set(alerts.map(({ labels }) => labels.v ?? ''));
      for (const value of VALUES) {
        // Outside printable ASCII a pattern is refused instead of judged.
        if (one.isRegex && value === 'é') continue;
        expect([value, judge(one, value)]).toEqual([value, theirs.has(value)]);
      }
    },
  );
});
