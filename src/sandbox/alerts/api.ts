/** The endpoints of the emulated server: a request in, an answer out. Nothing here knows of sockets. */

import { type AlertQuery, Alerts } from './alerts.ts';
import { formatServerTime, utc } from './date-time.ts';
import { compileMatchers, type Matcher, parseMatcher } from './matcher.ts';
import { decodeAlerts, decodeSilence } from './postable.ts';
import { flagOf, type Query } from './query.ts';
import { compileRe2 } from './re2.ts';
import { CONFIG_TEXT, RECEIVERS } from './routing.ts';
import { hasMatchers, SilenceNotFound, SilenceRefused, Silences, silenceAnswer } from './silences.ts';
import { type AlertsTrap, withInterval } from './traps.ts';

export interface ApiRequest {
  readonly query: Query;
  /** The id in the path, where there is one. */
  readonly id: string;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** The JSON value; undefined for no body at all. */
  readonly json?: unknown;
  /** The models of alerts and silences write `<`, `>` and `&` as escapes, other values do not. */
  readonly html?: boolean;
  /** Errors of the framework: its own form, without a line feed. */
  readonly framework?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (request: ApiRequest) => Answer;
type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export function frameworkError(status: number, code: number, message: string): Answer {
  return { status, json: { code, message }, html: true, framework: true };
}

export class AlertmanagerApi {
  readonly alerts: Alerts;
  readonly silences: Silences;
  private readonly now: () => number;
  private readonly traps: ReadonlySet<AlertsTrap>;
  private readonly started: number;
  private readonly routes: Readonly<Record<string, Methods>>;

  constructor(now: () => number, randomUuid: () => string, traps: ReadonlySet<AlertsTrap>) {
    this.now = now;
    this.traps = traps;
    this.started = now();
    this.silences = new Silences(now, randomUuid);
    this.alerts = new Alerts(now, this.silences, traps);
    this.routes = {
      status: { GET: () => ({ status: 200, json: this.status() }) },
      receivers: { GET: () => ({ status: 200, json: RECEIVERS.map((name) => ({ name })) }) },
      alerts: {
        GET: ({ query }) => queried(query, (wanted) => this.alerts.list(wanted)),
        POST: ({ body }) => this.postAlerts(body),
      },
      'alerts/groups': { GET: ({ query }) => queried(query, (wanted) => this.alerts.groups(wanted)) },
      silences: { GET: ({ query }) => this.listSilences(query), POST: ({ body }) => this.postSilence(body) },
    };
  }

  /** The handlers of a path below `/api/v2/`, and the id in it. */
  find(path: string): { readonly methods: Methods; readonly id: string } | undefined {
    const trimmed = path.replace(/\/$/, '');
    const silence = /^silence\/([^/]+)$/.exec(trimmed);
    if (silence !== null) return { methods: this.oneSilence, id: silence[1] ?? '' };
    const methods = Object.hasOwn(this.routes, trimmed) ? this.routes[trimmed] : undefined;
    return methods && { methods, id: '' };
  }

  private readonly oneSilence: Methods = {
    GET: ({ id }) =>
      withUuid(id, () => {
        const silence = this.silences.get(id);
        return silence === undefined
          ? { status: 404 }
          : { status: 200, json: silenceAnswer(silence, this.now()), html: true };
      }),
    DELETE: ({ id }) =>
      withUuid(id, () =>
        // An unknown id is a 500 in version 0.25.
        refusals(500, () => {
          this.silences.expire(id);
          return { status: 200 };
        }),
      ),
  };

  private postSilence(body: string): Answer {
    const posted = decodeSilence(body);
    return refusals(404, () => ({ status: 200, json: { silenceID: this.silences.post(posted) } }));
  }

  private postAlerts(body: string): Answer {
    const complaints = this.alerts.post(decodeAlerts(body));
    return complaints.length === 0 ? { status: 200 } : { status: 400, json: complaints.join('; ') };
  }

  private listSilences(query: Query): Answer {
    const matchers = filtersOf(query);
    if (typeof matchers === 'string') return { status: 400, json: matchers };
    const now = this.now();
    const found = this.silences.list().filter((silence) => hasMatchers(silence, matchers));
    return { status: 200, json: found.map((silence) => silenceAnswer(silence, now)), html: true };
  }

  private status(): object {
    const mutes = this.traps.has('mute-interval');
    return {
      cluster: { peers: [], status: 'disabled' },
      config: { original: mutes ? withInterval(CONFIG_TEXT) : CONFIG_TEXT },
      uptime: formatServerTime(utc(this.started)),
      versionInfo: {
        branch: 'sandbox',
        buildDate: '',
        buildUser: '',
        goVersion: '',
        revision: 'sandbox',
        version: mutes ? '0.28.0' : '0.25.0',
      },
    };
  }
}

function withUuid(id: string, handle: () => Answer): Answer {
  return UUID.test(id)
    ? handle()
    : frameworkError(422, 601, `silenceID in path must be of type uuid: ${JSON.stringify(id)}`);
}

function refusals(unknownId: 404 | 500, handle: () => Answer): Answer {
  try {
    return handle();
  } catch (error) {
    if (error instanceof SilenceNotFound) return { status: unknownId, json: error.message };
    if (error instanceof SilenceRefused) return { status: 400, json: error.message };
    throw error;
  }
}

function filtersOf(query: Query): readonly Matcher[] | string {
  const matchers: Matcher[] = [];
  for (const text of query.get('filter') ?? []) {
    const matcher = parseMatcher(text);
    if (typeof matcher === 'string') return matcher;
    const compiled = compileMatchers([matcher]);
    if (typeof compiled === 'string') return compiled;
    matchers.push(matcher);
  }
  return matchers;
}

function queried(query: Query, find: (wanted: AlertQuery) => readonly object[]): Answer {
  const matchers = filtersOf(query);
  const match = typeof matchers === 'string' ? matchers : compileMatchers(matchers);
  if (typeof match === 'string') return { status: 400, json: match };
  const pattern = query.get('receiver')?.at(-1) ?? '';
  const receiver = pattern === '' ? undefined : compileRe2(`^(?:${pattern})$`);
  if (typeof receiver === 'string') return { status: 400, json: `failed to parse receiver param: ${receiver}` };
  const flag = (name: string): boolean => flagOf(query, name);
  const wanted = { active: flag('active'), silenced: flag('silenced'), inhibited: flag('inhibited'), match, receiver };
  return { status: 200, json: find(wanted), html: true };
}
