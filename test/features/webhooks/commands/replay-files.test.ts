/** `svc webhooks replay` of files that svc did not record, and what its filters leave out. */
import { describe, expect, it } from 'vitest';
import { type Run, svc } from '../../../support/svc.ts';
import { PING, request, SIGNATURE, T } from '../vectors.ts';
import { KEY, type Receiver, statuses } from './handmade-receiver.ts';

const NOW = Number(T) * 1000;
const HOUR = 3_600_000;

const replay = (stdin: string | Uint8Array, to: Receiver, ...args: string[]): Promise<Run> =>
  svc(['webhooks', 'replay', '-', '--to', to.url, ...args], {
    stdin,
    now: () => NOW,
    env: { SVC_WEBHOOK_SECRET: KEY },
  });

const HEADERS = {
  Host: 'hooks.example',
  'Content-Type': 'application/json',
  'X-Service-Event': 'webhook.ping',
  'X-Service-Delivery': 'dlv_1',
  'X-Service-Timestamp': T,
  'X-Service-Signature': SIGNATURE,
};
const headerList = Object.entries(HEADERS).map(([name, value]) => ({ name, value }));

/** One entry for each status, the first an hour ago and each a minute later. */
const har = (...answers: readonly number[]): string =>
  JSON.stringify({
    log: {
      entries: answers.map((status, index) => ({
        startedDateTime: new Date(NOW - HOUR + index * 60_000).toISOString(),
        request: { headers: headerList, postData: { text: PING.toString() } },
        response: { status },
      })),
    },
  });

describe('sends every format of verify again', () => {
  it.each<readonly [string, string | Uint8Array]>([
    ['raw HTTP', request()],
    ['a HAR', har(204)],
    ['a Lambda event', JSON.stringify({ headers: HEADERS, body: PING.toString(), isBase64Encoded: false })],
    ['a log', JSON.stringify({ headers: HEADERS, body: PING.toString() })],
  ])('%s, unchanged', async (_, text) => {
    const peer = await statuses(204);
    const run = await replay(text, peer, '-o', 'json');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const [taken] = peer.taken;
    expect(taken?.body).toEqual(PING);
    expect(taken?.headers).toEqual(
      expect.arrayContaining(['X-Service-Timestamp', T, 'X-Service-Signature', SIGNATURE]),
    );
    expect(taken?.headers).not.toContain('hooks.example');
    expect(JSON.parse(run.stdout)).toMatchObject([{ event_id: 'evt_1', event_type: 'webhook.ping', status: 204 }]);
  });

  it('signs again only if the first signature is valid', async () => {
    const peer = await statuses(204);
    const forged = har(204, 204).replace('evt_1', 'evt_2');
    const run = await replay(forged, peer, '--resign');
    expect(run).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 skipped: nothing proves that the service'),
    });
    expect(peer.taken.map(({ body }) => body.includes('evt_1'))).toEqual([true]);
  });

  it('reads past a line that is no delivery', async () => {
    const peer = await statuses(204);
    const recording = `${JSON.stringify({ headers: Object.entries(HEADERS), body_b64: PING.toString('base64') })}\n`;
    expect(await replay(`garbage\n${recording}`, peer)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('stdin: 1 line without a request skipped'),
    });
    expect(await replay(`${recording}garbage\n${recording}`, peer)).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('stdin:2: not a recorded delivery; skipped'),
    });
    expect(peer.taken).toHaveLength(3);
  });

  it('refuses a body alone', async () => {
    const run = await replay(PING, await statuses(204));
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('svc webhooks send --body signs and sends a body'),
    });
  });
});

describe('filters', () => {
  it.each([
    [['--since', '57m'], 2, '3 skipped by the filters\n'],
    [['--until', '58m'], 3, '2 skipped by the filters\n'],
    [['--since', '59m', '--until', '58m'], 2, '3 skipped by the filters\n'],
    [['--since', new Date(NOW - HOUR).toISOString()], 5, ''],
    [['--event', 'summary.completed'], 0, '5 skipped by the filters\n'],
    [['--event', 'summary.completed,webhook.ping'], 5, ''],
  ])('%j', async (args, sent, notice) => {
    const peer = await statuses(204);
    const { code, stderr } = await replay(har(204, 500, 204, 0, 204), peer, '-o', 'ndjson', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: notice });
    expect(peer.taken).toHaveLength(sent);
  });

  it('by time leave out deliveries without a time', async () => {
    const peer = await statuses(204);
    expect(await replay(request(), peer, '--since', '2h')).toMatchObject({
      code: 0,
      stderr: '1 skipped by the filters\nnothing was sent\n',
    });
    expect(peer.taken).toEqual([]);
  });

  it('refuse types that the service does not have', async () => {
    expect(await replay(request(), await statuses(204), '--event', 'webhook.pong')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has summary.completed and webhook.ping'),
    });
  });
});

it('a file of an editor that names another file: that file is not sent', async () => {
  const head = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\n`);
  const peer = await statuses(204);
  await replay(`### one\nPOST http://localhost/ HTTP/1.1\n${head.join('')}\n< /etc/passwd\n`, peer);
  expect(peer.taken.map(({ body }) => body.toString())).toEqual(['< /etc/passwd\n']);
});

it.each(['resend', 'retry', 'redeliver'])('is suggested for svc webhooks %s', async (word) => {
  expect(await svc(['webhooks', word, 'evt_1'])).toMatchObject({
    code: 2,
    stderr: `svc: there is no command "webhooks ${word}"\nhint: did you mean: svc webhooks replay evt_1\n`,
  });
});
