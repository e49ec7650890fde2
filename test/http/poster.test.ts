import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { asCurl } from '../../src/cli/dry-run.ts';
import { SvcError } from '../../src/errors.ts';
import type { RequestValue } from '../../src/http/endpoint.ts';
import { openPoster, type Posted, type Poster, type Posting, planPosts } from '../../src/http/poster.ts';
import type { Outbound, TraceEvent } from '../../src/http/target.ts';
import { fileAuthority } from '../support/certificates.ts';
import {
  answer,
  type Fault,
  type FaultOptions,
  type FaultServer,
  faultServer,
  stoppedServer,
} from '../support/servers.ts';
import { outbound } from '../support/targets.ts';

const { authority, pair } = fileAuthority('IP:127.0.0.1');

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

function signalled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
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

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('the request', () => {
  test.each([0, 1, 16 * 1024, 16 * 1024 + 1, 3_000_000])('a body of %i bytes, exactly', async (length) => {
    const body = randomBytes(length);
    const peer = await tap(NO_CONTENT);
    const posted = await poster().post(posting(`${peer.url}/hook?a=1&b=%20`, { body }));
    expect(posted).toMatchObject({ status: 204, failure: undefined });
    const bytes = peer.bytes();
    const end = bytes.indexOf('\r\n\r\n') + 4;
    expect(bytes.subarray(end).equals(body)).toBe(true);
    const head = bytes.toString('latin1', 0, end).split('\r\n');
    expect(head[0]).toBe('POST /hook?a=1&b=%20 HTTP/1.1');
    expect(head.filter((line) => /^content-length:/i.test(line))).toEqual([`content-length: ${length}`]);
    expect(head.filter((line) => /^transfer-encoding:/i.test(line))).toEqual([]);
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

  test.each([
    ['a line break in a value', 'X-A', 'a\r\nX-B: b'],
    ['a character beyond Latin 1', 'X-A', '\u2603'],
    ['a blank in a name', 'X A', 'b'],
    ['no name', '', 'b'],
  ])('refuses a header that HTTP cannot carry: %s', async (_what, name, value) => {
    const peer = await tap(NO_CONTENT);
    const posted = await poster().post(posting(peer.url, { headers: [[name, value]] }));
    expect(failureOf(posted)).toMatch(/^invalid_value: the header ".*" cannot be sent/);
    expect(peer.connections).toBe(0);
  });

  test('posts to one origin share connections, other origins have their own', async () => {
    const one = await tap(NO_CONTENT);
    const other = await tap(NO_CONTENT);
    const post = poster();
    for (const path of ['/a', '/b', '/c', '/d']) await post.post(posting(one.url + path));
    await post.post(posting(`${other.url}/e`));
    expect(one.requests.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d']);
    // Two: undici frees a connection only after it has reported the response.
    expect(one.connections).toBeLessThanOrEqual(2);
    expect(other.requests.map(({ path }) => path)).toEqual(['/e']);
  });

  test('plain http through a proxy has the absolute address and the same bytes', async () => {
    const proxy = await tap(NO_CONTENT);
    const post = poster({ proxy: { http: `http://u:p@127.0.0.1:${proxy.port}` } });
    const posted = await post.post(posting('http://service.test/hook', { headers: [['X-A', 'b']] }));
    expect(posted.status).toBe(204);
    const head = proxy.bytes().toString('latin1');
    expect(head).toMatch(/^POST http:\/\/service\.test\/hook HTTP\/1\.1\r\n/);
    expect(head).toContain('\r\nX-A: b\r\n');
    expect(head.match(/^host: .*$/gim)).toEqual(['host: service.test']);
    expect(head).toContain('proxy-authorization: Basic dTpw');
  });
});

describe('the response', () => {
  test('a redirect is not followed', async () => {
    const other = await tap(NO_CONTENT);
    const peer = await server((socket) => socket.write(answer(307, 'there', { location: other.url })));
    const posted = await poster().post(posting(peer.url));
    expect(posted.status).toBe(307);
    expect(posted.headers['location']).toBe(other.url);
    expect(Buffer.from(posted.text).toString()).toBe('there');
    expect(other.connections).toBe(0);
  });

  test('a 503 is not repeated', async () => {
    const peer = await server((socket) => socket.write(answer(503, 'busy', { 'retry-after': '0' })));
    expect((await poster().post(posting(peer.url))).status).toBe(503);
    expect(peer.requests).toHaveLength(1);
  });

  test('keeps the first 4 KiB, and reuses a connection whose response is not much longer', async () => {
    const peer = await server((socket) => socket.write(answer(200, 'a'.repeat(5000))));
    const post = poster();
    const { text } = await post.post(posting(peer.url));
    expect(Buffer.from(text).toString()).toBe('a'.repeat(4096));
    for (let more = 0; more < 4; more++) await post.post(posting(peer.url));
    expect(peer.connections).toBeLessThanOrEqual(2);
  });

  test('truncates an endless response', async () => {
    const peer = await server((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const fill = (): void => {
        while (!socket.destroyed && socket.write('b'.repeat(65536)));
      };
      socket.on('drain', fill);
      fill();
    });
    const { status, text } = await poster().post(posting(peer.url));
    expect(status).toBe(200);
    expect(Buffer.from(text).toString()).toBe('b'.repeat(4096));
  });

  test.each<[string, Fault, string]>([
    ['breaks', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'), 'part'],
    ['falls silent', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'), 'part'],
    [
      'comes after an interim one',
      (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n${answer(200, 'all')}`),
      'all',
    ],
  ])('accepts a response that %s', async (_what, fault, text) => {
    const peer = await server(fault);
    const posted = await poster().post(posting(peer.url, { timeoutMs: 300 }));
    expect(posted).toMatchObject({ status: 200, failure: undefined });
    expect(Buffer.from(posted.text).toString()).toBe(text);
    expect(posted.ms).toBeLessThan(300);
  });

  test('accepts a response before the body is sent, and does not reuse that connection', async () => {
    const url = await impatient((socket) => {
      socket.pause();
      socket.end(answer(413, 'too large', { connection: 'close' }), () => socket.destroy());
    });
    const post = poster();
    for (let round = 0; round < 20; round++) {
      const posted = await post.post(posting(url, { body: Buffer.alloc(8_000_000) }));
      expect(posted.failure).toBeUndefined();
      expect(posted.status).toBe(413);
      expect(Buffer.from(posted.text).toString()).toBe('too large');
    }
  });

  test('an early response with keep-alive', async () => {
    let connections = 0;
    const url = await impatient((socket) => {
      connections++;
      socket.pause();
      socket.write(answer(413, ''));
    });
    const post = poster();
    const body = Buffer.alloc(8_000_000);
    expect((await post.post(posting(url, { body }))).status).toBe(413);
    expect((await post.post(posting(url, { body }))).status).toBe(413);
    expect(connections).toBe(2);
  });
});

describe.each([
  ['a small body', 10],
  ['a large body', 3_000_000],
])('no response, %s', (_what, length) => {
  const body = Buffer.alloc(length, 'x');

  test('nothing listens', async () => {
    const peer = await faultServer(() => {});
    await peer.close();
    const posted = await poster().post(posting(peer.url, { body }));
    expect(failureOf(posted)).toBe(`connect_failed: nothing listens at 127.0.0.1:${peer.port}`);
  });

  test('the host does not exist', async () => {
    const posted = await poster().post(posting('http://nowhere.invalid/', { body }));
    expect(failureOf(posted)).toMatch(/^dns_failed: .* nowhere\.invalid$/);
  });

  test('the connection is never accepted', async () => {
    await using peer = await stoppedServer();
    const posted = await poster().post(posting(peer.url, { body, timeoutMs: 200 }));
    expect(failureOf(posted)).toBe('timeout: no connection within 0.2 s');
    expect(posted.ms).toBeGreaterThanOrEqual(190);
  });

  test.each<[string, Fault, string]>([
    ['silence', () => {}, 'timeout: no response within 0.3 s'],
    [
      'silence within the head',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nX: '),
      'timeout: no response within 0.3 s',
    ],
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection_lost: the connection broke before a response'],
    ['an end', (socket) => socket.end(), 'connection_lost: the connection broke before a response'],
    [
      'no HTTP',
      (socket) => socket.write('SSH-2.0-x\r\n\r\n'),
      'bad_answer: 127.0.0.1:PORT sent something that is not HTTP',
    ],
  ])('%s', async (_what, fault, failure) => {
    const peer = await server(fault);
    const silent = failure.startsWith('timeout');
    const posted = await poster().post(posting(peer.url, { body, timeoutMs: silent ? 300 : 20_000 }));
    expect(failureOf(posted)).toBe(failure.replace('PORT', String(peer.port)));
    expect(peer.connections).toBe(1);
    if (!silent) expect(peer.requests).toHaveLength(1);
  });

  test('a reset during the body', async () => {
    const url = await impatient((socket) => socket.resetAndDestroy());
    const posted = await poster().post(posting(url, { body }));
    expect(failureOf(posted)).toBe('connection_lost: the connection broke before a response');
  });

  test('fails with an untrusted certificate, and posts with a trusted or unchecked one', async () => {
    const peer = await server((socket) => socket.write(NO_CONTENT), { tls: pair });
    const posted = await poster().post(posting(peer.url, { body }));
    expect(failureOf(posted)).toMatch(/^tls_failed: the certificate of 127\.0\.0\.1:\d+ comes from an authority/);
    expect(peer.requests).toHaveLength(0);
    for (const tls of [{ insecure: true }, { insecure: false, ca: authority.cert }]) {
      expect((await poster({ tls }).post(posting(peer.url, { body }))).status).toBe(204);
    }
    expect(peer.requests.map((request) => request.body.length)).toEqual([length, length]);
  });

  test('TLS to a plain port, and plain http to a TLS port', async () => {
    const plain = await server((socket) => socket.write(NO_CONTENT));
    const posted = await poster().post(posting(plain.url.replace('http', 'https'), { body, timeoutMs: 1000 }));
    expect(posted.failure?.exit).toBe(7);
    const tls = await server((socket) => socket.write(NO_CONTENT), { tls: pair });
    const other = await poster().post(posting(tls.url.replace('https', 'http'), { body }));
    expect(other.failure?.exit).toBe(7);
  });

  test('a proxy that refuses', async () => {
    const proxy = await server((socket) => socket.write('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'));
    const post = poster({ proxy: { https: proxy.url } });
    const posted = await post.post(posting('https://service.test/', { body }));
    expect(failureOf(posted)).toBe(`proxy_failed: the proxy 127.0.0.1:${proxy.port} answered 407`);
  });
});

test('a failed post does not affect the next one', async () => {
  const peer = await server((socket, _request, index) =>
    index === 1 ? socket.resetAndDestroy() : socket.write(answer(200, '')),
  );
  const post = poster();
  expect((await post.post(posting(peer.url))).failure?.code).toBe('connection_lost');
  expect((await post.post(posting(peer.url))).status).toBe(200);
});

test('an invalid proxy setting is a failure, too', async () => {
  const posted = await poster({ proxy: { http: 'socks4://127.0.0.1:1' } }).post(posting('http://service.test/'));
  expect(failureOf(posted)).toMatch(/^config_invalid: /);
});

describe('an interruption', () => {
  const interruption = new SvcError('interrupted', 'interrupted');

  test.each<[string, Fault]>([
    ['before the answer', () => {}],
    ['within the answer', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart')],
  ])('%s rejects at once', async (_what, fault) => {
    const stopped = new AbortController();
    const arrived = signalled();
    const peer = await server((socket, request, index) => {
      fault(socket, request, index);
      setImmediate(arrived.resolve);
    });
    const post = poster({ signal: stopped.signal });
    const pending = post.post(posting(peer.url, { timeoutMs: 60_000 }));
    await arrived.promise;
    stopped.abort(interruption);
    await expect(pending).rejects.toBe(interruption);
    await expect(post.post(posting(peer.url))).rejects.toBe(interruption);
  });

  test('while it connects', async () => {
    await using peer = await stoppedServer();
    const stopped = new AbortController();
    const pending = poster({ signal: stopped.signal }).post(posting(peer.url, { timeoutMs: 60_000 }));
    setImmediate(() => stopped.abort(interruption));
    await expect(pending).rejects.toBe(interruption);
  });

  test('during the body', async () => {
    const stopped = new AbortController();
    const url = await impatient((socket) => {
      socket.pause();
      stopped.abort(interruption);
    });
    const pending = poster({ signal: stopped.signal }).post(
      posting(url, { body: Buffer.alloc(8_000_000), timeoutMs: 60_000 }),
    );
    await expect(pending).rejects.toBe(interruption);
  });
});

test('closing ends requests in flight', async () => {
  const arrived = signalled();
  const peer = await server(() => arrived.resolve());
  const post = poster();
  const pending = post.post(posting(peer.url, { timeoutMs: 60_000 }));
  await arrived.promise;
  await post.close();
  expect(failureOf(await pending)).toBe('connection_lost: the connection was abandoned');
});

describe('a dry run', () => {
  const BODIES: Readonly<Record<string, Buffer>> = {
    'JSON with blanks': Buffer.from(' {"a" : 1}\r\n\n'),
    nothing: Buffer.alloc(0),
    'a NUL': Buffer.from('a\0b'),
    'no UTF-8': Buffer.from([0xff, 0xfe, 0x27, 0x5c, 0x0a]),
    'a file name': Buffer.from('@/etc/hosts'),
    'a large one': Buffer.from('x'.repeat(300_000)),
  };

  test.each(Object.entries(BODIES))('sends nothing, and its curl line sends the same: %s', async (_what, body) => {
    const peer = await tap(answer(200, '', { connection: 'close' }));
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
    const [request] = planPosts([dry]).requests;
    expect(request).toEqual({
      method: 'POST',
      url: `${peer.url}/hook?a=1`,
      headers: { 'X-Service-Timestamp': '1, 2', 'X-Service-Signature': 'sha256=00' },
      body,
      encoding: 'bytes',
      effect: 'write',
    });
    const line = asCurl(request as RequestValue, new Set());
    const shell = promisify(execFile)('bash', ['--norc'], { env: { PATH: process.env['PATH'] } });
    shell.child.stdin?.end(line.replace('curl', 'curl -H expect:'));
    await shell;
    const bytes = peer.bytes();
    const end = bytes.indexOf('\r\n\r\n') + 4;
    expect(bytes.subarray(end).equals(body)).toBe(true);
    expect(bytes.toString('latin1', 0, end)).toContain('\r\nX-Service-Timestamp: 1, 2\r\n');
    expect(bytes.toString('latin1', 0, end).toLowerCase()).not.toContain('content-type');
  });
});

describe('the observer', () => {
  test('gets each post with its response or failure', async () => {
    const { url } = await server((socket) => socket.write(answer(302, '')));
    const events: TraceEvent[] = [];
    const traced = poster({ log: { level: 1, trace: (event) => events.push(event), warn: () => {} } });
    await traced.post(posting(`${url}/hook`));
    await traced.post(posting('http://127.0.0.1:1/'));
    expect(events).toMatchObject([
      { kind: 'answer', method: 'POST', url: `${url}/hook`, status: 302 },
      { kind: 'failure', method: 'POST', url: 'http://127.0.0.1:1/' },
    ]);
  });

  test('gets the bodies, too, on request', async () => {
    const { url } = await server((socket) => socket.write(answer(200, '"thanks"')));
    const events: TraceEvent[] = [];
    const traced = poster({ log: { level: 2, trace: (event) => events.push(event), warn: () => {} } });
    await traced.post(posting(url, { body: Buffer.from('{"n":1}') }));
    const kinds = Object.fromEntries(events.map((event) => [event.kind, event]));
    expect(kinds).toMatchObject({
      'request-detail': { body: '{"n":1}' },
      answer: { status: 200 },
      'answer-detail': { status: 200, body: '"thanks"' },
    });
  });
});
