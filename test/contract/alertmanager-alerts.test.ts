import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { getJson, postJson, type SeedAlert } from '../support/alertmanager.ts';
import { HOUR, iso, MINUTE, onBothServers } from '../support/alertmanagers.ts';

interface Alert extends Required<SeedAlert> {
  readonly fingerprint: string;
  readonly updatedAt: string;
  readonly status: { readonly state: string };
}

onBothServers((url, comparable) => {
  const post = async (...alerts: object[]): Promise<[number, string]> => {
    const { status, body } = await postJson(url(), '/api/v2/alerts', alerts);
    return [status, body];
  };
  const find = async (alertname: string): Promise<Alert[]> =>
    await getJson(url(), `/api/v2/alerts?filter=${encodeURIComponent(`alertname="${alertname}"`)}`);
  /** Posts one alert of a new name, with these members, and reads it back. */
  async function stored(members: object): Promise<Alert | undefined> {
    const alertname = randomUUID();
    expect(await post({ labels: { alertname }, ...members })).toEqual([200, '']);
    return (await find(alertname))[0];
  }
  /** In whole minutes; `|| 0` because the test tells 0 from -0. */
  const fromNow = (text: string | undefined): number => Math.round((Date.parse(text ?? '') - Date.now()) / MINUTE) || 0;

  describe('an alert', () => {
    it('without times starts now and ends by the timeout of five minutes', async () => {
      const alert = await stored({});
      expect([fromNow(alert?.startsAt), fromNow(alert?.endsAt), fromNow(alert?.updatedAt)]).toEqual([0, 5, 0]);
    });

    it('that is sent again has the earliest start, and the newer annotations and timeout', async () => {
      const labels = { alertname: randomUUID() };
      await post({ labels, startsAt: iso(-HOUR), annotations: { summary: 'first' } });
      await post({ labels, startsAt: iso(-MINUTE), annotations: { other: 'second' }, generatorURL: 'http://x/' });
      const [alert] = await find(labels.alertname);
      expect(alert).toMatchObject({ annotations: { other: 'second' }, generatorURL: 'http://x/' });
      expect([fromNow(alert?.startsAt), fromNow(alert?.endsAt)]).toEqual([-60, 5]);
    });

    it('is resolved by an end in the past, and starts again later', async () => {
      const labels = { alertname: randomUUID() };
      await post({ labels, startsAt: iso(-HOUR), endsAt: iso(HOUR) });
      expect(await post({ labels, startsAt: iso(-HOUR), endsAt: iso(-1000) })).toEqual([200, '']);
      expect(await find(labels.alertname)).toEqual([]);
      await post({ labels });
      expect(fromNow((await find(labels.alertname))[0]?.startsAt)).toBe(0);
    });

    it('has no empty labels, but empty annotations; of equal alerts the last one counts', async () => {
      const alertname = randomUUID();
      await post(
        { labels: { alertname, gone: '' }, annotations: { which: 'first' } },
        { labels: { alertname }, annotations: { which: 'last', stored: '' } },
      );
      const alerts = await find(alertname);
      expect(alerts.map(({ labels, annotations }) => [labels, annotations])).toEqual([
        [{ alertname }, { stored: '', which: 'last' }],
      ]);
    });
  });

  describe('a batch of alerts', () => {
    it('may be null; with invalid alerts it is refused, but the valid ones are stored', async () => {
      const alertname = randomUUID();
      const answer = await post(
        { labels: { alertname } },
        { labels: {} },
        { labels: { alertname: '' } },
        { labels: { a: 'b' }, startsAt: iso(HOUR), endsAt: iso(MINUTE) },
        { labels: { 'a-b': 'c' } },
        { labels: { 'a:b': 'c' } },
        { labels: { a: 'b' }, annotations: { 'c d': 'e' } },
      );
      const complaints = [
        'at least one label pair required',
        'at least one label pair required',
        'start time must be before end time',
        'invalid label set: invalid name "a-b"',
        'invalid label set: invalid name "a:b"',
        'invalid annotations: invalid name "c d"',
      ];
      expect(answer).toEqual([400, `${JSON.stringify(complaints.join('; '))}\n`]);
      expect(await find(alertname)).toHaveLength(1);
      expect((await postJson(url(), '/api/v2/alerts', null)).status).toBe(200);
    });
  });

  describe('the link of an alert', () => {
    it('is refused if it is none', async () => {
      for (const generatorURL of ['foo', 'a b', '://', 'http://[::1']) {
        const message = `0.generatorURL in body must be of type uri: ${JSON.stringify(generatorURL)}`;
        const [status, body] = await post({ labels: { a: 'b' }, generatorURL });
        expect([status, comparable(body)]).toEqual([422, comparable(JSON.stringify({ code: 601, message }))]);
      }
    });
  });
});
