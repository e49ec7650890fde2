import { expect, it, onTestFinished } from 'vitest';
import { type Alertmanager, openAlertmanager } from '../../../src/features/alerts/api.ts';
import type { Plan } from '../../../src/http/endpoint.ts';
import { answer, type FaultServer, faultServer } from '../../support/servers.ts';
import { CONFIRMED, targetFor } from '../../support/targets.ts';

const ID = '2f1a0000-0000-4000-8000-000000000001';
const SILENCE = {
  id: ID,
  matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true }],
  startsAt: '2026-11-20T11:00:00.000Z',
  endsAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T11:00:00.000Z',
  createdBy: 'me',
  comment: 'why',
  status: { state: 'active' },
  annotations: { ticket: 'CHG-1' },
};
const { status: _, updatedAt: __, id: ___, ...NEW_SILENCE } = SILENCE;

async function serve(text: string): Promise<{ server: FaultServer; alertmanager: Alertmanager }> {
  const server = await faultServer((socket) => socket.write(text));
  const alertmanager = openAlertmanager(targetFor(`${server.url}/prefix`));
  onTestFinished(async () => {
    await alertmanager.close();
    await server.close();
  });
  return { server, alertmanager };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

it.each<readonly [name: string, call: (to: Alertmanager) => AsyncIterable<unknown>, path: string]>([
  ['alerts', (to) => to.alerts(), '/alerts'],
  [
    'alerts by state, matchers and receiver',
    (to) =>
      to.alerts({
        active: true,
        silenced: false,
        inhibited: false,
        unprocessed: false,
        filter: ['a="b c"', 'd=~"e,f&g"'],
        receiver: 'team-.*',
      }),
    '/alerts?active=true&silenced=false&inhibited=false&unprocessed=false&filter=a%3D%22b%20c%22&filter=d%3D~%22e%2Cf%26g%22&receiver=team-.*',
  ],
  [
    'groups, which have no unprocessed',
    (to) => to.groups({ active: true, unprocessed: true } as object),
    '/alerts/groups?active=true',
  ],
  ['receivers', (to) => to.receivers(), '/receivers'],
  ['silences', (to) => to.silences(), '/silences'],
  [
    'silences with matchers',
    (to) => to.silences(['a="b"', 'c!="d"']),
    '/silences?filter=a%3D%22b%22&filter=c!%3D%22d%22',
  ],
])('requests %s', async (_name, call, path) => {
  const { server, alertmanager } = await serve(answer(200, '[]'));
  expect(await all(call(alertmanager))).toEqual([]);
  expect(server.requests.map(({ method, path: asked }) => `${method} ${asked}`)).toEqual([`GET /prefix/api/v2${path}`]);
});

it('preserves fields of silences that doc 1 does not have', async () => {
  const { server, alertmanager } = await serve(answer(200, JSON.stringify([SILENCE])));
  expect(await all(alertmanager.silences())).toEqual([SILENCE]);
  expect(server.requests).toHaveLength(1);
});

it('requests a silence by its id in lower case', async () => {
  const { server, alertmanager } = await serve(answer(200, JSON.stringify(SILENCE)));
  expect(await alertmanager.silence(ID.toUpperCase())).toEqual(SILENCE);
  expect(server.requests[0]?.path).toBe(`/prefix/api/v2/silence/${ID}`);
});

it('sends no request for an invalid id', async () => {
  const { server, alertmanager } = await serve(answer(200, ''));
  await expect(alertmanager.silence('2f1a')).rejects.toMatchObject({ code: 'invalid_value' });
  await expect(alertmanager.deleteSilence('../alerts', CONFIRMED)).rejects.toMatchObject({ code: 'invalid_value' });
  expect(server.connections).toBe(0);
});

it('posts a silence with all its fields, and returns its id', async () => {
  const { server, alertmanager } = await serve(answer(200, JSON.stringify({ silenceID: ID })));
  expect(await alertmanager.postSilence(NEW_SILENCE)).toEqual({ silenceID: ID });
  const [request] = server.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/prefix/api/v2/silences' });
  expect(request?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(request?.body ?? '')).toEqual(NEW_SILENCE);
});

it('posts alerts; a success has no body', async () => {
  const { server, alertmanager } = await serve(answer(200, '', { 'content-type': '' }));
  await alertmanager.postAlerts([{ labels: { alertname: 'Up' } }]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual([{ labels: { alertname: 'Up' } }]);
});

it('expires a silence by DELETE, only with a confirmation', async () => {
  const { server, alertmanager } = await serve(answer(200, ''));
  await alertmanager.deleteSilence(ID, CONFIRMED);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `DELETE /prefix/api/v2/silence/${ID}`,
  ]);
  // @ts-expect-error: without the proof it does not compile
  await expect(alertmanager.deleteSilence(ID)).rejects.toMatchObject({ code: 'internal' });
  expect(server.requests).toHaveLength(1);
});

