import { describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedAlert, wire } from '../../../support/alertmanager.ts';
import { failure, type RunOptions } from '../../../support/svc.ts';
import { printed, type Sent, sharedService, writes } from '../../alerts/commands/service.ts';

interface Made {
  readonly id: string;
  readonly unchanged: boolean;
  readonly comment: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
  readonly matched: { readonly alerts: number };
}

/** `alertname=x` and so on, of each silence that was posted. */
function sentMatchers(sent: readonly Sent[]): string[][] {
  return writes(sent)
    .map(({ body }) => (JSON.parse(body) as Made).matchers.map(({ name, value }) => `${name}=${value}`))
    .sort();
}

let fleet = 0;

const service = sharedService();

describe('svc silences ack', () => {
  const ack = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'ack', ...argv, '-o', 'json'], options);
  const end = (id: string) => wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
  /** Posts alerts that share a label of their own, and returns their fingerprints in the same order. */
  const seed = async (sets: readonly Readonly<Record<string, string>>[]): Promise<string[]> => {
    const of = `${++fleet}`;
    const alerts: SeedAlert[] = sets.map((labels, n) => ({ labels: { ...labels, fleet: of, n: `${n}` } }));
    await postAlerts(service.url(), alerts);
    const filter = encodeURIComponent(`fleet="${of}"`);
    const there = await getJson<{ fingerprint: string; labels: Record<string, string> }[]>(
      service.url(),
      `/api/v2/alerts?filter=${filter}`,
    );
    return sets.map((_, n) => there.find(({ labels }) => labels['n'] === `${n}`)?.fingerprint ?? '');
  };

  it('silences an alert by all of its labels for 15 minutes, with a comment that other tools recognize', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Disk', host: 'a' }]);
    const run = await ack([fingerprint.slice(0, 12)]);
    expect([run.code, sentMatchers(run.sent)]).toEqual([0, [['alertname=Disk', `fleet=${fleet}`, 'host=a', 'n=0']]]);
    const [made] = printed<[Made]>(run);
    expect(made).toMatchObject({
      comment: 'ACK! acknowledged with svc',
      unchanged: false,
      matched: { alerts: 1, active: 1 },
    });
    expect(Date.parse(made.endsAt) - Date.parse(made.startsAt)).toBe(15 * 60_000);
  });

  it('takes the comment, author and duration, and adds ACK! once', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Disk', host: 'b' }]);
    const [first] = printed<[Made]>(await ack([fingerprint, '-c', 'ACK! mine', '--for', '5m', '--author', 'ann']));
    expect(first).toMatchObject({ comment: 'ACK! mine', createdBy: 'ann' });
    expect(Date.parse(first.endsAt) - Date.parse(first.startsAt)).toBe(5 * 60_000);
    await end(first.id);
    expect(printed(await ack([fingerprint, '-c', 'CHG-1']))).toMatchObject([{ comment: 'ACK! CHG-1' }]);
  });

  it('creates for several alerts a silence each, with all of its labels', async () => {
    const fingerprints = await seed([
      { alertname: 'Disk', team: 'db', severity: 'critical' },
      { alertname: 'Node', team: 'db', severity: 'critical', only: 'here' },
    ]);
    const run = await ack(fingerprints);
    expect([run.code, sentMatchers(run.sent)]).toEqual([
      0,
      [
        ['alertname=Disk', `fleet=${fleet}`, 'n=0', 'severity=critical', 'team=db'],
        ['alertname=Node', `fleet=${fleet}`, 'n=1', 'only=here', 'severity=critical', 'team=db'],
      ],
    ]);
    expect(printed<Made[]>(run).map(({ matched }) => matched)).toEqual([
      { alerts: 1, active: 1 },
      { alerts: 1, active: 1 },
    ]);
    const silenced = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts?active=false');
    expect(silenced.map(({ fingerprint }) => fingerprint)).toEqual(expect.arrayContaining(fingerprints));
    // An alert that starts later is not muted by what the two had in common.
    const [later = ''] = await seed([{ alertname: 'Later', team: 'db', severity: 'critical' }]);
    const active = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts?silenced=false');
    expect(active.map(({ fingerprint }) => fingerprint)).toContain(later);
  });

  it('exits 3 if it would also mute an alert with more labels, unless that is given as well', async () => {
    const labels = { alertname: 'Narrow', host: 'a' };
    await postAlerts(service.url(), [{ labels }, { labels: { ...labels, disk: 'sda' } }]);
    const there = await getJson<{ fingerprint: string; labels: Record<string, string> }[]>(
      service.url(),
      '/api/v2/alerts?filter=alertname%3D%22Narrow%22',
    );
    const [wide = '', narrow = ''] = [undefined, 'sda'].map(
      (disk) => there.find((alert) => alert.labels['disk'] === disk)?.fingerprint ?? '',
    );
    const refused = await ack([wide]);
    expect([refused.code, writes(refused.sent)]).toEqual([3, []]);
    expect(failure(refused).message).toContain(`this would also mute Narrow disk=sda host=a (${narrow.slice(0, 8)})`);
    expect((await ack([narrow])).code).toBe(0);
    // It fires, although it is muted: what mutes it may end.
    expect((await ack([wide])).code).toBe(3);
    expect((await ack([wide, narrow])).code).toBe(0);
  });

  it('asks at a terminal about more than half of the firing alerts, never in a script', async () => {
    const fingerprints = await seed([{ alertname: 'Half' }, { alertname: 'Half' }]);
    const all = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts?silenced=false');
    const most = all.map(({ fingerprint }) => fingerprint);
    const no = await service.svc(['silences', 'ack', ...most], { terminal: 100, answer: false });
    expect([no.code, writes(no.sent)]).toEqual([2, []]);
    expect(no.asked).toEqual([
      `Send these ${most.length} silences? This mutes ${most.length} of the ${most.length} active alerts.`,
    ]);
    const long = await ack([...fingerprints, '--for', '2d']);
    expect([long.code, failure(long).message]).toEqual([
      2,
      expect.stringContaining('2 of them last longer than 24h (alerts.maxSilence).'),
    ]);
    const done = await ack(most);
    expect([done.code, writes(done.sent).length]).toEqual([0, most.length]);
  });

  it('extends its own silence if that ends earlier, and changes no others', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Again' }]);
    const matchers = [
      { name: 'alertname', value: 'Again', isRegex: false },
      { name: 'fleet', value: `${fleet}`, isRegex: false },
      { name: 'n', value: '0', isRegex: false },
    ];
    const other = await postSilence(service.url(), { matchers, comment: 'planned work' });
    const [first] = printed<[Made]>(await ack([fingerprint]));
    expect([first.id === other, first.unchanged]).toEqual([false, false]);
    const again = await ack([fingerprint, '--for', '10m']);
    expect([printed(again), writes(again.sent)]).toMatchObject([
      [{ id: first.id, unchanged: true, matched: null }],
      [],
    ]);
    const [longer] = printed<[Made]>(await ack([fingerprint, '--for', '30m']));
    expect([longer.id, longer.unchanged]).toEqual([first.id, false]);
  });

  it('exits 5 for a missing alert, and 2 for what is no fingerprint', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'There' }]);
    const missing = await ack([fingerprint, '0000000000000000']);
    expect([missing.code, writes(missing.sent)]).toEqual([5, []]);
    const wrong = await ack(['Disk']);
    expect([wrong.code, wrong.sent]).toEqual([2, []]);
    const none = await ack([]);
    expect([none.code, none.sent, failure(none).message]).toEqual([2, [], '<fingerprint> is required']);
  });
});
