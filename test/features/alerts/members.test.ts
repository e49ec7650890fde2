/** The members of one HA cluster: `alerts.urls` of a profile. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningAlertmanager, startAlertmanager } from '../../support/alertmanager.ts';
import { alertmanagerBinary } from '../../support/peers.ts';
import { freePorts } from '../../support/ports.ts';
import { answer, faultServer } from '../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../support/svc.ts';

const GONE = 'http://127.0.0.1:1';
const JSON_TYPE = { 'content-type': 'application/json' };
const POSTED = answer(200, '{"silenceID":"0f8d0f4e-6a3c-4d0b-9a8e-3a9e1c2b4d5f"}', JSON_TYPE);

let home: string;
beforeEach(() => {
  home = temporaryHome();
});

const run = (line: string, urls: readonly string[], { more = {}, ...options }: RunOptions & { more?: object } = {}) => {
  mkdirSync(join(home, 'config'), { recursive: true });
  const values = { 'alerts.urls': urls.join(','), ...more };
  writeFileSync(join(home, 'config', 'settings.json'), JSON.stringify({ profiles: { default: values } }), {
    mode: 0o600,
  });
  return svc(line.split(' '), { home, ...options });
};
const CREATE = 'silences create alertname=Up -d 1h -c why -o json';

const VERSION = { version: '0.28.0', revision: '', branch: '', buildUser: '', buildDate: '', goVersion: '' };
const STATUS = {
  cluster: { status: 'ready' },
  versionInfo: VERSION,
  config: { original: '' },
  uptime: '2026-01-01T00:00:00Z',
};

/** Answers reads with no alerts or silences, and a new silence with its id. */
const member = (post = POSTED) =>
  faultServer((socket, { method, path }) => {
    if (method === 'POST') socket.end(post);
    else socket.end(answer(200, path.endsWith('/status') ? JSON.stringify(STATUS) : '[]', JSON_TYPE));
  });
const methods = ({ requests }: Awaited<ReturnType<typeof member>>) => requests.map(({ method }) => method);

describe('a read of an HA cluster', () => {
  it('goes to the next member if one is away, as do the reads after it', async () => {
    await using second = await member();
    const listed = await run('silences list --unused -o json', [GONE, second.url]);
    expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(listed.stderr).toMatch(/^127\.0\.0\.1:1 is away, 127\.0\.0\.1:\d+ is used instead: nothing listens/);
    expect(listed.stderr.match(/is away/g)).toHaveLength(1);
  });

  it('of a list and of one silence, too', async () => {
    const id = '0f8d0f4e-6a3c-4d0b-9a8e-3a9e1c2b4d5f';
    const silence = { id, matchers: [], startsAt: STATUS.uptime, endsAt: STATUS.uptime, status: { state: 'expired' } };
    await using second = await faultServer((socket, { path }) => {
      const value = path.includes('/silences') ? [silence, silence] : silence;
      socket.end(answer(200, JSON.stringify(path.endsWith('/status') ? STATUS : value), JSON_TYPE));
    });
    for (const [line, expected] of [
      ['silences list --expired -q', [id, id]],
      [`silences get ${id} -q`, [id]],
      [`api alerts GET /silence/${id} --query id`, [`"${id}"`]],
    ] as const) {
      const { code, stdout, stderr } = await run(line, [GONE, second.url]);
      expect({ line, code, shown: stdout.trim().split('\n') }).toEqual({ line, code: 0, shown: expected });
      expect(stderr).toContain('127.0.0.1:1 is away');
    }
  });

  it('is not repeated at a failing member while there is another', async () => {
    await using first = await faultServer((socket) => void socket.end(answer(503, '')));
    await using second = await member();
    expect((await run('alerts list -o json', [first.url, second.url])).code).toBe(0);
    expect(first.requests).toHaveLength(1);
  });

  it('fails if all members are away', async () => {
    expect(await run('alerts list', [GONE, GONE.replace(':1', ':2')])).toMatchObject({ code: 7, stdout: '' });
  });

  it('fails if a member refuses it', async () => {
    await using first = await faultServer((socket) => void socket.end(answer(403, '')));
    await using second = await member();
    expect((await run('alerts list', [first.url, second.url])).code).toBe(4);
    expect(second.requests).toEqual([]);
  });
});

