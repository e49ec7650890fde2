/** An Alertmanager 0.25 on loopback, emulated at the HTTP level, to try `svc` out and to test. */
import {
  type EmulatorOptions,
  type LocalServer,
  plain,
  Refusal,
  type Request,
  type Response,
  startServer,
} from '../http.ts';
import { type AlertQuery, Alerts } from './alerts.ts';
import { decodeAlerts, decodeSilence, framed } from './bodies.ts';
import { compileMatchers, compileRegex, type LabelSet, type Matcher, parseMatcher } from './labels.ts';
import { CONFIG_TEXT, RECEIVERS } from './routing.ts';
import { hasMatchers, iso, Silences, silenceAnswer } from './silences.ts';

const API = '/api/v2/';
/** The real server accepts request lines of a mebibyte, and bodies of any size. */
const LIMITS = { maxHeaderSize: (1 << 20) + 4096, maxBody: 1 << 26 };

export async function startAlertmanagerEmulator({ port, now, seed }: EmulatorOptions): Promise<LocalServer> {
  const silences = new Silences(now);
  const alerts = new Alerts(now, silences);
  if (seed === 'demo') seedDemo(alerts, silences, now());
  const routes = routesOf(alerts, silences, now);
  return startServer({ port, now, ...LIMITS, respond: (request) => respond(routes, request) });
}

/** Returns the JSON of a 200; undefined for no body at all. */
type Handler = (query: URLSearchParams, body: string, id: string) => unknown;
type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

function respond(routes: Routes, request: Request): Response {
  const { path, query, body } = request;
  if (!path.startsWith(API)) {
    const isProbe = path === '/-/ready' || path === '/-/healthy';
    return isProbe ? plain(200, 'OK') : plain(404, '404 page not found\n');
  }
  const [, id = ''] = /^silence\/([^/]+)$/.exec(path.slice(API.length)) ?? [];
  const name = id === '' ? path.slice(API.length).replace(/\/$/, '') : 'silence/{id}';
  try {
    const handler = findHandler(routes, name, request);
    return json(200, handler(new URLSearchParams(query), body.toString(), id));
  } catch (error) {
    if (error instanceof Refusal) return json(error.status, error.value);
    throw error;
  }
}

/** Refuses what the real server refuses before it reads the request. */
function findHandler(routes: Routes, name: string, { method, path, headers }: Request): Handler {
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined) throw framed(404, `path ${path} was not found`);
  const handler = Object.hasOwn(route, method) ? route[method] : undefined;
  if (handler === undefined) throw framed(405, `method ${method} is not allowed, but [${Object.keys(route)}] are`);
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    throw framed(415, 'unsupported media type, only [application/json] are allowed');
  }
  return handler;
}

