import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { Client, type ServiceRules } from '../../src/http/client.ts';
import type { Target } from '../../src/http/target.ts';
import { freePort } from '../support/ports.ts';
import { rejectionOf } from '../support/refusal.ts';
import { answer, endless, type Fault, faultServer, stoppedServer } from '../support/servers.ts';
import { type TestTarget, targetFor } from '../support/targets.ts';
import { createThing, getThing, listThings, probe, type Thing, touchThing } from './endpoints.ts';

const reset: Fault = (socket) => socket.resetAndDestroy();
const write =
  (text: string, then: 'keep' | 'end' | 'reset' = 'keep'): Fault =>
  (socket) => {
    socket.write(text, 'latin1', () => {
      if (then === 'end') socket.end();
      // The reset must not overtake the bytes.
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
  };

interface Case {
  readonly fault: Fault;
  /** Of a read. */
  readonly code: string;
  readonly message: string | RegExp;
  /** How often a read is sent. */
  readonly sends?: number;
  readonly timeoutMs?: number;
  /** The longest silence within the body, where it is not much longer than the deadline. */
  readonly stallMs?: number;
}

const ok = '{"id":1}';

const lost = (fault: Fault, message: string): Case => ({ fault, code: 'connection_lost', message, sends: 4 });
const late = (fault: Fault, message: string | RegExp): Case => ({ fault, code: 'timeout', message, timeoutMs: 1_000 });
const bad = (fault: Fault, message: string): Case => ({ fault, code: 'bad_answer', message });
const large = (fault: Fault): Case => ({
  ...{ fault, code: 'answer_too_large' },
  message: 'the response is larger than 100000 bytes',
});

const HALF = 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"id"';
const CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const byteByByte: Fault = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 50);
  socket.on('close', () => clearInterval(timer));
};

/** Faults after the request was written: a write may have been applied. */
const SENT: Readonly<Record<string, Case>> = {
  'a reset before a response': lost(reset, 'the connection broke before a response'),
  'a cut within the headers': lost(write('HTTP/1.1 200 OK\r\nContent-Ty', 'end'), 'the connection broke'),
  'a cut within the body of a connection that was to close': lost(
    write(HALF.replace('OK', 'OK\r\nConnection: close'), 'end'),
    'the connection broke after 5 bytes of the response, of 8',
  ),
  'a reset within the body': lost(write(HALF, 'reset'), 'the connection broke after 5 bytes of the response'),
  'chunks without the last one': lost(
    write(`${CHUNKS}8\r\n{"id":1}\r\n`, 'end'),
    'the connection broke after 8 bytes of the response',
  ),
  'chunks without the last one, of a connection that was to close': lost(
    write(`${CHUNKS.replace('OK', 'OK\r\nConnection: close')}8\r\n{"id":1}\r\n`, 'end'),
    'the connection broke after 8 bytes of the response',
  ),
  'a status below 100': lost(write('HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n'), 'the connection broke'),
  silence: late(() => {}, 'no response within 1 s'),
  'silence within the body': late(write(HALF), 'the response was not complete within 1 s; 5 bytes arrived'),
  'a body byte by byte': late(byteByByte, /the response was not complete within 1 s; \d+ bytes arrived/),
  'a stalled body, long before the deadline': {
    ...late(write(HALF), 'the response stopped after 5 bytes'),
    ...{ timeoutMs: 20_000, stallMs: 300 },
  },
  garbage: bad(write('\x00\x01garbage\r\n\r\n', 'end'), 'sent something that is not HTTP'),
  'a chunk size that is none': bad(write(`${CHUNKS}zz\r\n{"id":1}\r\n0\r\n\r\n`), 'sent something that is not HTTP'),
  'huge headers': bad(
    write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
    'the headers of the response are too large',
  ),
  'an interim answer without a final one': bad(
    write('HTTP/1.1 100 Continue\r\n\r\n'),
    'a response to no request arrived',
  ),
  'a status that does not exist': bad(write(answer(999, '{}')), 'answered 999'),
  'HTML with a success': bad(
    write(answer(200, '<html><title>Sign in</title>', { 'content-type': 'text/html; charset=utf-8' })),
    'it is an HTML page, "Sign in", perhaps from a proxy',
  ),
  'another content type': bad(write(answer(200, ok, { 'content-type': 'image/png' })), 'it is image/png, not JSON'),
  'a compressed answer': bad(write(answer(200, ok, { 'content-encoding': 'gzip' })), 'it is compressed (gzip)'),
  'no content': bad(write('HTTP/1.1 204 No Content\r\n\r\n'), 'it is empty'),
  'bytes that are no UTF-8': bad(
    write(answer(200, '').replace('content-length: 0', 'content-length: 11') + '{"id":"\xff\xfe"'.padEnd(11)),
    'it is not UTF-8',
  ),
  'brackets without end': bad(
    write(answer(200, `${'['.repeat(5_000)}${']'.repeat(5_000)}`)),
    'it is nested more than 256 levels deep',
  ),
  'a length above the limit': large(write('HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n')),
  'endless chunks': large(endless(CHUNKS, `4000\r\n${' '.repeat(0x4000)}\r\n`)),
};

