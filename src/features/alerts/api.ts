/** The Alertmanager's endpoints (doc 1 §4) and its client. */
import { SvcError } from '../../errors.ts';
import { answered, type Confirmed, type Endpoint, endpoint, type Parser } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainAlertmanager } from './errors.ts';
import { ClusterClient, openMembers } from './members.ts';
import type { Alert, AlertFilter, PostableAlert, PostableSilence, StateQuery, Status } from './schema.ts';

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
  /** Not repeatable: each success creates a silence, or replaces the one with the given id. */
  postSilence: endpoint<Parsed<'postedSilence'>>({
    method: 'POST',
    path: '/silences',
    effect: 'write',
    answer: schema('postedSilence'),
  }),
  /** Expires the silence. The service cannot make it active again. */
  deleteSilence: endpoint({ method: 'DELETE', path: SILENCE, effect: 'destroy' }),
  /** Without a confirmation, for a silence that the command itself created. It may be repeated. */
  withdrawSilence: endpoint({ method: 'DELETE', path: SILENCE, effect: 'write' }),
  alerts: list('/alerts', 'alert'),
  postAlerts: endpoint({ method: 'POST', path: '/alerts', effect: 'write' }),
  groups: { ...list('/alerts/groups', 'alertGroup'), largeItems: true as const },
};

type AlertQuery = StateQuery & AlertFilter;

export type Alertmanager = ReturnType<typeof openAlertmanager>;