function json(status: number, value: unknown): Response {
  if (value === undefined) return { status };
  return { status, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value)}\n` };
}

function routesOf(alerts: Alerts, silences: Silences, now: () => number): Routes {
  const started = now();
  return {
    status: { GET: () => status(started) },
    receivers: { GET: () => RECEIVERS.map((name) => ({ name })) },
    alerts: { GET: (query) => alerts.list(alertQuery(query)), POST: (_, body) => alerts.post(decodeAlerts(body)) },
    'alerts/groups': { GET: (query) => alerts.groups(alertQuery(query)) },
    silences: {
      GET(query) {
        const matchers = filtersOf(query);
        const found = silences.list().filter((silence) => hasMatchers(silence, matchers));
        return found.map((silence) => silenceAnswer(silence, now()));
      },
      POST: (_, body) => ({ silenceID: silences.post(decodeSilence(body)) }),
    },
    'silence/{id}': {
      GET(_, __, id) {
        const silence = silences.get(checkedUuid(id));
        // Without a body, unlike every other error.
        if (silence === undefined) throw new Refusal(404, undefined);
        return silenceAnswer(silence, now());
      },
      DELETE: (_, __, id) => silences.expire(checkedUuid(id)),
    },
  };
}

function status(started: number): object {
  const build = { branch: 'sandbox', buildDate: '', buildUser: '', goVersion: '', revision: 'sandbox' };
  return {
    cluster: { peers: [], status: 'disabled' },
    config: { original: CONFIG_TEXT },
    uptime: iso(started),
    versionInfo: { ...build, version: '0.25.0' },
  };
}

function checkedUuid(id: string): string {
  if (/^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i.test(id)) return id;
  throw framed(422, `silenceID in path must be of type uuid: ${JSON.stringify(id)}`);
}

function filtersOf(query: URLSearchParams): readonly Matcher[] {
  const matchers = query.getAll('filter').map(parseMatcher);
  // Every list refuses an invalid expression.
  compileMatchers(matchers);
  return matchers;
}

function alertQuery(query: URLSearchParams): AlertQuery {
  const flag = (name: string): boolean => (query.get(name) ?? 'true') === 'true';
  const receiver = query.get('receiver') ?? '';
  return {
    active: flag('active'),
    silenced: flag('silenced'),
    inhibited: flag('inhibited'),
    match: compileMatchers(filtersOf(query)),
    receiver: receiver === '' ? () => true : compileRegex(receiver),
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Nothing repeats the demo's alerts. */
const LASTING = 7 * 24 * HOUR;

type DemoAlert = readonly [minutes: number, alertname: string, severity: string, labels: LabelSet, summary: string];

const PLATFORM_EU = { team: 'platform', cluster: 'eu-1' };
const SEARCH = { team: 'search', cluster: 'eu-1' };
const NODE_07 = { ...PLATFORM_EU, instance: 'node-07:9100' };
const NODE_12 = { team: 'platform', cluster: 'us-1', instance: 'node-12:9100', mountpoint: '/var' };
const NODE_03 = { ...PLATFORM_EU, instance: 'node-03:9100', mountpoint: '/data' };
const CHECKOUT_US = { team: 'payments', cluster: 'us-1', service: 'checkout' };
const GATEWAY = { team: 'payments', cluster: 'us-1', service: 'gateway' };
const CHECKOUT = { team: 'payments', cluster: 'eu-1', service: 'checkout' };

const ALERTS: readonly DemoAlert[] = [
  [95, 'NodeDown', 'critical', NODE_07, 'node-07 has not answered for 90 minutes'],
  // Inhibited by the critical alert with the same name and cluster.
  [94, 'NodeDown', 'warning', NODE_07, 'node-07 misses scrapes'],
  [310, 'DiskFull', 'warning', NODE_12, '/var on node-12 is 91 % full'],
  [42, 'DiskFull', 'warning', NODE_03, '/data on node-03 is 88 % full'],
  [12, 'HighErrorRate', 'critical', CHECKOUT, '4.2 % of checkouts fail'],
  [9, 'HighLatency', 'warning', CHECKOUT_US, 'The 99th percentile of checkout is 2.1 s'],
  [1500, 'CertificateExpiry', 'info', GATEWAY, 'The certificate of gateway ends in 12 days'],
  [27, 'QueueBacklog', 'warning', { ...SEARCH, queue: 'reindex' }, '18,000 documents wait to be indexed'],
  [20_000, 'Watchdog', 'none', SEARCH, 'Always firing: alerting works'],
];

type DemoSilence = readonly [
  id: string,
  minutes: readonly [number, number],
  by: string,
  comment: string,
  matchers: string,
];

const SILENCES: readonly DemoSilence[] = [
  [
    '9b3f17c2',
    [-40, 180],
    'mara@ops',
    'CHG-2041: growing the volume of node-12',
    'alertname=DiskFull instance=~node-12:.*',
  ],
  ['9b3f2b19', [-10, 50], 'jun@payments', 'ACK! looking at checkout latency', 'alertname=HighLatency service=checkout'],
  ['9b3f3e70', [360, 480], 'mara@ops', 'CHG-2042: kernel update of eu-1', 'cluster=eu-1 team=platform'],
  ['9b3f51c7', [-1560, -1320], 'ada@search', 'Reindexing over night', 'alertname=QueueBacklog queue=reindex'],
];

/** A small, realistic state: three teams, two clusters, alerts and silences in every state. */
function seedDemo(alerts: Alerts, silences: Silences, now: number): void {
  alerts.post(
    ALERTS.map(([minutes, alertname, severity, labels, summary]) => ({
      labels: { alertname, severity, ...labels },
      annotations: { summary, runbook: `https://runbooks.example/${alertname}` },
      generatorURL: `https://prometheus.example/graph?g0.expr=${alertname}`,
      startsAt: now - minutes * MINUTE,
      endsAt: now + LASTING,
    })),
  );
  for (const [start, [from, to], createdBy, comment, matchers] of SILENCES) {
    const [startsAt, endsAt] = [now + from * MINUTE, now + to * MINUTE];
    silences.store({
      id: `${start}-0c1d-4f3b-8a57-2b1e8d3c4a10`,
      createdBy,
      comment,
      matchers: matchers.split(' ').map(parseMatcher),
      startsAt,
      endsAt,
      updatedAt: Math.min(startsAt, now),
    });
  }
}