const rules: ServiceRules = { basePath: '', maxAnswerBytes: 100_000 };

async function withClient<R>(
  address: string,
  more: Partial<Target>,
  use: (client: Client, target: TestTarget) => Promise<R>,
  stallMs = 60_000,
): Promise<R> {
  const target = targetFor(address, more);
  const client = new Client(target, { ...rules, stallMs });
  try {
    return await use(client, target);
  } finally {
    await client.close();
  }
}

describe('after a request was sent', () => {
  test.concurrent.each(Object.entries(SENT))(
    '%s fails a read, and leaves the outcome of a write unknown',
    async (_name, { fault, code, message, sends = 1, timeoutMs = 5_000, stallMs = 60_000 }) => {
      const text = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
      await using reading = await faultServer(fault);
      const read = await rejectionOf(
        withClient(reading.url, { timeoutMs }, (client) => client.call(getThing), stallMs),
      );
      expect({ code: read.code, message: read.message, exit: read.exit }).toEqual({ code, message: text, exit: 7 });
      expect(read.message).toContain(`GET ${reading.url}/thing`);
      expect(reading.requests).toHaveLength(sends);

      await using writing = await faultServer(fault);
      const write = await rejectionOf(
        withClient(writing.url, { timeoutMs }, (client) => client.send(createThing, { body: { a: 1 } }), stallMs),
      );
      expect({ code: write.code, message: write.message, exit: write.exit, retryable: write.retryable }).toEqual({
        ...{ code: 'outcome_unknown', message: text, exit: 8, retryable: false },
      });
      expect(write.hint).toContain('before you repeat it');
      expect(writing.requests).toHaveLength(1);
    },
  );
});

describe('before a request was sent', () => {
  async function both(address: string, more: Partial<Target>, check: (error: SvcError) => void): Promise<void> {
    check(await rejectionOf(withClient(address, more, (client) => client.call(probe))));
    check(await rejectionOf(withClient(address, more, (client) => client.send(createThing, { body: {} }))));
  }

  test('a closed port is tried again by a read, and not by a write', async () => {
    const port = await freePort();
    await both(`http://127.0.0.1:${port}`, {}, (error) => {
      expect(error).toMatchObject({ code: 'connect_failed', exit: 7, retryable: true });
      expect(error.message).toMatch(/^nothing listens at 127\.0\.0\.1:\d+ \((GET|POST) http.*\)$/);
      expect(error.hint).toContain('the port');
    });
    await withClient(`http://localhost:${port}`, {}, async (client, target) => {
      await rejectionOf(client.send(createThing, { body: {} }));
      expect(target.slept).toEqual([]);
      expect((await rejectionOf(client.call(getThing))).message).toContain('nothing listens at localhost');
      expect(target.slept).toEqual([125, 250, 500]);
    });
  });

  test('a host that does not exist is named', async () => {
    await both('http://no-such-host.invalid', {}, (error) =>
      expect(error).toMatchObject({
        ...{ code: 'dns_failed', exit: 7 },
        message: expect.stringContaining('no-such-host.invalid'),
      }),
    );
  });

  test.runIf(process.platform === 'linux')('a connection that is never accepted fails at the deadline', async () => {
    await using server = await stoppedServer();
    await both(server.url, { timeoutMs: 400 }, (error) => {
      expect(error).toMatchObject({
        code: 'timeout',
        exit: 7,
        message: expect.stringContaining('no connection within 0.4 s'),
      });
    });
  });

  test('an interruption prevents the connection', async () => {
    await using server = await faultServer(write(answer(200, ok)));
    const signal = AbortSignal.abort(new SvcError('interrupted', 'interrupted'));
    await both(server.url, { signal }, (error) =>
      expect(error).toMatchObject({ code: 'interrupted', exit: 130, message: 'interrupted' }),
    );
    expect(server.connections).toBe(0);
  });
});

