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
let all: WireGroup[] = [];
beforeAll(async () => {
  await seedFleet(service.url());
  all = await getJson<WireGroup[]>(service.url(), '/api/v2/alerts/groups');
});

describe('svc alerts groups', () => {
  const groups = (...argv: string[]) => service.svc(['alerts', 'groups', ...argv]);
  const grouped = async (...argv: string[]): Promise<string[]> => {
    const run = await groups('-o', 'json', ...argv);
    expect([run.code, run.stderr]).toEqual([0, '']);
    return shapeOf(printed<WireGroup[]>(run));
  };
  const ACTIVE = ['operations: plain', 'pager: source', 'payments-chat: elsewhere', 'platform-chat: source'];

  it('has an alert of two routes in the groups of both', async () => {
    expect(await grouped()).toEqual(ACTIVE);
  });

  it('prints with -a the response unchanged', async () => {
    expect(printed(await groups('-a', '-o', 'json'))).toEqual(all);
  });

  it.each([
    [['silenced'], ['platform-chat: both', 'platform-chat: silenced']],
    [['suppressed'], ['platform-chat: both,inhibited', 'platform-chat: silenced']],
    [
      ['active', 'inhibited'],
      ['operations: plain', 'pager: source', 'payments-chat: elsewhere', 'platform-chat: both,inhibited,source'],
    ],
  ])('has with the states %j only alerts in them', async (states, expected) => {
    expect(await grouped(...states.flatMap((state) => ['--state', state]))).toEqual(expected);
  });

  it('never sends the parameter unprocessed, which groups do not have', async () => {
    for (const [argv, query] of [
      [[], '?active=true&silenced=false&inhibited=false'],
      [['--state', 'suppressed'], '?active=true&silenced=true&inhibited=true'],
      [['-a', '-r', 'p.*', 'cluster=eu', 'c!~d'], '?filter=cluster%3D%22eu%22&filter=c!~%22d%22&receiver=p.*'],
    ] as const) {
      expect(lines((await groups(...argv)).sent)).toEqual([`GET /api/v2/alerts/groups${query}`]);
    }
    expect(await groups('--state', 'unprocessed')).toMatchObject({ code: 2, sent: [] });
  });

  it('counts the alerts of each group, the worst group first', async () => {
    const run = await groups('-a', '-o', 'tsv', '--columns', 'receiver,group,active,suppressed', '-r', 'platform-chat');
    expect(run.stdout.trimEnd().split('\n').sort()).toEqual([
      'platform-chat\talertname=Disk team=platform\t0\t1',
      'platform-chat\talertname=Down team=platform\t1\t2',
      'receiver\tgroup\tactive\tsuppressed',
    ]);
    const worst = printed<WireGroup[]>(await groups('-a', '-o', 'json', '--limit', '2'));
    expect(worst.map(({ alerts: [first] }) => first?.labels['id'])).toEqual(['source', 'source']);
    expect((await groups('-a')).stdout.trimEnd().split('\n')).toHaveLength(all.length + 1);
  });
});

describe('svc alerts receivers', () => {
  it('prints the names, and in JSON the response of the server', async () => {
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
