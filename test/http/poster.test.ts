import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { openPoster, type Posted, type Poster, type Posting, planPosts } from '../../src/http/poster.ts';
import type { Outbound } from '../../src/http/target.ts';
import {
  answer,
  endless,
  type Fault,
  type FaultOptions,
  type FaultServer,
  faultServer,
  stoppedServer,
} from '../support/servers.ts';
import { outbound } from '../support/targets.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function poster(more: Partial<Outbound> = {}): Poster {
  const opened = openPoster(outbound(more));
  closing.push(() => opened.close());
  return opened;
}

async function server(fault: Fault, options?: FaultOptions): Promise<FaultServer> {
  const opened = await faultServer(fault, options);
  closing.push(() => opened.close());
  return opened;
}

function posting(url: string, more: Partial<Posting> = {}): Posting {
  return { url: new URL(url), headers: [], body: Buffer.from('{}'), timeoutMs: 5_000, ...more };
}

/** A server that keeps every byte it gets, and answers each head at once. */
async function tap(text: string): Promise<FaultServer & { readonly bytes: () => Buffer }> {
  const chunks: Buffer[] = [];
  const opened = await server((socket) => socket.write(text), {
    onConnect: (socket) => socket.on('data', (chunk: Buffer) => chunks.push(chunk)),
  });
  return Object.assign(opened, { bytes: () => Buffer.concat(chunks) });
}

/** A server that does not wait for the body: `early` is called with the head. */
async function impatient(early: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const opened = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => early(socket));
  });
  opened.listen(0, '127.0.0.1');
  await once(opened, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    opened.close();
    await once(opened, 'close');
  });
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}/`;
}

function failureOf({ status, failure }: Posted): string {
  expect(status).toBeUndefined();
  expect(failure).toBeInstanceOf(SvcError);
  return `${failure?.code}: ${failure?.message}`;
}

const textOf = ({ text }: Posted): string => Buffer.from(text).toString();

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('a post', () => {
  test('has its body exactly, of any length', async () => {
    for (const length of [0, 1, 16 * 1024, 16 * 1024 + 1, 3_000_000]) {
      const body = randomBytes(length);
      const peer = await tap(NO_CONTENT);
      const posted = await poster().post(posting(`${peer.url}/hook?a=1&b=%20`, { body }));
      expect(posted).toMatchObject({ status: 204, failure: undefined });
      const bytes = peer.bytes();
      const end = bytes.indexOf('\r\n\r\n') + 4;
      expect(bytes.subarray(end).equals(body)).toBe(true);
      const lines = bytes.toString('latin1', 0, end).split('\r\n');
      expect(lines[0]).toBe('POST /hook?a=1&b=%20 HTTP/1.1');
      expect(lines.filter((line) => /^(?:content-length|transfer-encoding):/i.test(line))).toEqual([
        `content-length: ${length}`,
      ]);
    }
  });

  test('has the headers in order and case, with duplicates, and otherwise only connection headers', async () => {
    const peer = await tap(NO_CONTENT);
    await poster().post(
      posting(peer.url, {
        headers: [
          ['X-Service-Timestamp', '1'],
          ['content-TYPE', 'application/json'],
          ['X-B', 'two'],
          ['Host', 'elsewhere.example'],
          ['X-A', 'caf\xe9'],
          ['Transfer-Encoding', 'chunked'],
          ['Content-Length', '99'],
          ['X-B', 'one'],
          ['X-Empty', ''],
        ],
      }),
    );
    const lines = peer.bytes().toString('latin1').split('\r\n\r\n')[0]?.split('\r\n').slice(1);
    expect(lines).toEqual([
      `host: 127.0.0.1:${peer.port}`,
      'connection: keep-alive',
      'X-Service-Timestamp: 1',
      'content-TYPE: application/json',
      'X-B: two',
      'X-A: caf\xe9',
      'X-B: one',
      'X-Empty: ',
      'content-length: 2',
    ]);
  });

  test('with a header that HTTP cannot carry is refused', async () => {
    const peer = await tap(NO_CONTENT);
    for (const header of [
      ['X-A', 'a\r\nX-B: b'],
      ['X-A', '\u2603'],
      ['X A', 'b'],
      ['', 'b'],
    ] as const) {
      const posted = await poster().post(posting(peer.url, { headers: [header] }));
      expect(failureOf(posted)).toMatch(/^invalid_value: the header ".*" cannot be sent/);
    }
    expect(peer.connections).toBe(0);
  });

  test('is planned with its headers joined in a dry run, and never sent', async () => {
    const peer = await tap(NO_CONTENT);
    const body = Buffer.from([0xff, 0x00, 0x27, 0x0a]);
    const dry = posting(`${peer.url}/hook?a=1`, {
      body,
      headers: [
        ['X-Service-Timestamp', '1'],
        ['X-service-timestamp', '2'],
        ['X-Service-Signature', 'sha256=00'],
      ],
    });
    await expect(poster({ dryRun: true }).post(dry)).rejects.toMatchObject({ code: 'internal' });
    expect(peer.connections).toBe(0);
    expect(planPosts([dry]).requests).toEqual([
      {
        method: 'POST',
        url: `${peer.url}/hook?a=1`,
        headers: { 'X-Service-Timestamp': '1, 2', 'X-Service-Signature': 'sha256=00' },
        body,
        encoding: 'bytes',
        effect: 'write',
      },
    ]);
  });
});

describe('the response to a post', () => {
  test('of a redirect or an error is neither followed nor repeated', async () => {
    const other = await tap(NO_CONTENT);
    const peer = await server((socket, _request, index) =>
      socket.write(
        index === 1 ? answer(307, 'there', { location: other.url }) : answer(503, '', { 'retry-after': '0' }),
      ),
    );
    const post = poster();
    const moved = await post.post(posting(peer.url));
    expect([moved.status, moved.headers['location'], textOf(moved)]).toEqual([307, other.url, 'there']);
    expect((await post.post(posting(peer.url))).status).toBe(503);
    expect([peer.requests.length, other.connections]).toEqual([2, 0]);
  });

  test('is cut off after 64 KiB; a shorter one leaves its connection usable', async () => {
    const peer = await server((socket) => socket.write(answer(200, 'a'.repeat(5000))));
    const post = poster();
    expect(textOf(await post.post(posting(peer.url)))).toBe('a'.repeat(5000));
    for (let more = 0; more < 4; more++) await post.post(posting(peer.url));
    expect(peer.connections).toBeLessThanOrEqual(2);
    const large = await server(endless('HTTP/1.1 200 OK\r\n\r\n', 'b'.repeat(65_536)));
    const cut = await poster().post(posting(large.url));
    expect([cut.status, textOf(cut)]).toEqual([200, 'b'.repeat(65_536)]);
  });

  test.each<[string, Fault, string]>([
    ['breaks off', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'), 'part'],
    ['falls silent', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'), 'part'],
    [
      'follows an interim one',
      (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n${answer(200, 'all')}`),
      'all',
    ],
  ])('counts even if it %s', async (_what, fault, text) => {
    const peer = await server(fault);
    const posted = await poster().post(posting(peer.url, { timeoutMs: 2_000 }));
    expect(posted).toMatchObject({ status: 200, failure: undefined });
    expect(textOf(posted)).toBe(text);
  });

  test('may come before the body is sent; its connection is not used again', async () => {
    let connections = 0;
    const url = await impatient((socket) => {
      connections++;
      socket.pause();
      if (connections > 2) socket.end(answer(413, 'too large', { connection: 'close' }), () => socket.destroy());
      else socket.write(answer(413, 'too large'));
    });
    const post = poster();
    for (let round = 1; round <= 4; round++) {
      const posted = await post.post(posting(url, { body: Buffer.alloc(8_000_000) }));
      expect([posted.failure, posted.status, textOf(posted)]).toEqual([undefined, 413, 'too large']);
      expect(connections).toBe(round);
    }
  });
});

