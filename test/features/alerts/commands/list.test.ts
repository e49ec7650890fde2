import { beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { ALL, FLEET, INHIBITED, idsOf, LONG_AGO, SILENCED, seedFleet, type WireAlert } from './fleet.ts';
import { wireAlert } from './scripted.ts';
import { lines, parameter, printed, sharedService } from './service.ts';

const service = sharedService();
beforeAll(() => seedFleet(service.url()).then(() => undefined));
const list = (...argv: string[]) => service.svc(['alerts', 'list', ...argv]);
const listed = async (...argv: string[]): Promise<string[]> => {
  const run = await list('-o', 'json', ...argv);
  expect([run.code, run.stderr]).toEqual([0, '']);
  return idsOf(printed<WireAlert[]>(run));
};
const everything = () => getJson<WireAlert[]>(service.url(), '/api/v2/alerts');

describe('svc alerts list', () => {
  it('lists active alerts, with --state those in any of the states, and with -a all', async () => {
    const expected = {
      '': ['elsewhere', 'plain', 'source'],
      '-a': ALL,
      '--state silenced': SILENCED,
      '--state inhibited': INHIBITED,
      '--state suppressed': ['both', 'inhibited', 'silenced'],
      '--state silenced --state inhibited': ['both', 'inhibited', 'silenced'],
      '--state active --state inhibited': ['both', 'elsewhere', 'inhibited', 'plain', 'source'],
      '--state active --state suppressed': ALL,
      '--state unprocessed': [],
    };
    for (const [line, ids] of Object.entries(expected)) {
      expect([line, await listed(...line.split(' ').filter((word) => word !== ''))]).toEqual([line, ids]);
    }
  });

  it('sends one request for the states, the matchers and the receiver', async () => {
    const requests: readonly (readonly [argv: readonly string[], query: string])[] = [
      [[], '?active=true&silenced=false&inhibited=false&unprocessed=false'],
      [['--state', 'silenced'], '?active=false&silenced=true&inhibited=true&unprocessed=false'],
      [['--state', 'suppressed'], '?active=true&silenced=true&inhibited=true&unprocessed=false'],
      [['--state', 'unprocessed'], '?active=false&silenced=false&inhibited=false&unprocessed=true'],
      [['--state', 'active', '--state', 'unprocessed'], '?active=true&silenced=false&inhibited=false&unprocessed=true'],
      [['-a'], ''],
      [['-a', '-r', 'team-.*|ops'], '?receiver=team-.*%7Cops'],
      [
        ['-a', 'a=b', 'c!=d', 'e=~f.*', 'g!~h'],
        '?filter=a%3D%22b%22&filter=c!%3D%22d%22&filter=e%3D~%22f.*%22&filter=g!~%22h%22',
      ],
      [['-a', '{a="b",c=~"d,e"}', 'f='], '?filter=a%3D%22b%22&filter=c%3D~%22d%2Ce%22&filter=f%3D%22%22'],
      [['-a', 'a="ü&b=1#+ %"'], '?filter=a%3D%22%C3%BC%26b%3D1%23%2B%20%25%22'],
    ];
    for (const [argv, query] of requests) {
      const run = await list(...argv);
      // Where nothing matches, svc then reads the known names.
      expect([argv, run.code, lines(run.sent)[0]]).toEqual([argv, 0, `GET /api/v2/alerts${query}`]);
    }
    const { sent } = await list('-a', 'a="one\ntwo"');
    expect(sent.flatMap((one) => parameter(one, 'filter'))).toEqual(['a="one\\ntwo"']);
  });

  it('lists with --receiver what goes to a receiver whose whole name matches', async () => {
    expect(await listed('-a', '--receiver', 'pager')).toEqual(['source']);
    expect(await listed('-a', '--receiver', '.*-chat')).toEqual([
      'both',
      'elsewhere',
      'inhibited',
      'silenced',
      'source',
    ]);
  });

  it('reports why the server refuses a regular expression', async () => {
    const run = await list('-o', 'json', 'id=~"(?!x)"');
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(failure(run)).toMatchObject({ code: 'refused', http_status: 400, hint: expect.stringContaining('RE2') });
    expect(failure(run).message).toContain('invalid or unsupported Perl syntax: `(?!`');
    const receiver = await list('-r', '(');
    expect([receiver.code, receiver.stdout]).toEqual([3, '']);
    expect(receiver.stderr).toContain('missing closing )');
  });

  it('lists with --older-than what fires for longer, exactly to the second', async () => {
    const at = { now: () => LONG_AGO + 10 * 3_600_000 };
    const ages = async (...argv: string[]) =>
      idsOf(printed<WireAlert[]>(await service.svc(['alerts', 'list', '-a', '-o', 'json', ...argv], at)));
    expect(await ages('--older-than', '9h59m59s')).toEqual(['plain']);
    expect(await ages('--older-than', '10h')).toEqual([]);
  });

  it('limits what the filters left, in the order of --sort', async () => {
    expect(await listed('-a', '--limit', '99')).toEqual(ALL);
    expect(await listed('--state', 'silenced', '--sort', 'label:id', '--limit', '1')).toEqual(['both']);
    expect(await listed('-a', '--sort', '-labels.id', '--limit', '2')).toEqual(['silenced', 'source']);
    expect(await list('--limit', '0')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('match') });
  });

  it('prints in JSON and NDJSON what the server responds', async () => {
    const answered = await everything();
    for (const argv of [[], ['--older-than', '0'], ['--query', '[]']]) {
      expect(printed(await list('-a', '-o', 'json', ...argv))).toEqual(answered);
    }
    const { stdout } = await list('-a', '-o', 'ndjson');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(answered);
    expect((await list('-o', 'json', 'id=nobody')).stdout).toBe('[]\n');
    expect((await list('-o', 'ndjson', 'id=nobody')).stdout).toBe('');
  });

  it('prints any label and annotation as a column', async () => {
    const columns = 'alertname,label:instance,annotation:runbook,label:nosuch';
    expect((await list('-o', 'tsv', '--columns', columns, 'id=plain')).stdout.split('\n')).toEqual([
      'alertname\tlabel:instance\tannotation:runbook\tlabel:nosuch',
      'Up\tweb-1:9100\thttps://example.org/up\t',
      '',
    ]);
  });

  it('prints a line for each alert, and in a pipe no relative time', async () => {
    const { stdout } = await list('-a');
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(FLEET.length + 1);
    expect(rows[0]).toMatch(/^STATE +SEVERITY +ALERTNAME +LABELS +SUMMARY +SINCE +ID/);
    expect(stdout).toContain(new Date(LONG_AGO).toISOString().slice(0, 10));
    expect(stdout).not.toContain('ago');
    const ids = (await list('-a', '-q')).stdout.trimEnd().split('\n');
    expect(ids.sort()).toEqual((await everything()).map((alert) => alert.fingerprint).sort());
  });

  it.each([
    [['-a', '--state', 'active'], 'cannot be used together'],
    [['--state', 'firing'], 'unknown value "firing"'],
    [['--limit', '-1'], 'less than 0'],
    [['a==b'], 'is not one plain matcher'],
    [['-r', 'a,b'], 'several names need a regular expression'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await list(...argv);
    expect([run.code, run.stdout, lines(run.sent)]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
  });
});

describe('svc alerts list with states of newer servers', () => {
  const state = (id: string, name: string, silencedBy: string[] = [], inhibitedBy: string[] = [], mutedBy?: string[]) =>
    wireAlert(id, {}, { status: { state: name, silencedBy, inhibitedBy, ...(mutedBy && { mutedBy }) } });
  const ALERTS = [
    state('a', 'active'),
    state('b', 'suppressed', ['s'], ['i']),
    state('c', 'unprocessed'),
    state('d', 'suppressed', [], [], ['nights']),
    state('e', 'suppressed'),
    { ...state('f', 'snoozed', [], [], []), quality: { of: [1, null] } },
  ];
  const list = async (...argv: string[]) => {
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(ALERTS))));
    return await svc(['alerts', 'list', '--base-url', server.url, ...argv]);
  };

  it('names each state, and lists by it', async () => {
    const { stdout } = await list('-a', '--columns', 'state', '--sort', 'id', '-o', 'tsv', '--no-headers');
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      'active',
      'silenced,inhibited',
      'unprocessed',
      'muted',
      'suppressed',
      'snoozed',
    ]);
    const expected = { active: 'af', silenced: 'b', inhibited: 'b', muted: 'd', suppressed: 'bde' };
    for (const [name, ids] of Object.entries(expected)) {
      const { stdout: found } = await list('--state', name, '-q', '--sort', 'id');
      expect([name, found.replaceAll(/0+\n/g, '')]).toEqual([name, ids]);
    }
  });

  it('prints unknown fields in JSON, sorted or not', async () => {
    for (const argv of [[], ['--sort', 'id']]) {
      expect(printed(await list('-a', '-o', 'json', ...argv))).toEqual(ALERTS);
    }
  });
});
