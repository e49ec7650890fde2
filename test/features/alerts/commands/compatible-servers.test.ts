/** Servers that implement the interface in part: Grafana, Mimir and Cortex, by their public sources. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, type FaultServer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { wireAlert } from './scripted.ts';
import { printed } from './service.ts';

const ID = '2f1a0000-0000-4000-8000-00000000000';
const SILENCE = {
  id: `${ID}1`,
  status: { state: 'active' },
  matchers: [{ name: 'team', value: 'db', isRegex: false, isEqual: true }],
  startsAt: '2026-11-20T12:00:00.000Z',
  endsAt: '2099-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  createdBy: 'ann',
  comment: 'CHG-1',
};
/** `api_alertmanager.go`: the configuration as an object without `original`, and no cluster. */
const GRAFANA = {
  cluster: { peers: [], status: 'disabled' },
  config: { route: { receiver: 'grafana-default-email' }, templates: null, receivers: [] },
  uptime: null,
  versionInfo: { branch: 'N/A', buildDate: 'N/A', buildUser: 'N/A', goVersion: 'N/A', revision: 'N/A', version: 'N/A' },
};

interface Answers {
  readonly status?: unknown;
  readonly alerts?: readonly unknown[];
  readonly silences?: readonly unknown[];
  readonly groups?: readonly unknown[];
  readonly receivers?: readonly unknown[];
}

const serving = ({ status = GRAFANA, alerts = [], silences = [], groups = [], receivers = [] }: Answers) =>
  faultServer((socket, { method, path }) => {
    const [last = ''] = path.split('?', 1)[0]?.split('/').slice(-1) ?? [];
    const lists: Record<string, unknown> = { status, alerts, silences, groups, receivers };
    const one = silences.find((silence) => (silence as { id?: unknown }).id === last);
    const body = method === 'POST' ? { silenceID: `${ID}9` } : (lists[last] ?? one ?? '');
    socket.write(answer(200, JSON.stringify(body)));
  });

let server: FaultServer;
const run = (line: string, at = server.url) => svc([...line.split(' '), '--base-url', at]);

describe('Grafana, which does not show its configuration', () => {
  beforeAll(async () => {
    server = await serving({});
  });
  afterAll(() => server.close());

  it.each(['alerts status', 'doctor alerts'])('%s works', async (line) => {
    const env = line.startsWith('doctor') ? { SVC_ALERTS_URL: server.url } : {};
    const argv = line.startsWith('doctor') ? [] : ['--base-url', server.url];
    const { code, stdout } = await svc([...line.split(' '), ...argv], { env });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/disabled|version N\/A/)]);
  });

  it('the JSON of its status is unchanged', async () => {
    expect(printed(await run('alerts status -o json'))).toEqual(GRAFANA);
  });

  it.each(['alerts status --config', 'alerts routes', 'alerts route team=db'])('%s says why not', async (line) => {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([5, expect.stringContaining('does not show its configuration')]);
  });

  it('muted alerts are found in its groups', async () => {
    const shown = wireAlert('a');
    const alert = { ...shown, status: { ...shown.status, mutedBy: [] } };
    const muted = { ...shown, status: { ...shown.status, mutedBy: ['nights'] } };
    const groups = [{ labels: null, receiver: { name: 'ops' }, alerts: [muted] }];
    await using grafana = await serving({ alerts: [alert], groups });
    expect((await run('alerts list --state muted -q', grafana.url)).stdout).toBe(`${alert.fingerprint}\n`);
  });
});

