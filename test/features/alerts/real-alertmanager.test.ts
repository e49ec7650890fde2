import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alertmanager, openAlertmanager } from '../../../src/features/alerts/api.ts';
import { formatMatcher, matcher } from '../../../src/features/alerts/matcher.ts';
import { alertQuery, keepsAlert } from '../../../src/features/alerts/selection.ts';
import { answered } from '../../../src/http/endpoint.ts';
import { getJson, postAlerts, type RunningAlertmanager, startAlertmanager, wire } from '../../support/alertmanager.ts';
import { describeRealServers } from '../../support/alertmanagers.ts';
import { CONFIRMED, targetFor } from '../../support/targets.ts';
import { GRAMMAR_TABLE, refused } from './grammar-table.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const window = () => ({
  startsAt: new Date().toISOString(),
  endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  createdBy: 'me',
  comment: 'why',
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describeRealServers(({ release, version }) => {
  const classicOnly = release === '0.25';
  let server: RunningAlertmanager;
  let alertmanager: Alertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({ release });
    alertmanager = openAlertmanager(targetFor(server.url));
  });
  afterAll(async () => {
    await alertmanager?.close();
    await server?.stop();
  });

  // The server compiles regular expressions, which the grammars here leave to it.
  const rows = GRAMMAR_TABLE.filter(([input]) => !input.includes('(?!'));

  it.each(rows)('interprets the filter %j as documented', async (input, classic, _utf8, fallback) => {
    const expected = classicOnly ? classic : fallback;
    const path = `/api/v2/alerts?filter=${encodeURIComponent(input)}`;
    const { status } = await wire(server.url, path);
    expect(status).toBe(expected === refused ? 400 : 200);
    if (expected === refused || expected.isRegex || !expected.isEqual || expected.value === '') return;
    if (expected.name.includes(':')) return; // read in a filter, refused as the label of an alert
    await postAlerts(server.url, [{ labels: { alertname: 'row', [expected.name]: expected.value } }]);
    const found = await getJson<{ labels: Record<string, string> }[]>(server.url, path);
    expect(found.map(({ labels }) => labels[expected.name])).toEqual([expected.value]);
  });

  it('finds any value by the canonical spelling', async () => {
    const values = [
      'a\tb',
      '\x1b[31m',
      'a\r\nb',
      '\u2028',
      '\ufeffx',
      ' x\u00a0',
      'back\\slash\\',
      '"quoted"',
      "it's",
      'a,b={c}',
      '=~!',
      '\\n',
    ];
    await postAlerts(
      server.url,
      values.map((value) => ({ labels: { alertname: 'nasty', value } })),
    );
    for (const value of values) {
      const found = await all(alertmanager.alerts({ filter: [formatMatcher(matcher('value', '=', value))] }));
      expect(found.map(({ labels }) => labels['value'])).toEqual([value]);
    }
  });

  it('distinguishes states that its booleans do not', async () => {
    const inhibitor = { alertname: 'state', cluster: 'one', severity: 'critical' };
    await postAlerts(server.url, [
      { labels: inhibitor },
      { labels: { ...inhibitor, severity: 'warning', instance: 'inhibited' } },
      { labels: { ...inhibitor, severity: 'warning', instance: 'both' } },
      { labels: { alertname: 'state', instance: 'silenced' } },
    ]);
    const silenced = { name: 'instance', value: 'both|silenced', isRegex: true };
    const posted = answered(await alertmanager.postSilence({ ...window(), matchers: [silenced] }));
    const filter = ['alertname="state"'];
    const found = async (state: 'active' | 'silenced' | 'inhibited' | 'suppressed') => {
      const alerts = await all(alertmanager.alerts({ ...alertQuery([state]), filter }));
      const wanted = alerts.filter((alert) => keepsAlert(alert, [state]));
      return wanted.map(({ labels }) => labels['instance'] ?? 'inhibitor').sort();
    };
    expect(await found('active')).toEqual(['inhibitor']);
    expect(await found('silenced')).toEqual(['both', 'silenced']);
    expect(await found('inhibited')).toEqual(['both', 'inhibited']);
    expect(await found('suppressed')).toEqual(['both', 'inhibited', 'silenced']);
    await alertmanager.deleteSilence(posted.silenceID, CONFIRMED);
    expect((await alertmanager.silence(posted.silenceID)).status.state).toBe('expired');
  });

  it('parses all its resources', async () => {
    await expect.poll(async () => (await all(alertmanager.groups())).length).toBeGreaterThan(0);
    expect((await all(alertmanager.receivers())).map(({ name }) => name)).toContain('operations');
    expect((await alertmanager.status()).versionInfo?.version).toContain(version);
    expect((await all(alertmanager.silences())).length).toBeGreaterThan(0);
    expect(alertmanager.clockSkewMs).toBeLessThan(5_000);
  });

  it('refuses in words that svc understands', async () => {
    const silence = { ...window(), matchers: [{ name: 'a', value: 'b', isRegex: false }] };
    const refusals: [() => Promise<unknown>, object][] = [
      [() => alertmanager.silence(UNKNOWN), { code: 'not_found', exit: 5 }],
      [() => alertmanager.deleteSilence(UNKNOWN, CONFIRMED), { code: 'not_found', exit: 5 }],
      [() => alertmanager.postSilence({ ...silence, id: UNKNOWN }), { code: 'not_found', exit: 5 }],
      [
        () => alertmanager.postSilence({ ...silence, endsAt: silence.startsAt }),
        { code: 'refused', message: expect.stringContaining('start time must be before end time') },
      ],
      [() => alertmanager.postSilence({ ...silence, matchers: [] }), { code: 'refused', httpStatus: 422 }],
      [
        () => alertmanager.postSilence({ ...silence, matchers: [{ name: 'a', value: '', isRegex: false }] }),
        { code: 'refused', hint: expect.stringContaining('add a matcher') },
      ],
      [
        () =>
          alertmanager
            .alerts({ filter: ['a=~"(?!x)"'] })
            [Symbol.asyncIterator]()
            .next(),
        { code: 'refused', hint: expect.stringContaining('RE2') },
      ],
      [() => alertmanager.postAlerts([{ labels: {} }]), { code: 'refused' }],
    ];
    for (const [call, expected] of refusals) await expect(call()).rejects.toMatchObject(expected);
  });

  it('does not look like a missing silence if the path is wrong', async () => {
    const elsewhere = openAlertmanager(targetFor(`${server.url}/elsewhere`));
    await expect(elsewhere.silence(UNKNOWN)).rejects.toMatchObject({ code: 'wrong_path', exit: 3 });
    await expect(elsewhere.deleteSilence(UNKNOWN, CONFIRMED)).rejects.toMatchObject({ code: 'wrong_path', exit: 3 });
    await elsewhere.close();
  });
});
