/** The Alertmanager's endpoints (doc 1 §4) and its client. */
import { SvcError } from '../../errors.ts';
import { answerFailure, credentialFailure, type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import { Client } from '../../http/client.ts';
import { answered, type Confirmed, type EndpointShape, endpoint } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
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

type Call = Pick<EndpointShape, 'method' | 'path'>;

const CHECK_PATH = 'check the path of --base-url: svc adds /api/v2 to it';
const CREDENTIAL = 'SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD';
/** Cortex and Mimir have one Alertmanager for each tenant. */
const TENANT = "name the tenant: svc config set alerts.headers 'X-Scope-OrgID: <tenant>'";

/** Undefined for what means the same from any service. */
export function explainAlertmanager(answer: FailedAnswer, endpoint: Call): SvcError | undefined {
  const { status } = answer;
  const reason = serviceMessage(answer);
  if (status === 401) return explainCredential(answer, reason);
  if (isMissingSilence(answer, reason, endpoint))
    return answerFailure(answer, 'not_found', 'no silence has this id', 'svc silences list -a shows all silences');
  if (status === 400 && /^(?:silence )?exceeded maximum /.test(reason)) {
    const hint = 'the limits are --silences.max-silences and --silences.max-silence-size-bytes of the server';
    return answerFailure(answer, 'limited', `Alertmanager has a limit: ${reason}`, hint);
  }
  if (isRefusal(status, reason)) {
    const message = `Alertmanager refused the request: ${reason || `status ${status}`}`;
    return answerFailure(answer, 'refused', message, refusalHint(status, reason));
  }
  if (status !== 404 && status !== 410) return undefined;
  const message = `the server does not know ${endpoint.method} ${endpoint.path}: ${reason || 'no reason given'}`;
  return answerFailure(answer, 'wrong_path', message, CHECK_PATH);
}

function explainCredential(answer: FailedAnswer, reason: string): SvcError {
  const { credentialSent, credentialSource = CREDENTIAL } = answer;
  const hint = credentialSent ? `check ${credentialSource}` : `set ${CREDENTIAL}`;
  return credentialFailure(answer, 'Alertmanager', reason, /\bno org ?id\b/i.test(reason) ? TENANT : hint);
}

function isMissingSilence({ status, contentType, text }: FailedAnswer, reason: string, { method, path }: Call) {
  // Before 0.26, deleting a missing silence is a server error.
  if (status === 500) return method === 'DELETE' && reason === 'silence not found';
  if (status !== 404 || !(path.startsWith('/silence/') || (method === 'POST' && path === '/silences'))) return false;
  // Any other body than a JSON string or an empty one is from a router or a proxy.
  if (text.trim() === '') return contentType === '' || contentType.includes('json');
  return contentType.includes('json') && text.trimStart().startsWith('"');
}

function isRefusal(status: number, reason: string): boolean {
  if ([400, 405, 406, 415, 422, 431].includes(status)) return true;
  return (
    reason.includes('Alertmanager is not configured') || (status === 500 && reason.includes('multiple matcher sets'))
  );
}

const HINTS: readonly (readonly [reason: RegExp, hint: string])[] = [
  [/parsing regexp/, 'regular expressions are RE2: no look-around, no back-references'],
  [
    /^bad matcher format|invalid label name/,
    'before 0.27, label names can have only letters, digits and _, and no digit at the beginning',
  ],
  [/must not match the empty string/, 'add a matcher that requires a value, such as team=db'],
  [/multiple matcher sets/, 'exclude the silence with matchers; to expire it, pass its full id'],
  [/is not configured/, `upload a configuration of this tenant (mimirtool alertmanager load), or ${TENANT}`],
];

function refusalHint(status: number, reason: string): string | undefined {
  if (status === 405) return CHECK_PATH;
  if (status === 431) return 'the request is too long: use fewer or shorter matchers';
  return HINTS.find(([pattern]) => pattern.test(reason))?.[1];
}
