import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../src/sandbox/alerts/fingerprint.ts';
import { getJson, postJson, type SeedAlert, wire } from '../support/alertmanager.ts';
import { HOUR, iso, MINUTE, onBothServers } from './servers.ts';

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

  describe('times', () => {
    test('without any, an alert starts now and ends by the timeout of five minutes', async () => {
      const alert = await stored({});
      expect([fromNow(alert?.startsAt), fromNow(alert?.endsAt), fromNow(alert?.updatedAt)]).toEqual([0, 5, 0]);
    });

    test('null and the year 1 are no time', async () => {
      const alert = await stored({ startsAt: null, endsAt: '0001-01-01T00:00:00Z', annotations: null });
      expect([fromNow(alert?.startsAt), fromNow(alert?.endsAt)]).toEqual([0, 5]);
    });

    test('an end alone is also the start', async () => {
      const alert = await stored({ endsAt: iso(HOUR) });
      expect([alert?.startsAt, alert?.status.state]).toEqual([alert?.endsAt, 'active']);
    });

    test('an empty start is 1970, an empty end is long past', async () => {
      expect((await stored({ startsAt: '' }))?.startsAt).toBe('1970-01-01T00:00:00.000Z');
      expect(await stored({ endsAt: '' })).toBeUndefined();
    });

    test.each([
      ['2026-01-02T12:00:00+02:00', '2026-01-02T12:00:00.000+02:00'],
      ['2026-01-02T12:00:00.123456789-03:30', '2026-01-02T12:00:00.123-03:30'],
      ['2026-01-02T12:00:00-00:00', '2026-01-02T12:00:00.000Z'],
      ['2026-01-02 12:00:00,5', '2026-01-02T12:00:00.500Z'],
      ['2026-01-02T12:00', '2026-01-02T12:00:00.000Z'],
    ])('%s is shown as %s', async (startsAt, shown) => {
      expect((await stored({ startsAt }))?.startsAt).toBe(shown);
    });

    test('repeating keeps the earliest start, and takes the newer annotations and timeout', async () => {
      const labels = { alertname: randomUUID() };
      await post({ labels, startsAt: iso(-HOUR), annotations: { summary: 'first' } });
      await post({ labels, startsAt: iso(-MINUTE), annotations: { other: 'second' }, generatorURL: 'http://x/' });
      const [alert] = await find(labels.alertname);
      expect(alert).toMatchObject({ annotations: { other: 'second' }, generatorURL: 'http://x/' });
      expect([fromNow(alert?.startsAt), fromNow(alert?.endsAt)]).toEqual([-60, 5]);
    });

    test('an end that was sent outlasts a shorter timeout', async () => {
      const labels = { alertname: randomUUID() };
      await post({ labels, startsAt: iso(-HOUR), endsAt: iso(HOUR) });
      await post({ labels, startsAt: iso(-HOUR) });
      expect(fromNow((await find(labels.alertname))[0]?.endsAt)).toBe(60);
    });

    test('an end in the past resolves, and a later alert starts afresh', async () => {
      const labels = { alertname: randomUUID() };
      await post({ labels, startsAt: iso(-HOUR), endsAt: iso(HOUR) });
      expect(await post({ labels, startsAt: iso(-HOUR), endsAt: iso(-1000) })).toEqual([200, '']);
      expect(await find(labels.alertname)).toEqual([]);
      await post({ labels });
      expect(fromNow((await find(labels.alertname))[0]?.startsAt)).toBe(0);
    });

    test('resolving another label set changes nothing', async () => {
      const labels = { alertname: randomUUID(), more: 'x' };
      await post({ labels, startsAt: iso(-HOUR), endsAt: iso(HOUR) });
      await post({ labels: { alertname: labels.alertname }, startsAt: iso(-HOUR), endsAt: iso(-1000) });
      expect(await find(labels.alertname)).toHaveLength(1);
    });
  });

  describe('labels', () => {
    test('empty ones are dropped, empty annotations are not; the last of equal alerts wins', async () => {
      const alertname = randomUUID();
      await post(
        { labels: { alertname, gone: '' }, annotations: { which: 'first' } },
        { labels: { alertname, gone: null }, annotations: { which: 'last', kept: '' } },
      );
      const alerts = await find(alertname);
      expect(alerts.map(({ labels, annotations }) => [labels, annotations])).toEqual([
        [{ alertname }, { kept: '', which: 'last' }],
      ]);
    });

    test('names that JavaScript objects have are names like any other', async () => {
      const alertname = randomUUID();
      const labels = `{"alertname":"${alertname}","__proto__":"a","constructor":"b","toString":"c"}`;
      const headers = { 'content-type': 'application/json' };
      await wire(url(), '/api/v2/alerts', { method: 'POST', headers, body: `[{"labels":${labels}}]` });
      const { body } = await wire(url(), `/api/v2/alerts?filter=__proto__%3Da&filter=alertname%3D${alertname}`);
      expect(body).toContain(`"labels":{"__proto__":"a","alertname":"${alertname}","constructor":"b","toString":"c"}`);
      const other = await getJson<Alert[]>(
        url(),
        `/api/v2/alerts?filter=hasOwnProperty!%3D&filter=alertname%3D${alertname}`,
      );
      expect(other).toEqual([]);
    });

    test('the members have an order of their own, markup is escaped', async () => {
      const labels = { alertname: randomUUID(), a: '<' };
      const times = { startsAt: '2026-01-02T03:04:05Z', endsAt: '2126-01-02T03:04:05Z' };
      await post({ labels, annotations: { summary: '&' }, generatorURL: 'http://x/?a=1&b=2', ...times });
      const [alert] = await find(labels.alertname);
      const { body } = await wire(url(), `/api/v2/alerts?filter=alertname%3D${labels.alertname}`);
      const expected =
        `[{"annotations":{"summary":"\\u0026"},"endsAt":"2126-01-02T03:04:05.000Z","fingerprint":"${alert?.fingerprint}",` +
        '"receivers":[{"name":"operations"}],"startsAt":"2026-01-02T03:04:05.000Z",' +
        `"status":{"inhibitedBy":[],"silencedBy":[],"state":"active"},"updatedAt":"${alert?.updatedAt}",` +
        `"generatorURL":"http://x/?a=1\\u0026b=2","labels":{"a":"\\u003c","alertname":"${labels.alertname}"}}]\n`;
      expect(comparable(body)).toBe(comparable(expected));
    });

    test('the fingerprint is a hash of the label set', async () => {
      const run = randomUUID();
      const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
      const sets = fc.sample(
        fc.dictionary(fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/), value, { maxKeys: 6 }),
        200,
      );
      expect(await post(...sets.map((set) => ({ labels: { ...set, run } })))).toEqual([200, '']);
      const alerts = await getJson<Alert[]>(url(), `/api/v2/alerts?filter=run%3D${run}`);
      expect(alerts.length).toBeGreaterThan(150);
      for (const alert of alerts) expect(fingerprint(alert.labels)).toBe(alert.fingerprint);
    });
  });

  describe('a batch', () => {
    test('of none, or null, is accepted', async () => {
      expect(await post()).toEqual([200, '']);
      expect((await postJson(url(), '/api/v2/alerts', null)).status).toBe(200);
    });

    test('with invalid alerts is refused, and the valid ones are stored all the same', async () => {
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
    });

    test('with an alert without labels is refused whole', async () => {
      const alertname = randomUUID();
      expect((await post({ labels: { alertname } }, {}))[0]).toBe(422);
      expect(await find(alertname)).toEqual([]);
    });
  });

  test.each(['', '/foo', 'javascript:alert(1)', 'mailto:a', 'http://', 'http://x/a b', 'http://[::1]:80/'])(
    'the link %j is taken',
    async (generatorURL) => {
      expect((await stored({ generatorURL }))?.generatorURL).toBe(generatorURL === '' ? undefined : generatorURL);
    },
  );

  test.each(['foo', 'a b', '://', '%zz', '?x', '#x', 'http://x y', 'http://x/%zz', 'http://[::1', 'http://x:y/'])(
    'the link %j is refused',
    async (generatorURL) => {
      const message = `0.generatorURL in body must be of type uri: ${JSON.stringify(generatorURL)}`;
      const [status, body] = await post({ labels: { a: 'b' }, generatorURL });
      expect([status, comparable(body)]).toEqual([422, comparable(JSON.stringify({ code: 601, message }))]);
    },
  );
});
