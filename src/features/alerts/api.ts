/** The Alertmanager's endpoints (doc 1 §4) and its client. */
import { SvcError } from '../../errors.ts';
import { Client } from '../../http/client.ts';
import { answered, type Confirmed, endpoint } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainAlertmanager } from './errors.ts';
import { ClusterClient, type Member, type MemberClient } from './members.ts';
import type {
  Alert,
  AlertFilter,
  AlertGroup,
  AlertQuery,
  PostableAlert,
  PostableSilence,
  Receiver,
  Silence,
  Status,
} from './schema.ts';

/** zod loads with the first response, not at the start. */
export const ENDPOINTS = {
  status: endpoint({
    method: 'GET',
    path: '/status',
    effect: 'read',
    answer: async () => (await import('./schema.ts')).status,
  }),
  receivers: endpoint<readonly Receiver[]>({
    method: 'GET',
    path: '/receivers',
    effect: 'read',
    item: async () => (await import('./schema.ts')).receiver,
  }),
  silences: endpoint<readonly Silence[]>({
    method: 'GET',
    path: '/silences',
    effect: 'read',
    item: async () => (await import('./schema.ts')).silence,
  }),
  silence: endpoint({
    method: 'GET',
    path: '/silence/{silenceID}',
    effect: 'read',
    answer: async () => (await import('./schema.ts')).silence,
  }),
  /** Not repeatable: each success creates a silence, or replaces the one with the given id. */
  postSilence: endpoint({
    method: 'POST',
    path: '/silences',
    effect: 'write',
    answer: async () => (await import('./schema.ts')).postedSilence,
  }),
  /** Expires the silence. The service cannot make it active again. */
  deleteSilence: endpoint({ method: 'DELETE', path: '/silence/{silenceID}', effect: 'destroy' }),
  /** Without a confirmation, for a silence that the command itself created. It may be repeated. */
  withdrawSilence: endpoint({ method: 'DELETE', path: '/silence/{silenceID}', effect: 'write' }),
  alerts: endpoint<readonly Alert[]>({
    method: 'GET',
    path: '/alerts',
    effect: 'read',
    item: async () => (await import('./schema.ts')).alert,
  }),
  postAlerts: endpoint({ method: 'POST', path: '/alerts', effect: 'write' }),
  groups: endpoint<readonly AlertGroup[]>({
    method: 'GET',
    path: '/alerts/groups',
    effect: 'read',
    largeItems: true,
    item: async () => (await import('./schema.ts')).alertGroup,
  }),
};

export type Alertmanager = ReturnType<typeof openAlertmanager>;

function openMember(target: Target): Member {
  const client = new Client(target, { basePath: '/api/v2', explain: explainAlertmanager });
  return { host: target.baseUrl.host, client };
}

