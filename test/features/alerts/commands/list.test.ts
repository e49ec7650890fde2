import { beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { ALL, FLEET, INHIBITED, idsOf, LONG_AGO, SILENCED, seedFleet, type WireAlert } from './fleet.ts';
import { lines, parameter, printed, sharedService } from './service.ts';

const STATES = ['active', 'silenced', 'inhibited', 'suppressed', 'unprocessed'] as const;

/** The alerts of each state, computed without the code under test. */
const HOLDS: Readonly<Record<(typeof STATES)[number], (id: string) => boolean>> = {
  active: (id) => !SILENCED.includes(id) && !INHIBITED.includes(id),
  silenced: (id) => SILENCED.includes(id),
  inhibited: (id) => INHIBITED.includes(id),
  suppressed: (id) => SILENCED.includes(id) || INHIBITED.includes(id),
  unprocessed: () => false,
};

/** Every choice of at least one state. */
const COMBINATIONS = Array.from({ length: 2 ** STATES.length - 1 }, (_, bits) =>
  STATES.filter((_state, index) => ((bits + 1) >> index) & 1),
);

const service = sharedService();

describe('svc alerts list', () => {
  let silence = '';
  beforeAll(async () => {
    silence = await seedFleet(service.url());
  });
  const list = (...argv: string[]) => service.svc(['alerts', 'list', ...argv]);
  const listed = async (...argv: string[]): Promise<string[]> => {
    const run = await list('-o', 'json', ...argv);
    expect([run.code, run.stderr]).toEqual([0, '']);
    return idsOf(printed<WireAlert[]>(run));
  };
  const everything = () => getJson<WireAlert[]>(service.url(), '/api/v2/alerts');

  describe('states', () => {
    it('active alerts by default', async () => {
      expect(await listed()).toEqual(['elsewhere', 'plain', 'source']);
    });

    it.each(COMBINATIONS.map((states) => [states]))('--state %j', async (states) => {
      const wanted = ALL.filter((id) => states.some((state) => HOLDS[state](id)));
      expect(await listed(...states.flatMap((state) => ['--state', state]))).toEqual(wanted);
    });

    it('-a selects every state', async () => {
      expect(await listed('-a')).toEqual(ALL);
      expect(await listed('--all')).toEqual(ALL);
    });

    it('a table names both reasons for one alert, wide also the ids', async () => {
      const { stdout } = await list('-a', '-o', 'wide', 'id=both');
      const source = (await everything()).find(({ labels }) => labels['id'] === 'source')?.fingerprint;
      expect(stdout).toContain('silenced,inhibited');
      expect(stdout).toContain(silence);
      expect(stdout).toContain(source);
    });
  });

  describe('the request', () => {
    it.each([
      [[], '?active=true&silenced=false&inhibited=false&unprocessed=false'],
      [['--state', 'silenced'], '?active=false&silenced=true&inhibited=true&unprocessed=false'],
      [['--state', 'inhibited'], '?active=false&silenced=true&inhibited=true&unprocessed=false'],
      [['--state', 'suppressed'], '?active=true&silenced=true&inhibited=true&unprocessed=false'],
      [['--state', 'unprocessed'], '?active=false&silenced=false&inhibited=false&unprocessed=true'],
      [['--state', 'active', '--state', 'unprocessed'], '?active=true&silenced=false&inhibited=false&unprocessed=true'],
      [['-a'], ''],
      [['-a', '-r', 'team-.*|ops'], '?receiver=team-.*%7Cops'],
      [['-a', 'Up'], '?filter=alertname%3D%22Up%22'],
      [
        ['-a', 'a=b', 'c!=d', 'e=~f.*', 'g!~h'],
        '?filter=a%3D%22b%22&filter=c!%3D%22d%22&filter=e%3D~%22f.*%22&filter=g!~%22h%22',
      ],
      [['-a', '{a="b",c=~"d,e"}', 'f='], '?filter=a%3D%22b%22&filter=c%3D~%22d%2Ce%22&filter=f%3D%22%22'],
      [['-a', ' a = "x y" '], '?filter=a%3D%22x%20y%22'],
      [['-a', 'a="q\\"b\\\\s"'], '?filter=a%3D%22q%5C%22b%5C%5Cs%22'],
      [['-a', 'a="ü&b=1#+ %"'], '?filter=a%3D%22%C3%BC%26b%3D1%23%2B%20%25%22'],
    ] as const)('%j → %s', async (argv, query) => {
      const run = await list(...argv);
      // Where nothing matches, svc then looks for mistyped names.
      expect([run.code, lines(run.sent)[0]]).toEqual([0, `GET /api/v2/alerts${query}`]);
    });

    it('sends a label value with a line feed unchanged', async () => {
      const run = await list('-a', 'a="one\ntwo"');
      expect(run.sent.flatMap((sent) => parameter(sent, 'filter'))).toEqual(['a="one\\ntwo"']);
    });

    it('reads a bare word as an alert name, and says so', async () => {
      const run = await list('Up');
      expect(run.stderr).toContain('Up means alertname="Up"');
      expect(run.stdout).toContain('web-1:9100');
      expect(await listed('-q', 'id=plain')).toEqual(['plain']);
    });
  });

  describe('filters of the server', () => {
    it('all matchers have to match', async () => {
      expect(await listed('-a', 'alertname=Down', 'cluster=eu', 'severity!=critical')).toEqual(['both', 'inhibited']);
      expect(await listed('-a', 'team=~"plat.*|pay.*"', 'severity=""')).toEqual(['silenced']);
    });

    it('contradictory matchers select nothing, without a failure', async () => {
      expect(await listed('-a', 'id=plain', 'id=both')).toEqual([]);
    });

    it.each([
      ['payments-chat', ['elsewhere']],
      ['pager', ['source']],
      ['.*-chat', ['both', 'elsewhere', 'inhibited', 'silenced', 'source']],
    ])('--receiver %s is a regex for the whole name', async (regex, ids) => {
      expect(await listed('-a', '--receiver', regex)).toEqual(ids);
    });

    it.each(['chat', 'platform'])('--receiver %s matches no whole name, which is said', async (regex) => {
      const { code, stdout, stderr } = await list('-o', 'json', '-a', '--receiver', regex);
      const warning = `warning: no receiver matches ${regex}: the expression must match the complete name\n`;
      expect([code, stdout, stderr]).toEqual([0, '[]\n', warning]);
    });

    it("reports an invalid regular expression in the server's words", async () => {
      const run = await list('-o', 'json', 'id=~"(?!x)"');
      expect([run.code, run.stdout]).toEqual([3, '']);
      expect(failure(run)).toMatchObject({ code: 'refused', http_status: 400, hint: expect.stringContaining('RE2') });
      expect(failure(run).message).toContain('invalid or unsupported Perl syntax: `(?!`');
      const receiver = await list('-r', '(');
      expect([receiver.code, receiver.stdout]).toEqual([3, '']);
      expect(receiver.stderr).toContain('missing closing )');
    });
  });

  describe('filters of svc', () => {
    it('--older-than splits the alerts exactly at that age', async () => {
      const at = { now: () => LONG_AGO + 10 * 3_600_000 };
      const ages = async (...argv: string[]) =>
        idsOf(printed<WireAlert[]>(await service.svc(['alerts', 'list', '-a', '-o', 'json', ...argv], at)));
      expect(await ages('--older-than', '9h59m59s')).toEqual(['plain']);
      expect(await ages('--older-than', '10h')).toEqual([]);
    });

    it('--limit applies after the filters, in the order of --sort', async () => {
      expect(await listed('-a', '--limit', '0')).toEqual([]);
      expect(await listed('-a', '--limit', '99')).toEqual(ALL);
      expect(await listed('--state', 'silenced', '--sort', 'label:id', '--limit', '1')).toEqual(['both']);
      expect(await listed('-a', '--sort', '-labels.id', '--limit', '2')).toEqual(['silenced', 'source']);
    });
  });

  describe('renderings', () => {
    it('no match: exit 0, and the table mentions -a', async () => {
      const table = await list('id=nobody');
      expect([table.code, table.stdout]).toEqual([0, '']);
      expect(table.stderr).toContain('-a');
      for (const [format, text] of [
        ['json', '[]\n'],
        ['ndjson', ''],
        ['id', ''],
      ] as const) {
        const run = await list('-o', format, 'id=nobody');
        expect([run.code, run.stdout.trim(), run.stderr]).toEqual([0, text.trim(), '']);
      }
    });

    it('passed-through and parsed JSON equal the response', async () => {
      const answered = await everything();
      expect(printed(await list('-a', '-o', 'json'))).toEqual(answered);
      expect(printed(await list('-a', '-o', 'json', '--older-than', '0'))).toEqual(answered);
      expect(printed(await list('-a', '-o', 'json', '--query', '[]'))).toEqual(answered);
      const ndjson = await list('-a', '-o', 'ndjson');
      expect(
        ndjson.stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(answered);
    });

    it('--columns accepts any label and annotation', async () => {
      const run = await list(
        '-o',
        'tsv',
        '--columns',
        'alertname,label:instance,annotation:runbook,label:nosuch',
        'id=plain',
      );
      expect(run.stdout.split('\n')).toEqual([
        'alertname\tlabel:instance\tannotation:runbook\tlabel:nosuch',
        'Up\tweb-1:9100\thttps://example.org/up\t',
        '',
      ]);
    });

    it('the table has a line per alert, and no relative time in a pipe', async () => {
      const { stdout } = await list('-a');
      const rows = stdout.trimEnd().split('\n');
      expect(rows).toHaveLength(FLEET.length + 1);
      expect(rows[0]).toMatch(/^STATE +SEVERITY +ALERTNAME +LABELS +SUMMARY +SINCE +ID/);
      expect(stdout).toContain(new Date(LONG_AGO).toISOString().slice(0, 10));
      expect(stdout).not.toContain('ago');
    });

    it('-q prints one fingerprint per line', async () => {
      const { stdout } = await list('-a', '-q');
      expect(stdout.trimEnd().split('\n').sort()).toEqual(
        (await everything()).map((alert) => alert.fingerprint).sort(),
      );
    });
  });

  it.each([
    [['-a', '--state', 'active'], 'cannot be used together'],
    [['--state', 'firing'], 'unknown value "firing"'],
    [['--older-than', '1.5h'], 'not a duration'],
    [['--limit', '-1'], 'less than 0'],
    [['a==b'], 'is not one plain matcher'],
    [['a=b', 'Up'], 'needs an operator'],
    [['a=b,c=d'], 'must be separate arguments'],
    [["a='b'"], 'is not one plain matcher'],
  ])('%j is invalid: exit 2, nothing sent', async (argv, why) => {
    const run = await list(...argv);
    expect([run.code, run.stdout, lines(run.sent)]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
  });
});

it('JSON has fields and states of newer servers, parsed or not', async () => {
  const alert = {
    labels: { alertname: 'New' },
    annotations: {},
    receivers: [{ name: 'ops', integrations: [{ name: 'mail' }] }],
    fingerprint: '0123456789abcdef',
    startsAt: '2026-11-20T12:00:00.000Z',
    updatedAt: '2026-11-20T12:00:00.000Z',
    endsAt: '2026-11-20T12:05:00.000Z',
    status: { state: 'sleeping', silencedBy: [], inhibitedBy: [], mutedBy: [] },
    quality: { of: [1, null] },
  };
  await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify([alert]))));
  const run = (...argv: string[]) => svc(['alerts', 'list', '-a', '--base-url', server.url, ...argv]);
  for (const argv of [[], ['--limit', '5']]) {
    expect(printed(await run('-o', 'json', ...argv))).toEqual([alert]);
  }
  expect((await run()).stdout).toContain('sleeping');
  expect((await run('-o', 'yaml')).stdout).toContain('mutedBy');
});
