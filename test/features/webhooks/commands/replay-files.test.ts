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

describe('svc webhooks replay of a file that svc did not record', () => {
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

describe('the filters of svc webhooks replay', () => {
  it('select by time and type', async () => {
    for (const [args, sent, notice] of [
      [['--since', '57m'], 2, '3 skipped by the filters\n'],
      [['--until', '58m'], 3, '2 skipped by the filters\n'],
      [['--since', '59m', '--until', '58m'], 2, '3 skipped by the filters\n'],
      [['--since', new Date(NOW - HOUR).toISOString()], 5, ''],
      [['--event', 'summary.completed'], 0, '5 skipped by the filters\n'],
      [['--event', 'summary.completed,webhook.ping'], 5, ''],
    ] as const) {
      const peer = await statuses(204);
      const { code, stderr } = await replay(har(204, 500, 204, 0, 204), peer, '-o', 'ndjson', ...args);
      expect({ args, code, stderr, sent: peer.taken.length }).toEqual({ args, code: 0, stderr: notice, sent });
    }
  });

  it('leave out, by time, deliveries without a time', async () => {
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

it('svc webhooks replay does not send the file that a file of an editor names', async () => {
  const head = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\n`);
  const peer = await statuses(204);
  await replay(`### one\nPOST http://localhost/ HTTP/1.1\n${head.join('')}\n< /etc/passwd\n`, peer);
  expect(peer.taken.map(({ body }) => body.toString())).toEqual(['< /etc/passwd\n']);
});

it('svc webhooks replay is suggested in place of resend, retry and redeliver', async () => {
  for (const verb of ['resend', 'retry', 'redeliver']) {
    expect(await svc(['webhooks', verb, 'evt_1'])).toMatchObject({
      code: 2,
      stderr: `svc: there is no command "webhooks ${verb}"\nhint: did you mean: svc webhooks replay evt_1\n`,
    });
  }
});
