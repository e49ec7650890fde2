/** A small, realistic state: three teams, two clusters, alerts and silences in every state. */
import type { Alerts } from './alerts.ts';
import type { LabelSet, Matcher } from './labels.ts';
import type { Silences } from './silences.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Nothing repeats the demo's alerts. */
const LASTING = 7 * 24 * HOUR;

type DemoAlert = readonly [minutes: number, alertname: string, severity: string, labels: LabelSet, summary: string];

const PLATFORM_EU = { team: 'platform', cluster: 'eu-1' };
const PAYMENTS_US = { team: 'payments', cluster: 'us-1' };
const SEARCH = { team: 'search', cluster: 'eu-1' };
const NODE_07 = { ...PLATFORM_EU, instance: 'node-07:9100' };
const NODE_12 = { team: 'platform', cluster: 'us-1', instance: 'node-12:9100', mountpoint: '/var' };
const NODE_03 = { ...PLATFORM_EU, instance: 'node-03:9100', mountpoint: '/data' };
const CHECKOUT = { team: 'payments', cluster: 'eu-1', service: 'checkout' };

const ALERTS: readonly DemoAlert[] = [
  [95, 'NodeDown', 'critical', NODE_07, 'node-07 has not answered for 90 minutes'],
  // Inhibited by the critical alert with the same name and cluster.
  [94, 'NodeDown', 'warning', NODE_07, 'node-07 misses scrapes'],
  [310, 'DiskFull', 'warning', NODE_12, '/var on node-12 is 91 % full'],
  [42, 'DiskFull', 'warning', NODE_03, '/data on node-03 is 88 % full'],
  [12, 'HighErrorRate', 'critical', CHECKOUT, '4.2 % of checkouts fail'],
  [9, 'HighLatency', 'warning', { ...PAYMENTS_US, service: 'checkout' }, 'The 99th percentile of checkout is 2.1 s'],
  [
    1500,
    'CertificateExpiry',
    'info',
    { ...PAYMENTS_US, service: 'gateway' },
    'The certificate of gateway ends in 12 days',
  ],
  [27, 'QueueBacklog', 'warning', { ...SEARCH, queue: 'reindex' }, '18,000 documents wait to be indexed'],
  [20_000, 'Watchdog', 'none', SEARCH, 'Always firing: alerting works'],
];

interface DemoSilence {
  readonly from: number;
  readonly to: number;
  readonly createdBy: string;
  readonly comment: string;
  readonly matchers: readonly Matcher[];
}

function matcher(name: string, value: string, isRegex = false): Matcher {
  return { name, value, isRegex, isEqual: true };
}

const SILENCES: readonly DemoSilence[] = [
  {
    from: -40 * MINUTE,
    to: 3 * HOUR,
    createdBy: 'mara@ops',
    comment: 'CHG-2041: growing the volume of node-12',
    matchers: [matcher('alertname', 'DiskFull'), matcher('instance', 'node-12:.*', true)],
  },
  {
    from: -10 * MINUTE,
    to: 50 * MINUTE,
    createdBy: 'jun@payments',
    comment: 'ACK! looking at checkout latency',
    matchers: [matcher('alertname', 'HighLatency'), matcher('service', 'checkout')],
  },
  {
    from: 6 * HOUR,
    to: 8 * HOUR,
    createdBy: 'mara@ops',
    comment: 'CHG-2042: kernel update of eu-1',
    matchers: [matcher('cluster', 'eu-1'), matcher('team', 'platform')],
  },
  {
    from: -26 * HOUR,
    to: -22 * HOUR,
    createdBy: 'ada@search',
    comment: 'Reindexing over night',
    matchers: [matcher('alertname', 'QueueBacklog'), matcher('queue', 'reindex')],
  },
];

export function seedDemo(alerts: Alerts, silences: Silences, now: number, randomUuid: () => string): void {
  alerts.post(
    ALERTS.map(([minutes, alertname, severity, labels, summary]) => ({
      labels: { alertname, severity, ...labels },
      annotations: { summary, runbook: `https://runbooks.example/${alertname}` },
      generatorURL: `https://prometheus.example/graph?g0.expr=${alertname}`,
      startsAt: now - minutes * MINUTE,
      endsAt: now + LASTING,
    })),
  );
  for (const { from, to, ...silence } of SILENCES) {
    const times = { startsAt: now + from, endsAt: now + to, updatedAt: now + Math.min(from, 0) };
    silences.store({ id: randomUuid(), ...silence, ...times });
  }
}
