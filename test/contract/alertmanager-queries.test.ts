import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_CONFIG, getJson, postAlerts, postSilence, wire } from '../support/alertmanager.ts';
import { onBothServers } from '../support/alertmanagers.ts';

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly receivers: readonly { readonly name: string }[];
  readonly fingerprint: string;
  readonly status: { readonly state: string; readonly silencedBy: string[]; readonly inhibitedBy: string[] };
}
interface Group {
  readonly labels: Readonly<Record<string, string>>;
  readonly receiver: { readonly name: string };
  readonly alerts: readonly Alert[];
}

const FLEET = [
  { alertname: 'Up', id: 'plain' },
  { alertname: 'Disk', id: 'silenced', team: 'platform' },
  { alertname: 'Down', id: 'source', team: 'platform', severity: 'critical', cluster: 'eu' },
  { alertname: 'Down', id: 'inhibited', team: 'platform', severity: 'warning', cluster: 'eu' },
  { alertname: 'Down', id: 'both', team: 'platform', severity: 'info', cluster: 'eu' },
  { alertname: 'Down', id: 'elsewhere', team: 'payments', severity: 'warning', cluster: 'us' },
  { alertname: 'Text', id: 'quote', text: 'say "hi"\\\n' },
];
const ALL = FLEET.map(({ id }) => id);

