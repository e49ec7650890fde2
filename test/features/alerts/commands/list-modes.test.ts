import { beforeAll, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { LONG_AGO, seedFleet } from './fleet.ts';
import { SILENCED, wireAlert } from './scripted.ts';
import { lines, printed, sharedService } from './service.ts';

const service = sharedService();

describe('svc alerts list', () => {
  beforeAll(() => seedFleet(service.url()).then(() => undefined));
  const list = (...argv: string[]) => service.svc(['alerts', 'list', ...argv]);

  describe('--group-by', () => {
    it('a row for each combination, most alerts first', async () => {
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

    it('the oldest is the one that has fired longest; only listed alerts count', async () => {
      const row = { labels: { cluster: '' }, oldest: new Date(LONG_AGO).toISOString() };
      const active = printed<unknown[]>(await list('--group-by', 'cluster', '-o', 'json'));
      expect(active).toContainEqual({ ...row, alerts: 1, active: 1, suppressed: 0 });
      const all = printed<unknown[]>(await list('-a', '--group-by', 'cluster', '-o', 'json'));
      expect(all).toContainEqual({ ...row, alerts: 2, active: 1, suppressed: 1 });
    });

    it('--columns and --sort take its own columns', async () => {
      const run = await list('-a', '--group-by', 'team', '--columns', 'team,alerts', '--sort', 'team', '-o', 'csv');
      expect(run.stdout).toBe('team,alerts\npayments,1\nplatform,4\n,1\n');
      expect((await list('--group-by', 'team', '--limit', '1', '-q')).stdout).toBe('team=\n');
      expect(await list('--group-by', 'team', '--columns', 'summary')).toMatchObject({ code: 2, stdout: '', sent: [] });
    });
  });

  describe('labels that all rows share', () => {
    const common = async (...argv: string[]) => {
      const { stdout, stderr } = await list(...argv);
      return { stdout, common: /^common: (.*)$/m.exec(stderr)?.[1] };
    };

    it('are printed once, beside the table', async () => {
      const { stdout, common: told } = await common('-a', 'team=platform', 'alertname=Down');
      expect(told).toBe('cluster=eu team=platform');
      expect(stdout).not.toContain('team=platform');
      expect(stdout).toContain('id=both');
    });

    it.each([
      [['-a']],
      [['-a', 'id=both']],
      [['-a', 'cluster=eu', '-o', 'wide']],
      [['-a', 'cluster=eu', '--columns', 'labels,id']],
      [['-a', 'cluster=eu', '-o', 'csv']],
      [['-a', 'cluster=eu', '-o', 'tsv']],
      [['-a', 'cluster=eu', '-o', 'json']],
    ])('%j: nothing, or they stay in every row', async (argv) => {
      const { stdout, common: told } = await common(...argv);
      expect(told).toBeUndefined();
      if (argv.includes('cluster=eu')) expect(stdout.match(/cluster=eu|"cluster": ?"eu"/g)).toHaveLength(3);
    });

    it('are computed from the shown rows', async () => {
      expect((await common('-a', '--sort', 'labels.cluster', '--limit', '3')).common).toContain('cluster=eu');
    });
  });

  it('--group-by sends one request, for the requested states only', async () => {
    expect(lines((await list('--group-by', 'team')).sent)).toEqual([
      'GET /api/v2/alerts?active=true&silenced=false&inhibited=false&unprocessed=false',
    ]);
  });

  it('an empty label is refused, nothing sent', async () => {
    expect(await list('--group-by', '')).toMatchObject({ code: 2, stdout: '', sent: [] });
  });
});

describe('many alerts', () => {
  async function listed(count: number, ...argv: string[]) {
    const alerts = Array.from({ length: count }, (_, index) =>
      wireAlert(index.toString(16).padStart(4, '0'), { cluster: 'eu' }),
    );
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(alerts))));
    return await svc(['alerts', 'list', '--base-url', server.url, ...argv]);
  }

  it.each([
    [2, true],
    [500, true],
    [501, false],
    [1200, false],
  ])('prints all %d rows, and compares their labels: %s', async (count, compared) => {
    const { stdout, stderr } = await listed(count);
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.trimEnd().split(/ +/).at(-1))).toEqual(
      Array.from({ length: count }, (_, index) => index.toString(16).padStart(4, '0').padEnd(16, '0')),
    );
    expect(rows.filter((row) => row.includes('cluster=eu'))).toHaveLength(compared ? 0 : count);
    expect(stderr.includes('common: ')).toBe(compared);
  });

  it('a label may have the name of an object property', async () => {
    const silenced = { ...wireAlert('a', JSON.parse('{"__proto__":"x"}')), ...SILENCED };
    const other = wireAlert('b', { constructor: 'y' } as unknown as Record<string, string>);
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify([silenced, other]))));
    const argv = ['alerts', 'list', '-a', '--base-url', server.url, '-o', 'json'];
    const { stdout } = await svc([...argv, '--group-by', '__proto__', '--group-by', 'constructor']);
    expect(stdout).toContain('"__proto__": "x"');
    expect(stdout).toContain('"constructor": ""');
    const columns = ['--columns', 'label:__proto__,label:constructor,annotation:toString'];
    expect((await svc([...argv.slice(0, -1), 'csv', '--no-headers', ...columns])).stdout).toBe(',y,\nx,,\n');
  });
});
