/** The Alertmanager's endpoints (doc 1 §4) and its client. */
import { SvcError } from '../../errors.ts';
import { openClient } from '../../http/client.ts';
import { answered, type Confirmed, type Endpoint, endpoint, type Parser } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainAlertmanager } from './failed-answer.ts';
import { readMutings, withMutings } from './muting.ts';
import type { AlertFilter, PostableAlert, PostableSilence, StateQuery } from './schema.ts';

type Schemas = typeof import('./schema.ts');
type Parsed<N extends keyof Schemas> = Schemas[N] extends Parser<infer T> ? T : never;

/** zod loads with the first response, not at the start. */
const schema = (name: keyof Schemas) => async () => (await import('./schema.ts'))[name] as never;

function get<N extends keyof Schemas>(path: string, name: N): Endpoint<Parsed<N>, 'read'> {
  return endpoint({ method: 'GET', path, effect: 'read', answer: schema(name) });
}

function list<N extends keyof Schemas>(path: string, name: N): Endpoint<readonly Parsed<N>[], 'read'> {
  return endpoint({ method: 'GET', path, effect: 'read', item: schema(name) });
}

const SILENCE = '/silence/{silenceID}';
export const ENDPOINTS = {
  status: get('/status', 'status'),
  receivers: list('/receivers', 'receiver'),
  silences: list('/silences', 'silence'),
  silence: get(SILENCE, 'silence'),
  /** Not repeatable: each success makes a silence, or replaces the one whose id is given. */
  postSilence: endpoint<Parsed<'postedSilence'>>({
    method: 'POST',
    path: '/silences',
    effect: 'write',
    answer: schema('postedSilence'),
  }),
  /** Expires the silence. The service stores it for a while, but cannot make it active again. */
  deleteSilence: endpoint({ method: 'DELETE', path: SILENCE, effect: 'destroy' }),
  /** The same without a confirmation, for a silence that the command itself made. It may be repeated. */
  withdrawSilence: endpoint({ method: 'DELETE', path: SILENCE, effect: 'write' }),
  alerts: list('/alerts', 'alert'),
  postAlerts: endpoint({ method: 'POST', path: '/alerts', effect: 'write' }),
  groups: { ...list('/alerts/groups', 'alertGroup'), largeItems: true as const },
};

type AlertQuery = StateQuery & AlertFilter;
type GroupQuery = Omit<AlertQuery, 'unprocessed'>;

export type Alertmanager = ReturnType<typeof openAlertmanager>;

export function openAlertmanager(target: Target) {
  const client = openClient(target, { basePath: '/api/v2', explain: explainAlertmanager });
  const byId = (id: string) => ({ params: { silenceID: silenceId(id) } });
  const status = async () => client.call(ENDPOINTS.status);
  const groups = (query: GroupQuery = {}) => client.items(ENDPOINTS.groups, { query: groupParameters(query) });
  // With a receiver, only its own groups decide whether it is notified.
  const mutings = async ({ filter, receiver }: AlertFilter) => readMutings({ groups, status }, { filter, receiver });
  return {
    status,
    groups,
    /** With the intervals that mute each. */
    alerts: (query: AlertQuery = {}) =>
      withMutings(client.items(ENDPOINTS.alerts, { query: alertParameters(query) }), () => mutings(query)),
    /** The response as it came; undefined where a time interval mutes alerts, which the response does not say. */
    async alertsRaw(query: AlertQuery = {}) {
      const chunks = (await client.raw(ENDPOINTS.alerts, { query: alertParameters(query) }))[Symbol.asyncIterator]();
      const { value: first } = await chunks.next();
      const begin = Buffer.from(first ?? []);
      // Each alert of a server that mutes by time has this field.
      if (begin.includes('"mutedBy"') && (await mutings(query)).size > 0) {
        await chunks.return?.();
        return undefined;
      }
      return { bytes: joined(begin, chunks), isEmpty: !begin.includes('{') };
    },
    postAlerts: async (body: readonly PostableAlert[]) => client.send(ENDPOINTS.postAlerts, { body }),
    receivers: () => client.items(ENDPOINTS.receivers),
    receiversRaw: async () => client.raw(ENDPOINTS.receivers),
    /** The filter is compared with the matchers of the silences as text. Expired silences are among them. */
    silences: (filter: readonly string[] = []) => client.items(ENDPOINTS.silences, { query: { filter } }),
    silencesRaw: async (filter: readonly string[] = []) => client.raw(ENDPOINTS.silences, { query: { filter } }),
    silence: async (id: string) => client.call(ENDPOINTS.silence, byId(id)),
    postSilence: async (body: PostableSilence) => client.send(ENDPOINTS.postSilence, { body }),
    deleteSilence: async (id: string, confirmed: Confirmed) =>
      client.send(ENDPOINTS.deleteSilence, byId(id), confirmed),
    withdrawSilence: async (id: string) => answered(await client.send(ENDPOINTS.withdrawSilence, byId(id))),
    /** Any request below the service's base path, and its response as it came. */
    answer: client.answer.bind(client),
    /** The server's clock minus ours, of the latest response that had a date. */
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

async function* joined(begin: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield begin;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** An empty receiver is no filter to the server, and is not sent. */
function groupParameters({ active, silenced, inhibited, filter, receiver }: GroupQuery) {
  return { active, silenced, inhibited, filter, receiver: receiver === '' ? undefined : receiver };
}

function alertParameters(query: AlertQuery) {
  return { ...groupParameters(query), unprocessed: query.unprocessed };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A whole id as it is sent. Throws `invalid_value`. */
export function silenceId(text: string): string {
  if (!isUuid(text)) {
    throw new SvcError('invalid_value', `"${text}" is not a silence id`, {
      hint: 'a silence id is a UUID; svc silences list -a -q shows them',
    });
  }
  return text.toLowerCase();
}
