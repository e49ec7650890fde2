import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { Sender } from '../../src/http/sender.ts';
import { openWebSocket, WebSocket } from '../../src/http/websocket.ts';
import { answer, type FaultServer, faultServer, type Received } from './servers.ts';
import { targetFor } from './targets.ts';

const open = endpoint({ method: 'GET', path: '/live', effect: 'read', retry: false });
const LIMIT = 1000;

function welcome({ headers }: Received, accept?: string): string {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const expected = createHash('sha1').update(key).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept ?? expected}\r\n\r\n`;
}

/** What a client wrote after the request, without the masks. */
function unmasked(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at + 1] ?? 0) & 0x7f;
    const mask = bytes.subarray(at + 2, at + 6);
    const body = bytes.subarray(at + 6, at + 6 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
    frames.push(`${(bytes[at] ?? 0) & 0x0f}:${Buffer.from(body).toString('latin1')}`);
    at += 6 + length;
  }
  return frames;
}

interface Conversation extends AsyncDisposable {
  readonly socket: WebSocket;
  readonly texts: string[];
  readonly over: Promise<SvcError | undefined>;
  /** The frames that the server got once its connection is over. */
  readonly got: Promise<string[]>;
  readonly server: FaultServer;
}

async function conversation(speak: (socket: Socket) => void): Promise<Conversation> {
  let got = (_frames: string[]): void => {};
  const frames = new Promise<string[]>((resolve) => {
    got = resolve;
  });
  const server = await faultServer((socket, request) => {
    const bytes: Buffer[] = [];
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => bytes.push(chunk));
    socket.on('close', () => got(unmasked(Buffer.concat(bytes))));
    socket.write(welcome(request));
    speak(socket);
  });
  const sender = new Sender(targetFor(server.url), { basePath: '' });
  const texts: string[] = [];
  let closed = (_error: SvcError | undefined): void => {};
  const over = new Promise<SvcError | undefined>((resolve) => {
    closed = resolve;
  });
  const socket = await openWebSocket(sender, open, {}, { text: (text) => texts.push(text), closed }, LIMIT);
  return {
    socket,
    texts,
    over,
    got: frames,
    server,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await sender.close();
      await server.close();
    },
  };
}

const text = (message: string): Buffer => Buffer.concat([Buffer.from([0x81, message.length]), Buffer.from(message)]);

describe('a websocket', () => {
  test('reads frames that come with the response, answers pings, and closes', async () => {
    await using made = await conversation((socket) => {
      socket.write(Buffer.concat([text('one'), Buffer.from([0x89, 2]), Buffer.from('hi'), text('two')]));
      socket.once('data', () => socket.write(Buffer.from([0x88, 2, 0x03, 0xe8])));
    });
    expect(made.server.requests[0]?.headers).toMatchObject({
      upgrade: 'websocket',
      connection: 'upgrade',
      'sec-websocket-version': '13',
    });
    expect(await made.over).toMatchObject({
      code: 'connection_lost',
      message: 'the websocket was closed by the gateway with code 1000',
    });
    expect(made.texts).toEqual(['one', 'two']);
    expect(await made.got).toEqual(['10:hi', '8:\x03\xe8']);
    made.socket.send('too late');
  });

  test('closed by svc is not an error', async () => {
    await using made = await conversation((socket) => {
      socket.on('data', () => socket.end(Buffer.from([0x88, 0])));
    });
    made.socket.send('bye');
    await made.socket.close(1000);
    expect(await made.over).toBeUndefined();
    expect((await made.got).slice(0, 2)).toEqual(['1:bye', '8:\x03\xe8']);
  });

  test('waits for the closing handshake as long as configured', async () => {
    await using made = await conversation(() => {});
    await made.socket.close(50);
    expect(await made.over).toBeUndefined();
  });

  test("pauses after a chunk of bun's read size, so that timers and signals run", async () => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const sender = new Sender(targetFor('http://127.0.0.1:1'), { basePath: '' });
    const texts: string[] = [];
    const made = new WebSocket(socket, { text: (one) => texts.push(one), closed() {} }, LIMIT, sender);
    socket.emit('data', text('small'));
    expect(socket.isPaused()).toBe(false);
    socket.emit('data', Buffer.concat(Array<Buffer>((512 * 1024) / 4).fill(text('no'))));
    expect(socket.isPaused()).toBe(true);
    await setImmediate();
    await setImmediate();
    expect(socket.isPaused()).toBe(false);
    expect(texts).toHaveLength(1 + (512 * 1024) / 4);
    made.destroy();
  });

  test.each<readonly [string, (socket: Socket) => void, string, RegExp]>([
    ['ends', (socket) => socket.end(text('x')), 'connection_lost', /without a close frame/],
    ['breaks', (socket) => setTimeout(() => socket.resetAndDestroy(), 20), 'connection_lost', /ECONNRESET/],
    ['sends rubbish', (socket) => socket.write(Buffer.from([0xff, 0xff])), 'bad_answer', /cannot be used/],
    ['sends too much', (socket) => socket.write(Buffer.from([0x81, 126, 3, 233])), 'bad_answer', /larger than 1000/],
  ])('one that %s', async (_what, speak, code, message) => {
    await using made = await conversation(speak);
    expect(await made.over).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test.each<readonly [string, (request: Received) => string, string, RegExp]>([
    ['a plain answer', () => answer(200, '[]'), 'bad_answer', /answered 200 instead of opening a websocket/],
    ['a refusal', () => answer(400, '{"message":"no"}'), 'refused', /answered 400: no/],
    ['somebody else’s answer', (request) => welcome(request, 'x'), 'bad_answer', /opened for another request/],
  ])('%s does not open one', async (_what, respond, code, message) => {
    await using server = await faultServer((socket, request) => socket.write(respond(request)));
    const sender = new Sender(targetFor(server.url), { basePath: '' });
    const opening = openWebSocket(sender, open, {}, { text: () => {}, closed: () => {} }, LIMIT);
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await sender.close();
  });

  test('reports an interruption while it opens', async () => {
    const controller = new AbortController();
    await using server = await faultServer(() => controller.abort(new SvcError('interrupted', 'interrupted')));
    const sender = new Sender(targetFor(server.url, { signal: controller.signal }), { basePath: '' });
    const opening = openWebSocket(sender, open, {}, { text: () => {}, closed: () => {} }, LIMIT);
    await expect(opening).rejects.toMatchObject({ code: 'interrupted' });
    await sender.close();
  });
});
