import { beforeAll, describe, expect, test } from 'vitest';
import { answer, faultServer } from '../../http/servers.ts';
import { getJson } from '../../support/alertmanager.ts';
import { svc } from '../../support/svc.ts';
import { seedFleet, type WireAlert } from './fleet.ts';
import { failure, lines, onBothServices, printed } from './service.ts';

onBothServices((service) => {
  let alerts: WireAlert[] = [];
  let silence = '';
  beforeAll(async () => {
    silence = await seedFleet(service.url());
    alerts = await getJson<WireAlert[]>(service.url(), '/api/v2/alerts');
  });
  const get = (...argv: string[]) => service.svc(['alerts', 'get', ...argv]);
  const named = (id: string): WireAlert => {
    const found = alerts.find(({ labels }) => labels['id'] === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  };

  test('by its fingerprint, its beginning, and in capitals', async () => {
    for (const alert of alerts) {
      const { fingerprint } = alert;
      for (const text of [fingerprint, fingerprint.slice(0, 8), fingerprint.toUpperCase()]) {
        const run = await get(text, '-o', 'json');
        expect([run.code, run.stderr]).toEqual([0, '']);
        expect(printed(run)).toMatchObject(alert);
      }
    }
  });

  test('every field of the alert is in the table', async () => {
    const both = named('both');
    const { code, stdout } = await get(both.fingerprint);
    expect(code).toBe(0);
    const shown = [
      both.fingerprint,
      'silenced,inhibited',
      'cluster=eu',
      'platform-chat',
      silence,
      named('source').fingerprint,
    ];
    for (const text of shown) expect(stdout).toContain(text);
    const plain = await get(named('plain').fingerprint);
    for (const text of ['summary=It is up', 'runbook=https://example.org/up', 'http://prometheus.example:9090/graph']) {
      expect(plain.stdout).toContain(text);
    }
  });

  test('-q prints the whole fingerprint', async () => {
    const { fingerprint } = named('plain');
    expect((await get(fingerprint.slice(0, 8), '-q')).stdout).toBe(`${fingerprint}\n`);
  });

  test('an unknown one: exit 5', async () => {
    const run = await get('0000000000000000', '-o', 'json');
    expect([run.code, run.stdout]).toEqual([5, '']);
    expect(failure(run)).toMatchObject({ code: 'not_found', message: expect.stringContaining('0000000000000000') });
  });

  test.each(['', 'xyz', '12345678901234567', '-1', '../status', 'abc '])(
    'what no fingerprint begins with (%j): exit 2, nothing sent',
    async (text) => {
      const run = await get('--', text);
      expect([run.code, run.stdout, lines(run.sent)]).toEqual([2, '', []]);
    },
  );

  test('none, or two: exit 2, nothing sent', async () => {
    for (const argv of [[], ['aa', 'bb']]) {
      const run = await get(...argv);
      expect([run.code, run.stdout, lines(run.sent)]).toEqual([2, '', []]);
    }
  });
});

describe('beginnings', () => {
  const alert = (fingerprint: string): WireAlert => ({
    labels: { alertname: fingerprint },
    annotations: {},
    receivers: [],
    fingerprint,
    startsAt: '2026-11-20T12:00:00.000Z',
    updatedAt: '2026-11-20T12:00:00.000Z',
    endsAt: '2026-11-20T12:05:00.000Z',
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  });

  test('several begin so: exit 2, and they are named; a whole one is itself', async () => {
    const alerts = ['abc0000000000001', 'abc0000000000002', 'abd0000000000003'].map(alert);
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(alerts))));
    const get = (text: string) => svc(['alerts', 'get', text, '--base-url', server.url, '-o', 'json']);
    const two = await get('abc');
    expect([two.code, two.stdout]).toEqual([2, '']);
    expect(two.stderr).toContain('abc0000000000001, abc0000000000002');
    expect(two.stderr).not.toContain('abd');
    expect((await get('ab')).stderr).toContain('3 alerts begin with ab');
    const bare = { silences: [], inhibitors: [] };
    expect(printed(await get('abd'))).toEqual({ ...alerts[2], ...bare });
    expect(printed(await get('abc0000000000002'))).toEqual({ ...alerts[1], ...bare });
  });
});
