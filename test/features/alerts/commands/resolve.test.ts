import { beforeEach, describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import type { WireAlert } from './fleet.ts';
import { wireAlert } from './scripted.ts';
import { lines, printed, type ServiceRun, sharedService, writes } from './service.ts';

interface Posted {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorURL?: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly fingerprint?: string;
}

const posted = (run: ServiceRun): Posted[] => writes(run.sent).flatMap(({ body }) => JSON.parse(body) as Posted[]);

const service = sharedService();

describe('svc alerts resolve', () => {
  const there = (name: string) =>
    getJson<WireAlert[]>(service.url(), `/api/v2/alerts?filter=${encodeURIComponent(`alertname="${name}"`)}`);
  const resolve = (...argv: string[]) => service.svc(['alerts', 'resolve', ...argv]);
  const LABELS = { alertname: 'Ends', host: 'db-1', quoted: 'a "b"\\c\nd' };

  beforeEach(async () => {
    await postAlerts(service.url(), [
      {
        labels: LABELS,
        annotations: { summary: 'it "ends"', empty: '' },
        generatorURL: 'http://prometheus.example/graph?a=b&c=d',
      },
      { labels: { alertname: 'Ends', host: 'db-2' } },
      { labels: { alertname: 'Stays' } },
    ]);
  });

  const one = async (host: string): Promise<WireAlert> => {
    const found = (await there('Ends')).find(({ labels }) => labels['host'] === host);
    if (found === undefined) throw new Error(`${host} does not fire`);
    return found;
  };

  it('ends one alert by the beginning of its fingerprint, without a question', async () => {
    const alert = await one('db-1');
    const run = await resolve(alert.fingerprint.slice(0, 10), '-o', 'json');
    expect([run.code, lines(run.sent)]).toEqual([0, ['GET /api/v2/alerts', 'POST /api/v2/alerts']]);
    const [sent, ...others] = posted(run);
    expect(others).toEqual([]);
    expect(sent).toEqual({
      labels: LABELS,
      annotations: alert.annotations,
      generatorURL: alert.generatorURL,
      startsAt: alert.startsAt,
      endsAt: expect.any(String),
    });
    expect(Date.parse(sent?.endsAt ?? '')).toBeLessThanOrEqual(Date.now());
    expect(printed(run)).toEqual([{ ...sent, fingerprint: alert.fingerprint }]);
    expect((await there('Ends')).map(({ labels }) => labels['host'])).toEqual(['db-2']);
    expect(await there('Stays')).toHaveLength(1);
  });

  it('asks before it resolves several; --yes confirms', async () => {
    const ids = [await one('db-1'), await one('db-2')].map(({ fingerprint }) => fingerprint);
    const refused = await resolve(...ids);
    expect([refused.code, writes(refused.sent)]).toEqual([2, []]);
    expect(refused.stderr).toContain('--yes');
    const run = await resolve(...ids, ids[0] ?? '', '--yes', '-q');
    expect([run.code, run.stdout.trimEnd().split('\n')]).toEqual([0, ids]);
    expect(posted(run)).toHaveLength(2);
    expect(await there('Ends')).toEqual([]);
  });

  it('asks with matchers even for one, after it has listed it', async () => {
    const argv = ['alerts', 'resolve', 'Ends', 'host=db-1'];
    const no = await service.svc(argv, { terminal: 80, answer: false });
    expect([no.code, no.asked, writes(no.sent)]).toEqual([2, ['Resolve this alert?'], []]);
    expect(no.stderr).toContain('host=db-1');
    const yes = await service.svc(argv, { terminal: 80, answer: true });
    expect([yes.code, posted(yes).length]).toEqual([0, 1]);
    expect((await there('Ends')).map(({ labels }) => labels['host'])).toEqual(['db-2']);
  });

  it('resolves silenced alerts, too', async () => {
    await postSilence(service.url(), { matchers: [{ name: 'host', value: 'db-2', isRegex: false }] });
    expect((await resolve('host=db-2', '--yes')).code).toBe(0);
    expect((await there('Ends')).map(({ labels }) => labels['host'])).toEqual(['db-1']);
  });

  it('prints with --dry-run the request, without a question', async () => {
    const run = await resolve('alertname=Ends', '--dry-run', '-o', 'json');
    expect([run.code, writes(run.sent)]).toEqual([0, []]);
    const shown = printed<{ method: string; url: string; body: Posted[] }>(run);
    expect([shown.method, new URL(shown.url).pathname]).toEqual(['POST', '/api/v2/alerts']);
    expect(shown.body.map(({ labels }) => labels['host']).sort()).toEqual(['db-1', 'db-2']);
    expect(await there('Ends')).toHaveLength(2);
  });

  it('exits 0 if nothing matches, and sends nothing', async () => {
    const run = await resolve('alertname=Nobody', '--yes', '-o', 'json');
    expect([run.code, printed(run), writes(run.sent)]).toEqual([0, [], []]);
    expect((await resolve('alertname=Nobody')).stderr).toContain('nothing was sent');
  });
});

describe('an argument of svc alerts resolve', () => {
  const named = (name: string, fingerprint: string) => wireAlert(fingerprint, { alertname: name });
  const ALERTS = [
    named('dead', 'b000000000000001'),
    named('NodeDown', 'dada000000000002'),
    named('cafe', 'cafe000000000003'),
    named('Bad', 'c000000000000004'),
  ];

  async function resolve(...argv: string[]) {
    await using server = await faultServer((socket, { method, path }) => {
      const name = /alertname%3D%22(\w+)%22/.exec(path)?.[1];
      const found = ALERTS.filter(({ labels }) => name === undefined || labels['alertname'] === name);
      socket.write(answer(200, method === 'GET' ? JSON.stringify(found) : ''));
    });
    const run = await svc(['alerts', 'resolve', '--base-url', server.url, '--yes', '-q', ...argv]);
    return { ...run, requests: server.requests.map(({ method, path }) => `${method} ${path}`) };
  }

  it.each([
    [['alertname=dead'], ['b000000000000001']],
    [['DADA'], ['dada000000000002']],
    [['cafe0'], ['cafe000000000003']],
    [
      ['b0', 'da'],
      ['b000000000000001', 'dada000000000002'],
    ],
  ])('such as %j ends %j with one request', async (argv, ids) => {
    const run = await resolve(...argv);
    expect([run.code, run.stdout.trimEnd().split('\n')]).toEqual([0, ids]);
    expect(run.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  it.each([
    ['a name that could be a fingerprint', [['dead'], ['Bad'], ['cafe'], ['c']], 2],
    ['an unknown fingerprint', [['eee'], ['b0', 'eee']], 5],
  ])('is refused if it is %s', async (_, lines, code) => {
    for (const argv of lines) {
      const run = await resolve(...argv);
      expect([argv, run.code, run.requests.filter((line) => line.startsWith('POST'))]).toEqual([argv, code, []]);
    }
    if (code === 2) expect((await resolve('cafe')).stderr).toContain('alertname=cafe');
  });

  it('is a fingerprint or a matcher, not both', async () => {
    const lines = [
      ['b0', 'alertname=dead'],
      ['alertname=dead', 'b0'],
      ['NodeDown', 'b0'],
      ['b0', 'da', 'x=y'],
      ['x==y'],
      [],
    ];
    for (const argv of lines) {
      expect([argv, await resolve(...argv)]).toMatchObject([argv, { code: 2, stdout: '', requests: [] }]);
    }
  });
});

describe('the end that svc alerts resolve sends', () => {
  /** What is sent, where the server's clock differs by `skewMs`. */
  async function sentWith(skewMs: number, alert: WireAlert, now: number): Promise<Posted> {
    await using server = await faultServer((socket, { method }) => {
      const date = new Date(now + skewMs).toUTCString();
      socket.write(answer(200, method === 'GET' ? JSON.stringify([alert]) : '', { date }));
    });
    const run = await svc(['alerts', 'resolve', alert.fingerprint, '--base-url', server.url], { now: () => now });
    expect(run.code).toBe(0);
    return (JSON.parse(server.requests.at(-1)?.body ?? '') as [Posted])[0];
  }
  const NOW = Date.UTC(2026, 10, 20, 15);

  it.each([
    [0, 0],
    [3_600_000, 0],
    [-60_000, -60_000],
  ])('is, by a server clock that is %d ms ahead, now + %d ms', async (skew, expected) => {
    const { startsAt, endsAt } = await sentWith(skew, wireAlert('a'), NOW);
    expect([startsAt, Date.parse(endsAt) - NOW]).toEqual(['2026-11-20T12:00:00.000Z', expected]);
  });

  it.each(['2026-11-20T15:00:00.500Z', '2030-01-01T00:00:00+02:00'])(
    'is not before the start of an alert that starts at %s',
    async (startsAt) => {
      const sent = await sentWith(0, wireAlert('a', {}, { startsAt }), NOW);
      expect([sent.startsAt, sent.endsAt]).toEqual([new Date(NOW).toISOString(), new Date(NOW).toISOString()]);
    },
  );
});
