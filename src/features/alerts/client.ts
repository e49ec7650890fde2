/** The alert manager's client: the endpoints of doc 1 §4 with their types, and nothing the commands do not need. */
import { SvcError } from '../../errors.ts';
import { type Client, openClient } from '../../http/client.ts';
import { answered, type Confirmed, type Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import * as endpoints from './endpoints.ts';
import { explainAlertmanager } from './failed-answer.ts';
import type {
  Alert,
  AlertFilter,
  AlertGroup,
  PostableAlert,
  PostableSilence,
  PostedSilenceId,
  Receiver,
  Silence,
  StateQuery,
  Status,
} from './schema.ts';

export type AlertQuery = StateQuery & AlertFilter;
export type GroupQuery = Omit<StateQuery, 'unprocessed'> & AlertFilter;

export interface RawAlerts {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly isEmpty: boolean;
}

export interface Alertmanager {
  /** With the intervals that mute each. */
  alerts(query?: AlertQuery): AsyncIterable<Alert>;
  /** The response as it came; undefined where a time interval mutes alerts, which the response does not say. */
  alertsRaw(query?: AlertQuery): Promise<RawAlerts | undefined>;
  postAlerts(alerts: readonly PostableAlert[]): Promise<Plan | undefined>;
  groups(query?: GroupQuery): AsyncIterable<AlertGroup>;
  receivers(): AsyncIterable<Receiver>;
  receiversRaw(): Promise<AsyncIterable<Uint8Array>>;
  status(): Promise<Status>;
  /** Compared with the matchers of the silences as text. Expired ones are among them. */
  silences(filter?: readonly string[]): AsyncIterable<Silence>;
  silencesRaw(filter?: readonly string[]): Promise<AsyncIterable<Uint8Array>>;
  silence(id: string): Promise<Silence>;
  postSilence(silence: PostableSilence): Promise<PostedSilenceId | Plan>;
  deleteSilence(id: string, confirmed: Confirmed): Promise<Plan | undefined>;
  /** As `deleteSilence`, unasked: only for a silence that the command itself has made. */
  withdrawSilence(id: string): Promise<void>;
  /** Any request below the service's base path, and its answer as it came. */
  answer: Client['answer'];
  /** The server's clock minus ours, of the latest answer that had a date. */
  readonly clockSkewMs: number | undefined;
  close(): Promise<void>;
}

/** `bulk`: thousands of requests will follow each other. */
export function openAlertmanager(target: Target, { bulk = false } = {}): Alertmanager {
  const client = openClient(target, { basePath: '/api/v2', explain: explainAlertmanager, bulk });
  const byId = (id: string) => ({ params: { silenceID: silenceId(id) } });
  // With a receiver, only its own groups decide whether it is notified.
  const mutings = async ({ filter, receiver }: AlertFilter) => {
    const { readMutings } = await import('./muting.ts');
    return readMutings(alertmanager, { filter, receiver });
  };
  const alertmanager: Alertmanager = {
    async *alerts(query = {}) {
      const { withMutings } = await import('./muting.ts');
      yield* withMutings(client.items(endpoints.getAlerts, { query: alertParameters(query) }), () => mutings(query));
    },
    alertsRaw: async (query = {}) => {
      const chunks = (await client.raw(endpoints.getAlerts, { query: alertParameters(query) }))[Symbol.asyncIterator]();
      const { value: first } = await chunks.next();
      const begin = Buffer.from(first ?? []);
      // Each alert of a server that mutes by time has this field.
      if (begin.includes('"mutedBy"') && (await mutings(query)).size > 0) {
        await chunks.return?.();
        return undefined;
      }
      return { bytes: joined(begin, chunks), isEmpty: !begin.includes('{') };
    },
    postAlerts: (alerts) => client.send(endpoints.postAlerts, { body: alerts }),
    groups: (query = {}) => client.items(endpoints.getAlertGroups, { query: groupParameters(query) }),
    receivers: () => client.items(endpoints.getReceivers),
    receiversRaw: async () => client.raw(endpoints.getReceivers),
    status: async () => client.call(endpoints.getStatus),
    silences: (filter = []) => client.items(endpoints.getSilences, { query: { filter } }),
    silencesRaw: async (filter = []) => client.raw(endpoints.getSilences, { query: { filter } }),
    silence: async (id) => client.call(endpoints.getSilence, byId(id)),
    postSilence: (silence) => client.send(endpoints.postSilences, { body: silence }),
    deleteSilence: async (id, confirmed) => client.send(endpoints.deleteSilence, byId(id), confirmed),
    withdrawSilence: async (id) => answered(await client.send(endpoints.withdrawSilence, byId(id))),
    answer: client.answer.bind(client),
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
  return alertmanager;
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
