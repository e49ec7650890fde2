/** The receiver at its socket: exact bytes, verdicts, and senders that misbehave. */

import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyDelivery } from '../../../../src/features/webhooks/receiver/processor.ts';
import {
  type IncomingDelivery,
  type Receiver,
  type ReceiverOptions,
  type Refusal,
  startReceiver,
} from '../../../../src/features/webhooks/receiver/server.ts';
import { signingSecret, type Verification } from '../../../../src/features/webhooks/signature.ts';
import { deliver, delivery, event, head, KEY, Sender, send } from '../receiver-client.ts';

const MIB = 1024 * 1024;

interface Arrival extends IncomingDelivery {
  readonly verification: Verification;
}

const open: Receiver[] = [];
afterEach(() => {
  for (const receiver of open.splice(0)) receiver.destroy();
});

const byVerdict = (one: Arrival): void => {
  one.respond(one.verification.verdict === 'valid' ? 204 : 401, '');
};

/** A receiver, and what has come to it. */
async function start(options: Partial<ReceiverOptions> = {}, respond: (arrival: Arrival) => void = byVerdict) {
  const arrivals: Arrival[] = [];
  const refusals: Refusal[] = [];
  const news = new EventEmitter();
  let misdirected = 0;
  const receiver = await startReceiver(
    { host: '127.0.0.1', port: 0, now: Date.now, ...options },
    {
      delivered: (delivery) => {
        const arrival = { ...delivery, verification: verifyDelivery(delivery, [signingSecret(KEY, 'test')], 300) };
        arrivals.push(arrival);
        respond(arrival);
        news.emit('one');
      },
      refused: (refusal) => {
        refusals.push(refusal);
        news.emit('one');
      },
      misdirected: () => void misdirected++,
    },
  );
  open.push(receiver);
  return {
    arrivals,
    refusals,
    receiver,
    port: receiver.port,
    misdirected: () => misdirected,
    /** Resolves at the next arrival or refusal. */
    news: () => once(news, 'one'),
  };
}

describe('a delivery to the receiver', () => {
  it('arrives with its exact bytes, and its headers in their order and case', async () => {
    const receipt = await start();
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a, 0x7b]);
    const headers = ['x-EXTRA: a', 'x-extra: b', 'X-Latin: \xe9'];
    expect((await deliver(receipt.port, body, { headers, path: '/?a=b' })).status).toBe(204);
    const [arrival] = receipt.arrivals;
    expect(arrival).toMatchObject({ remote: '127.0.0.1', path: '/?a=b', body });
    expect(arrival?.verification).toMatchObject({ verdict: 'valid', signatureOk: true, secretIndex: 0 });
    expect(arrival?.headers.flat().slice(-8)).toEqual([
      'x-EXTRA',
      'a',
      'x-extra',
      'b',
      'X-Latin',
      'é',
      'Content-Length',
      '8',
    ]);
  });

  it('is the same for any chunks, framing and signature', async () => {
    const receipt = await start();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.array(fc.nat(400), { maxLength: 5 }),
        fc.boolean(),
        async (body, cuts, chunked) => {
          const ends = [...new Set(cuts.filter((at) => at < body.length)), body.length].sort((a, b) => a - b);
          const pieces = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
          const sender = new Sender(receipt.port);
          await sender.sent(head(body, chunked ? { framing: 'Transfer-Encoding: chunked' } : {}));
          for (const piece of pieces.filter(({ length }) => length > 0)) {
            const frame = chunked ? [`${piece.length.toString(16)}\r\n`, '\r\n'] : ['', ''];
            await sender.sent(Buffer.concat([Buffer.from(frame[0] ?? ''), piece, Buffer.from(frame[1] ?? '')]));
          }
          if (chunked) await sender.sent('0\r\n\r\n');
          expect((await sender.answer()).status).toBe(204);
          expect(receipt.arrivals.at(-1)?.body.equals(body)).toBe(true);
          sender.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is not valid with a header that comes twice', async () => {
    const receipt = await start();
    for (const header of ['x-service-TIMESTAMP: 1', `X-Service-Signature: sha256=${'0'.repeat(64)}`])
      expect((await deliver(receipt.port, event('evt_1'), { headers: [header] })).status).toBe(401);
    expect(receipt.arrivals.map(({ verification }) => verification.verdict)).toEqual([
      'duplicate_header',
      'duplicate_header',
    ]);
  });

  it('is checked with the time of its last byte', async () => {
    let now = 1_767_225_600_000;
    const receipt = await start({ now: () => now });
    const body = event('evt_1');
    const sender = new Sender(receipt.port);
    await sender.sent(head(body, { timestamp: 1_767_225_600 }));
    now += 301_000;
    expect((await sender.send(body).answer()).status).toBe(401);
    expect(receipt.arrivals[0]).toMatchObject({ receivedMs: now, verification: { verdict: 'stale', ageS: 301 } });
    sender.close();
  });
});

