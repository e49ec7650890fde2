/** What `svc webhooks listen` does with valid deliveries: forwarding them, and recording all. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DeliveryRow } from '../../../../src/features/webhooks/receiver/rows.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, delivery, event, KEY, Sender } from '../receiver-client.ts';
import { moveClock } from './handmade-receiver.ts';
import { deliveries, listen, recordedIn, rows, SECRET, target } from './listening.ts';

afterEach(() => void vi.useRealTimers());

describe('svc webhooks listen --forward-to', () => {
  it('forwards the same bytes and the five headers unchanged, to the exact address', async () => {
    const { url, taken } = await target((response) => response.writeHead(201).end('done'));
    const { port, ended } = await listen(['--count', '1', '-o', 'ndjson', '--forward-to', url]);
    const body = Buffer.from('\ufeff{"type":"a",  "id":"evt_\u00fc", "n":1.0}\r\n');
    const headers = ['x-service-EVENT: a', 'X-Service-Delivery: dlv_1', 'User-Agent: other', 'Cookie: a=b'];
    const answer = await deliver(port, body, { headers });
    expect(answer).toMatchObject({ status: 201, body: '' });
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatchObject({ path: '/hook?a=b&c=d', body });
    const names = taken[0]?.headers.filter((_, index) => index % 2 === 0) ?? [];
    expect(names.filter((name) => /^(content-type|x-service-.*)$/i.test(name))).toEqual([
      'Content-Type',
      'X-Service-Timestamp',
      'X-Service-Signature',
      'x-service-EVENT',
      'X-Service-Delivery',
    ]);
    expect(names.join(' ')).not.toMatch(/cookie|user-agent/i);
    expect(deliveries(await ended)[0]).toMatchObject({
      response: 201,
      forward: { status: 201, ms: expect.any(Number) },
    });
  });

  it('forwards an event again after the target failed, but not after it accepted', async () => {
    let status = 500;
    const { url, taken } = await target((response) => response.writeHead(status).end());
    const { port, stop } = await listen(['--forward-to', url, '-o', 'ndjson']);
    expect((await deliver(port, event('evt_1'))).status).toBe(500);
    status = 200;
    expect((await deliver(port, event('evt_1'))).status).toBe(200);
    expect((await deliver(port, event('evt_1'))).status).toBe(204);
    expect(taken).toHaveLength(2);
    expect(deliveries(await stop()).map(({ duplicate }) => duplicate)).toEqual([false, false, true]);
  });

  it('forwards an event again that comes a day after it was accepted', async () => {
    let now = Date.now();
    const { url, taken } = await target((response) => response.end());
    const { port, stop } = await listen(['--forward-to', url], { now: () => now });
    const day = 24 * 60 * 60 * 1000;
    for (const [later, status] of [
      [0, 200],
      [day - 1, 204],
      [1, 200],
      [1, 204],
    ] as const) {
      now += later;
      expect((await deliver(port, event('evt_1'), { timestamp: Math.floor(now / 1000) })).status).toBe(status);
    }
    await stop();
    expect(taken).toHaveLength(2);
  });

  it('forwards an event once that arrives twice at the same time', async () => {
    for (const [status, statuses] of [
      [200, [200, 204]],
      [500, [500, 500]],
    ] as const) {
      let release = (): void => {};
      const { url, taken } = await target((response) => {
        release = () => response.writeHead(status).end();
      });
      const { port, stop } = await listen(['--forward-to', url]);
      const senders = [new Sender(port), new Sender(port)];
      const answers = senders.map((sender) => sender.send(delivery(event('evt_1'))).answer());
      // One that came after them and was answered shows that both were read.
      await deliver(port, event('evt_2'), { key: 'whsec_other' });
      await expect.poll(() => taken.length).toBe(1);
      release();
      expect((await Promise.all(answers)).map((answer) => answer.status).sort()).toEqual(statuses);
      expect(taken).toHaveLength(1);
      for (const sender of senders) sender.close();
      await stop();
    }
  });

  it('follows no redirect, and says how the service treats one', async () => {
    const { url, taken } = await target((response) => response.writeHead(308, { location: '/elsewhere' }).end());
    const { port, stop } = await listen(['--forward-to', url]);
    const answer = await deliver(port, event('evt_1'));
    expect([answer.status, /^location/im.test(answer.head), taken.length]).toEqual([308, false, 1]);
    expect((await stop()).stderr).toContain(
      'warning: the target responded 308: the service follows no redirect either',
    );
  });

  it('responds 504 if the target is late, and 502 if it is down', async () => {
    const { url, server } = await target(() => void moveClock(4_500));
    const { port, stop } = await listen(['--forward-to', url, '-o', 'ndjson']);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    expect((await deliver(port, event('evt_1'))).status).toBe(504);
    vi.useRealTimers();
    server.close();
    server.closeAllConnections();
    expect((await deliver(port, event('evt_1'))).status).toBe(502);
    const run = await stop();
    const slow = { type: 'warning', message: expect.stringMatching(/^warning: evt_1 took 45\d\d ms to answer/) };
    expect(rows(run)).toContainEqual(slow);
    expect(deliveries(run).map(({ forward }) => forward)).toEqual([
      { status: null, ms: expect.any(Number), error: 'timeout' },
      { status: null, ms: expect.any(Number), error: 'connect_failed' },
    ]);
  });
});

it('svc webhooks listen responds 503 if the target is silent for 2 s after Ctrl-C', async () => {
  const { url, taken } = await target(() => {});
  const { port, stop } = await listen(['--forward-to', url, '-o', 'ndjson']);
  const answer = deliver(port, event('evt_1'));
  await expect.poll(() => taken.length).toBe(1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const ended = stop();
  await moveClock(2_000);
  expect((await answer).status).toBe(503);
  expect(deliveries(await ended)).toMatchObject([{ forward: { status: null, error: 'interrupted' }, response: 503 }]);
});

it('svc webhooks listen finishes forwarding after Ctrl-C even if the sender has gone', async () => {
  let release = (): void => {};
  const { url, taken } = await target((response) => {
    release = () => response.end();
  });
  const { port, stop } = await listen(['--forward-to', url, '-o', 'ndjson']);
  const sender = new Sender(port);
  sender.send(delivery(event('evt_1')));
  await expect.poll(() => taken.length).toBe(1);
  sender.close();
  // One that came after the end of that connection and was answered shows that svc has seen the end.
  await deliver(port, event('evt_2'), { key: 'whsec_other' });
  const ended = stop();
  await expect(deliver(port, event('evt_3'))).rejects.toThrow();
  release();
  const [, row] = deliveries(await ended);
  expect(row).toMatchObject({ event_id: 'evt_1', forward: { status: 200 }, notes: ['sender_gone'] });
});

describe('the recording of svc webhooks listen', () => {
  it('has every delivery unchanged before the response', async () => {
    const record = join(temporaryHome(), 'rec.ndjson');
    const { url } = await target((response) => response.writeHead(200).end());
    const { port, ended } = await listen(['--count', '2', '--record', record, '--forward-to', url]);
    await deliver(port, event('evt_0', 'summary.completed'), { path: '/?x=1' });
    expect(recordedIn(record)).toHaveLength(1);
    await deliver(port, Buffer.from([0xff, 0x00]), { key: 'whsec_other', headers: ['x-Odd: \xff', 'x-Odd: b'] });
    await deliver(port, event('evt_1', 'webhook.ping'));
    const { stderr } = await ended;
    expect(recordedIn(record)).toMatchObject([
      {
        v: 1,
        path: '/?x=1',
        status: 'valid',
        event_id: 'evt_0',
        forward: { status: 200 },
        response: 200,
        duplicate: false,
      },
      { body_b64: '/wA=', status: 'signature_mismatch', event_id: null, event_type: null, response: 401 },
      { method: 'POST', event_id: 'evt_1', event_type: 'webhook.ping', forward: { status: 200 }, response: 200 },
    ]);
    expect(recordedIn(record)[1]?.['headers']).toContainEqual(['x-Odd', '\xff']);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(stderr).toContain('recordings contain transcripts, which are personal data');
    expect(readFileSync(record, 'latin1') + stderr).not.toContain(KEY);
    const verified = await svc(['webhooks', 'verify', record, '-o', 'json'], { env: SECRET });
    expect((JSON.parse(verified.stdout) as DeliveryRow[]).map(({ status }) => status)).toEqual([
      'valid',
      'signature_mismatch',
      'valid',
    ]);
  });

  it('that cannot be written is reported, and the deliveries are refused', async () => {
    const { port, stop } = await listen(['--record', '/dev/full', '-o', 'ndjson']);
    expect((await deliver(port, event('evt_1'))).status).toBe(500);
    expect((await deliver(port, event('evt_1'))).status).toBe(500);
    expect((await deliver(port, event('evt_1'), { key: 'whsec_other' })).status).toBe(401);
    const run = await stop();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('cannot write /dev/full: no space left on device');
    expect(deliveries(run).map(({ duplicate, response }) => [duplicate, response])).toEqual([
      [false, 500],
      [false, 500],
      [false, 401],
    ]);
    expect(rows(run).filter(({ type }) => type === 'warning')).toHaveLength(1);
  });
});
