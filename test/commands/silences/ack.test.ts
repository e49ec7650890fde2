import { describe, expect, test } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedAlert, wire } from '../../support/alertmanager.ts';
import type { RunOptions } from '../../support/svc.ts';
import { failure, onBothServices, printed, type Sent, writes } from '../alerts/service.ts';

interface Made {
  readonly silenceID: string;
  readonly unchanged: boolean;
  readonly comment: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
  readonly matched: { readonly alerts: number };
}

/** `alertname="x"` and so on, of the one silence that was posted. */
function sentMatchers(sent: readonly Sent[]): string[] {
  const [only, ...more] = writes(sent);
  expect(more).toEqual([]);
  const { matchers } = JSON.parse(only?.body ?? '') as Made;
  return matchers.map(({ name, value }) => `${name}=${value}`);
}

let fleet = 0;

onBothServices((service) => {
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

  test('one alert: all of its labels, a quarter of an hour, and a comment that other tools know', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Disk', host: 'a' }]);
    const run = await ack([fingerprint.slice(0, 12)]);
    expect([run.code, sentMatchers(run.sent)]).toEqual([0, ['alertname=Disk', `fleet=${fleet}`, 'host=a', 'n=0']]);
    const made = printed<Made>(run);
    expect(made).toMatchObject({
      comment: 'ACK! acknowledged with svc',
      unchanged: false,
      matched: { alerts: 1, active: 1 },
    });
    expect(Date.parse(made.endsAt) - Date.parse(made.startsAt)).toBe(15 * 60_000);
  });

  test('-c, --author and --for; ACK! is not put twice', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Disk', host: 'b' }]);
    const first = printed<Made>(await ack([fingerprint, '-c', 'ACK! mine', '--for', '5m', '--author', 'ann']));
    expect(first).toMatchObject({ comment: 'ACK! mine', createdBy: 'ann' });
    expect(Date.parse(first.endsAt) - Date.parse(first.startsAt)).toBe(5 * 60_000);
    await end(first.silenceID);
    expect(printed<Made>(await ack([fingerprint, '-c', 'CHG-1'])).comment).toBe('ACK! CHG-1');
  });

  test('several alerts: only what all of them have in common', async () => {
    const fingerprints = await seed([
      { alertname: 'Disk', team: 'db', host: 'a', only: 'here' },
      { alertname: 'Disk', team: 'db', host: 'b' },
    ]);
    const run = await ack(fingerprints);
    expect([run.code, sentMatchers(run.sent)]).toEqual([0, ['alertname=Disk', `fleet=${fleet}`, 'team=db']]);
    expect(printed<Made>(run).matched).toEqual({ alerts: 2, active: 2 });
    const silenced = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts?active=false');
    expect(silenced.map(({ fingerprint }) => fingerprint)).toEqual(expect.arrayContaining(fingerprints));
  });

  test('the same alert named twice is one', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Twice' }]);
    const run = await ack([fingerprint, fingerprint.slice(0, 14).toUpperCase()]);
    expect([run.code, printed<Made>(run).matched]).toEqual([0, { alerts: 1, active: 1 }]);
  });

  describe('where what they have in common mutes more others than were named', () => {
    const crowd = [0, 1, 2, 3, 4].map((n) => ({ alertname: 'Crowd', host: `h${n}` }));

    test('nobody asked: exit 2, nothing sent; --yes does it', async () => {
      const [first = '', second = ''] = await seed(crowd);
      const refused = await ack([first, second]);
      expect([refused.code, failure(refused).code, writes(refused.sent)]).toEqual([2, 'confirmation_required', []]);
      expect(failure(refused).message).toContain('mutes 5 alerts now');
      expect(failure(refused).message).toContain('only 2 of them were named');
      const done = await ack([first, second, '--yes']);
      expect([done.code, printed<Made>(done).matched]).toEqual([0, { alerts: 5, active: 5 }]);
    });

    test('a person is asked', async () => {
      const [first = '', second = ''] = await seed(crowd);
      const no = await ack([first, second], { terminal: 100, answer: false });
      expect([no.code, no.asked.length, writes(no.sent)]).toEqual([2, 1, []]);
      const yes = await ack([first, second], { terminal: 100, answer: true });
      expect([yes.code, yes.asked.length]).toEqual([0, 1]);
    });

    test('as many others as were named are no surprise', async () => {
      const [first = '', second = ''] = await seed(crowd.slice(0, 4));
      expect((await ack([first, second])).code).toBe(0);
    });

    test('--drop widens it, and is asked about alike', async () => {
      const [first = ''] = await seed(crowd);
      const run = await ack([first, '--drop', 'host', '--drop', 'n']);
      expect([run.code, failure(run).message.includes('only 1 of them was named')]).toEqual([2, true]);
    });
  });

  test('alerts without a common label: exit 3, nothing sent', async () => {
    await postAlerts(service.url(), [{ labels: { alertname: 'Apart1' } }, { labels: { alertname: 'Apart2', x: 'y' } }]);
    const all = await getJson<{ fingerprint: string; labels: Record<string, string> }[]>(
      service.url(),
      '/api/v2/alerts',
    );
    const apart = all.filter(({ labels }) => labels['alertname']?.startsWith('Apart'));
    const run = await ack(apart.map(({ fingerprint }) => fingerprint));
    expect([run.code, failure(run).message, writes(run.sent)]).toEqual([
      3,
      'these 2 alerts have no label in common',
      [],
    ]);
  });

  test('again: unchanged while it lasts, extended where it is shorter; a silence that is no acknowledgement is let be', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Again' }]);
    const matchers = [
      { name: 'alertname', value: 'Again', isRegex: false },
      { name: 'fleet', value: `${fleet}`, isRegex: false },
      { name: 'n', value: '0', isRegex: false },
    ];
    const other = await postSilence(service.url(), { matchers, comment: 'planned work' });
    const first = printed<Made>(await ack([fingerprint]));
    expect([first.silenceID === other, first.unchanged]).toEqual([false, false]);
    const again = await ack([fingerprint, '--for', '10m']);
    expect([printed<Made>(again).silenceID, printed<Made>(again).unchanged, writes(again.sent)]).toEqual([
      first.silenceID,
      true,
      [],
    ]);
    const longer = printed<Made>(await ack([fingerprint, '--for', '30m']));
    expect([longer.silenceID, longer.unchanged]).toEqual([first.silenceID, false]);
  });

  test('what is not there, or is no fingerprint', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'There' }]);
    const missing = await ack([fingerprint, '0000000000000000']);
    expect([missing.code, writes(missing.sent)]).toEqual([5, []]);
    const wrong = await ack(['Disk']);
    expect([wrong.code, wrong.sent]).toEqual([2, []]);
    const none = await ack([]);
    expect([none.code, none.sent, failure(none).message]).toEqual([2, [], '<fingerprint> is missing']);
  });

  test('a dry run shows the request', async () => {
    const [fingerprint = ''] = await seed([{ alertname: 'Dry' }]);
    const run = await ack([fingerprint, '--dry-run']);
    expect(printed(run)).toMatchObject({ method: 'POST', body: { comment: 'ACK! acknowledged with svc' } });
    expect(writes(run.sent)).toEqual([]);
  });
});
