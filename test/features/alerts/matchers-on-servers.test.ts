/** svc and the real servers read matchers in the same way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMatcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { labelTest } from '../../../src/features/alerts/matching.ts';
import { getJson, postAlerts, type RunningAlertmanager, startAlertmanager, wire } from '../../support/alertmanager.ts';
import { describeRealServers } from '../../support/alertmanagers.ts';
import { alertmanagerBinary } from '../../support/peers.ts';
import { GRAMMAR_TABLE, type Result, refused } from './grammar-table.ts';

const VALUES = ['', 'db', 'db-1', 'db-1:9100', 'DB', 'a.b', 'a b', 'x/y', '10.0.0.7', 'foo|bar', 'aaa', 'd', '7', 'é'];
const PATTERNS = [
  'db.*',
  '.*',
  'db-[0-9]+:9100',
  '[^a-z]+',
  '(db|d)',
  '(?:db|x)/?y?',
  '\\d+',
  'foo\\|bar',
  '',
  '(?i)db',
  '(a+)+',
  'a\\sb',
  '\\bdb-1\\b.*',
  '(?P<n>a)+',
  '\\pL+',
  '[[:alpha:]]+',
];
const NASTY = ['a\tb', '\x1b[31m', 'a\r\nb', '\ufeffx', ' x\u00a0', 'back\\slash\\', '"quoted"', "it's", 'a,b={c}'];

interface Found {
  readonly labels: Readonly<Record<string, string>>;
}

const pathOf = (filter: string): string => `/api/v2/alerts?filter=${encodeURIComponent(filter)}`;

/** What the server makes of a filter: the status, and of a plain equality the value that it finds. */
async function reading(url: string, input: string, wanted: Result): Promise<unknown> {
  const { status } = await wire(url, pathOf(input));
  // A name with a colon is read in a filter, and refused as the label of an alert.
  if (wanted === refused || wanted.isRegex || !wanted.isEqual || wanted.value === '' || wanted.name.includes(':')) {
    return status;
  }
  await postAlerts(url, [{ labels: { alertname: 'row', [wanted.name]: wanted.value } }]);
  return (await getJson<Found[]>(url, pathOf(input))).map(({ labels }) => labels[wanted.name]);
}

function expected(wanted: Result): unknown {
  if (wanted === refused) return 400;
  const isFound = !wanted.isRegex && wanted.isEqual && wanted.value !== '' && !wanted.name.includes(':');
  return isFound ? [wanted.value] : 200;
}

describeRealServers(({ release }) => {
  let server: RunningAlertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({ release });
  });
  afterAll(() => server.stop());

  it('reads each filter as the grammar of its version says', async () => {
    // The server compiles regular expressions, which the grammars here leave to it.
    for (const [input, classic, , fallback] of GRAMMAR_TABLE.filter(([text]) => !text.includes('(?!'))) {
      const wanted = release === '0.25' ? classic : fallback;
      expect([input, await reading(server.url, input, wanted)]).toEqual([input, expected(wanted)]);
    }
  });

  it('finds any value by the spelling that svc shows', async () => {
    await postAlerts(
      server.url,
      NASTY.map((value) => ({ labels: { alertname: 'nasty', value } })),
    );
    for (const value of NASTY) {
      const found = await getJson<Found[]>(server.url, pathOf(formatMatcher(matcher('value', '=', value))));
      expect(found.map(({ labels }) => labels['value'])).toEqual([value]);
    }
  });
});

describe.skipIf(alertmanagerBinary() === undefined)('a regular expression', () => {
  it('matches for svc what it matches for the server, with every operator', async () => {
    const server = await startAlertmanager();
    try {
      await postAlerts(
        server.url,
        VALUES.map((v, i) => ({ labels: { alertname: `A${i}`, ...(v === '' ? {} : { v }) } })),
      );
      for (const operator of ['=~', '!~', '=', '!='] as const) {
        for (const pattern of PATTERNS) {
          const one = matcher('v', operator, pattern);
          const alerts = await getJson<Found[]>(server.url, pathOf(formatMatcher(one)));
          const theirs = alerts.map(({ labels }) => labels['v'] ?? '').sort();
          const matches = await labelTest([one]);
          const ours = VALUES.filter((v) => matches(v === '' ? {} : { v })).sort();
          expect([formatMatcher(one), ours]).toEqual([formatMatcher(one), theirs]);
        }
      }
    } finally {
      await server.stop();
    }
  });
});
