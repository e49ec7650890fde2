import { expect, test } from 'vitest';
import { answer, faultServer } from '../../../http/servers.ts';
import {
  getJson,
  postAlerts,
  postSilence,
  type SeedSilence,
  type StoredSilence,
  wire,
} from '../../../support/alertmanager.ts';
import { failure, type RunOptions, svc } from '../../../support/svc.ts';
import { lines, onBothServices, printed, writes } from '../../alerts/commands/service.ts';

const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface Row {
  readonly id: string;
  readonly result: string;
  readonly endsAt: string;
}

let label = 0;

onBothServices((service) => {
  const keepalive = (argv: readonly string[] = [], options?: RunOptions) =>
    service.svc(['silences', 'keepalive', ...argv, '-o', 'json'], options);
  const read = (id: string): Promise<StoredSilence> => getJson<StoredSilence>(service.url(), `/api/v2/silence/${id}`);
  /** An acknowledgement with `minutes` to go, and an alert that it mutes. */
  const seed = async (minutes: number, silence: Partial<SeedSilence> = {}, fires = true): Promise<string> => {
    const value = `${++label}`;
    if (fires) await postAlerts(service.url(), [{ labels: { alertname: 'Keep', keep: value } }]);
    return postSilence(service.url(), {
      matchers: [
        { name: 'alertname', value: 'Keep', isRegex: false },
        { name: 'keep', value, isRegex: false },
      ],
      endsAt: iso(Date.now() + minutes * MINUTE),
      comment: 'ACK! looking',
      ...silence,
    });
  };
  const end = (id: string) => wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });

  test('extends due and used acknowledgements only; a second run changes nothing', async () => {
    const due = await seed(5);
    const others = [
      await seed(7), // not yet
      await seed(5, { comment: 'planned: ACK! is not in front' }),
      await seed(70, { startsAt: iso(Date.now() + 4 * MINUTE) }), // pending
    ];
    const before = await Promise.all([due, ...others].map(read));
    const run = await keepalive();
    const endsAt = iso(Date.parse(before[0]?.endsAt ?? '') + 15 * MINUTE);
    expect([run.code, printed<Row[]>(run)]).toEqual([
      0,
      [expect.objectContaining({ id: due, silenceID: due, result: 'extended', endsAt, comment: 'ACK! looking' })],
    ]);
    expect(writes(run.sent)).toHaveLength(1);
    expect((await read(due)).endsAt).toBe(endsAt);
    const again = await keepalive();
    expect([again.code, printed(again), writes(again.sent)]).toEqual([0, [], []]);
    expect(await Promise.all(others.map(read))).toEqual(before.slice(1));
    for (const id of [due, ...others]) await end(id);
  });

  test('skips silences that mute no firing alert or have no equality matcher on alertname, and says why', async () => {
    const value = `${++label}`;
    await postAlerts(service.url(), [{ labels: { alertname: 'Keep', keep: value, severity: 'critical' } }]);
    const names = [
      [],
      [{ name: 'alertname', value: 'Ke+p', isRegex: true }],
      [{ name: 'alertname', value: 'Other', isRegex: false, isEqual: false }],
    ];
    const wide: string[] = [];
    for (const extra of names) {
      wide.push(
        await postSilence(service.url(), {
          matchers: [{ name: 'keep', value, isRegex: false }, ...extra],
          endsAt: iso(Date.now() + 5 * MINUTE),
          comment: 'ACK! all of them',
        }),
      );
    }
    const [unused, due] = [await seed(5, {}, false), await seed(5)];
    const before = await Promise.all([...wide, unused].map(read));
    const run = await keepalive();
    const rows = printed<(Row & { message: string | null })[]>(run);
    const why = (id: string) => rows.filter((row) => row.id === id).map(({ result, message }) => [result, message]);
    expect([run.code, rows.length, writes(run.sent).length]).toEqual([0, 5, 1]);
    for (const id of wide) expect(why(id)).toEqual([['skipped', 'it has no equality matcher on alertname']]);
    expect(why(unused)).toEqual([['skipped', 'no alert that it mutes fires']]);
    expect(why(due)).toEqual([['extended', null]]);
    expect(await Promise.all([...wide, unused].map(read))).toEqual(before);
    const shown = await service.svc(['silences', 'keepalive']);
    expect(shown.stdout).toContain('it has no equality matcher on alertname');
    for (const id of [...wide, unused, due]) await end(id);
  });

  test('longer than alerts.maxSilence needs --yes', async () => {
    const id = await seed(3);
    const refused = await keepalive(['--by', '2d', '--max', '3d']);
    expect([refused.code, failure(refused).code, writes(refused.sent)]).toEqual([2, 'confirmation_required', []]);
    expect((await keepalive(['--by', '2d', '--max', '3d', '--yes'])).code).toBe(0);
    await end(id);
  });

  test('nothing is due: sends nothing, and reads no alerts', async () => {
    const run = await service.svc(['silences', 'keepalive']);
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', 'nothing is due\n']);
    expect(lines(run.sent)).toEqual(['GET /api/v2/silences']);
    expect(await service.svc(['silences', 'keepalive', '-q'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('two at the same time do the work of one', async () => {
    const id = await seed(4);
    const { endsAt } = await read(id);
    const runs = await Promise.all([keepalive(), keepalive()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect((await read(id)).endsAt).toBe(iso(Date.parse(endsAt) + 15 * MINUTE));
    await end(id);
  });

  test('--max limits the extension', async () => {
    const id = await seed(3);
    const { startsAt } = await read(id);
    const limit = iso(Date.parse(startsAt) + 5 * MINUTE);
    const argv = ['--if-within', '10m', '--by', '15m', '--max', '5m'];
    expect(printed<Row[]>(await keepalive(argv))).toMatchObject([{ id, result: 'extended', endsAt: limit }]);
    const last = await keepalive(argv);
    expect([last.code, writes(last.sent)]).toEqual([0, []]);
    expect(printed<Row[]>(last)).toMatchObject([{ id, result: 'at-max', endsAt: limit }]);
    await end(id);
  });

  test('--prefix selects by another prefix', async () => {
    const id = await seed(3, { comment: 'seen by ann' });
    expect(printed(await keepalive())).toEqual([]);
    expect(printed<Row[]>(await keepalive(['--prefix', 'seen by']))).toMatchObject([{ id, result: 'extended' }]);
    await end(id);
  });

  test('extends silences of svc silences ack', async () => {
    await postAlerts(service.url(), [{ labels: { alertname: 'KeepAck' } }]);
    const all = await getJson<{ fingerprint: string; labels: Record<string, string> }[]>(
      service.url(),
      '/api/v2/alerts',
    );
    const fingerprint = all.find(({ labels }) => labels['alertname'] === 'KeepAck')?.fingerprint ?? '';
    const acked = await service.svc(['silences', 'ack', fingerprint, '--for', '5m', '-q']);
    expect(printed<Row[]>(await keepalive())).toMatchObject([{ id: acked.stdout.trim(), result: 'extended' }]);
    await end(acked.stdout.trim());
  });

  test('a dry run prints the requests', async () => {
    const id = await seed(3);
    const run = await keepalive(['--dry-run']);
    expect([printed(run), writes(run.sent)]).toMatchObject([{ method: 'POST', body: { id } }, []]);
    await end(id);
  });

  test('refuses a --by that is not longer than --if-within: exit 2', async () => {
    for (const argv of [
      ['--by', '6m'],
      ['--if-within', '15m'],
      ['--prefix', ' '],
    ]) {
      const run = await keepalive(argv);
      expect([run.code, run.sent, failure(run).message]).toEqual([2, [], expect.stringMatching(/./)]);
    }
  });
});

test("uses the server's clock", async () => {
  const ahead = Date.now() + 3_600_000;
  const silence = {
    id: '2f1a4c0e-1111-4222-8333-444455556666',
    matchers: [{ name: 'alertname', value: 'b', isRegex: false, isEqual: true }],
    startsAt: iso(ahead - 5 * MINUTE),
    updatedAt: iso(ahead - 5 * MINUTE),
    endsAt: iso(ahead + 5 * MINUTE),
    createdBy: 'ann',
    comment: 'ACK! x',
    status: { state: 'active' },
  };
  const status = { state: 'suppressed', silencedBy: [silence.id], inhibitedBy: [] };
  const alert = { labels: { a: 'b' }, annotations: {}, receivers: [], fingerprint: '0'.repeat(16), status };
  const times = { startsAt: silence.startsAt, updatedAt: silence.startsAt, endsAt: silence.endsAt };
  await using server = await faultServer((socket, { method, path }) => {
    const value =
      method === 'POST' ? { silenceID: silence.id } : path.includes('alerts') ? [{ ...alert, ...times }] : [silence];
    socket.write(answer(200, JSON.stringify(value), { date: new Date(ahead).toUTCString() }));
  });
  const run = await svc(['silences', 'keepalive', '--base-url', server.url, '-o', 'json']);
  expect([run.code, JSON.parse(run.stdout)]).toMatchObject([
    0,
    [{ result: 'extended', endsAt: iso(ahead + 20 * MINUTE) }],
  ]);
});