describe('a write to an HA cluster', () => {
  it('goes to one member', async () => {
    await using first = await member();
    await using second = await member();
    expect((await run(CREATE, [first.url, second.url])).code).toBe(0);
    expect([methods(first).filter((one) => one === 'POST'), methods(second)]).toEqual([['POST'], []]);
  });

  it('goes to the next if no connection could be made', async () => {
    await using second = await member();
    expect((await run(CREATE, [GONE, second.url])).code).toBe(0);
    expect(methods(second).filter((one) => one === 'POST')).toEqual(['POST']);
  });

  it('that may have been applied goes to no other member', async () => {
    await using first = await member('');
    await using second = await member();
    expect((await run(CREATE, [first.url, second.url])).code).toBe(8);
    expect(second.requests).toEqual([]);
  });

  it('of an alert goes to all members, and names those that fail', async () => {
    await using first = await member();
    await using second = await member();
    const sent = await run('alerts create Test -o json', [first.url, second.url]);
    expect([methods(first), methods(second)]).toEqual([['POST'], ['POST']]);
    const labels = { alertname: 'Test' };
    expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([
      0,
      [
        { member: new URL(first.url).host, labels },
        { member: new URL(second.url).host, labels },
      ],
    ]);
    const partly = await run('alerts create Test -o json', [GONE, second.url]);
    expect([partly.code, JSON.parse(partly.stdout)]).toMatchObject([
      10,
      [
        { member: '127.0.0.1:1', error: { code: 'connect_failed' } },
        { member: new URL(second.url).host, labels },
      ],
    ]);
    expect(partly.stderr).toContain('127.0.0.1:1: nothing listens');
    const table = await run('alerts create Test', [GONE, second.url]);
    expect(table.stdout).toMatch(/^127\.0\.0\.1:1 +nothing listens/m);
    await using lost = await member('');
    const unknown = await run('alerts create Test -o json', [lost.url, second.url]);
    expect([unknown.code, JSON.parse(unknown.stdout)]).toMatchObject([8, [{ error: { exit: 8 } }, { labels }]]);
    expect((await run('alerts create Test', [GONE, GONE.replace(':1', ':2')])).code).toBe(7);
  });
});

it('svc alerts create has the rows of each member in each cluster', async () => {
  await using second = await member();
  mkdirSync(join(home, 'config'), { recursive: true });
  const profiles = { eu: { 'alerts.urls': `${GONE},${second.url}` }, us: { 'alerts.url': GONE } };
  writeFileSync(join(home, 'config', 'settings.json'), JSON.stringify({ profiles }), { mode: 0o600 });
  const { code, stdout } = await svc('alerts create Test -o tsv --no-headers --all-profiles'.split(' '), { home });
  const cells = stdout.split('\n').map((line) => line.split('\t').slice(0, 3));
  expect([code, cells]).toEqual([
    10,
    [['us', '', ''], ['eu', '127.0.0.1:1', ''], ['eu', new URL(second.url).host, 'Test'], ['']],
  ]);
});

it('the credential of a profile goes to every member', async () => {
  const token = join(home, 'token');
  writeFileSync(token, 'tok-123456', { mode: 0o600 });
  await using first = await faultServer((socket) => void socket.end(answer(503, '')));
  await using second = await member();
  const more = { 'alerts.tokenFile': token };
  expect((await run('alerts list', [first.url, second.url], { more })).code).toBe(0);
  const sent = [first, second].map(({ requests }) => requests[0]?.headers['authorization']);
  expect(sent).toEqual(['Bearer tok-123456', 'Bearer tok-123456']);
});

it('the address of the environment is used alone', async () => {
  await using second = await member();
  const listed = await run('alerts list', [GONE, GONE.replace(':1', ':2')], { env: { SVC_ALERTS_URL: second.url } });
  expect(listed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('away') });
});

