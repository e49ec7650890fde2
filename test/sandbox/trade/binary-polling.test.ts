/** Engine.IO 3 without `b64=1`: binary packets, at the sandbox and at a real socket.io 2.5 server. */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import listen from 'socket.io';
import { describe, expect, it } from 'vitest';
import { decodeBinaryPayload } from '../../../src/sandbox/trade/engine-session.ts';
import { startGateway } from './service.ts';

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

async function realServer(): Promise<Server> {
  const http = createServer();
  const io = listen(http, { serveClient: false });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token: 'any',
    async [Symbol.asyncDispose]() {
      const closed = once(http, 'close');
      io.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

const SERVERS = { 'the sandbox': () => startGateway(), 'socket.io 2.5': realServer } as const;

/** A client that knows nothing but the wire. */
function client({ url, token }: Server) {
  let sid = '';
  const ask = async (method: string, body?: Buffer): Promise<readonly [status: number, body: string]> => {
    const query = `access_token=${token}&EIO=3&transport=polling&t=abc${sid === '' ? '' : `&sid=${sid}`}`;
    const headers = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
    const request = send(`${url}/socket.io/?${query}`, { method, headers, agent: false }).end(body);
    const [response] = await once(request, 'response');
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece);
    return [response.statusCode, Buffer.concat(pieces).toString()];
  };
  return {
    async connect() {
      let text = '';
      while (!text.includes('2:40')) {
        const [, body] = await ask('GET');
        sid ||= /"sid":"([^"]+)"/.exec(body)?.[1] ?? '';
        text += body;
      }
    },
    poll: () => ask('GET'),
    post: (body: Buffer) => ask('POST', body),
  };
}

function framed(packet: string, kind = 0): Buffer {
  const bytes = Buffer.from(packet);
  return Buffer.concat([Buffer.from([kind, ...[...String(bytes.length)].map(Number), 255]), bytes]);
}

const UNKNOWN = [400, '{"code":1,"message":"Session ID unknown"}'];

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  it('accepts a binary ping and keeps the session', async () => {
    await using server = await start();
    const { connect, poll, post } = client(server);
    await connect();
    expect(await post(Buffer.from([0, 1, 255, 0x32]))).toEqual([200, 'ok']);
    expect(await poll()).toEqual([200, '1:3']);
    expect(await post(framed('2probe'))).toEqual([200, 'ok']);
    expect(await poll()).toEqual([200, '1:3']);
  });

  it('accepts several packets in one body, with multi-byte characters and a length of two digits', async () => {
    await using server = await start();
    const { connect, poll, post } = client(server);
    await connect();
    expect(await post(Buffer.concat([framed('42["π €𝟙",1]'), framed('2'), framed('2')]))).toEqual([200, 'ok']);
    let answers = '';
    while (answers.length < 6) answers += (await poll())[1];
    expect(answers).toBe('1:31:3');
  });

  it('accepts a binary close', async () => {
    await using server = await start();
    const { connect, poll, post } = client(server);
    await connect();
    expect(await post(Buffer.concat([framed('41'), framed('1')]))).toEqual([200, 'ok']);
    expect(await poll()).toEqual(UNKNOWN);
  });

  it('ends a session whose body has an unterminated length', async () => {
    await using server = await start();
    const { connect, poll, post } = client(server);
    await connect();
    expect(await post(Buffer.from([0, 1]))).toEqual([200, 'ok']);
    expect(await poll()).toEqual(UNKNOWN);
  });
});

describe('a binary body', () => {
  it('round-trips', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (packets) => {
        const body = Buffer.concat(packets.map((packet) => framed(packet)));
        expect(decodeBinaryPayload(body)).toEqual(packets.map((packet) => Buffer.from(packet).toString()));
      }),
    );
  });

  it('is read or refused with any content', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const packets = decodeBinaryPayload(Buffer.from(bytes));
        expect(packets === undefined || packets.every((packet) => typeof packet === 'string')).toBe(true);
      }),
    );
  });
});
