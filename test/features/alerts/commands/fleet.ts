/** Alerts in every state, for the configuration that both servers have. */
import { expect, vi } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedAlert } from '../../../support/alertmanager.ts';

export interface WireAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly receivers: readonly { readonly name: string }[];
  readonly fingerprint: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly generatorURL?: string;
  readonly status: { readonly state: string; readonly silencedBy: string[]; readonly inhibitedBy: string[] };
}

export interface WireGroup {
  readonly labels: Readonly<Record<string, string>>;
  readonly receiver: { readonly name: string };
  readonly alerts: readonly WireAlert[];
}

/** Three hours ago, to the second, when the tests began. */
export const LONG_AGO = Math.floor(Date.now() / 1000) * 1000 - 3 * 3_600_000;

/** The critical one inhibits those of its name and cluster; `SILENCED` are silenced by their label `id`. */
export const FLEET: readonly SeedAlert[] = [
  {
    labels: { alertname: 'Up', id: 'plain', instance: 'web-1:9100' },
    annotations: { summary: 'It is up', runbook: 'https://example.org/up' },
    startsAt: new Date(LONG_AGO).toISOString(),
    generatorURL: 'http://prometheus.example:9090/graph?g0.expr=up',
  },
  { labels: { alertname: 'Disk', id: 'silenced', team: 'platform' } },
  { labels: { alertname: 'Down', id: 'source', team: 'platform', severity: 'critical', cluster: 'eu' } },
  { labels: { alertname: 'Down', id: 'inhibited', team: 'platform', severity: 'warning', cluster: 'eu' } },
  { labels: { alertname: 'Down', id: 'both', team: 'platform', severity: 'info', cluster: 'eu' } },
  { labels: { alertname: 'Down', id: 'elsewhere', team: 'payments', severity: 'warning', cluster: 'us' } },
];
export const ALL = FLEET.map(({ labels }) => labels['id'] ?? '').sort();
export const SILENCED = ['both', 'silenced'];
export const INHIBITED = ['both', 'inhibited'];

/** Posts the fleet and waits until the server has grouped and inhibited it. Returns the silence's id. */
export async function seedFleet(url: string): Promise<string> {
  await postAlerts(url, FLEET);
  const matchers = [{ name: 'id', value: SILENCED.join('|'), isRegex: true }];
  const silence = await postSilence(url, { matchers, createdBy: 'keeper', comment: 'CHG-7 night work' });
  await vi.waitFor(async () => {
    const groups = await getJson<WireGroup[]>(url, '/api/v2/alerts/groups');
    const alerts = new Map(groups.flatMap((group) => group.alerts.map((alert) => [alert.labels['id'], alert.status])));
    expect(alerts.size).toBe(ALL.length);
    for (const id of INHIBITED) expect(alerts.get(id)?.inhibitedBy).toHaveLength(1);
    for (const id of SILENCED) expect(alerts.get(id)?.silencedBy).toEqual([silence]);
  }, 20_000);
  return silence;
}

export function idsOf(alerts: readonly Pick<WireAlert, 'labels'>[]): string[] {
  return alerts.map(({ labels }) => labels['id'] ?? '').sort();
}