describe('a connection that is used again', () => {
  test('that the server closes at that moment loses a write, which is not sent again', async () => {
    await using server = await faultServer((socket, _request, index) => {
      if (index === 1) socket.write(answer(200, ok));
      else socket.resetAndDestroy();
    });
    await withClient(server.url, {}, async (client) => {
      await client.call(getThing);
      await new Promise((resolve) => setTimeout(resolve, 30)); // lets the pool take the connection back
      const error = await rejectionOf(client.send(createThing, { body: {} }));
      expect(error.code).toBe('outcome_unknown');
    });
    expect(server.requests.map(({ method, connection }) => [method, connection])).toEqual([
      ['GET', 1],
      ['POST', 1],
    ]);
  });

  test('that the server closed meanwhile is not used', async () => {
    let closed: Promise<unknown> | undefined;
    await using server = await faultServer((socket) => {
      socket.write(answer(200, ok), () => {
        closed = once(socket, 'close');
        socket.end();
      });
    });
    await withClient(server.url, {}, async (client) => {
      await client.call(getThing);
      await closed;
      expect(await client.send(createThing, { body: {} })).toEqual({ id: 1 });
    });
    expect(server.requests.map(({ method, connection }) => [method, connection])).toEqual([
      ['GET', 1],
      ['POST', 2],
    ]);
  });

  test('that is closed after every second response sends each of 300 writes at most once', async () => {
    const perConnection = new Map<number, number>();
    await using server = await faultServer((socket, { connection }) => {
      const count = (perConnection.get(connection) ?? 0) + 1;
      perConnection.set(connection, count);
      if (count === 2) socket.end(answer(200, ok));
      else socket.write(answer(200, ok));
    });
    await withClient(server.url, { timeoutMs: 10_000 }, async (client) => {
      let next = 0;
      const outcomes: string[] = [];
      const worker = async (): Promise<void> => {
        while (next < 300) {
          const n = next++;
          outcomes.push(
            await client.send(createThing, { body: { n } }).then(
              () => 'done',
              (error: SvcError) => error.code,
            ),
          );
        }
      };
      await Promise.all(Array.from({ length: 32 }, worker));
      expect(outcomes).toHaveLength(300);
      expect(new Set(outcomes)).not.toContain('connection_lost');
    });
    const numbers = server.requests.map(({ body }) => (JSON.parse(body) as { n: number }).n);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(server.connections).toBeGreaterThan(50);
  });

  test.each([
    ['with the answer before', 0],
    ['some time after it', 30],
  ])('has no response %s for the next request', async (_when, ms) => {
    const forged = answer(200, '{"id":666}');
    let closed: Promise<unknown> | undefined;
    await using server = await faultServer((socket, _request, index) => {
      if (index === 1) closed = once(socket, 'close');
      if (index > 1) socket.write(answer(200, ok));
      else if (ms === 0) socket.write(answer(200, ok) + forged);
      else socket.write(answer(200, ok), () => setTimeout(() => socket.write(forged), ms));
    });
    await withClient(server.url, {}, async (client) => {
      expect(await client.call(getThing)).toEqual({ id: 1 });
      if (ms > 0) await closed;
      expect(await client.send(createThing, { body: {} })).toEqual({ id: 1 });
    });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test('is closed before the service closes it', async () => {
    await using server = await faultServer((socket) =>
      socket.write(answer(200, ok, { 'keep-alive': 'timeout=1, max=100' })),
    );
    await withClient(server.url, {}, async (client) => {
      await client.call(getThing);
      await client.send(createThing, { body: {} });
    });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

test('a request arrives byte for byte', async () => {
  await using server = await faultServer((socket) => socket.write(answer(200, ok)));
  const body = { a: 'ä€😀', b: 'x'.repeat(100_000) };
  await withClient(server.url, { headers: { 'x-name': '\xe9t\xe9' } }, async (client) => {
    await client.send(createThing, { body });
    await client.send(createThing, { body: { a: 1 } });
    await client.send(touchThing, {});
  });
  const [first, second, third] = server.requests;
  expect(JSON.parse(first?.body ?? '')).toEqual(body);
  expect(first?.headers).toMatchObject({
    host: server.url.slice('http://'.length),
    connection: 'keep-alive',
    'x-name': '\xe9t\xe9',
    'content-type': 'application/json',
  });
  expect(second?.body).toBe('{"a":1}');
  expect(third?.headers['content-length']).toBe('0');
});

test('a response may come in pieces of any size', async () => {
  const headers = { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'x-a': 'b', 'X-Long': 'v'.repeat(300) };
  const texts = [
    `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${answer(200, ok, headers)}`,
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"i\r\n5\r\nd":1}\r\n0\r\nX-Trailer: t\r\n\r\n',
  ];
  for (const text of texts) {
    for (const size of [1, 3, 50]) {
      const write = (socket: Socket, at: number): void => {
        socket.write(text.slice(at, at + size));
        if (at + size < text.length) globalThis.setImmediate(write, socket, at + size);
      };
      await using server = await faultServer((socket) => write(socket, 0));
      await withClient(server.url, {}, async (client) => {
        expect(await client.call(getThing)).toEqual({ id: 1 });
        expect(await client.send(createThing, { body: {} })).toEqual({ id: 1 });
      });
      expect(server.requests).toHaveLength(2);
    }
  }
});

describe('a list', () => {
  async function collect(items: AsyncIterable<Thing>): Promise<{ got: number; error: SvcError | undefined }> {
    let got = 0;
    try {
      for await (const _item of items) got++;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { got, error };
    }
    return { got, error: undefined };
  }

  test.each([
    [
      'a cut',
      'HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n[{"id":1},{"id":2},{',
      'end',
      2,
      'connection_lost',
      'after 20 bytes of the response',
    ],
    ['a missing end', answer(200, '[{"id":1},{"id":2}'), 'keep', 1, 'bad_answer', 'its end is missing'],
    [
      'a list of another shape',
      answer(200, '[{"id":"x"},{}]'),
      'keep',
      0,
      'wrong_shape',
      'item 1: id: expected a number',
    ],
    ['an object', answer(200, '{"id":1}'), 'keep', 0, 'wrong_shape', 'it is an object, not an array'],
    ['nothing', answer(200, ''), 'keep', 0, 'bad_answer', 'it is empty'],
  ] as const)('%s fails after the received items', async (_name, text, then, count, code, message) => {
    await using server = await faultServer(write(text, then));
    await withClient(server.url, {}, async (client) => {
      const { got, error } = await collect(client.items(listThings));
      expect({ got, code: error?.code }).toEqual({ got: count, code });
      expect(error?.message).toContain(message);
      expect((await rejectionOf(client.call(listThings))).code).toBe(code);
    });
  });
});

test('a long raw response is streamed, and fails at a broken end', async () => {
  const big = `[${Array.from({ length: 70_000 }, (_, id) => `{"id":${id},"text":"${'x'.repeat(70)}"}`).join(',')}]`;
  const read = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => text(Readable.from(bytes));
  await using server = await faultServer((socket, _request, index) => {
    if (index === 1) socket.write(answer(200, big));
    else if (index === 2) socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${big.length}\r\n\r\n${big.slice(0, -500)}`);
    else socket.write(answer(200, index === 3 ? big.slice(0, -2) : `{"a":${big}}`));
  });
  const client = new Client(targetFor(server.url), { basePath: '' });
  expect(await read(await client.raw(listThings))).toBe(big);
  expect((await rejectionOf(client.raw(listThings).then(read))).code).toBe('connection_lost');
  expect((await rejectionOf(client.raw(listThings).then(read))).message).toContain('its end is missing');
  expect((await rejectionOf(client.raw(listThings))).message).toContain('it is an object, not an array');
  await client.close();
});

test('a response may have any form that HTTP and JSON allow', async () => {
  for (const [text, then] of [
    ['HTTP/1.0 200 OK\r\n\r\n{"id":1}', 'end'],
    [answer(200, ok, { 'content-type': 'text/plain' }), 'keep'],
    [answer(200, ok, { 'content-type': 'application/problem+json; charset=utf-8' }), 'keep'],
    [answer(200, `\ufeff${ok}`), 'keep'],
    [answer(200, ok, { 'content-encoding': 'identity' }), 'keep'],
  ] as const) {
    await using server = await faultServer((socket) => {
      socket.write(text);
      if (then === 'end') socket.end();
    });
    await withClient(server.url, {}, async (client) => expect(await client.call(getThing)).toEqual({ id: 1 }));
  }
});
