import { beforeAll, describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence, wire } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { lines, printed, sharedService } from '../../alerts/commands/service.ts';

interface WireSilence {
  readonly id: string;
  readonly comment: string;
  readonly createdBy: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly unknown[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });
const regex = (name: string, value: string) => ({ name, value, isRegex: true, isEqual: true });

const service = sharedService();

const now = Date.now();
const iso = (offset: number): string => new Date(now + offset).toISOString();
const ids = new Map<string, string>();
beforeAll(async () => {
  const seeds = {
    short: { matchers: [equal('team', 'db')], createdBy: 'tester@host', comment: 'CHG-12 disk', endsAt: iso(HOUR) },
    long: {
      matchers: [equal('team', 'db'), regex('host', 'a.*')],
      createdBy: 'ann',
      comment: 'holiday',
      endsAt: iso(5 * DAY),
    },
    later: {
      matchers: [regex('host', 'a.*')],
      createdBy: 'ann-marie',
      comment: 'chg-13',
      startsAt: iso(DAY),
      endsAt: iso(DAY + HOUR),
    },
    ended: { matchers: [equal('team', 'web')], createdBy: 'ann', comment: 'CHG-9', endsAt: iso(HOUR) },
  };
  for (const [name, seed] of Object.entries(seeds)) ids.set(name, await postSilence(service.url(), seed));
  await wire(service.url(), `/api/v2/silence/${ids.get('ended')}`, { method: 'DELETE' });
});
const list = (...argv: string[]) => service.svc(['silences', 'list', ...argv], { now: () => now });
const listed = async (...argv: string[]): Promise<string[]> => {
  const run = await list('-o', 'json', ...argv);
  expect([run.code, run.stderr]).toEqual([0, '']);
  const byId = new Map([...ids].map(([name, id]) => [id, name]));
  return printed<WireSilence[]>(run)
    .map(({ id }) => byId.get(id) ?? id)
    .sort();
};
const everything = () => getJson<WireSilence[]>(service.url(), '/api/v2/silences');