describe('a connection to the receiver', () => {
  it('responds to pipelined requests in order', async () => {
    const receipt = await start({}, () => {
      if (receipt.arrivals.length < 3) return;
      for (const [index, one] of [...receipt.arrivals.entries()].reverse()) one.respond(200 + index, '');
    });
    const sender = new Sender(receipt.port);
    sender.send(Buffer.concat(['evt_1', 'evt_2', 'evt_3'].map((id) => delivery(event(id)))));
    expect([(await sender.answer()).status, (await sender.answer()).status, (await sender.answer()).status]).toEqual([
      200, 201, 202,
    ]);
    sender.close();
  });
});

describe('the receiver', () => {
  it('responds 100 Continue to a client that asks for it', async () => {
    const receipt = await start();
    const body = event('evt_1');
    const sender = new Sender(receipt.port);
    expect((await sender.send(head(body, { headers: ['Expect: 100-continue'] })).answer()).status).toBe(100);
    expect((await sender.send(body).answer()).status).toBe(204);
    sender.close();
  });

  it('refuses requests of browsers, and other methods', async () => {
    const receipt = await start();
    for (const [method, path, headers, status, reason] of [
      ['GET', '/hook', [], 405, 'wrong_method'],
      ['PUT', '/hook', [], 405, 'wrong_method'],
      ['POST', '/hook', ['Origin: http://127.0.0.1:1'], 403, 'browser_request'],
      ['POST', '/hook', ['origin: null'], 403, 'browser_request'],
      ['GET', '/', ['ORIGIN:'], 403, 'browser_request'],
    ] as const) {
      const answer = await deliver(receipt.port, event('evt_1'), { method, path, headers });
      expect(answer).toMatchObject({ status, body: `${reason}\n` });
      if (status === 405) expect(answer.head).toMatch(/^allow: POST$/im);
      expect(receipt.refusals.at(-1)).toMatchObject({ method, path, reason, response: status, remote: '127.0.0.1' });
    }
    expect([receipt.arrivals, receipt.refusals.length]).toEqual([[], 5]);
  });

  it('answers a health check by GET or HEAD', async () => {
    const receipt = await start();
    for (const [method, body] of Object.entries({ GET: 'svc webhooks listen\n', HEAD: '' })) {
      const answer = await send(receipt.port, `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(answer).toMatchObject({ status: 200, body });
    }
    expect(receipt.refusals).toEqual([]);
  });

  it('reports a body that breaks off', async () => {
    const receipt = await start();
    const body = event('evt_1');
    const sender = new Sender(receipt.port);
    await sender.sent(Buffer.concat([Buffer.from(head(body)), Buffer.from(body.slice(0, 9))]));
    sender.socket.end();
    await receipt.news();
    expect(receipt.arrivals).toEqual([]);
    expect(receipt.refusals).toMatchObject([{ reason: 'aborted', response: null, bytes: 9 }]);
  });

  it('answers 400 to what is not HTTP/1.1, and counts TLS and HTTP/2', async () => {
    const receipt = await start();
    for (const [bytes, misdirected] of [
      ['what is this\r\n\r\n', 0],
      ['\x16\x03\x01\x00 what is this\r\n\r\n', 1],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 2],
    ] as const) {
      const sender = new Sender(receipt.port).send(Buffer.from(bytes, 'latin1'));
      expect(await sender.rest()).toMatch(/^HTTP\/1\.1 400 /);
      expect((await deliver(receipt.port, event('evt_1'))).status).toBe(204);
      expect(receipt.misdirected()).toBe(misdirected);
    }
  });
});

describe('the body of a delivery', () => {
  it('of 32 MiB is accepted; a larger one gets a response even while the client still sends', async () => {
    const receipt = await start({ limits: { requestMs: 100_000 } });
    const most = Buffer.alloc(32 * MIB, 'x');
    expect((await deliver(receipt.port, most)).status).toBe(204);
    const more = Buffer.alloc(32 * MIB + 1, 'x');
    const declared = await deliver(receipt.port, more);
    expect(declared).toMatchObject({ status: 413, body: 'body_too_large\n' });
    const sender = new Sender(receipt.port);
    sender.send(head(more, { framing: 'Transfer-Encoding: chunked' }));
    sender
      .send(`${more.length.toString(16)}\r\n`)
      .send(more)
      .send('\r\n0\r\n\r\n');
    expect((await sender.answer()).status).toBe(413);
    sender.close();
  });

  it('that is large waits behind others; a small one does not', async () => {
    const receipt = await start({ limits: { bufferedBytes: MIB, requestMs: 100_000 } });
    const large = Buffer.alloc(2 * MIB, 'x');
    const first = new Sender(receipt.port);
    // Less than all of it: it is still under way.
    await first.send(head(large)).sent(large.subarray(0, MIB - 1_000));
    // Each of these is answered after a part of it was read: otherwise its end could meet the limit.
    for (let i = 0; i < 20; i++) await deliver(receipt.port, event(`evt_before_${i}`));
    const second = new Sender(receipt.port);
    const answered = second.send(delivery(large)).answer();
    await receipt.news();
    expect(receipt.refusals).toMatchObject([{ reason: 'busy', response: 503 }]);
    expect((await answered).status).toBe(503);
    expect((await deliver(receipt.port, event('evt_1'))).status).toBe(204);
    first.close();
    second.close();
    await receipt.news();
    expect((await deliver(receipt.port, Buffer.alloc(MIB / 2, 'x'))).status).toBe(204);
  });
});

describe('a slow sender', () => {
  it('is disconnected', async () => {
    for (const [bytes, ms, refusals] of [
      ['', 150, []],
      ['POST / HTTP/1.1\r\nHost: a\r\nX-Slow: ', 150, []],
      [`${head('x'.repeat(100))}x`, 2_000, [{ reason: 'aborted', bytes: 1 }]],
    ] as const) {
      const receipt = await start({ limits: { headMs: ms, requestMs: ms } });
      const sender = new Sender(receipt.port);
      if (bytes !== '') sender.send(bytes);
      expect(await sender.rest(), bytes).toMatch(/^HTTP\/1\.1 408 /);
      await expect.poll(() => receipt.refusals).toMatchObject(refusals);
      expect(receipt.arrivals).toEqual([]);
    }
  });

  it('makes way for an active one if its connection is idle', async () => {
    const receipt = await start({ limits: { connections: 3 } });
    const idle = [1, 2, 3].map(() => new Sender(receipt.port));
    for (const sender of idle) expect((await sender.send(delivery(event('evt_1'))).answer()).status).toBe(204);
    const dropped = connect(receipt.port, '127.0.0.1').on('error', () => {});
    await once(dropped, 'close');
    await Promise.all(idle.map((sender) => sender.rest()));
    expect((await deliver(receipt.port, event('evt_2'))).status).toBe(204);
  });
});

describe('the end of the receiver', () => {
  it('waits for requests in flight, and refuses new ones', async () => {
    const receipt = await start({}, () => {});
    const sender = new Sender(receipt.port).send(delivery(event('evt_1')));
    await receipt.news();
    const draining = receipt.receiver.drain(5_000);
    sender.send(delivery(event('evt_2')));
    await receipt.news();
    expect(receipt.refusals).toMatchObject([{ reason: 'closing', response: 503 }]);
    await expect(deliver(receipt.port, event('evt_3'))).rejects.toThrow();
    receipt.arrivals[0]?.respond(204, '');
    expect([(await sender.answer()).status, (await sender.answer()).status]).toEqual([204, 503]);
    await draining;
    expect(receipt.arrivals).toHaveLength(1);
  });
});

describe('the address of the receiver', () => {
  it('is refused with an explanation if it is not of this machine', async () => {
    await expect(start({ host: '203.0.113.7' })).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('cannot listen on 203.0.113.7, port 0: EADDRNOTAVAIL'),
    });
  });
});
