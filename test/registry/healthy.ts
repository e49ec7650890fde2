/** What a healthy service answers, written by hand. Its texts hold what must never reach a terminal as it is. */
import type { ServiceName } from '../../src/http/target.ts';
import type { Received } from '../http/servers.ts';

/** The body of a success, empty where the interface has none; undefined for what these tests do not know. */
type Answers = (method: string, path: string) => string | undefined;

const HOSTILE = 'red \u001b[31m \u202e \u009b2J \u65e5\u672c\u8a9e';

const ALERT = {
  labels: { alertname: 'NodeDown', severity: 'critical', team: 'db', instance: HOSTILE },
  annotations: { summary: `the node is down, and nobody knows for how long it has been: ${HOSTILE}` },
  generatorURL: 'http://prometheus.example:9090/graph?g0.expr=up',
  receivers: [{ name: 'pager' }, { name: 'platform-chat' }],
  fingerprint: '1a58c20e77c09d3b',
  startsAt: '2026-01-15T11:00:00.000Z',
  updatedAt: '2026-01-15T11:30:00.000Z',
  endsAt: '2026-01-15T12:10:00.000Z',
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
};
const ALERTS = [
  ALERT,
  {
    ...ALERT,
    labels: { alertname: 'DiskFull', team: 'web' },
    fingerprint: '77c09d3b1a58c20e',
    status: { state: 'suppressed', silencedBy: ['2f1a4c0e-1111-4222-8333-444455556666'], inhibitedBy: [] },
  },
];
const SILENCE = {
  id: '2f1a4c0e-1111-4222-8333-444455556666',
  matchers: [{ name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true }],
  startsAt: '2026-01-15T11:00:00.000Z',
  updatedAt: '2026-01-15T11:00:00.000Z',
  endsAt: '2026-01-15T13:00:00.000Z',
  createdBy: 'ann',
  comment: HOSTILE,
  status: { state: 'active' },
};
const EXPIRED = {
  ...SILENCE,
  id: '77c09d3b-1111-4222-8333-444455556666',
  endsAt: '2026-01-15T11:30:00.000Z',
  status: { state: 'expired' },
};
const STATUS = {
  cluster: { name: 'one', status: 'ready', peers: [{ name: 'one', address: '10.0.0.1:9094' }] },
  config: { original: `route:\n  receiver: pager # ${HOSTILE}\n` },
  uptime: '2026-01-01T00:00:00.000Z',
  versionInfo: {
    branch: 'HEAD',
    buildDate: '20230101-00:00:00',
    buildUser: 'debian',
    goVersion: 'go1.19',
    revision: '0.25.0',
    version: '0.25.0',
  },
};

const ALERT_MANAGER: Readonly<Record<string, unknown>> = {
  'GET /alerts': ALERTS,
  'GET /alerts/groups': [{ labels: { team: 'db' }, receiver: { name: 'pager' }, alerts: ALERTS }],
  'GET /receivers': [{ name: 'pager' }, { name: HOSTILE }],
  'GET /status': STATUS,
  'GET /silences': [SILENCE, EXPIRED],
  [`GET /silence/${SILENCE.id}`]: SILENCE,
  [`GET /silence/${EXPIRED.id}`]: EXPIRED,
  'POST /alerts': '',
  'POST /silences': { silenceID: SILENCE.id },
  [`DELETE /silence/${SILENCE.id}`]: '',
};

const SUBSCRIPTION = {
  id: 'ep_1',
  url: `https://hooks.example/${HOSTILE}`,
  events: ['summary.completed', 'webhook.ping'],
  status: 1,
  consecutive_failures: 14,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-15T11:30:00Z',
};
const DISABLED = { ...SUBSCRIPTION, id: 'ep_2', url: 'https://old.example/hook', status: 2, consecutive_failures: 20 };

/** The token endpoint (doc 2 §5). */
const GRANT = {
  access_token: 'at-fresh-0123456789',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'rt-fresh-0123456789',
  scope: `mcp:connect ${HOSTILE}`,
  email: HOSTILE,
};

const RECORDINGS: Readonly<Record<string, unknown>> = {
  'POST /oauth/token': GRANT,
  'GET /webhooks': { items: [SUBSCRIPTION, DISABLED] },
  'POST /webhooks': {
    endpoint_id: 'ep_3',
    secret: 'whsec_c2VjcmV0',
    url: `https://192.0.2.7/new${HOSTILE}`,
    events: ['summary.completed'],
    status: 1,
  },
  'DELETE /webhooks/ep_1': { ok: true },
  'DELETE /webhooks/ep_2': { ok: true },
};

const SERVICES: Readonly<Partial<Record<ServiceName, Answers>>> = {
  alerts: (method, path) => text(ALERT_MANAGER[`${method} ${path.replace(/^\/api\/v2/, '')}`]),
  webhooks: (method, path) => text(RECORDINGS[`${method} ${path.replace(/^\/v1/, '')}`]),
};

function text(value: unknown): string | undefined {
  return value === undefined || value === '' ? (value as '' | undefined) : `${JSON.stringify(value)}\n`;
}

export function healthyBody(service: ServiceName, { method, path }: Received): string | undefined {
  return SERVICES[service]?.(method, path.replace(/\?.*/, ''));
}
