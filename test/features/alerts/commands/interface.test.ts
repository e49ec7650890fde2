/** Everything that document 1 has, as lists to be walked: no endpoint, parameter or field that svc cannot reach. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../../src/features/alerts/api.ts';
import { answer, type FaultServer, faultServer, type Received } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { printed } from './service.ts';

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

let server: FaultServer;
beforeAll(async () => {
  server = await faultServer((socket, request) => {
    const value = ANSWERS[endpointOf(request)];
    socket.write(answer(200, value === undefined ? '' : JSON.stringify(value)));
  });
});
afterAll(() => server.close());

async function run(...argv: string[]) {
  const before = server.requests.length;
  const ended = await svc([...argv, '--base-url', server.url]);
  expect([argv, ended.code, ended.code === 0 ? '' : ended.stderr]).toEqual([argv, 0, '']);
  return { ...ended, requests: server.requests.slice(before) };
}

describe('doc 1 §4: endpoints', () => {
  const COMMANDS: Readonly<Record<string, readonly string[]>> = {
    'GET /status': ['alerts', 'status'],
    'GET /receivers': ['alerts', 'receivers'],
    'GET /silences': ['silences', 'list'],
    'POST /silences': ['silences', 'create', 'a=b', '-c', 'x'],
    'GET /silence/{silenceID}': ['silences', 'get', ID],
    'DELETE /silence/{silenceID}': ['silences', 'expire', ID, '--yes'],
    'GET /alerts': ['alerts', 'list'],
    'POST /alerts': ['alerts', 'create', 'A'],
    'GET /alerts/groups': ['alerts', 'groups'],
  };

  it.each(Object.entries(COMMANDS))('%s', async (endpoint, argv) => {
    const { requests } = await run(...argv);
    expect(requests.map(endpointOf)).toContain(endpoint);
    for (const request of requests) {
      expect(request.path).toMatch(/^\/api\/v2\//);
      expect(request.headers['accept']).toBe('application/json');
    }
  });

  it('no others are declared', () => {
    const declared = new Set(Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`));
    expect([...declared].sort()).toEqual(Object.keys(COMMANDS).sort());
  });
});

describe('doc 1 §4: query parameters', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['GET /silences', 'filter', ['silences', 'list', 'a=b', 'c!~"d"'], ['a="b"', 'c!~"d"']],
    ['GET /alerts', 'active', ['alerts', 'list'], ['true']],
    ['GET /alerts', 'active', ['alerts', 'list', '--state', 'silenced'], ['false']],
    ['GET /alerts', 'silenced', ['alerts', 'list', '--state', 'silenced'], ['true']],
    ['GET /alerts', 'silenced', ['alerts', 'list'], ['false']],
    ['GET /alerts', 'inhibited', ['alerts', 'list', '--state', 'inhibited'], ['true']],
    ['GET /alerts', 'inhibited', ['alerts', 'list'], ['false']],
    ['GET /alerts', 'unprocessed', ['alerts', 'list', '--state', 'unprocessed'], ['true']],
    ['GET /alerts', 'unprocessed', ['alerts', 'list'], ['false']],
    ['GET /alerts', 'filter', ['alerts', 'list', 'a=b', 'c!=d'], ['a="b"', 'c!="d"']],
    ['GET /alerts', 'receiver', ['alerts', 'list', '--receiver', 'x|y'], ['x|y']],
    ['GET /alerts/groups', 'active', ['alerts', 'groups'], ['true']],
    ['GET /alerts/groups', 'active', ['alerts', 'groups', '--state', 'silenced'], ['false']],
    ['GET /alerts/groups', 'silenced', ['alerts', 'groups', '--state', 'silenced'], ['true']],
    ['GET /alerts/groups', 'silenced', ['alerts', 'groups'], ['false']],
    ['GET /alerts/groups', 'inhibited', ['alerts', 'groups', '--state', 'inhibited'], ['true']],
    ['GET /alerts/groups', 'inhibited', ['alerts', 'groups'], ['false']],
    ['GET /alerts/groups', 'filter', ['alerts', 'groups', 'a=~b'], ['a=~"b"']],
    ['GET /alerts/groups', 'receiver', ['alerts', 'groups', '-r', 'x'], ['x']],
  ])('%s: %s of %j', async (endpoint, name, argv, values) => {
    const { requests } = await run(...argv);
    // Where nothing matches, svc then looks for mistyped names.
    expect(requests.map(endpointOf)[0]).toBe(endpoint);
    expect(new URL(requests[0]?.path ?? '', 'http://x').searchParams.getAll(name)).toEqual(values);
  });
});

describe('doc 1 §2: written fields', () => {
  const start = '2126-05-01T00:00:00.000Z';
  const end = '2126-05-02T00:00:00.000Z';
  const create = (...argv: string[]) => ['silences', 'create', '-c', 'x', ...argv];
  it.each<[string, readonly string[], unknown]>([
    ['matchers.0.name', create('n=v'), 'n'],
    ['matchers.0.value', create('n=v'), 'v'],
    ['matchers.0.isRegex', create('n=v'), false],
    ['matchers.1.isRegex', create('n=v', 'o=~w'), true],
    ['matchers.0.isEqual', create('n=v'), true],
    ['matchers.1.isEqual', create('n=v', 'o!=w'), false],
    ['startsAt', create('n=v', '--from', start, '--until', end), start],
    ['endsAt', create('n=v', '--from', start, '--until', end), end],
    ['createdBy', create('n=v', '--author', 'me'), 'me'],
    ['comment', ['silences', 'create', 'n=v', '--comment', 'why'], 'why'],
    ['id', ['silences', 'update', ID, '-c', 'x'], ID],
    ['0.labels', ['alerts', 'create', 'A', 'b=c'], { alertname: 'A', b: 'c' }],
    ['0.generatorURL', ['alerts', 'create', 'A', '--generator-url', 'http://x/'], 'http://x/'],
    ['0.startsAt', ['alerts', 'create', 'A', '--start', start, '--end', end], start],
    ['0.endsAt', ['alerts', 'create', 'A', '--start', start, '--end', end], end],
    ['0.annotations', ['alerts', 'create', 'A', '--annotation', 's=t'], { s: 't' }],
  ])('%s', async (path, argv, value) => {
    const { requests } = await run(...argv);
    const [write, ...more] = requests.filter(({ method }) => method === 'POST');
    expect(more).toEqual([]);
    expect(valueAt(JSON.parse(write?.body ?? ''), path)).toEqual(value);
  });
});

describe('doc 1 §2: read fields', () => {
  const alerts = ['alerts', 'list', '-a'];
  const one = ['alerts', 'get', ALERT.fingerprint];
  const groups = ['alerts', 'groups', '-a'];
  const silence = ['silences', 'get', ID];
  const status = ['alerts', 'status'];
  /** The field, the command that shows it, and its text in a table. */
  const FIELDS: readonly (readonly [path: string, argv: readonly string[], text: string])[] = [
    ['0.name', ['alerts', 'receivers'], 'r-name'],
    ...['name', 'value'].map((name) => [`0.matchers.0.${name}`, ['silences', 'list'], `m-${name}`] as const),
    ['0.matchers.1.isRegex', ['silences', 'list'], 'job!~"r.+"'],
    ['0.matchers.1.isEqual', ['silences', 'list'], 'job!~"r.+"'],
    ['0.id', ['silences', 'list'], ID],
    ['0.status.state', ['silences', 'list'], 'active'],
    ['0.updatedAt', ['silences', 'list'], SILENCE.updatedAt],
    ['0.startsAt', ['silences', 'list'], SILENCE.startsAt],
    ['0.endsAt', ['silences', 'list'], SILENCE.endsAt],
    ['0.createdBy', ['silences', 'list'], SILENCE.createdBy],
    ['0.comment', ['silences', 'list'], SILENCE.comment],
    ['id', silence, ID],
    ['matchers.0.name', silence, 'm-name'],
    ['status.state', silence, 'active'],
    ['updatedAt', silence, SILENCE.updatedAt],
    ['startsAt', silence, SILENCE.startsAt],
    ['endsAt', silence, SILENCE.endsAt],
    ['createdBy', silence, SILENCE.createdBy],
    ['comment', silence, SILENCE.comment],
    ...[alerts, one].flatMap((argv) => {
      const at = argv === alerts ? '0.' : '';
      return [
        [`${at}labels.zone`, argv, 'a-zone'],
        [`${at}annotations.summary`, argv, 'a-summary'],
        [`${at}generatorURL`, argv, ALERT.generatorURL],
        [`${at}receivers.1.name`, argv, 'b-receiver'],
        [`${at}fingerprint`, argv, ALERT.fingerprint],
        [`${at}startsAt`, argv, ALERT.startsAt],
        [`${at}updatedAt`, argv, ALERT.updatedAt],
        [`${at}endsAt`, argv, ALERT.endsAt],
        [`${at}status.state`, argv, 'silenced,inhibited'],
        [`${at}status.silencedBy`, argv, ID],
        [`${at}status.inhibitedBy`, argv, 'fedcba9876543210'],
      ] as const;
    }),
    ['0.labels.team', groups, 'g-team'],
    ['0.receiver.name', groups, 'g-receiver'],
    ['0.alerts.0.fingerprint', groups, ALERT.fingerprint],
    ['cluster.name', status, 'c-name'],
    ['cluster.status', status, 'ready'],
    ['cluster.peers.0.name', status, 'p-name'],
    ['cluster.peers.0.address', status, 'p-address:9094'],
    ['versionInfo.version', status, 'v-version'],
    ['versionInfo.revision', status, 'v-revision'],
    ['versionInfo.branch', status, 'v-branch'],
    ['versionInfo.buildUser', status, 'v-user'],
    ['versionInfo.buildDate', status, 'v-date'],
    ['versionInfo.goVersion', status, 'v-go'],
    ['config.original', [...status, '--config'], 'receiver: c-original'],
    ['uptime', status, STATUS.uptime],
  ];

  it.each(FIELDS)('%s of svc %j, for people and for scripts', async (path, argv, text) => {
    expect((await run(...argv, '-o', 'wide')).stdout).toContain(text);
    const { stdout, requests } = await run(...argv.filter((word) => word !== '--config'), '-o', 'json');
    const [request] = requests.slice(-1);
    const source = ANSWERS[endpointOf(request ?? { method: '', path: '' })];
    const shown = JSON.parse(stdout) as unknown;
    // `alerts get` chooses one of the list.
    const expected = Array.isArray(source) && !Array.isArray(shown) ? source[0] : source;
    expect(valueAt(shown, path)).toEqual(valueAt(expected, path));
    expect(valueAt(shown, path)).toBeDefined();
  });

  it('the id that a write returns', async () => {
    const made = await run('silences', 'create', 'a=b', '-c', 'x', '-o', 'json');
    expect(printed<{ id: string }>(made).id).toBe(ID);
  });

  it('the list covers every field of document 1', () => {
    const walked = new Set(FIELDS.map(([path]) => path.replace(/(^|\.)\d+(?=\.|$)/g, '').replace(/^\./, '')));
    for (const value of Object.values(ANSWERS)) {
      for (const path of leaves(Array.isArray(value) ? value[0] : value)) {
        // Alerts of a group are covered separately.
        if (path.startsWith('alerts.') || path === 'silenceID') continue;
        expect(
          [...walked].some((one) => path === one || path.startsWith(`${one}.`)),
          path,
        ).toBe(true);
      }
    }
  });
});

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value);
}

/** The paths of all leaf values, without array indexes, and one each for labels and annotations. */
function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return path === '' ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (path === 'labels' && name === 'alertname') return [];
    return leaves(inner, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`);
  });
}
