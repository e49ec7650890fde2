/** Servers that implement the interface in part, such as Grafana, Mimir and Cortex by their public sources, and odd responses. */
import { describe, expect, it } from 'vitest';
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

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

interface Answers {
  readonly status?: unknown;
  readonly alerts?: readonly unknown[];
  readonly silences?: readonly unknown[];
  readonly groups?: readonly unknown[];
}

const serving = ({ status = GRAFANA, alerts = [], silences = [], groups = [] }: Answers) =>
  faultServer((socket, { method, path }) => {
    const [last = ''] = path.split('?', 1)[0]?.split('/').slice(-1) ?? [];
    const lists: Record<string, unknown> = { status, alerts, silences, groups };
    const one = silences.find((silence) => (silence as { id?: unknown }).id === last);
    const body = method === 'POST' ? { silenceID: `${ID}9` } : (lists[last] ?? one ?? '');
    socket.write(answer(200, JSON.stringify(body)));
  });

const run = (server: FaultServer, line: string) => svc([...line.split(' '), '--base-url', server.url]);

/** The exit status of each line; each says that something was left out of the response. */
async function leavingOut(server: FaultServer, lines: readonly string[]): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (const line of lines) {
    const { code, stderr } = await run(server, line);
    expect([line, stderr]).toEqual([line, expect.stringContaining('left out of the response')]);
    codes[line] = code;
  }
  return codes;
}

describe('Grafana, which does not show its configuration', () => {
  it('has a status, which JSON shows unchanged', async () => {
    await using grafana = await serving({});
    expect(await run(grafana, 'alerts status')).toMatchObject({ code: 0, stdout: expect.stringContaining('disabled') });
    expect(printed(await run(grafana, 'alerts status -o json'))).toEqual(GRAFANA);
    const doctor = await svc(['doctor', 'alerts'], { env: { SVC_ALERTS_URL: grafana.url } });
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('version N/A') });
  });

  it('fails the commands that read its configuration with exit 5', async () => {
    await using grafana = await serving({});
    for (const line of ['alerts status --config', 'alerts routes', 'alerts route team=db']) {
      const { code, stderr } = await run(grafana, line);
      expect([line, code, stderr]).toEqual([line, 5, expect.stringContaining('does not show its configuration')]);
    }
  });

  it('has muted alerts only in its groups', async () => {
    const shown = wireAlert('a');
    const alert = { ...shown, status: { ...shown.status, mutedBy: [] } };
    const muted = { ...shown, status: { ...shown.status, mutedBy: ['nights'] } };
    const groups = [{ labels: null, receiver: { name: 'ops' }, alerts: [muted] }];
    await using grafana = await serving({ alerts: [alert], groups });
    expect((await run(grafana, 'alerts list --state muted -q')).stdout).toBe(`${alert.fingerprint}\n`);
  });
});

describe('Mimir and Cortex, which have one Alertmanager for each tenant', () => {
  it('want the tenant in a header, which the hint names', async () => {
    await using mimir = await faultServer((socket, { headers }) =>
      socket.write(headers['x-scope-orgid'] === 'blue' ? answer(200, '[]') : answer(401, 'no org id\n', TEXT)),
    );
    const refused = await run(mimir, 'alerts list -o json');
    expect(refused.code).toBe(4);
    expect(failure(refused)).toMatchObject({
      message: expect.stringContaining('no org id'),
      hint: expect.stringContaining("alerts.headers 'X-Scope-OrgID: "),
    });
    expect((await svc(['alerts', 'list', '--base-url', mimir.url, '--header', 'X-Scope-OrgID: blue'])).code).toBe(0);
  });

  it.each([404, 412])('want a configuration of the tenant (status %i)', async (status) => {
    await using mimir = await faultServer((socket) =>
      socket.write(answer(status, 'the Alertmanager is not configured\n', TEXT)),
    );
    const refused = await run(mimir, 'silences list -o json');
    expect(refused.code).toBe(3);
    expect(failure(refused)).toMatchObject({
      message: expect.stringContaining('the Alertmanager is not configured'),
      hint: expect.stringContaining('mimirtool alertmanager load'),
    });
  });
});

it('a refusal without a text names its status', async () => {
  await using server = await faultServer((socket) => socket.write(answer(431, '')));
  expect((await run(server, 'alerts list')).stderr).toContain('refused the request: status 431\n');
});

describe('a response of 200 with an error text', () => {
  it.each([
    ['error: no such tenant', TEXT, 'says: error: no such tenant', 7],
    ['"no such tenant"', {}, 'says: no such tenant', 7],
    ['{"status":"error","error":"tenant not found"}', {}, 'says: tenant not found', 3],
    ['{"error":{"code":7,"message":"tenant not found"}}', {}, 'says: tenant not found', 3],
    ['<!doctype html><title>Sign in - Okta</title>', {}, 'an HTML page, "Sign in - Okta"', 7],
  ])('fails a read: %s', async (body, headers, text, code) => {
    await using server = await faultServer((socket) => socket.write(answer(200, body, headers)));
    for (const line of ['alerts list', 'alerts list -a --older-than 1h', 'alerts groups', 'alerts check']) {
      const failed = await run(server, `${line} -o json`);
      expect([line, failed.code, failed.stdout]).toEqual([line, code, '']);
      expect(failure(failed).message).toContain(text);
      expect(failure(failed).message).toMatch(
        /^the service answered 200, but the response cannot be used: .* \(GET http:[^ ]+\)$/,
      );
    }
  });

  it('shows neither other JSON nor a credential that comes back', async () => {
    await using server = await faultServer((socket, { headers }) =>
      socket.write(answer(200, `no: ${headers['authorization']}`, TEXT)),
    );
    const echoed = await svc(['alerts', 'list'], {
      env: { SVC_ALERTS_URL: server.url, SVC_ALERTS_TOKEN: 'tok3n-7777' },
    });
    expect([echoed.code, echoed.stderr]).toEqual([7, expect.stringContaining('says: no: ')]);
    expect(echoed.stderr).not.toContain('tok3n-7777');
    await using other = await faultServer((socket) => socket.write(answer(200, '{"data":[{"key":"v4lue"}]}')));
    expect((await run(other, 'alerts list')).stderr).not.toContain('v4lue');
  });
});