describe('svc silences list', () => {
  it('lists active and pending silences, or those of its options', async () => {
    const expected = {
      '': ['later', 'long', 'short'],
      '-a': ['ended', 'later', 'long', 'short'],
      '--state active': ['long', 'short'],
      '--state pending': ['later'],
      '--expired': ['ended'],
      '--state expired --state pending': ['ended', 'later'],
      '--created-by ann': ['long'],
      '--created-by me': ['short'],
      '--created-by ~^ann': ['later', 'long'],
      '--created-by ANN': [],
      '--comment CHG': ['short'],
      '--comment ~(?:CHG|chg)-[0-9]+': ['later', 'short'],
      '--within 1h': ['short'],
      '--within 59m59s': [],
      '--within 2d': ['later', 'short'],
      '--within 2d --created-by ~ann': ['later'],
      '--sort -endsAt --limit 1': ['long'],
      'team=db': ['long', 'short'],
      'team=db team=web': [],
      'team=db host=~"a.*"': ['long'],
      '-a team=web': ['ended'],
    };
    for (const [line, names] of Object.entries(expected)) {
      expect([line, await listed(...line.split(' ').filter((word) => word !== ''))]).toEqual([line, names]);
    }
  });

  it.each([
    [['team=none'], 'no active or pending silences match; use -a to include expired ones'],
    [['team=none', '-a'], 'no silences match'],
    [['team=none', '--unused'], 'no unused silences match'],
  ])('exits 0 where nothing matches %j, and says: %s', async (argv, text) => {
    expect(await list(...argv)).toMatchObject({ code: 0, stdout: '', stderr: `${text}\n` });
    expect(await list(...argv, '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('lists with --unused what mutes no alert, and with --for-alert what mutes one', async () => {
    await postAlerts(service.url(), [{ labels: { alertname: 'Used', team: 'db' } }]);
    const find = async (...argv: string[]) => (await listed(...argv)).join();
    await expect.poll(() => find('--unused')).toBe('long');
    expect(await find('--for-alert', 'alertname=Used')).toBe('short');
    const [alert] = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts');
    expect(await find('--for-alert', alert?.fingerprint.slice(0, 10) ?? '')).toBe('short');
  });

  it('sends one request with the matchers', async () => {
    const run = await list('team=db', 'b!~"c,d"');
    expect(lines(run.sent)).toEqual(['GET /api/v2/silences?filter=team%3D%22db%22&filter=b!~%22c%2Cd%22']);
    expect(lines((await list('NodeDown')).sent)).toEqual(['GET /api/v2/silences?filter=alertname%3D%22NodeDown%22']);
  });

  it('prints in JSON what the server responds', async () => {
    const answered = await everything();
    expect(printed(await list('-a', '-o', 'json'))).toEqual(answered);
    expect(printed(await list('-a', '-o', 'json', '--within', '1y'))).toEqual(answered);
    expect(printed(await list('-a', '-o', 'json', '--limit', '99'))).toEqual(answered);
    expect((await list('-a', '--limit', '1')).stderr).toBe(
      `${(answered as unknown[]).length - 1} more left out by --limit\n`,
    );
  });

  it.each([
    [['--expired', '--state', 'active'], 'cannot be used together'],
    [['-a', '--state', 'active'], 'cannot be used together'],
    [['-a', '--expired'], '--all and --expired cannot be used together'],
    [['--within', '0'], 'longer than zero'],
    [['--comment', '~('], '--comment'],
    [['--comment', '~'], '--comment is empty'],
    [['--for-alert', '{a="b",a="c"}'], 'cannot have several values'],
    [['--state', 'gone'], 'unknown value "gone"'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await list(...argv);
    expect([run.code, run.stdout, run.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
  });
});

describe('svc silences get', () => {
  const get = (...argv: string[]) => service.svc(['silences', 'get', ...argv]);

  it('finds a silence by its id, a beginning of it, and in upper case', async () => {
    for (const silence of await everything()) {
      for (const text of [silence.id, silence.id.slice(0, 13), silence.id.toUpperCase()]) {
        const run = await get(text, '-o', 'json');
        expect([run.code, run.stderr]).toEqual([0, '']);
        expect(printed(run)).toEqual(silence);
      }
    }
  });

  it.each(['00000000-0000-4000-8000-000000000000', '00000000-0000'])(
    'exits 5 if there is no silence %s',
    async (id) => {
      const run = await get(id);
      expect([run.code, run.stdout]).toEqual([5, '']);
      expect(run.stderr).toContain('silences list -a');
    },
  );

  it('refuses what is no id with exit 2, and sends nothing', async () => {
    for (const id of ['', 'xyz', '..', 'status', '-', '0'.repeat(37)]) {
      expect([id, await get('--', id)]).toMatchObject([id, { code: 2, stdout: '', sent: [] }]);
    }
  });

  it('refuses the beginning of several ids with exit 2, and names some', async () => {
    const silence = (digit: number) => ({
      id: `abc0000${digit}-0000-4000-8000-000000000001`,
      matchers: [{ name: 'a', value: 'b', isRegex: false }],
      startsAt: '2026-11-20T12:00:00.000Z',
      endsAt: '2026-11-20T13:00:00.000Z',
      updatedAt: '2026-11-20T12:00:00.000Z',
      createdBy: 'x',
      comment: 'y',
      status: { state: 'active' },
    });
    const silences = [1, 2, 3, 4, 5, 6, 7, 8].map(silence);
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(silences))));
    const run = await svc(['silences', 'get', 'ABC', '--base-url', server.url, '-o', 'json']);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(failure(run)).toMatchObject({
      message: expect.stringMatching(/^8 silences begin with abc: (abc0000\d-\S+, ){4}abc00005-\S+ and 3 more$/),
      hint: 'give more of the id',
    });
  });
});
