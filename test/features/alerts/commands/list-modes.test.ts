import { beforeAll, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { LONG_AGO, seedFleet } from './fleet.ts';
import { SILENCED, wireAlert } from './scripted.ts';
import { lines, printed, sharedService } from './service.ts';

const service = sharedService();
beforeAll(() => seedFleet(service.url()).then(() => undefined));
const list = (...argv: string[]) => service.svc(['alerts', 'list', ...argv]);

describe('svc alerts list --group-by', () => {
  it('prints a row for each combination of labels, most alerts first', async () => {
    const run = await list('-a', '--group-by', 'alertname', '--group-by', 'team', '-o', 'tsv');
    expect(run.stdout.split('\n').map((line) => line.split('\t').slice(0, -1))).toEqual([
      ['alertname', 'team', 'alerts', 'active', 'suppressed'],
      ['Down', 'platform', '3', '1', '2'],
      ['Disk', 'platform', '1', '0', '1'],
      ['Down', 'payments', '1', '1', '0'],
      ['Up', '', '1', '1', '0'],
      [],
    ]);
  });

  it('counts listed alerts only, and says since when the oldest fires', async () => {
    const row = { labels: { cluster: '' }, oldest: new Date(LONG_AGO).toISOString() };
    const active = await list('--group-by', 'cluster', '-o', 'json');
    expect(lines(active.sent)).toEqual([
      'GET /api/v2/alerts?active=true&silenced=false&inhibited=false&unprocessed=false',
    ]);
    expect(printed<unknown[]>(active)).toContainEqual({ ...row, alerts: 1, active: 1, suppressed: 0 });
    const all = printed<unknown[]>(await list('-a', '--group-by', 'cluster', '-o', 'json'));
    expect(all).toContainEqual({ ...row, alerts: 2, active: 1, suppressed: 1 });
  });

  it('has columns of its own for --columns and --sort', async () => {
    const run = await list('-a', '--group-by', 'team', '--columns', 'team,alerts', '--sort', 'team', '-o', 'csv');
    expect(run.stdout).toBe('team,alerts\npayments,1\nplatform,4\n,1\n');
    expect((await list('--group-by', 'team', '--limit', '1', '-q')).stdout).toBe('team=\n');
    expect(await list('--group-by', 'team', '--columns', 'summary')).toMatchObject({ code: 2, stdout: '', sent: [] });
    expect(await list('--group-by', '')).toMatchObject({ code: 2, stdout: '', sent: [] });
  });
});

describe('labels that all rows share', () => {
  const common = async (...argv: string[]) => {
    const { stdout, stderr } = await list(...argv);
    return { stdout, common: /^common: (.*)$/m.exec(stderr)?.[1] };
  };

  it('are printed once, beside the table', async () => {
    const { stdout, common: shared } = await common('-a', 'team=platform', 'alertname=Down');
    expect(shared).toBe('cluster=eu team=platform');
    expect(stdout).not.toContain('team=platform');
    expect(stdout).toContain('id=both');
    expect((await common('-a', '--sort', 'labels.cluster', '--limit', '3')).common).toContain('cluster=eu');
    for (const argv of [['-a'], ['-a', 'id=both']]) expect((await common(...argv)).common).toBeUndefined();
  });

  it.each([
    ['-o', 'wide'],
    ['--columns', 'labels,id'],
    ['-o', 'csv'],
    ['-o', 'json'],
  ])('stay in every row with %s %s', async (...argv) => {
    const { stdout, common: shared } = await common('-a', 'cluster=eu', ...argv);
    expect(shared).toBeUndefined();
    expect(stdout.match(/cluster=eu|"cluster": ?"eu"/g)).toHaveLength(3);
  });

  it('stay in every row of more than 500', async () => {
    for (const count of [500, 501]) {
      const alerts = Array.from({ length: count }, (_, index) => wireAlert(`${1000 + index}`, { cluster: 'eu' }));
      await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(alerts))));
      const { stdout, stderr } = await svc(['alerts', 'list', '--base-url', server.url]);
      expect(stdout.match(/^active .*$/gm)).toHaveLength(count);
      expect([stdout.match(/cluster=eu/g)?.length, stderr.includes('common: ')]).toEqual(
        count === 500 ? [undefined, true] : [count, false],
      );
    }
  });
});

it('a label may have the name of an object property', async () => {
  const silenced = { ...wireAlert('a', JSON.parse('{"__proto__":"x"}')), ...SILENCED };
  const other = wireAlert('b', { constructor: 'y' } as unknown as Record<string, string>);
  await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify([silenced, other]))));
  const run = (...argv: string[]) => svc(['alerts', 'list', '-a', '--base-url', server.url, ...argv]);
  const { stdout } = await run('-o', 'json', '--group-by', '__proto__', '--group-by', 'constructor');
  expect(stdout).toContain('"__proto__": "x"');
  expect(stdout).toContain('"constructor": ""');
  const columns = ['--columns', 'label:__proto__,label:constructor,annotation:toString'];
  expect((await run('-o', 'csv', '--no-headers', ...columns)).stdout).toBe(',y,\nx,,\n');
});