onBothServers((url, comparable) => {
  let silence = '';
  beforeAll(async () => {
    await postAlerts(
      url(),
      FLEET.map((labels) => ({ labels })),
    );
    silence = await postSilence(url(), { matchers: [{ name: 'id', value: 'silenced|both', isRegex: true }] });
    // The real server groups and inhibits a moment after it has answered.
    const uninhibited = async () => (await found('inhibited=false', 'alerts/groups')).sort();
    await vi.waitFor(async () => expect(await uninhibited()).toEqual(but('inhibited', 'both')), 20_000);
  });

  async function found(query: string, path = 'alerts'): Promise<string[]> {
    if (path === 'alerts')
      return (await getJson<Alert[]>(url(), `/api/v2/alerts?${query}`)).map(({ labels }) => labels['id'] ?? '');
    const groups = await getJson<Group[]>(url(), `/api/v2/alerts/groups?${query}`);
    return [...new Set(groups.flatMap(({ alerts }) => alerts.map(({ labels }) => labels['id'] ?? '')))];
  }
  async function filtered(...filters: string[]): Promise<string[]> {
    return (await found(filters.map((filter) => `filter=${encodeURIComponent(filter)}`).join('&'))).sort();
  }
  const but = (...ids: string[]): string[] => ALL.filter((id) => !ids.includes(id)).sort();

  describe('a filter', () => {
    it('selects the alerts that its matcher matches', async () => {
      const expected = {
        'alertname=Up': ['plain'],
        "alertname='Up'": [],
        'alertname!=Down': ['plain', 'quote', 'silenced'],
        'alertname=~"p"': [],
        'alertname=~"U.|Disk"': ['plain', 'silenced'],
        'alertname!~"D.*"': ['plain', 'quote'],
        'team=': ['plain', 'quote'],
        'team!=""': but('plain', 'quote'),
        'team=~"|payments"': ['elsewhere', 'plain', 'quote'],
        'nosuch!="x"': but(),
        'text="say \\"hi\\"\\\\\\n"': ['quote'],
        'text=~"(?s)say.*"': ['quote'],
      };
      for (const [filter, ids] of Object.entries(expected)) {
        expect([filter, await filtered(filter)]).toEqual([filter, ids.toSorted()]);
      }
    });

    it('of another form is refused by every list', async () => {
      const refused = {
        '': 'bad matcher format: ',
        foo: 'bad matcher format: foo',
        '"a"="b"': 'bad matcher format: "a"="b"',
        'a="b",c="d"': 'matcher value contains unescaped double quote: "b",c="d"',
        'a="b\\"': 'matcher value contains unescaped double quote: "b\\"',
        'a=~"("': 'error parsing regexp: missing closing ): `^(?:()$`',
        'a=~"b\\\\u0041"': 'error parsing regexp: invalid escape sequence: `\\u`',
      };
      for (const [filter, message] of Object.entries(refused)) {
        for (const path of ['alerts', 'alerts/groups', 'silences']) {
          const answer = await wire(url(), `/api/v2/${path}?filter=${encodeURIComponent(filter)}`);
          const wanted = [filter, 400, comparable(`${JSON.stringify(message)}\n`)];
          expect([filter, answer.status, comparable(answer.body)]).toEqual(wanted);
        }
      }
    });
  });

  describe('the state of an alert', () => {
    it('names what suppresses an alert', async () => {
      const alerts = await getJson<Alert[]>(url(), '/api/v2/alerts');
      const by = new Map(alerts.map((alert) => [alert.labels['id'], alert]));
      const source = by.get('source')?.fingerprint;
      expect(Object.fromEntries([...by].map(([id, { status }]) => [id, status]))).toEqual({
        plain: { state: 'active', silencedBy: [], inhibitedBy: [] },
        silenced: { state: 'suppressed', silencedBy: [silence], inhibitedBy: [] },
        source: { state: 'active', silencedBy: [], inhibitedBy: [] },
        inhibited: { state: 'suppressed', silencedBy: [], inhibitedBy: [source] },
        both: { state: 'suppressed', silencedBy: [silence], inhibitedBy: [source] },
        elsewhere: { state: 'active', silencedBy: [], inhibitedBy: [] },
        quote: { state: 'active', silencedBy: [], inhibitedBy: [] },
      });
    });

    it('leaves it out by its flag, and by either flag if it has both', async () => {
      for (const path of ['alerts', 'alerts/groups']) {
        expect((await found('active=false', path)).sort()).toEqual(['both', 'inhibited', 'silenced']);
        expect((await found('silenced=false', path)).sort()).toEqual(but('silenced', 'both'));
        expect((await found('inhibited=false', path)).sort()).toEqual(but('inhibited', 'both'));
        expect(await found('active=false&silenced=false&inhibited=false', path)).toEqual([]);
      }
    });
  });

  describe('a receiver', () => {
    it('selects the alerts of the receivers whose whole name matches', async () => {
      const expected = {
        operations: ['plain', 'quote'],
        pager: ['source'],
        platform: [],
        PAGER: [],
        'p.*-chat': but('plain', 'quote'),
        'pager|payments-chat': ['elsewhere', 'source'],
        '': but(),
      };
      for (const [receiver, ids] of Object.entries(expected)) {
        for (const path of ['alerts', 'alerts/groups']) {
          const got = await found(`receiver=${encodeURIComponent(receiver)}`, path);
          expect([receiver, got.sort()]).toEqual([receiver, ids.toSorted()]);
        }
      }
    });
  });

  describe('the response', () => {
    it('has an alert of two routes in two groups, all in their order', async () => {
      const groups = await getJson<Group[]>(url(), '/api/v2/alerts/groups');
      expect(
        groups.map(({ labels, receiver, alerts }) => [
          labels,
          receiver.name,
          alerts.map((alert) => `${alert.labels['id']}:${alert.receivers.map(({ name }) => name).join('+')}`),
        ]),
      ).toEqual([
        [{ alertname: 'Text' }, 'operations', ['quote:operations']],
        [{ alertname: 'Up' }, 'operations', ['plain:operations']],
        [{ alertname: 'Disk', team: 'platform' }, 'platform-chat', ['silenced:platform-chat']],
        [{ alertname: 'Down', team: 'payments' }, 'payments-chat', ['elsewhere:payments-chat']],
        [{ alertname: 'Down', team: 'platform' }, 'pager', ['source:pager+platform-chat']],
        [
          { alertname: 'Down', team: 'platform' },
          'platform-chat',
          ['both:platform-chat', 'inhibited:platform-chat', 'source:pager+platform-chat'],
        ],
      ]);
    });

    it('names in a group only the receiver that was asked for', async () => {
      const groups = await getJson<Group[]>(url(), '/api/v2/alerts/groups?receiver=platform-chat&filter=id%3Dsource');
      expect(groups.map(({ alerts }) => alerts.map(({ receivers }) => receivers))).toEqual([
        [[{ name: 'platform-chat' }]],
      ]);
    });

    it('has receivers in the order of the configuration', async () => {
      expect((await wire(url(), '/api/v2/receivers')).body).toBe(
        '[{"name":"operations"},{"name":"pager"},{"name":"platform-chat"},{"name":"payments-chat"}]\n',
      );
    });

    it('has in the status the start time, the routes and the state of the cluster', async () => {
      interface Status {
        readonly cluster: object;
        readonly config: { readonly original: string };
        readonly uptime: string;
        readonly versionInfo: Readonly<Record<string, string>>;
      }
      const { cluster, config, uptime, versionInfo } = await getJson<Status>(url(), '/api/v2/status');
      expect(cluster).toEqual({ peers: [], status: 'disabled' });
      expect(Math.abs(Date.now() - Date.parse(uptime))).toBeLessThan(60_000);
      expect(Object.keys(versionInfo)).toEqual([
        'branch',
        'buildDate',
        'buildUser',
        'goVersion',
        'revision',
        'version',
      ]);
      expect(versionInfo['version']).toBe('0.25.0');
      expect(parse(config.original)).toMatchObject({ global: { resolve_timeout: '5m' }, ...parse(DEFAULT_CONFIG) });
    });
  });
});