it('a dry run sends reads but no writes', async () => {
  const server = await faultServer((socket) => socket.write(answer(200, '[]')));
  onTestFinished(() => server.close());
  const alertmanager = openAlertmanager(targetFor(server.url, { dryRun: true }));
  onTestFinished(() => alertmanager.close());
  const plans = [await alertmanager.postSilence(NEW_SILENCE), await alertmanager.deleteSilence(ID, CONFIRMED)];
  await all(alertmanager.silences());
  expect(
    (plans as Plan[])
      .flatMap(({ requests }) => requests)
      .map(({ method, url }) => `${method} ${url.replace(server.url, '')}`),
  ).toEqual(['POST /api/v2/silences', `DELETE /api/v2/silence/${ID}`]);
  expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
});

it('returns unparsed bytes', async () => {
  const text = '[ {"any": "thing"} ]';
  const { alertmanager } = await serve(answer(200, text));
  const alerts = alertmanager.alertsRaw().then((raw) => raw?.bytes ?? expect.fail());
  expect(Buffer.concat(await all(await alerts)).toString()).toBe(text);
});

it("reports refused matchers in the server's words", async () => {
  const { alertmanager } = await serve(answer(400, '"error parsing regexp: missing closing ): `(`"'));
  await expect(all(alertmanager.alerts({ filter: ['a=~"("'] }))).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('missing closing )'),
    hint: expect.stringContaining('RE2'),
  });
});

it('does not repeat a write on which the server timed out; its outcome is unknown', async () => {
  const { server, alertmanager } = await serve(
    answer(503, 'Exceeded configured timeout of 2s.\n', { 'content-type': 'text/plain' }),
  );
  await expect(alertmanager.postSilence(NEW_SILENCE)).rejects.toMatchObject({
    code: 'outcome_unknown',
    exit: 8,
    httpStatus: 503,
  });
  expect(server.requests).toHaveLength(1);
});

it('repeats a read while the server is busy', async () => {
  const busy = answer(503, 'Limit of concurrent GET requests reached (1), try again later.\n', {
    'content-type': 'text/plain',
  });
  const server = await faultServer((socket, _request, index) => socket.write(index < 3 ? busy : answer(200, '[]')));
  onTestFinished(() => server.close());
  const alertmanager = openAlertmanager(targetFor(server.url));
  onTestFinished(() => alertmanager.close());
  expect(await all(alertmanager.alerts())).toEqual([]);
  expect(server.requests).toHaveLength(3);
});

it.each([
  ['a page of another program', answer(200, '<html></html>', { 'content-type': 'text/html' }), 'bad_answer'],
  ['an object for a list', answer(200, '{}'), 'wrong_shape'],
  ['an alert without its fields', answer(200, '[{"labels":{}}]'), 'wrong_shape'],
])('refuses %s', async (_name, text, code) => {
  const { alertmanager } = await serve(text);
  await expect(all(alertmanager.alerts())).rejects.toMatchObject({ code });
});
