/** The alert manager's client: the endpoints of doc 1 §4 with their types, and nothing the commands do not need. */
import { type Client, openClient } from '../../http/client.ts';
import type { Target } from '../../http/target.ts';
import type { StateQuery } from './alert-state.ts';
import * as endpoints from './endpoints.ts';
import { explainAlertmanager } from './failed-answer.ts';
import type {
  Alert,
  AlertGroup,
  PostableAlert,
  PostableSilence,
  PostedSilenceId,
  Receiver,
  Silence,
  Status,
} from './schema.ts';
import { silenceId } from './silence.ts';

export interface AlertFilter {
  /** Matchers in their canonical spelling; all have to match. */
  readonly filter?: readonly string[] | undefined;
  /** A regular expression for the whole name of a receiver. */
  readonly receiver?: string | undefined;
}
export type AlertQuery = StateQuery & AlertFilter;
export type GroupQuery = Omit<StateQuery, 'unprocessed'> & AlertFilter;

export interface Alertmanager {
  alerts(query?: AlertQuery): AsyncIterable<Alert>;
  /** The answer's bytes, unparsed. */
  alertsRaw(query?: AlertQuery): Promise<AsyncIterable<Uint8Array>>;
  postAlerts(alerts: readonly PostableAlert[]): Promise<void>;
  groups(query?: GroupQuery): AsyncIterable<AlertGroup>;
  receivers(): AsyncIterable<Receiver>;
  receiversRaw(): Promise<AsyncIterable<Uint8Array>>;
  status(): Promise<Status>;
  /** Compared with the matchers of the silences as text. Expired ones are among them. */
  silences(filter?: readonly string[]): AsyncIterable<Silence>;
  silencesRaw(filter?: readonly string[]): Promise<AsyncIterable<Uint8Array>>;
  silence(id: string): Promise<Silence>;
  postSilence(silence: PostableSilence): Promise<PostedSilenceId>;
  deleteSilence(id: string): Promise<void>;
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
  return {
    alerts: (query = {}) => client.items(endpoints.getAlerts, { query: alertParameters(query) }),
    alertsRaw: async (query = {}) => client.raw(endpoints.getAlerts, { query: alertParameters(query) }),
    postAlerts: async (alerts) => client.call(endpoints.postAlerts, { body: alerts }),
    groups: (query = {}) => client.items(endpoints.getAlertGroups, { query: groupParameters(query) }),
    receivers: () => client.items(endpoints.getReceivers),
    receiversRaw: async () => client.raw(endpoints.getReceivers),
    status: async () => client.call(endpoints.getStatus),
    silences: (filter = []) => client.items(endpoints.getSilences, { query: { filter } }),
    silencesRaw: async (filter = []) => client.raw(endpoints.getSilences, { query: { filter } }),
    silence: async (id) => client.call(endpoints.getSilence, byId(id)),
    postSilence: (silence) => client.call(endpoints.postSilences, { body: silence }),
    deleteSilence: async (id) => client.call(endpoints.deleteSilence, byId(id)),
    withdrawSilence: async (id) => client.call(endpoints.withdrawSilence, byId(id)),
    answer: (endpoint, values) => client.answer(endpoint, values),
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

/** An empty receiver is no filter to the server, and is not sent. */
function groupParameters({ active, silenced, inhibited, filter, receiver }: GroupQuery) {
  return { active, silenced, inhibited, filter, receiver: receiver === '' ? undefined : receiver };
}

function alertParameters(query: AlertQuery) {
  return { ...groupParameters(query), unprocessed: query.unprocessed };
}