describe('a post without a response', () => {
  test('says that nothing listens, or that no connection came about', async () => {
    const peer = await faultServer(() => {});
    await peer.close();
    const refused = await poster().post(posting(peer.url));
    expect(failureOf(refused)).toBe(`connect_failed: nothing listens at 127.0.0.1:${peer.port}`);
    const unknown = await poster().post(posting('http://nowhere.invalid/'));
    expect(failureOf(unknown)).toMatch(/^dns_failed: .* nowhere\.invalid$/);
    const invalid = await poster({ proxy: { http: 'socks4://127.0.0.1:1' } }).post(posting('http://service.test/'));
    expect(failureOf(invalid)).toMatch(/^config_invalid: /);
    const proxy = await server((socket) => socket.write('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'));
    const behind = await poster({ proxy: { https: proxy.url } }).post(posting('https://service.test/'));
    expect(failureOf(behind)).toBe(`proxy_failed: the proxy 127.0.0.1:${proxy.port} answered 407`);
    await using stopped = await stoppedServer();
    const late = await poster().post(posting(stopped.url, { timeoutMs: 200 }));
    expect(failureOf(late)).toBe('timeout: no connection within 0.2 s');
  });

  test.each<[string, Fault, string]>([
    ['silence', () => {}, 'timeout: no response within 1 s'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection_lost: the connection broke before a response'],
    [
      'no HTTP',
      (socket) => socket.write('SSH-2.0-x\r\n\r\n'),
      'bad_answer: 127.0.0.1:PORT sent something that is not HTTP',
    ],
  ])('names %s, and is sent once', async (_what, fault, failure) => {
    for (const length of [10, 3_000_000]) {
      const peer = await server(fault);
      const silent = failure.startsWith('timeout');
      const body = Buffer.alloc(length, 'x');
      const posted = await poster().post(posting(peer.url, { body, timeoutMs: silent ? 1_000 : 20_000 }));
      expect(failureOf(posted)).toBe(failure.replace('PORT', String(peer.port)));
      expect(peer.connections).toBe(1);
      if (!silent) expect(peer.requests).toHaveLength(1);
    }
  });
});

test('closing ends posts in flight', async () => {
  const post = poster();
  const peer = await server(() => void post.close());
  const pending = post.post(posting(peer.url, { timeoutMs: 60_000 }));
  expect(failureOf(await pending)).toBe('connection_lost: the connection was abandoned');
});