it('the addresses of alerts.urls are different ones of HTTP, without alerts.url', async () => {
  for (const [more, message] of [
    [{ 'alerts.url': GONE }, 'profile default has both alerts.url and alerts.urls'],
    [{ 'alerts.urls': 'http://a,ftp://b' }, 'is not an http:// or https:// address'],
    [{ 'alerts.urls': 'http://a,http://a' }, 'names one twice'],
  ] as const) {
    const { code, stderr } = await run('alerts list', ['http://a', 'http://b'], { more });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

describe.skipIf(alertmanagerBinary('0.28') === undefined)('a pair of servers', () => {
  const pair: RunningAlertmanager[] = [];
  beforeAll(async () => {
    const one = await freePorts();
    const other = one + 1;
    const common = ['--cluster.pushpull-interval=1s', '--cluster.gossip-interval=50ms'];
    const start = (own: number, peer: number) => {
      const args = [`--cluster.listen-address=127.0.0.1:${own}`, `--cluster.peer=127.0.0.1:${peer}`, ...common];
      return startAlertmanager({ release: '0.28', args });
    };
    pair.push(...(await Promise.all([start(one, other), start(other, one)])));
  });
  afterAll(() => Promise.all(pair.map((one) => one.stop())));

  const hosts = (servers: readonly RunningAlertmanager[]) => servers.map(({ url }) => new URL(url).host);

  it('is in svc alerts status and svc doctor with each member', async () => {
    const urls = pair.map(({ url }) => url);
    const read = async () => {
      const { code, stderr, stdout } = await run('alerts status -o json', urls);
      return [code, stderr, JSON.parse(stdout)];
    };
    // A cluster settles for some seconds after the start.
    await expect.poll(read).toMatchObject([
      0,
      '',
      hosts(pair).map((host) => ({
        member: host,
        cluster: { status: 'ready' },
        versionInfo: { version: expect.stringMatching(/^0\.28/) },
      })),
    ]);
    const healthy = await run('doctor alerts -o json', urls);
    expect(healthy.code).toBe(0);
    const findings: { check: string; subject: string; detail: string }[] = JSON.parse(healthy.stdout);
    expect(findings.filter(({ check }) => check === 'service').map(({ subject }) => subject)).toEqual(
      hosts(pair).map((host) => `alerts/${host}`),
    );
    expect(findings.find(({ check }) => check === 'cluster')?.detail).toBe('2 members are peers of each other');
  });

  it('of which one is away is reported by both', async () => {
    const urls = [pair[0]?.url ?? '', GONE];
    const status = await run('alerts status -o json', urls);
    expect([status.code, JSON.parse(status.stdout)]).toMatchObject([
      10,
      [{ cluster: { status: 'ready' } }, { member: '127.0.0.1:1', error: { code: 'connect_failed' } }],
    ]);
    expect((await run('alerts status', urls)).stdout).toMatch(/^127\.0\.0\.1:1 +nothing listens/m);
    expect(await run('doctor alerts -q', urls)).toMatchObject({ code: 1, stdout: 'service:alerts/127.0.0.1:1\n' });
  });

  it('that do not know each other is reported by both', async () => {
    const alone = await freePorts();
    const others = await Promise.all([
      startAlertmanager({ release: '0.28', args: [`--cluster.listen-address=127.0.0.1:${alone}`] }),
      startAlertmanager({ release: '0.28' }),
    ]);
    try {
      const all = [pair[0] as RunningAlertmanager, ...others];
      const [one, two, three] = hosts(all);
      const urls = all.map(({ url }) => url);
      const status = await run('alerts status', urls);
      const text = `${one} and ${two} are not peers of each other`;
      expect([status.code, status.stderr]).toEqual([0, expect.stringContaining(text)]);
      expect(status.stderr).toContain(`${three} has clustering disabled`);
      const checked = await run('doctor alerts', urls);
      expect([checked.code, checked.stdout]).toEqual([
        1,
        expect.stringMatching(/cluster alerts .*not peers of each other/),
      ]);
      expect(checked.stdout).toContain('--cluster.peer');
    } finally {
      await Promise.all(others.map((server) => server.stop()));
    }
  });
});