export function openAlertmanager(target: Target) {
  const members = openMembers([target, ...(target.others ?? [])], {
    basePath: '/api/v2',
    explain: explainAlertmanager,
  });
  const client = new ClusterClient(members, target.log.warn);
  const byId = (id: string) => ({ params: { silenceID: silenceId(id) } });

  return {
    status: async () => client.call(ENDPOINTS.status),
    groups: (query: AlertQuery = {}) => readGroups(client, query),
    mutings: async (filter: AlertFilter = {}) => readMutings(client, filter),
    alerts: (query: AlertQuery = {}) => readAlerts(client, query),
    /** The unchanged response; undefined if a time interval mutes alerts, which the response does not show. */
    alertsRaw: async (query: AlertQuery = {}) => readRawAlerts(client, query),
    /** To all members: they do not tell each other of alerts. */
    postAlerts: async (body: readonly PostableAlert[]) =>
      (await import('./on-members.ts')).onMembers(members, (member) =>
        member.client.send(ENDPOINTS.postAlerts, { body }).catch((error: unknown) => partlyStored(error, body.length)),
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

function readGroups(client: ClusterClient, query: AlertQuery) {
  return client.items(ENDPOINTS.groups, { query: groupParameters(query) });
}

/** With the time intervals that mute each alert (0.28 or newer). */
async function* readAlerts(client: ClusterClient, query: AlertQuery): AsyncGenerator<Alert, void, void> {
  let muted: Mutings | undefined;
  for await (const alert of client.items(ENDPOINTS.alerts, { query: alertParameters(query) })) {
    if (muted === undefined && alert.status.mutedBy !== undefined) muted = await readMutings(client, query);
    yield withMuting(alert, muted?.get(alert.fingerprint));
  }
}

async function readRawAlerts(client: ClusterClient, query: AlertQuery) {
  const chunks = (await client.raw(ENDPOINTS.alerts, { query: alertParameters(query) }))[Symbol.asyncIterator]();
  const { value: first } = await chunks.next();
  const begin = Buffer.from(first ?? []);
  if (begin.includes('"mutedBy"') && (await readMutings(client, query)).size > 0) {
    await chunks.return?.();
    return undefined;
  }
  return { bytes: joined(begin, chunks), isEmpty: !begin.includes('{') };
}

/** With a receiver, only its own groups decide whether it is notified. */
async function readMutings(client: ClusterClient, { filter, receiver }: AlertFilter): Promise<Mutings> {
  // The configuration is short; groups can be as long as the list of alerts.
  const read = await ifPossible(() => client.call(ENDPOINTS.status));
  const all = new Map<string, MutedGroup[]>();
  // Some compatible servers do not show their configuration.
  const config = read?.config?.original ?? 'mute_time_intervals';
  if (read === undefined || !/\b(?:mute|active)_time_intervals\b/.test(config)) return all;
  for await (const group of readGroups(client, { filter, receiver })) {
    for (const { fingerprint, status } of group.alerts) {
      const others = all.get(fingerprint) ?? [];
      all.set(fingerprint, [...others, { receiver: group.receiver.name, mutedBy: status.mutedBy ?? [] }]);
    }
  }
  return new Map([...all].filter(([, of]) => of.some(({ mutedBy }) => mutedBy.length > 0)));
}

/** One group that an alert is in. */
export interface MutedGroup {
  readonly receiver: string;
  /** The names of the intervals; empty if the group notifies its receiver. */
  readonly mutedBy: readonly string[];
}

/** The groups of each alert that a time interval mutes in at least one, by fingerprint. Only `GET /alerts/groups` names the intervals. */
type Mutings = ReadonlyMap<string, readonly MutedGroup[]>;

/** An alert that is muted in each of its groups is suppressed. */
function withMuting(alert: Alert, groups: readonly MutedGroup[] | undefined): Alert {
  if (groups === undefined || groups.some(({ mutedBy }) => mutedBy.length === 0)) return alert;
  const mutedBy = [...new Set(groups.flatMap((group) => group.mutedBy))];
  return { ...alert, status: { ...alert.status, state: 'suppressed', mutedBy } };
}

/** The server stores the valid alerts of a batch that it answers with 400. */
function partlyStored(error: unknown, count: number): never {
  if (!(error instanceof SvcError) || error.code !== 'refused' || error.httpStatus !== 400 || count < 2) throw error;
  throw new SvcError('partly_done', `${error.message}; the server may have stored the other alerts of the ${count}`, {
    hint: 'check: svc alerts list -a',
    httpStatus: error.httpStatus,
    cause: error,
  });
}

/** Only what computes with the configuration needs it: some compatible servers show none. */
export function originalConfig({ config }: Pick<Status, 'config'>): string {
  if (config?.original) return config.original;
  throw new SvcError('not_found', 'the server does not show its configuration', {
    hint: 'Grafana does not; pass the file with --config-file',
  });
}

/** Older servers ignore what they do not know: nothing is sent to them. `since` is a release such as 0.33. */
export async function requireRelease(
  since: string,
  option: string,
  alertmanager: Pick<Alertmanager, 'status'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<void> {
  if (dryRun) return;
  const version = (await alertmanager.status()).versionInfo?.version ?? '';
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const [wantedMajor, wantedMinor = 0] = since.split('.').map(Number);
  // Compatible servers may have another numbering, or none.
  if (Number(major) !== wantedMajor || Number(minor) >= wantedMinor) return;
  throw new SvcError('guarded', `${option} needs Alertmanager ${since} or newer, and the server is ${version}`, {
    hint: `leave out ${option}, or update the server`,
  });
}

/** Undefined after a failure. An interruption is thrown. */
export async function ifPossible<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
    return undefined;
  }
}

async function* joined(begin: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield begin;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function groupParameters({ active, silenced, inhibited, filter, receiver }: AlertQuery) {
  return { active, silenced, inhibited, filter, receiver: receiver === '' ? undefined : receiver };
}

function alertParameters(query: AlertQuery) {
  return { ...groupParameters(query), unprocessed: query.unprocessed };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function silenceId(text: string): string {
  if (!isUuid(text)) {
    throw new SvcError('invalid_value', `"${text}" is not a silence id`, {
      hint: 'a silence id is a UUID; svc silences list -a -q shows them',
    });
  }
  return text.toLowerCase();
}
