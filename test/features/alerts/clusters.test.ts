/** Several profiles side by side, each with an Alertmanager of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../../src/sandbox/alerts/server.ts';
import { postAlerts } from '../../support/alertmanager.ts';
import { answer, faultServer } from '../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../support/svc.ts';

interface Row {
  readonly cluster: string;
  readonly [field: string]: unknown;
}

const GONE = 'http://127.0.0.1:1';

let eu: Awaited<ReturnType<typeof startAlertmanagerEmulator>>;
let us: typeof eu;
let home: string;

beforeAll(async () => {
  const start = () => startAlertmanagerEmulator({ now: Date.now, seed: 'empty' });
  [eu, us] = await Promise.all([start(), start()]);
  const shared = { labels: { alertname: 'Shared', severity: 'warning' } };
  await postAlerts(eu.url, [shared]);
  await postAlerts(us.url, [shared, { labels: { alertname: 'Alone', severity: 'critical' } }]);
});
afterAll(() => Promise.all([eu.close(), us.close()]));

beforeEach(() => {
  home = temporaryHome();
  profiles({ eu: eu.url, us: us.url });
});

function profiles(addresses: Record<string, string>, more: Record<string, unknown> = {}): void {
  mkdirSync(join(home, 'config'), { recursive: true });
  const entries = Object.entries(addresses).map(([name, url]) => [name, { 'alerts.url': url, ...more }]);
  const document = { profiles: { ...Object.fromEntries(entries), other: { timeout: '5s' } } };
  writeFileSync(join(home, 'config', 'settings.json'), JSON.stringify(document), { mode: 0o600 });
}

const onBoth = (line: string, options: RunOptions = {}) =>
  svc([...line.split(' '), '--profile', 'eu', '--profile', 'us'], { home, ...options });
const rows = ({ stdout }: { readonly stdout: string }): Row[] => JSON.parse(stdout);
const names = (list: readonly Row[]) =>
  list.map(({ cluster, labels }) => [cluster, (labels as Record<string, string>)['alertname']]);

describe('svc alerts list of several profiles', () => {
  it('merges alerts in the same state, worst first', async () => {
    const listed = await onBoth('alerts list -o json');
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(names(rows(listed))).toEqual([
      ['us', 'Alone'],
      ['eu,us', 'Shared'],
    ]);
    const table = await svc('alerts list --columns cluster,alertname --all-profiles'.split(' '), { home });
    expect((await onBoth('alerts list Shard')).stderr).toContain('eu: warning: unknown alert name Shard');
    expect(table.stdout).toBe('CLUSTER  ALERTNAME\nus       Alone\neu,us    Shared\n');
  });

  it('names a cluster that cannot be read, and exits 10', async () => {
    profiles({ eu: eu.url, gone: GONE });
    const list = (...argv: string[]) =>
      svc(['alerts', 'list', '--profile', 'eu', '--profile', 'gone', '-o', ...argv], { home });
    const listed = await list('json');
    expect(listed.code).toBe(10);
    const [failed, ...others] = rows(listed);
    expect(names(others)).toEqual([['eu', 'Shared']]);
    expect(failed).toMatchObject({ cluster: 'gone', error: { code: 'connect_failed', exit: 7, retryable: true } });
    expect(listed.stderr).toMatch(/^gone: nothing listens at 127\.0\.0\.1:1 /);
    expect((await list('csv', '--columns', 'cluster,label:severity,error')).stdout).toMatch(/^gone,,nothing listens/m);
    expect((await list('id')).stdout).toMatch(/^[0-9a-f]{16}\n$/);
  });

  it('takes no alert of a response that is cut', async () => {
    const whole = JSON.stringify(await (await fetch(`${us.url}/api/v2/alerts`)).json());
    await using partial = await faultServer((socket) => {
      socket.end(answer(200, whole).slice(0, -40), 'latin1');
    });
    profiles({ eu: eu.url, us: partial.url });
    const listed = await onBoth('alerts list -o json');
    expect(listed.code).toBe(10);
    expect(rows(listed)).toMatchObject([{ cluster: 'us', error: { exit: 7 } }, { cluster: 'eu' }]);
    expect(listed.stderr).toMatch(/^us: /);
  });

  it('exits with the common status if it can read none', async () => {
    profiles({ eu: GONE, us: GONE });
    const listed = await onBoth('alerts list');
    expect(listed).toMatchObject({ code: 7, stdout: '' });
    expect(listed.stderr).toMatch(/eu: nothing listens .*; us: nothing listens /);
  });
});

it('svc alerts check of several profiles passes only if it passes in each', async () => {
  const checked = await onBoth('alerts check Alone -o json');
  expect(checked.code).toBe(1);
  expect(rows(checked).map(({ cluster, ok, count }) => [cluster, ok, count])).toEqual([
    ['eu', true, 0],
    ['us', false, 1],
  ]);
  expect((await onBoth('alerts check Nothing')).code).toBe(0);
  profiles({ eu: GONE, us: us.url });
  expect((await onBoth('alerts check Alone')).code).toBe(1);
  const partial = await onBoth('alerts check Nothing -o json');
  expect(partial.code).toBe(11);
  expect(rows(partial)).toMatchObject([
    { cluster: 'eu', error: { code: 'connect_failed' } },
    { cluster: 'us', ok: true },
  ]);
});

describe('svc silences of several profiles', () => {
  const written = async (line: string, options: RunOptions = {}) => onBoth(`silences ${line} -o json`, options);

  it('creates, lists and expires in each cluster', async () => {
    const created = await written('create alertname=Shared -d 1h -c CHG-1');
    expect(created.code).toBe(0);
    expect(rows(created).map(({ cluster }) => cluster)).toEqual(['eu', 'us']);
    expect(rows(await written('list')).map(({ cluster, comment }) => [cluster, comment])).toEqual([
      ['eu', 'CHG-1'],
      ['us', 'CHG-1'],
    ]);
    const expired = await written('expire --comment CHG-1 --yes');
    expect(rows(expired).map(({ cluster, result }) => [cluster, result])).toEqual([
      ['eu', 'expired'],
      ['us', 'expired'],
    ]);
    expect(rows(await written('list'))).toEqual([]);
  });

  it('reports each outcome if one cluster is away', async () => {
    profiles({ eu: GONE, us: us.url });
    const created = await written('create alertname=Shared -d 1h -c CHG-2');
    expect(created.code).toBe(10);
    expect(rows(created)).toMatchObject([
      { cluster: 'eu', error: { code: 'connect_failed' } },
      { cluster: 'us', id: expect.any(String) },
    ]);
    expect(created.stderr).toMatch(/^eu: nothing listens /m);
    for (const line of ['extend --comment CHG-2 -d 1h', 'expire --comment CHG-2 --yes']) {
      const changed = await written(line);
      expect([changed.code, rows(changed).map(({ cluster, result }) => [cluster, result])]).toEqual([
        10,
        [
          ['eu', undefined],
          ['us', line.startsWith('extend') ? 'extended' : 'expired'],
        ],
      ]);
    }
  });

  it.each([
    ['is written', () => us.url, 'it may have been applied'],
    ['is away', () => GONE, 'hint: check the state of the service'],
  ])('exits 8 if one outcome is unknown and the other %s', async (_name, other, text) => {
    await using lost = await faultServer((socket, { method }) =>
      method === 'POST' ? void socket.destroy() : void socket.end(answer(200, '[]')),
    );
    profiles({ eu: other(), us: lost.url });
    const created = await onBoth('silences create alertname=Unknown -d 1h -c CHG-8');
    expect(created.code).toBe(8);
    expect(created.stderr).toMatch(/us: .*may have been applied/);
    expect(created.stderr).toContain(text);
    expect(lost.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('checks what ends first in any, and never passes without one of them', async () => {
    const create = (profile: string, time: string) =>
      svc(['silences', 'create', 'alertname=Soon', '-d', time, '-c', 'CHG-9', '--profile', profile], { home });
    expect([(await create('eu', '50m')).code, (await create('us', '40m')).code]).toEqual([0, 0]);
    const found = await written('check --expiring-within 1h --comment CHG-9');
    expect([found.code, rows(found).map(({ cluster }) => cluster)]).toEqual([1, ['us', 'eu']]);
    const none = await written('check --expiring-within 10m --comment CHG-9');
    expect([none.code, rows(none)]).toEqual([0, []]);
    profiles({ eu: GONE, us: us.url });
    const partial = await onBoth('silences check --expiring-within 5m --comment CHG-9');
    expect(partial.code).toBe(11);
    expect(partial.stdout).toMatch(/^eu +nothing listens/m);
    expect(partial.stdout + partial.stderr).not.toContain('ok:');
  });

  it('prints with --dry-run all requests, without their secret headers', async () => {
    const file = join(home, 'headers');
    writeFileSync(file, 'X-Api-Key: s3cret-of-the-gateway\n', { mode: 0o600 });
    profiles({ eu: eu.url, us: us.url }, { 'alerts.headers': [`@${file}`] });
    const planned = await written('create alertname=Shared -d 1h -c CHG-3 --dry-run');
    expect(planned.stdout).toContain(`${eu.url}/api/v2/silences`);
    expect(planned.stdout).toContain(`${us.url}/api/v2/silences`);
    expect(planned.stdout + planned.stderr).not.toContain('s3cret');
    expect(rows(await written('list --comment CHG-3'))).toEqual([]);
  });

  it('names the cluster in each question', async () => {
    const asked = await onBoth('silences create alertname=Shared -d 3d -c long', { terminal: 120, answer: false });
    expect(asked).toMatchObject({ code: 2 });
    expect(asked.asked.map((question) => question.slice(0, 12))).toEqual(['eu: Silence ', 'us: Silence ']);
  });
});

it('several profiles must be different, have an address, and be for a command that takes several', async () => {
  const refused = {
    'alerts list --profile eu --profile eu': '--profile eu is given twice',
    'alerts list --profile eu --all-profiles': '--profile and --all-profiles cannot be used together',
    'alerts list --base-url http://localhost --profile eu --profile us': '--base-url names one server',
    'alerts list --profile eu --profile other': 'profile other has no alerts.url',
    'alerts list --profile eu --profile gone': 'there is no profile "gone"',
    'alerts list --watch --profile eu --profile us': 'watch -n 5 svc alerts list',
    'alerts triage --profile eu --profile us': '--profile is given more than once',
    'catalog products list --profile eu --profile us': '--profile is given more than once',
  };
  for (const [line, message] of Object.entries(refused)) {
    const { code, stdout, stderr } = await svc(line.split(' '), { home });
    expect([line, code, stdout, stderr]).toEqual([line, 2, '', expect.stringContaining(message)]);
  }
});
