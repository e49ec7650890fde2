/** The endpoints of the emulated server: a request in, a response out. Nothing here knows of sockets. */
import { type AlertQuery, Alerts } from './alerts.ts';
import { decodeAlerts, decodeSilence } from './bodies.ts';
import { compileMatchers, compileRegex, type Matcher, parseMatcher } from './matcher.ts';
import { Refused } from './requests.ts';
import { CONFIG_TEXT, RECEIVERS } from './routing.ts';
import { hasMatchers, Silences, silenceAnswer } from './silences.ts';
import { formatServerTime, utc } from './times.ts';
import { type AlertsTrap, withInterval } from './traps.ts';

export interface ApiRequest {
  readonly query: URLSearchParams;
  /** The id in the path, where there is one. */
  readonly id: string;
  readonly body: string;
}

/** Returns the JSON value of a 200; undefined for no body at all. */
type Handler = (request: ApiRequest) => unknown;
export type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const TRUE = new Set(['', 'true', '1', 'yes', 'ok', 'y', 'on', 't', 'enabled', 'checked', 'selected']);

export class AlertmanagerApi {
  readonly alerts: Alerts;
  readonly silences: Silences;
  private readonly now: () => number;
  private readonly traps: ReadonlySet<AlertsTrap>;
  private readonly started: number;

  constructor(now: () => number, randomUuid: () => string, traps: ReadonlySet<AlertsTrap>) {
    this.now = now;
    this.traps = traps;
    this.started = now();
    this.silences = new Silences(now, randomUuid);
    this.alerts = new Alerts(now, this.silences, traps);
  }

  private readonly routes: Readonly<Record<string, Methods>> = {
    status: { GET: () => this.status() },
    receivers: { GET: () => RECEIVERS.map((name) => ({ name })) },
    alerts: {
      GET: ({ query }) => this.alerts.list(alertQuery(query)),
      POST: ({ body }) => this.alerts.post(decodeAlerts(body)),
    },
    'alerts/groups': { GET: ({ query }) => this.alerts.groups(alertQuery(query)) },
    silences: {
      GET: ({ query }) => {
        const matchers = filtersOf(query);
        const found = this.silences.list().filter((silence) => hasMatchers(silence, matchers));
        return found.map((silence) => silenceAnswer(silence, this.now()));
      },
      POST: ({ body }) => ({ silenceID: this.silences.post(decodeSilence(body)) }),
    },
    'silence/{id}': {
      GET: ({ id }) => {
        const silence = this.silences.get(checkedUuid(id));
        // Without a body, unlike every other error.
        if (silence === undefined) throw new Refused(404, '');
        return silenceAnswer(silence, this.now());
      },
      DELETE: ({ id }) => this.silences.expire(checkedUuid(id)),
    },
  };

  /** The handlers of a path below `/api/v2/`, and the id in it. */
  find(path: string): { readonly methods: Methods; readonly id: string } | undefined {
    const trimmed = path.replace(/\/$/, '');
    const id = /^silence\/([^/]+)$/.exec(trimmed)?.[1] ?? '';
    const name = id === '' ? trimmed : 'silence/{id}';
    const methods = Object.hasOwn(this.routes, name) ? this.routes[name] : undefined;
    return methods && { methods, id };
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

function checkedUuid(id: string): string {
  if (!UUID.test(id)) throw new Refused(422, `silenceID in path must be of type uuid: ${JSON.stringify(id)}`, 601);
  return id;
}

function filtersOf(query: URLSearchParams): readonly Matcher[] {
  const matchers = query.getAll('filter').map(parseMatcher);
  // An expression that is not valid is refused by every list.
  compileMatchers(matchers);
  return matchers;
}

function alertQuery(query: URLSearchParams): AlertQuery {
  // True by default; of several values the last counts, and an unknown one is false.
  const flag = (name: string): boolean => TRUE.has((query.getAll(name).at(-1) ?? '').toLowerCase());
  const receiver = query.getAll('receiver').at(-1) ?? '';
  return {
    active: flag('active'),
    silenced: flag('silenced'),
    inhibited: flag('inhibited'),
    match: compileMatchers(filtersOf(query)),
    receiver: receiver === '' ? () => true : compileRegex(receiver),
  };
}
