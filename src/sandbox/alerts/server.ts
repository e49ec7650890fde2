/** An Alertmanager 0.25 on loopback, emulated at the HTTP level, to try `svc` out and to test. */
import { randomUUID } from 'node:crypto';
import { type EmulatorOptions, plain, Refusal, type Request, type Response, startServer } from '../http.ts';
import type { AlertsTrap } from '../traps.ts';
import { type AlertQuery, Alerts } from './alerts.ts';
import { decodeAlerts, decodeSilence, framed } from './bodies.ts';
import { seedDemo } from './demo.ts';
import { compileMatchers, compileRegex, type Matcher, parseMatcher } from './labels.ts';
import { addMutingInterval, CONFIG_TEXT, RECEIVERS } from './routing.ts';
import { hasMatchers, iso, Silences, silenceAnswer } from './silences.ts';

interface AlertsOptions extends EmulatorOptions {
  readonly randomUuid?: () => string;
}

export interface Emulator {
  readonly url: string;
  readonly traps: Set<AlertsTrap>;
  close(): Promise<void>;
}

const API = '/api/v2/';
/** The real server accepts request lines of a mebibyte, and bodies of any size. */
const LIMITS = { maxHeaderSize: (1 << 20) + 4096, maxBody: 1 << 26 };

export async function startAlertmanagerEmulator(options: AlertsOptions): Promise<Emulator> {
  const { port, now, randomUuid = randomUUID, seed = 'empty' } = options;
  const traps = new Set<AlertsTrap>();
  const silences = new Silences(now, randomUuid);
  const alerts = new Alerts(now, silences, traps);
  if (seed === 'demo') seedDemo(alerts, silences, now(), randomUuid);
  const routes = routesOf(alerts, silences, traps, now);
  const { url, close } = await startServer({
    port,
    now,
    ...LIMITS,
    respond: (request) => (traps.has('error-200') ? plain(200, 'error: no such tenant\n') : respond(routes, request)),
  });
  return { url, traps, close };
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

function routesOf(alerts: Alerts, silences: Silences, traps: ReadonlySet<AlertsTrap>, now: () => number): Routes {
  const started = now();
  return {
    status: { GET: () => status(started, traps.has('mute-interval')) },
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

function status(started: number, mutes: boolean): object {
  const build = { branch: 'sandbox', buildDate: '', buildUser: '', goVersion: '', revision: 'sandbox' };
  return {
    cluster: { peers: [], status: 'disabled' },
    config: { original: mutes ? addMutingInterval(CONFIG_TEXT) : CONFIG_TEXT },
    uptime: iso(started),
    versionInfo: { ...build, version: mutes ? '0.28.0' : '0.25.0' },
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
