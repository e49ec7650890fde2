/** A small, believable state: three teams, two clusters, alerts of every state, silences of every state. */
import type { AlertmanagerApi } from './api.ts';
import type { Matcher } from './matcher.ts';
import { utc } from './times.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The demo's alerts have no source that repeats them. */
const LASTING = 7 * 24 * HOUR;

interface DemoAlert {
  readonly minutes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

const ALERTS: readonly DemoAlert[] = [
  {
    minutes: 95,
    labels: {
      alertname: 'NodeDown',
      severity: 'critical',
      team: 'platform',
      cluster: 'eu-1',
      instance: 'node-07:9100',
    },
    summary: 'node-07 has not answered for 90 minutes',
  },
  {
    // Inhibited by the critical alert of its name and cluster.
    minutes: 94,
    labels: { alertname: 'NodeDown', severity: 'warning', team: 'platform', cluster: 'eu-1', instance: 'node-07:9100' },
    summary: 'node-07 misses scrapes',
  },
  {
    minutes: 310,
    labels: {
      alertname: 'DiskFull',
      severity: 'warning',
      team: 'platform',
      cluster: 'us-1',
      instance: 'node-12:9100',
      mountpoint: '/var',
    },
    summary: '/var on node-12 is 91 % full',
  },
  {
    minutes: 42,
    labels: {
      alertname: 'DiskFull',
      severity: 'warning',
      team: 'platform',
      cluster: 'eu-1',
      instance: 'node-03:9100',
      mountpoint: '/data',
    },
    summary: '/data on node-03 is 88 % full',
  },
  {
    minutes: 12,
    labels: {
      alertname: 'HighErrorRate',
      severity: 'critical',
      team: 'payments',
      cluster: 'eu-1',
      service: 'checkout',
    },
    summary: '4.2 % of checkouts fail',
  },
  {
    minutes: 9,
    labels: { alertname: 'HighLatency', severity: 'warning', team: 'payments', cluster: 'us-1', service: 'checkout' },
    summary: 'The 99th percentile of checkout is 2.1 s',
  },
  {
    minutes: 1500,
    labels: { alertname: 'CertificateExpiry', severity: 'info', team: 'payments', cluster: 'us-1', service: 'gateway' },
    summary: 'The certificate of gateway ends in 12 days',
  },
  {
    minutes: 27,
    labels: { alertname: 'QueueBacklog', severity: 'warning', team: 'search', cluster: 'eu-1', queue: 'reindex' },
    summary: '18,000 documents wait to be indexed',
  },
  {
    minutes: 20_000,
    labels: { alertname: 'Watchdog', severity: 'none', team: 'search', cluster: 'eu-1' },
    summary: 'Always firing: alerting works',
  },
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

export function seedDemo(api: AlertmanagerApi, now: number, randomUuid: () => string): void {
  api.alerts.post(
    ALERTS.map(({ minutes, labels, summary }) => ({
      labels,
      annotations: { summary, runbook: `https://runbooks.example/${labels['alertname']}` },
      generatorURL: `https://prometheus.example/graph?g0.expr=${labels['alertname']}`,
      startsAt: utc(now - minutes * MINUTE),
      endsAt: utc(now + LASTING),
    })),
  );
  for (const { from, to, createdBy, comment, matchers } of SILENCES) {
    const times = { startsAt: utc(now + from), endsAt: utc(now + to), updatedAt: now + Math.min(from, 0) };
    api.silences.store({ id: randomUuid(), createdBy, comment, matchers, ...times });
  }
}