describe('a status that lacks', () => {
  const { cluster, config, versionInfo, uptime, ...rest } = { ...GRAFANA, uptime: '2026-11-20T12:00:00.000Z' };
  it.each([
    ['everything but the version', { versionInfo, ...rest }],
    ['everything but the cluster', { cluster: { status: 'ready' }, versionInfo: null, config: null, uptime: null }],
    ['everything but its start', { uptime }],
    ['the original', { cluster, config: { original: null }, versionInfo: {}, uptime: 17 }],
  ])('%s', async (_, status) => {
    await using other = await serving({ status });
    for (const line of ['alerts status', 'alerts status -o wide', 'alerts status -o json']) {
      const { code, stdout, stderr } = await run(line, other.url);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toMatch(/undefined|\[object/);
    }
  });
});

describe('Mimir and Cortex, which have one Alertmanager for each tenant', () => {
  const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

  it('a missing tenant: the hint names the header', async () => {
    await using mimir = await faultServer((socket, { headers }) =>
      socket.write(headers['x-scope-orgid'] === 'blue' ? answer(200, '[]') : answer(401, 'no org id\n', TEXT)),
    );
    const refused = await run('alerts list -o json', mimir.url);
    expect([refused.code, failure(refused)]).toMatchObject([
      4,
      {
        message: expect.stringContaining('no org id'),
        hint: expect.stringContaining("alerts.headers 'X-Scope-OrgID: "),
      },
    ]);
    expect((await svc(['alerts', 'list', '--base-url', mimir.url, '--header', 'X-Scope-OrgID: blue'])).code).toBe(0);
  });

  it.each([404, 412])('a tenant without a configuration (%i)', async (status) => {
    await using mimir = await faultServer((socket) =>
      socket.write(answer(status, 'the Alertmanager is not configured\n', TEXT)),
    );
    for (const line of ['alerts list -o json', 'silences list -o json', 'alerts status -o json']) {
      const refused = await run(line, mimir.url);
      expect([refused.code, failure(refused)]).toMatchObject([
        3,
        {
          message: expect.stringContaining('the Alertmanager is not configured'),
          hint: expect.stringContaining('mimirtool alertmanager load'),
        },
      ]);
    }
  });
});

describe('one odd silence among others', () => {
  const others = { createdBy: null, comment: null, updatedAt: null, annotations: 7, new: { a: 1 } };
  beforeEach(() => server?.close());

  it.each([
    ['null matchers (before 0.32.3)', { matchers: null }],
    ['a number as a value', { matchers: [{ name: 'port', value: 9093, isRegex: false, isEqual: null }] }],
    ['null texts', others],
  ])('%s: all commands go on', async (_, change) => {
    server = await serving({ silences: [{ ...SILENCE, id: `${ID}2`, ...change }, SILENCE] });
    const listed = await run('silences list -q');
    expect([listed.code, listed.stderr, listed.stdout.split('\n').length]).toEqual([0, '', 3]);
    for (const line of [
      `silences expire ${ID}1 --yes`,
      'silences expire --comment CHG-1 --yes',
      `silences get ${ID}1`,
    ]) {
      expect([line, (await run(line)).code]).toEqual([line, 0]);
    }
    expect((await run(`silences extend ${ID}1 --for 1h --all-alerts --yes`)).code).toBe(0);
  });

  it.each([
    ['no id', { id: undefined }, 'item 1: id is missing'],
    ['matchers of another kind', { matchers: ['team=db'] }, 'item 1: matchers.0'],
    ['no end', { endsAt: null }, 'item 1: endsAt'],
  ])('%s: it is left out, and the others are served', async (_, change, text) => {
    server = await serving({ silences: [{ ...SILENCE, id: `${ID}2`, ...change }, SILENCE] });
    for (const line of ['silences list -q', `silences get ${ID.slice(0, 30)}`]) {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout, stderr]).toEqual([10, expect.stringContaining(`${ID}1`), expect.stringContaining(text)]);
    }
    expect((await run('silences expire --comment CHG-1 --yes')).code).toBe(10);
    expect((await run('silences check --expiring-within 1h')).code).toBe(11);
    expect((await run('silences check --expiring-within 90y')).code).toBe(1);
  });
});

describe('one odd alert among others', () => {
  const good = wireAlert('a', { team: 'db' });
  beforeAll(async () => {
    server = await serving({ alerts: [good, { ...wireAlert('b'), labels: 7 }], silences: [SILENCE] });
  });
  afterAll(() => server.close());

  it.each([
    ['alerts check --max 0', 1],
    ['alerts check --max 1', 11],
    ['alerts check --max 2', 10],
    ['alerts check --min 2 --max 9', 11],
    ['alerts check --min 3 --max 9', 1],
    ['alerts check --expect', 10],
    ['alerts check --max 1 --wait 2s --interval 1s', 11],
    ['silences create team=db -c why --max-alerts 1', 3],
    ['silences create team=db -c why --max-alerts 2', 10],
    ['silences create team=db -c why', 10],
    ['silences list --unused', 11],
    ['alerts list', 10],
  ])('%s: exit %i', async (line, code) => {
    const { stderr, ...result } = await run(line);
    expect([result.code, stderr]).toEqual([code, expect.stringContaining('left out of the response')]);
  });

  it('the alerts of a group', async () => {
    const groups = [{ labels: {}, receiver: { name: 'ops' }, alerts: [{ ...good, status: null }, good] }];
    await using other = await serving({ groups });
    const { code, stdout, stderr } = await run('alerts groups -o json', other.url);
    expect([code, JSON.parse(stdout)]).toMatchObject([10, [{ alerts: [good] }]]);
    expect(stderr).toContain('item 1: alert 1: status');
  });
});

it('receivers with null labels, and one without a name', async () => {
  await using other = await serving({ receivers: [{ name: 'ops', labels: null, active: null }, { name: null }] });
  const { code, stdout } = await run('alerts receivers -q', other.url);
  expect([code, stdout]).toEqual([10, 'ops\n']);
});

it.each([null, 'yesterday', 7])('an alert that starts at %j is listed, and counts as old', async (startsAt) => {
  await using odd = await serving({ alerts: [{ ...wireAlert('a1'), startsAt }] });
  expect(await run('alerts list -q', odd.url)).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
  expect((await run('alerts check --older-than 1h', odd.url)).code).toBe(1);
});
