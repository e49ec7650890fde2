/** The endpoints and fields of document 1, as lists to be walked: none that svc does not show. */
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../../src/features/alerts/api.ts';
import { answer, fileServer, type Received } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';

const ID = '2f1ac0de-0000-4000-8000-000000000001';
const MATCHERS = [
  { name: 'm-name', value: 'm-value', isRegex: false, isEqual: true },
  { name: 'job', value: 'r.+', isRegex: true, isEqual: false },
];
/** Each field has a value that nothing else has. */
const SILENCE = {
  id: ID,
  matchers: MATCHERS,
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2126-01-02T00:00:00.000Z',
  updatedAt: '2026-01-03T00:00:00.000Z',
  createdBy: 's-author',
  comment: 's-comment',
  status: { state: 'active' },
};
const ALERT = {
  labels: { alertname: 'a-name', zone: 'a-zone' },
  annotations: { summary: 'a-summary' },
  generatorURL: 'http://a-generator/',
  receivers: [{ name: 'a-receiver' }, { name: 'b-receiver' }],
  fingerprint: 'abcdef0123456789',
  startsAt: '2026-02-01T00:00:00.000Z',
  updatedAt: '2026-02-02T00:00:00.000Z',
  endsAt: '2026-02-03T00:00:00.000Z',
  status: { state: 'suppressed', silencedBy: [ID], inhibitedBy: ['fedcba9876543210'] },
};
const GROUP = { labels: { team: 'g-team' }, receiver: { name: 'g-receiver' }, alerts: [ALERT] };
const STATUS = {
  cluster: { name: 'c-name', status: 'ready', peers: [{ name: 'p-name', address: 'p-address:9094' }] },
  versionInfo: {
    version: 'v-version',
    revision: 'v-revision',
    branch: 'v-branch',
    buildUser: 'v-user',
    buildDate: 'v-date',
    goVersion: 'v-go',
  },
  config: { original: 'route:\n  receiver: c-original\n' },
  uptime: '2026-03-01T00:00:00.000Z',
};
const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /status': STATUS,
  'GET /receivers': [{ name: 'r-name' }],
  'GET /silences': [SILENCE],
  'POST /silences': { silenceID: ID },
  'GET /silence/{silenceID}': SILENCE,
  'DELETE /silence/{silenceID}': undefined,
  'GET /alerts': [ALERT],
  'POST /alerts': undefined,
  'GET /alerts/groups': [GROUP],
};

/** `GET /silence/{silenceID}` of a request. */
function endpointOf({ method, path }: Pick<Received, 'method' | 'path'>): string {
  const [bare = ''] = path.replace(/^\/api\/v2/, '').split('?');
  return `${method} ${bare.replace(/^\/silence\/.*/, '/silence/{silenceID}')}`;
}

const server = await fileServer((socket, request) => {
  const value = ANSWERS[endpointOf(request)];
  socket.write(answer(200, value === undefined ? '' : JSON.stringify(value)));
});

async function run(...argv: readonly string[]) {
  const ended = await svc([...argv, '--base-url', server.url]);
  expect([argv, ended.code, ended.code === 0 ? '' : ended.stderr]).toEqual([argv, 0, '']);
  return ended.stdout;
}

/** The commands that read each endpoint. */
const READS: readonly (readonly [endpoint: string, ...argv: readonly string[]])[] = [
  ['GET /receivers', 'alerts', 'receivers'],
  ['GET /silences', 'silences', 'list'],
  ['GET /silence/{silenceID}', 'silences', 'get', ID],
  ['GET /alerts', 'alerts', 'list', '-a'],
  ['GET /alerts', 'alerts', 'get', ALERT.fingerprint],
  ['GET /alerts/groups', 'alerts', 'groups', '-a'],
  ['GET /status', 'alerts', 'status'],
];

/** What a table shows for these. */
const SHOWN: Readonly<Record<string, string>> = { suppressed: 'silenced,inhibited' };

describe('the interface of document 1', () => {
  it('has no other endpoints', () => {
    const declared = new Set(Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`));
    expect([...declared].sort()).toEqual(Object.keys(ANSWERS).sort());
  });

  it.each(READS)('has in %s no field that svc %s %s does not print', async (endpoint, ...argv) => {
    const source = ANSWERS[endpoint];
    const shown = JSON.parse(await run(...argv, '-o', 'json')) as unknown;
    // `alerts get` chooses one of the list.
    const expected = Array.isArray(source) && !Array.isArray(shown) ? source[0] : source;
    expect(shown).toMatchObject(expected);
    const table = await run(...argv, '-o', 'wide');
    const text = endpoint === 'GET /status' ? table + (await run('alerts', 'status', '--config')) : table;
    // A table of groups has of their alerts only the ids.
    const values = endpoint === 'GET /alerts/groups' ? ['g-team', 'g-receiver', ALERT.fingerprint] : texts(expected);
    for (const value of values) expect(text).toContain(SHOWN[value] ?? value);
  });
});

/** All texts in a value, and of a matcher its operator. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if ('isRegex' in value && value.isRegex === true) return ['job!~"r.+"'];
  return Object.values(value).flatMap(texts);
}