describe('an alert that cannot be read among others', () => {
  const good = wireAlert('a', { team: 'db' });

  it('is left out, and a gate that could depend on it does not pass', async () => {
    await using server = await serving({ alerts: [good, { ...wireAlert('b'), labels: 7 }], silences: [SILENCE] });
    const expected = {
      'alerts list': 10,
      'alerts check --max 0': 1,
      'alerts check --max 1': 11,
      'alerts check --max 2': 10,
      'alerts check --min 2 --max 9': 11,
      'alerts check --min 3 --max 9': 1,
      'alerts check --expect': 10,
      'silences create team=db -c why --max-alerts 1': 3,
      'silences create team=db -c why --max-alerts 2': 10,
      'silences create team=db -c why': 10,
      'silences list --unused': 11,
    };
    expect(await leavingOut(server, Object.keys(expected))).toEqual(expected);
  });

  it('lets a check that waits end with exit 11', async () => {
    await using server = await serving({ alerts: [good, { ...wireAlert('b'), labels: 7 }] });
    let time = Date.now();
    const argv = ['alerts', 'check', '--max', '1', '--wait', '2s', '--interval', '1s', '--base-url', server.url];
    const { code, stderr } = await svc(argv, { now: () => (time += 500) });
    expect([code, stderr]).toEqual([11, expect.stringContaining('left out of the response')]);
  });

  it('is named, but of many only some', async () => {
    const odd = Array.from({ length: 30 }, () => ({ ...wireAlert('b'), labels: 7 }));
    await using server = await serving({ alerts: [good, ...odd] });
    const { code, stderr } = await run(server, 'alerts list -q');
    expect([code, stderr.match(/left out of the response/g)?.length]).toEqual([10, 5]);
    expect(stderr).toContain('more rows are left out for the same or other reasons');
  });

  it('ends the command if thousands of others cannot be read either', async () => {
    await using server = await serving({ alerts: [good, ...Array(5_001).fill({})] });
    const { code, stdout, stderr } = await run(server, 'alerts list -o json --fields fingerprint');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('item 2: labels is missing, and 5000 more cannot be read');
  });

  it('is left out of its group', async () => {
    const groups = [{ labels: {}, receiver: { name: 'ops' }, alerts: [{ ...good, status: null }, good] }];
    await using server = await serving({ groups });
    const { code, stdout, stderr } = await run(server, 'alerts groups -o json');
    expect([code, JSON.parse(stdout)]).toMatchObject([10, [{ alerts: [good] }]]);
    expect(stderr).toContain('item 1: alert 1: status');
  });

  it.each([null, 'yesterday', 7])('with the start %j is listed, and counts as old', async (startsAt) => {
    await using server = await serving({ alerts: [{ ...wireAlert('a1'), startsAt }] });
    expect(await run(server, 'alerts list -q')).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
    expect((await run(server, 'alerts check --older-than 1h')).code).toBe(1);
  });
});

describe('a silence that is odd', () => {
  it('is read with null matchers, as servers before 0.32.3 have them, and with null texts', async () => {
    const odd = { matchers: null, createdBy: null, comment: null, updatedAt: null, annotations: 7, new: { a: 1 } };
    await using server = await serving({ silences: [{ ...SILENCE, id: `${ID}2`, ...odd }, SILENCE] });
    const listed = await run(server, 'silences list -q');
    expect([listed.code, listed.stderr, listed.stdout.split('\n').length]).toEqual([0, '', 3]);
    for (const line of ['silences expire --comment CHG-1 --yes', `silences extend ${ID}1 --for 1h --yes`]) {
      expect([line, (await run(server, line)).code]).toEqual([line, 0]);
    }
  });

  it.each([
    ['no id', { id: undefined }, 'item 1: id is missing'],
    ['matchers of another kind', { matchers: ['team=db'] }, 'item 1: matchers.0'],
    ['no end', { endsAt: null }, 'item 1: endsAt'],
  ])('is left out with %s, and the others are served', async (_, change, text) => {
    await using server = await serving({ silences: [{ ...SILENCE, id: `${ID}2`, ...change }, SILENCE] });
    for (const line of ['silences list -q', `silences get ${ID.slice(0, 30)}`]) {
      const { code, stdout, stderr } = await run(server, line);
      expect([code, stdout, stderr]).toEqual([10, expect.stringContaining(`${ID}1`), expect.stringContaining(text)]);
    }
    const expected = {
      'silences expire --comment CHG-1 --yes': 10,
      'silences check --expiring-within 1h': 11,
      'silences check --expiring-within 90y': 1,
    };
    expect(await leavingOut(server, Object.keys(expected))).toEqual(expected);
  });
});
