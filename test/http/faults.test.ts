import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { Client, type ServiceRules } from '../../src/http/client.ts';
import type { Target } from '../../src/http/target.ts';
import { freePort } from '../support/ports.ts';
import { answer, type Fault, faultServer, stoppedServer } from '../support/servers.ts';
import { type TestTarget, targetFor } from '../support/targets.ts';
import { createThing, getThing, probe, touchThing } from './endpoints.ts';

async function failed(work: Promise<unknown>): Promise<SvcError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

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

/** Faults after the request was written: a write may have been applied. */
const SENT: Readonly<Record<string, Case>> = {
  'a reset before a response': {
    fault: reset,
    code: 'connection_lost',
    message: 'the connection broke before a response',
    sends: 4,
  },
  'a cut within the headers': {
    fault: write('HTTP/1.1 200 OK\r\nContent-Ty', 'end'),
    code: 'connection_lost',
    message: 'the connection broke',
    sends: 4,
  },
  'a cut within the body of a connection that was to close': {
    fault: write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 8\r\n\r\n{"id"', 'end'),
    code: 'connection_lost',
    message: 'the connection broke after 5 bytes of the response, of 8',
    sends: 4,
  },
  'a reset within the body': {
    fault: write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"id"', 'reset'),
    code: 'connection_lost',
    message: 'the connection broke after 5 bytes of the response',
    sends: 4,
  },
  'chunks without the last one': {
    fault: write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"id":1}\r\n', 'end'),
    code: 'connection_lost',
    message: 'the connection broke after 8 bytes of the response',
    sends: 4,
  },
  silence: { fault: () => {}, code: 'timeout', message: 'no response within 0.4 s', timeoutMs: 400 },
  'silence within the body': {
    fault: write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"id"'),
    code: 'timeout',
    message: 'the response was not complete within 0.4 s; 5 bytes arrived',
    timeoutMs: 400,
  },
  'a stalled body, long before the deadline': {
    fault: write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"id"'),
    code: 'timeout',
    message: 'the response stopped after 5 bytes',
    timeoutMs: 20_000,
    stallMs: 300,
  },
  'a body byte by byte': {
    fault: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n');
      const timer = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(timer));
    },
    code: 'timeout',
    message: /the response was not complete within 0.5 s; \d+ bytes arrived/,
    timeoutMs: 500,
  },
  garbage: {
    fault: write('\x00\x01garbage\r\n\r\n', 'end'),
    code: 'bad_answer',
    message: 'sent something that is not HTTP',
  },
  'a chunk size that is none': {
    fault: write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"id":1}\r\n0\r\n\r\n'),
    code: 'bad_answer',
    message: 'sent something that is not HTTP',
  },
  'huge headers': {
    fault: write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
    code: 'bad_answer',
    message: 'the headers of the response are too large',
  },
  'an interim answer without a final one': {
    fault: write('HTTP/1.1 100 Continue\r\n\r\n'),
    code: 'bad_answer',
    message: 'a response to no request arrived',
  },
  'a length above the limit': {
    fault: write('HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n'),
    code: 'answer_too_large',
    message: 'the response is larger than 100000 bytes',
  },
  'endless chunks': {
    fault: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    },
    code: 'answer_too_large',
    message: 'the response is larger than 100000 bytes',
  },
  'HTML with a success': {
    fault: write(answer(200, '<html><title>Sign in</title>', { 'content-type': 'text/html; charset=utf-8' })),
    code: 'bad_answer',
    message: 'it is an HTML page, "Sign in", perhaps from a proxy',
  },
  'another content type': {
    fault: write(answer(200, ok, { 'content-type': 'image/png' })),
    code: 'bad_answer',
    message: 'it is image/png, not JSON',
  },
  'a compressed answer': {
    fault: write(answer(200, ok, { 'content-encoding': 'gzip' })),
    code: 'bad_answer',
    message: 'it is compressed (gzip)',
  },
  'no content': { fault: write('HTTP/1.1 204 No Content\r\n\r\n'), code: 'bad_answer', message: 'it is empty' },
  'bytes that are no UTF-8': {
    fault: write(answer(200, '').replace('content-length: 0', 'content-length: 11') + '{"id":"\xff\xfe"'.padEnd(11)),
    code: 'bad_answer',
    message: 'it is not UTF-8',
  },
  'brackets without end': {
    fault: write(answer(200, `${'['.repeat(5_000)}${']'.repeat(5_000)}`)),
    code: 'bad_answer',
    message: 'it is nested more than 256 levels deep',
  },
  'a status below 100': {
    fault: write('HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n'),
    code: 'connection_lost',
    message: 'the connection broke',
    sends: 4,
  },
  'a status that does not exist': { fault: write(answer(999, '{}')), code: 'bad_answer', message: 'answered 999' },
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
      const read = await failed(withClient(reading.url, { timeoutMs }, (client) => client.call(getThing), stallMs));
      expect({ code: read.code, message: read.message, exit: read.exit }).toEqual({ code, message: text, exit: 7 });
      expect(read.message).toContain(`GET ${reading.url}/thing`);
      expect(reading.requests).toHaveLength(sends);

      await using writing = await faultServer(fault);
      const write = await failed(
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
    check(await failed(withClient(address, more, (client) => client.call(probe))));
    check(await failed(withClient(address, more, (client) => client.send(createThing, { body: {} }))));
  }

  test('a closed port is tried again by a read, and not by a write', async () => {
    const port = await freePort();
    await both(`http://127.0.0.1:${port}`, {}, (error) => {
      expect(error).toMatchObject({ code: 'connect_failed', exit: 7, retryable: true });
      expect(error.message).toMatch(/^nothing listens at 127\.0\.0\.1:\d+ \((GET|POST) http.*\)$/);
      expect(error.hint).toContain('the port');
    });
    await withClient(`http://localhost:${port}`, {}, async (client, target) => {
      await failed(client.send(createThing, { body: {} }));
      expect(target.slept).toEqual([]);
      expect((await failed(client.call(getThing))).message).toContain('nothing listens at localhost');
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
  test('and is closed by the server at that moment loses a write, which is not sent again', async () => {
    await using server = await faultServer((socket, _request, index) => {
      if (index === 1) socket.write(answer(200, ok));
      else socket.resetAndDestroy();
    });
    await withClient(server.url, {}, async (client) => {
      await client.call(getThing);
      await new Promise((resolve) => setTimeout(resolve, 30)); // lets the pool take the connection back
      const error = await failed(client.send(createThing, { body: {} }));
      expect(error.code).toBe('outcome_unknown');
    });
    expect(server.requests.map(({ method, connection }) => [method, connection])).toEqual([
      ['GET', 1],
      ['POST', 1],
    ]);
  });

  test('and was closed by the server meanwhile is not used', async () => {
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

  test('and is closed after every second response sends each of 300 writes at most once', async () => {
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
    await using server = await faultServer((socket, _request, index) => {
      if (index > 1) socket.write(answer(200, ok));
      else if (ms === 0) socket.write(answer(200, ok) + forged);
      else socket.write(answer(200, ok), () => setTimeout(() => socket.write(forged), ms));
    });
    await withClient(server.url, {}, async (client) => {
      expect(await client.call(getThing)).toEqual({ id: 1 });
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, 3 * ms));
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