export function openAlertmanager(target: Target) {
  const own = openMember(target);
  const members = [own, ...(target.others ?? []).map(openMember)];
  const client = members.length === 1 ? own.client : new ClusterClient(members, target.log.warn);
  const byId = (id: string) => ({ params: { silenceID: parseSilenceId(id) } });

  return {
    status: async () => client.call(ENDPOINTS.status),
    groups: (query: AlertQuery = {}) => readGroups(client, query),
    mutedAlerts: async (filter: AlertFilter = {}) => readMutedAlerts(client, filter),
    alerts: (query: AlertQuery = {}) => readAlerts(client, query),
    /** The unchanged response. Undefined if a time interval mutes alerts, which it does not say. */
    alertsRaw: async (query: AlertQuery = {}) => readRawAlerts(client, query),
    /** To all members: they do not tell each other of alerts. */
    postAlerts: async (body: readonly PostableAlert[]) =>
      (await import('./on-members.ts')).onMembers(members, (member) =>
        member.client
          .send(ENDPOINTS.postAlerts, { body })
          .catch((error: unknown) => throwPartlyStored(error, body.length)),
      ),
    receivers: () => client.items(ENDPOINTS.receivers),
    /** Compares the filter with the matchers as text. Includes expired silences. */
    silences: (filter: readonly string[] = []) => client.items(ENDPOINTS.silences, { query: { filter } }),
    silence: async (id: string) => client.call(ENDPOINTS.silence, byId(id)),
    postSilence: async (body: PostableSilence) => client.send(ENDPOINTS.postSilence, { body }),
    deleteSilence: async (id: string, confirmed: Confirmed) =>
      client.send(ENDPOINTS.deleteSilence, byId(id), confirmed),
    withdrawSilence: async (id: string) => answered(await client.send(ENDPOINTS.withdrawSilence, byId(id))),
    /** Any request below the base path, with the unchanged response. */
    answer: client.answer.bind(client),
    /** The server's clock minus ours, by its latest response. */
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

function readGroups(client: MemberClient, query: AlertQuery) {
  return client.items(ENDPOINTS.groups, { query: { ...query, unprocessed: undefined } });
}

/** Adds the time intervals that mute each alert; servers older than 0.28 do not name any. */
async function* readAlerts(client: MemberClient, query: AlertQuery): AsyncGenerator<Alert, void, void> {
  let muted: MutedAlerts | undefined;
  for await (const alert of client.items(ENDPOINTS.alerts, { query })) {
    if (muted === undefined && alert.status.mutedBy !== undefined) muted = await readMutedAlerts(client, query);
    const groups = muted?.get(alert.fingerprint);
    yield groups === undefined ? alert : withMuting(alert, groups);
  }
}

async function readRawAlerts(client: MemberClient, query: AlertQuery) {
  const chunks = (await client.raw(ENDPOINTS.alerts, { query }))[Symbol.asyncIterator]();
  const { value: first } = await chunks.next();
  const begin = Buffer.from(first ?? []);
  // The first alert is in the first chunk, and shows whether the server knows the field.
  if (begin.includes('"mutedBy"') && (await readMutedAlerts(client, query)).size > 0) {
    await chunks.return?.();
    return undefined;
  }
  return { bytes: joinChunks(begin, chunks), isEmpty: !begin.includes('{') };
}

/** Only `GET /alerts/groups` names the intervals. With a receiver, only its own groups count. */
async function readMutedAlerts(client: MemberClient, { filter, receiver }: AlertFilter): Promise<MutedAlerts> {
  if (!(await mayMuteByTime(client))) return new Map();
  const groupsOf = new Map<string, GroupMuting[]>();
  for await (const group of readGroups(client, { filter, receiver })) {
    for (const { fingerprint, status } of group.alerts) {
      const others = groupsOf.get(fingerprint) ?? [];
      groupsOf.set(fingerprint, [...others, { receiver: group.receiver.name, mutedBy: status.mutedBy ?? [] }]);
    }
  }
  return new Map([...groupsOf].filter(([, groups]) => groups.some(({ mutedBy }) => mutedBy.length > 0)));
}

/** Reads the configuration, which is short: the groups can be as long as the list of alerts. */
async function mayMuteByTime(client: MemberClient): Promise<boolean> {
  const status = await ifPossible(() => client.call(ENDPOINTS.status));
  if (status === undefined) return false;
  const config = status.config?.original;
  // Some compatible servers do not show their configuration; then only the groups can tell.
  return typeof config !== 'string' || /\b(?:mute|active)_time_intervals\b/.test(config);
}

/** A group that an alert is in, and whether it is muted there. */
export interface GroupMuting {
  readonly receiver: string;
  /** The names of the intervals that mute it; empty if the group notifies its receiver. */
  readonly mutedBy: readonly string[];
}

/** By fingerprint: all groups of each alert that a time interval mutes in at least one of them. */
type MutedAlerts = ReadonlyMap<string, readonly GroupMuting[]>;

/** An alert that is muted in each of its groups is suppressed. */
function withMuting(alert: Alert, groups: readonly GroupMuting[]): Alert {
  if (groups.some(({ mutedBy }) => mutedBy.length === 0)) return alert;
  const mutedBy = [...new Set(groups.flatMap((group) => group.mutedBy))];
  return { ...alert, status: { ...alert.status, state: 'suppressed', mutedBy } };
}

/** The server stores the valid alerts of a batch that it answers with 400. */
function throwPartlyStored(error: unknown, count: number): never {
  if (!(error instanceof SvcError) || error.code !== 'refused' || error.httpStatus !== 400 || count < 2) throw error;
  throw new SvcError('partly_done', `${error.message}; the server may have stored the other alerts of the ${count}`, {
    hint: 'check: svc alerts list -a',
    httpStatus: error.httpStatus,
    cause: error,
  });
}

/** Throws if a compatible server does not show its configuration. */
export function originalConfig({ config }: Pick<Status, 'config'>): string {
  if (config?.original) return config.original;
  throw new SvcError('not_found', 'the server does not show its configuration', {
    hint: 'Grafana does not; pass the file with --config-file',
  });
}

/** Undefined after a failure. An interruption is thrown. */
export async function ifPossible<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError) || error.endedBySignal) throw error;
    return undefined;
  }
}

async function* joinChunks(begin: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield begin;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function parseSilenceId(text: string): string {
  if (!isUuid(text)) {
    throw new SvcError('invalid_value', `"${text}" is not a silence id`, {
      hint: 'a silence id is a UUID; svc silences list -a -q shows them',
    });
  }
  return text.toLowerCase();
}
