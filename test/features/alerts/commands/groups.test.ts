import { beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { seedFleet, type WireGroup } from './fleet.ts';
import { lines, printed, sharedService } from './service.ts';

/** `receiver: ids`, in a stable order. */
function shapeOf(groups: readonly WireGroup[]): string[] {
  return groups
    .map(({ receiver, alerts }) => `${receiver.name}: ${alerts.map(({ labels }) => labels['id']).sort()}`)
    .sort();
}

const service = sharedService();

describe('svc alerts groups', () => {
  let all: WireGroup[] = [];
  beforeAll(async () => {
    await seedFleet(service.url());
    all = await getJson<WireGroup[]>(service.url(), '/api/v2/alerts/groups');
  });
  const groups = (...argv: string[]) => service.svc(['alerts', 'groups', ...argv]);
  const grouped = async (...argv: string[]): Promise<string[]> => {
    const run = await groups('-o', 'json', ...argv);
    expect([run.code, run.stderr]).toEqual([0, '']);
    return shapeOf(printed<WireGroup[]>(run));
  };

  it('an alert of two routes is in the groups of both', async () => {
    expect(await grouped()).toEqual([
      'operations: plain',
      'pager: source',
      'payments-chat: elsewhere',
      'platform-chat: source',
    ]);
  });

  it('-a shows the response unchanged', async () => {
    expect(printed(await groups('-a', '-o', 'json'))).toEqual(all);
    expect(await grouped('-a')).toEqual([
      'operations: plain',
      'pager: source',
      'payments-chat: elsewhere',
      'platform-chat: both,inhibited,source',
      'platform-chat: silenced',
    ]);
  });

  it.each([
    [['silenced'], ['platform-chat: both', 'platform-chat: silenced']],
    [['inhibited'], ['platform-chat: both,inhibited']],
    [['suppressed'], ['platform-chat: both,inhibited', 'platform-chat: silenced']],
    [
      ['silenced', 'inhibited'],
      ['platform-chat: both,inhibited', 'platform-chat: silenced'],
    ],
    [
      ['active', 'inhibited'],
      ['operations: plain', 'pager: source', 'payments-chat: elsewhere', 'platform-chat: both,inhibited,source'],
    ],
  ])('--state %j removes other alerts from the groups', async (states, expected) => {
    expect(await grouped(...states.flatMap((state) => ['--state', state]))).toEqual(expected);
  });

  it.each([
    [[], '?active=true&silenced=false&inhibited=false'],
    [['-a'], ''],
    [['--state', 'silenced'], '?active=false&silenced=true&inhibited=true'],
    [['--state', 'suppressed'], '?active=true&silenced=true&inhibited=true'],
    [['-a', '-r', 'p.*', 'cluster=eu', 'c!~d'], '?filter=cluster%3D%22eu%22&filter=c!~%22d%22&receiver=p.*'],
  ])('%j sends %s, and never the parameter unprocessed', async (argv, query) => {
    expect(lines((await groups(...argv)).sent)).toEqual([`GET /api/v2/alerts/groups${query}`]);
  });

  it('the state unprocessed does not exist for groups: exit 2, nothing sent', async () => {
    const run = await groups('--state', 'unprocessed');
    expect([run.code, run.sent]).toEqual([2, []]);
  });

  it('matchers and receivers select', async () => {
    expect(await grouped('-a', 'cluster=eu', 'severity!=critical')).toEqual(['platform-chat: both,inhibited']);
    expect(await grouped('-a', '-r', 'pager|payments-chat')).toEqual(['pager: source', 'payments-chat: elsewhere']);
    expect(await groups('-a', '-r', 'page', '-o', 'json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: 'warning: unknown receiver page: did you mean pager?\n',
    });
  });

  it('the table counts, and --limit ends it', async () => {
    const run = await groups('-a', '-o', 'tsv', '--columns', 'receiver,group,active,suppressed', '-r', 'platform-chat');
    expect(run.stdout.trimEnd().split('\n').sort()).toEqual([
      'platform-chat\talertname=Disk team=platform\t0\t1',
      'platform-chat\talertname=Down team=platform\t1\t2',
      'receiver\tgroup\tactive\tsuppressed',
    ]);
    const worst = printed<WireGroup[]>(await groups('-a', '-o', 'json', '--limit', '2'));
    expect(worst.map(({ alerts: [first] }) => first?.labels['id'])).toEqual(['source', 'source']);
    const table = await groups('-a');
    expect([table.code, table.stdout.trimEnd().split('\n').length]).toEqual([0, all.length + 1]);
  });

  it('no group: exit 0', async () => {
    const table = await groups('id=nobody');
    expect([table.code, table.stdout]).toEqual([0, '']);
    expect(table.stderr).toContain('no groups');
    expect((await groups('id=nobody', '-o', 'json')).stdout).toBe('[]\n');
  });

  describe('receivers', () => {
    it('prints one name per line, and the JSON of the service', async () => {
      const names = await service.svc(['alerts', 'receivers', '-q']);
      expect([names.code, names.stderr]).toEqual([0, '']);
      expect(names.stdout.trimEnd().split('\n').sort()).toEqual([
        'operations',
        'pager',
        'payments-chat',
        'platform-chat',
      ]);
      expect(lines(names.sent)).toEqual(['GET /api/v2/receivers']);
      const json = await service.svc(['alerts', 'receivers', '-o', 'json']);
      expect(printed(json)).toEqual(await getJson(service.url(), '/api/v2/receivers'));
    });
  });
});
