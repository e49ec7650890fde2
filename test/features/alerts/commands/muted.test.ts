/** Alerts that a time interval mutes: the server's list calls them active, only its groups know better. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { getJson, postAlerts, postSilence, startAlertmanager } from '../../../support/alertmanager.ts';
import { describeRealServers } from '../../../support/alertmanagers.ts';
import { lines, printed, recorded } from './service.ts';

/** The routes of the sandbox, with an interval that is always there. */
const CONFIG = `
route:
  receiver: operations
  group_by: [alertname]
  group_wait: 0s
  group_interval: 1s
  routes:
    - matchers: [severity="critical"]
      receiver: pager
      continue: true
    - matchers: [team="payments"]
      receiver: payments-chat
      mute_time_intervals: [always]
time_intervals:
  - name: always
    time_intervals: [{ weekdays: ['sunday:saturday'] }]
receivers: [{ name: operations }, { name: pager }, { name: payments-chat }]
`;

/** `Batch` is muted, `Both` only for one of its two receivers, `Quiet` muted and silenced. */
const ALERTS = [
  { labels: { alertname: 'Batch', team: 'payments' } },
  { labels: { alertname: 'Both', team: 'payments', severity: 'critical' } },
  { labels: { alertname: 'Quiet', team: 'payments', id: 'q' } },
  { labels: { alertname: 'Disk', team: 'search' } },
];

interface Listed {
  readonly labels: { readonly alertname: string };
  readonly status: { readonly state: string; readonly mutedBy: readonly string[] };
}

describeRealServers(({ release }) => {
  let server: Awaited<ReturnType<typeof startAlertmanager>>;
  const service = recorded(() => server.url);
  const run = (...argv: string[]) => service.svc(['alerts', ...argv]);
  const names = async (...argv: string[]): Promise<string[]> => {
    const { code, stdout } = await run(...argv, '-o', 'json');
    expect(code).toBe(0);
    return (JSON.parse(stdout) as Listed[]).map(({ labels }) => labels.alertname).sort();
  };

  beforeAll(async () => {
    server = await startAlertmanager({ release, config: CONFIG });
    await postAlerts(server.url, ALERTS);
    await postSilence(server.url, { matchers: [{ name: 'id', value: 'q', isRegex: false }] });
    await vi.waitFor(async () => {
      const groups = await getJson<{ alerts: Listed[] }[]>(server.url, '/api/v2/alerts/groups?receiver=payments-chat');
      const muted = groups.flatMap(({ alerts }) => alerts.map(({ status }) => status.mutedBy));
      expect(muted).toEqual([['always'], ['always'], ['always']]);
    }, 20_000);
  });
  afterAll(() => server.stop());

  it('lists an alert as muted if an interval mutes it for all its receivers', async () => {
    const expected = {
      '': ['Both', 'Disk'],
      '-a': ['Batch', 'Both', 'Disk', 'Quiet'],
      '--state muted': ['Batch', 'Quiet'],
      '--state suppressed': ['Batch', 'Quiet'],
      '--state silenced': ['Quiet'],
      '--state active --state muted': ['Batch', 'Both', 'Disk', 'Quiet'],
      '-r payments-chat': [],
      '-r payments-chat -a': ['Batch', 'Both', 'Quiet'],
      '-r pager': ['Both'],
    };
    for (const [line, wanted] of Object.entries(expected)) {
      expect([line, await names('list', ...line.split(' ').filter((word) => word !== ''))]).toEqual([line, wanted]);
    }
  });

  it('names the state and the interval in a list', async () => {
    const columns = ['--columns', 'alertname,state,muted-by', '--sort', 'alertname', '-o', 'tsv', '--no-headers'];
    expect((await run('list', '-a', ...columns)).stdout.trimEnd().split('\n')).toEqual([
      'Batch\tmuted\talways',
      'Both\tactive\t',
      'Disk\tactive\t',
      'Quiet\tsilenced,muted\talways',
    ]);
    const [batch] = printed<Listed[]>(await run('list', '-a', 'Batch', '-o', 'json'));
    expect(batch?.status).toMatchObject({ state: 'suppressed', mutedBy: ['always'] });
  });

  it('counts groups by the interval of their own route', async () => {
    const columns = ['--columns', 'receiver,alertnames,active,suppressed,muted-by', '-o', 'tsv', '--no-headers'];
    expect((await run('groups', '-a', ...columns)).stdout.trimEnd().split('\n').sort()).toEqual([
      'operations\tDisk\t1\t0\t',
      'pager\tBoth\t1\t0\t',
      'payments-chat\tBatch\t0\t1\talways',
      'payments-chat\tBoth\t0\t1\talways',
      'payments-chat\tQuiet\t0\t1\talways',
    ]);
    expect((await run('groups', '--columns', 'alertnames', '-o', 'tsv', '--no-headers')).stdout).toBe('Both\nDisk\n');
    const muted = await run('groups', '--state', 'muted', '--columns', 'alertnames', '-o', 'tsv', '--no-headers');
    expect(muted.stdout).toBe('Both\nBatch\nQuiet\n');
  });

  it('counts for a check only alerts that notify a receiver', async () => {
    expect((await run('check', 'Batch')).code).toBe(0);
    expect((await run('check', 'Both')).code).toBe(1);
    expect((await run('check', 'Batch', '--state', 'muted')).code).toBe(1);
  });

  it('names the interval and the receiver of one alert, even if it is active for another', async () => {
    for (const [name, state] of [
      ['Batch', 'muted'],
      ['Both', 'active'],
    ] as const) {
      const id = (await run('list', '-a', name, '-q')).stdout.trim();
      const { stdout } = await run('get', id);
      expect(stdout).toMatch(new RegExp(`^STATE +${state}$`, 'm'));
      expect(stdout).toMatch(/^MUTED-BY +always \(payments-chat\)$/m);
      expect(printed(await run('get', id, '-o', 'json'))).toMatchObject({
        mutedGroups: [{ receiver: 'payments-chat', mutedBy: ['always'] }],
      });
    }
  });
}, '0.28');

describeRealServers(({ release }) => {
  let server: Awaited<ReturnType<typeof startAlertmanager>>;
  const service = recorded(() => server.url);
  beforeAll(async () => {
    server = await startAlertmanager({ release });
    await postAlerts(server.url, ALERTS);
  });
  afterAll(() => server.stop());

  it('whose configuration has no interval is not asked for its groups', async () => {
    for (const format of ['json', 'tsv']) {
      const { sent } = await service.svc(['alerts', 'list', '-o', format]);
      expect(lines(sent).slice(1)).toEqual(release === '0.25' ? [] : ['GET /api/v2/status']);
    }
  });
});
