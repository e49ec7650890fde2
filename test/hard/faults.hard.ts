/** 45 network faults, each at five positions of a read and of a write: svc invents nothing, sends nothing twice, and reports no unknown outcome as certain. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { Client } from '../../src/http/client.ts';
import { createThing, getThing } from '../http/endpoints.ts';
import { fileAuthority } from '../support/certificates.ts';
import { answer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';
import { counted } from './scale.ts';

interface NetworkFault {
  readonly act: (socket: Socket) => void;
  /** The status of the whole response that it is. */
  readonly status?: number;
  /** In the place of a response it proves that the request was not read. */
  readonly isUnread?: true;
  /** On a connection with TLS, below it. */
  readonly tls?: true;
}

const bytes = (...pieces: readonly (string | Buffer)[]): NetworkFault => ({
  act: (socket) => {
    for (const piece of pieces) socket.write(piece as string, 'latin1');
  },
});
const whole = (status: number, body = '{}', headers: Readonly<Record<string, string>> = {}): NetworkFault => ({
  ...bytes(answer(status, body, headers)),
  status,
});
const below = (fault: NetworkFault): NetworkFault => ({ ...fault, tls: true });
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

const FAULTS: Readonly<Record<string, NetworkFault>> = {
  'an end': { act: (socket) => socket.end() },
  'a reset': { act: (socket) => socket.resetAndDestroy() },
  silence: { act: () => {} },
  'an end after a while': { act: (socket) => setTimeout(() => socket.end(), 100) },
  'a reset after a while': { act: (socket) => setTimeout(() => socket.resetAndDestroy(), 100) },
  'a space at a time': {
    act: (socket) => {
      const timer = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(timer));
    },
  },
  NULs: bytes('\0'.repeat(64)),
  'bytes of ones': bytes('\xff'.repeat(64)),
  'line ends': bytes('\r\n'.repeat(64)),
  'a long line': bytes('a'.repeat(70_000)),
  'a MiB of spaces': bytes(' '.repeat(2 ** 20)),
  SSH: bytes('SSH-2.0-OpenSSH_9.2\r\n'),
  SMTP: bytes('220 mail.example.com ESMTP\r\n'),
  'settings of HTTP/2': bytes(Buffer.from('000000040000000000', 'hex')),
  'a goodbye of HTTP/2': bytes(Buffer.from('0000080700000000000000000000000000', 'hex')),
  'HTTP/0.9': bytes('{"id":2}\n'),
  'a later HTTP': bytes(answer(200, '{"id":2}').replace('HTTP/1.1', 'HTTP/3.0')),
  'a request': bytes('POST /things HTTP/1.1\r\nhost: a\r\ncontent-length: 8\r\n\r\n{"id":2}'),
  'a TLS alert where there is no TLS': { ...bytes(Buffer.from('15030300020228', 'hex')), isUnread: true },
  'two lengths': bytes(`${head}content-length: 8\r\ncontent-length: 9\r\n\r\n{"id":2}`),
  'a chunk size that is none': bytes(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n{"id":2}\r\n0\r\n\r\n`),
  'a header without a colon': bytes(`${head}no colon\r\ncontent-length: 8\r\n\r\n{"id":2}`),
  'a compressed response': bytes(`${head}content-encoding: gzip\r\ncontent-length: 8\r\n\r\n{"id":2}`),
  '100 and nothing more': bytes('HTTP/1.1 100 Continue\r\n\r\n'),
  '101 and nothing more': bytes('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  '103 and nothing more': bytes('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'a good response': whole(200, '{"id":2}'),
  'two good responses': { ...bytes(answer(200, '{"id":2}').repeat(2)), status: 200 },
  '204': bytes('HTTP/1.1 204 No Content\r\n\r\n'),
  '302': whole(302, '', { location: 'http://127.0.0.1:9/' }),
  '400': whole(400, '{"message":"no"}'),
  '401': whole(401),
  '407': whole(407),
  '413': whole(413),
  '429': whole(429, '{}', { 'retry-after': '1' }),
  '500': whole(500),
  '503': whole(503, '<title>Unavailable</title>', { 'content-type': 'text/html', 'retry-after': '0' }),
  '999': whole(999),
  'a fatal TLS alert': below(bytes(Buffer.from('15030300020228', 'hex'))),
  'a TLS record of other keys': below(bytes(Buffer.from(`1703030020${'5a'.repeat(32)}`, 'hex'))),
  'a TLS record that is too long': below(bytes(Buffer.from(`170303ffff${'5a'.repeat(65_535)}`, 'hex'))),
  'plain HTTP below TLS': below(bytes(answer(200, '{"id":2}'))),
  'an end without a goodbye of TLS': below({ act: (socket) => socket.end() }),
  'a reset below TLS': below({ act: (socket) => socket.resetAndDestroy() }),
  'silence below TLS': below({ act: () => {} }),
};

const POSITIONS = [
  'before the request',
  'within the request body',
  'before the response',
  'within the headers',
  'within the body',
] as const;
type Position = (typeof POSITIONS)[number];
/** What is sent before it. */
const SENT_BEFORE: Readonly<Partial<Record<Position, string>>> = {
  'within the headers': `${head}content-le`,
  'within the body': `${head}content-length: 8\r\n\r\n{"id`,
};
/** It cannot arrive in one piece. */
const LARGE = { text: 'x'.repeat(8 * 2 ** 20) };

/** Some of the faults are over only then. */
const TIMEOUT_MS = 1_000;
const { authority, pair } = fileAuthority('IP:127.0.0.1');

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Peer extends AsyncDisposable {
  readonly url: string;
  readonly seen: { reached: number; requests: number };
}

/** Meets every connection with the fault at this position. Below TLS, it sits on the way to a server that has TLS. */
async function peer({ act, tls }: NetworkFault, position: Position): Promise<Peer> {
  const seen = { reached: 0, requests: 0 };
  const sockets = new Set<Socket>();
  const open = (socket: Socket): Socket =>
    socket.on('close', () => sockets.delete(socket)).on('error', () => {}) && sockets.add(socket) && socket;
  /** What the client has connected to. */
  let outer: Socket | undefined;
  const strike = (socket: Socket): void => {
    seen.reached += 1;
    socket.unpipe();
    act(socket);
  };
  const server = tls === undefined ? createServer() : createTlsServer(pair);
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    open(socket);
    if (tls === undefined && position === 'before the request') strike(socket);
    strikeAt(position, socket, seen, () => strike(outer ?? socket));
  });
  server.on('tlsClientError', () => {});
  const port = await listening(server);
  const forward = (socket: Socket): void => {
    outer = open(socket);
    if (position === 'before the request') {
      strike(socket);
      socket.resume();
      return;
    }
    const inner = open(connect(port, '127.0.0.1'));
    socket.pipe(inner, { end: false });
    // By hand: once the fault is there, nothing more comes from behind it.
    inner.on('data', (chunk) => seen.reached === 0 && socket.write(chunk));
    socket.on('close', () => inner.destroy());
  };
  const way = tls === undefined ? undefined : createServer(forward);
  const address = way === undefined ? port : await listening(way);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address}`,
    seen,
    async [Symbol.asyncDispose]() {
      way?.close();
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads a request, counts it, and strikes at a position within or after it. */
function strikeAt(position: Position, socket: Socket, seen: Peer['seen'], strike: () => void): void {
  let came = '';
  let isStruck = false;
  const isReached = (): boolean => {
    const end = came.indexOf('\r\n\r\n');
    if (end < 0 || position === 'before the request') return false;
    const length = Number(/content-length: (\d+)/i.exec(came)?.[1] ?? 0);
    if (position === 'within the request body') return came.length !== end + 4;
    return came.length >= end + 4 + length;
  };
  socket.on('data', (chunk: Buffer) => {
    if (came === '') seen.requests += 1;
    came += chunk.toString('latin1');
    if (isStruck || !isReached()) return;
    isStruck = true;
    if (position === 'within the request body') socket.pause();
    const before = SENT_BEFORE[position];
    if (before === undefined) strike();
    else socket.write(before, () => setTimeout(strike, 10));
  });
}

interface Outcome {
  readonly value?: unknown;
  readonly error?: SvcError;
}

async function outcome(url: string, write: boolean, body: object): Promise<Outcome> {
  const target = targetFor(url, { timeoutMs: TIMEOUT_MS, tls: { insecure: false, ca: authority.cert } });
  const client = new Client(target, { basePath: '', maxAnswerBytes: 100_000 });
  try {
    return { value: await (write ? client.send(createThing, { body }) : client.call(getThing)) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { error };
  } finally {
    await client.close();
  }
}

const visited = new Set<string>();

describe.each(Object.entries(FAULTS))('%s', (name, fault) => {
  it.for(POSITIONS)('%s', async (position, { task }) => {
    const isWithin = position === 'within the request body';
    // A read has no body.
    for (const write of isWithin ? [true] : [false, true]) {
      await using server = await peer(fault, position);
      const met = await outcome(server.url, write, isWithin ? LARGE : { a: 1 });
      const about = `${write ? 'a write' : 'a read'}: ${met.error?.code}: ${met.error?.message}`;
      expect(server.seen.reached, about).toBeGreaterThan(0);
      if (write) expect(server.seen.requests, about).toBeLessThanOrEqual(1);
      expectOutcome(met, fault, position, { write, requests: server.seen.requests, about });
      counted(task, 1);
    }
    visited.add(`${name} ${position}`);
  });
});

function expectOutcome(
  { value, error }: Outcome,
  fault: NetworkFault,
  position: Position,
  { write, requests, about }: { readonly write: boolean; readonly requests: number; readonly about: string },
): void {
  const isFirst = SENT_BEFORE[position] === undefined;
  // A response that begins at its own place is one, even where it comes too early.
  const status = isFirst ? fault.status : undefined;
  if (error === undefined) {
    expect({ status, value }, about).toEqual({ status: 200, value: { id: 2 } });
    return;
  }
  expect(error.code, about).not.toBe('internal');
  const isRefusal = status !== undefined && status >= 300 && status < 500;
  if (isRefusal && error.httpStatus === status) return;
  // Only where nothing was sent can nothing have changed. Who answers so speaks TLS, and has read no request.
  const isUnread = fault.isUnread === true && isFirst;
  const isUnchanged = isUnread || (requests === 0 && error.code !== 'outcome_unknown');
  expect(error.exit, about).toBe(write && !isUnchanged ? 8 : 7);
}

it('45 faults at 5 positions', () => {
  expect(Object.keys(FAULTS)).toHaveLength(45);
  expect(visited.size).toBe(45 * 5);
});
