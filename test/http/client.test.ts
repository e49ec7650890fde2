import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { Client, type ServiceRules } from '../../src/http/client.ts';
import { answered, Plan } from '../../src/http/endpoint.ts';
import type { Authorizer } from '../../src/http/target.ts';
import { answer, faultServer, stoppedServer } from '../support/servers.ts';
import { CONFIRMED, targetFor } from '../support/targets.ts';
import { createThing, deleteThing, getThing, listThings, probe, touchThing } from './endpoints.ts';

const ok = '{"id":1}';

async function failed(work: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SvcError) return error;
  throw error ?? new Error('it did not fail');
}

/** A server that gives one answer after the other, the last one for ever. */
async function answering(...answers: string[]) {
  return faultServer((socket, _request, index) => socket.write(answers[Math.min(index, answers.length) - 1] ?? ''));
}

function authorizer(origin: string, tokens: string[]): Authorizer & { readonly refreshes: number } {
  let used = 0;
  return {
    origin,
    header: async () => ({ authorization: `Bearer ${tokens[used]}` }),
    refresh: async () => ++used < tokens.length,
    get refreshes() {
      return used;
    },
  };
}

const rules: ServiceRules = { basePath: '/v1' };

describe('statuses', () => {
  test.each([
    [400, 'refused', 3, 'refused', 3],
    [401, 'unauthorized', 4, 'unauthorized', 4],
    [403, 'forbidden', 4, 'forbidden', 4],
    [404, 'not_found', 5, 'not_found', 5],
    [405, 'refused', 3, 'refused', 3],
    [407, 'proxy_failed', 7, 'proxy_failed', 7],
    [408, 'timeout', 7, 'outcome_unknown', 8],
    [409, 'refused', 3, 'refused', 3],
    [410, 'refused', 3, 'refused', 3],
    [413, 'refused', 3, 'refused', 3],
    [415, 'refused', 3, 'refused', 3],
    [422, 'refused', 3, 'refused', 3],
    [429, 'limited', 6, 'limited', 6],
    [431, 'refused', 3, 'refused', 3],
    [500, 'server_error', 7, 'outcome_unknown', 8],
    [502, 'server_error', 7, 'outcome_unknown', 8],
    [503, 'server_error', 7, 'outcome_unknown', 8],
  ])('%i: a read is %s (%i), a write %s (%i)', async (status, read, readExit, write, writeExit) => {
    await using server = await answering(answer(status, '{"message":"because"}'));
    const client = new Client(targetFor(server.url), rules);
    const one = await failed(client.call(probe));
    expect(one).toMatchObject({ code: read, exit: readExit, httpStatus: status });
    expect(one.message).toBe(`the service answered ${status}: because (GET ${server.url}/v1/thing)`);
    const other = await failed(client.send(createThing, { body: {} }));
    expect(other).toMatchObject({ code: write, exit: writeExit, httpStatus: status });
    expect(other.message).toMatch(
      new RegExp(`^the service answered ${status}: because.* \\(POST ${server.url}/v1/things\\)$`),
    );
    expect(server.requests).toHaveLength(2);
    await client.close();
  });

  test.each([301, 302, 303, 307, 308])('does not follow %i', async (status) => {
    await using other = await answering(answer(200, ok));
    await using server = await answering(
      answer(status, '<html>moved', {
        location: `${other.url}/v1/thing?access_token=hunter22`,
        'content-type': 'text/html',
      }),
    );
    const client = new Client(targetFor(server.url, { authorizer: authorizer(server.url, ['t']) }), rules);
    const read = { code: 'redirected', exit: 3, httpStatus: status };
    // A 303 is the usual answer of a web application to a POST that succeeded.
    const write = { code: 'outcome_unknown', exit: 8, sent: 'yes', httpStatus: status };
    for (const [work, expected] of [
      [client.call(getThing), read],
      [client.send(createThing, { body: {} }), write],
    ] as const) {
      const error = await failed(work);
      expect(error).toMatchObject(expected);
      expect(error.message).toContain(`it redirects to ${other.url}/v1/thing?access_token=***`);
      expect(error.hint).not.toContain(other.url);
    }
    expect([server.requests.length, other.connections]).toEqual([2, 0]);
    await client.close();
  });

  test('a redirect without a target is a bad answer, and says nothing of a write', async () => {
    await using server = await answering('HTTP/1.1 304 Not Modified\r\n\r\n');
    const client = new Client(targetFor(server.url), rules);
    expect(await failed(client.call(getThing))).toMatchObject({ code: 'bad_answer', httpStatus: 304 });
    const write = await failed(client.send(createThing, { body: {} }));
    expect(write).toMatchObject({ code: 'outcome_unknown', exit: 8, sent: 'yes', httpStatus: 304 });
    expect(write.message).toContain('answered 304, which does not fit this request; it may have been applied (POST ');
    await client.close();
  });

  test.each([
    ['application/json', '"silence not found"\n', ': silence not found'],
    ['application/json', '{"code":601,"message":"in body"}', ': in body'],
    ['application/json', '{"error":{"code":"quota","message":"too many"}}', ': too many'],
    ['application/json', '{"error":"invalid_grant","error_description":"it expired"}', ': invalid_grant: it expired'],
    ['application/json', '{"error":"invalid_grant"}', ': invalid_grant'],
    ['application/problem+json', '{"detail":"not so"}', ': not so'],
    ['text/plain', '404 page not found\n', ': 404 page not found'],
    ['text/html', '<!doctype html><title> Bad\n Gateway </title><p>x', ': an HTML page, "Bad\n Gateway"'],
    ['text/html', '<p>x', ': an HTML page'],
    ['', '', ''],
    ['application/json', '{"a":1}', ': {"a":1}'],
    ['application/json', '{"message":', ': {"message":'],
    ['application/json', '{"message":"\\u001b[2J"}', ': \u001b[2J'],
    ['text/plain', `a Bearer hunter2222 b`, ': a Bearer *** b'],
    ['text/plain', `it got sEsAmE99, no`, ': it got ***, no'],
    ['text/plain', 'é'.repeat(400), `: ${'é'.repeat(300)}…`],
  ])('the message of %s %j', async (type, body, message) => {
    await using server = await answering(answer(422, body, { 'content-type': type }));
    const target = targetFor(server.url, {
      headers: { 'x-tenant': 'sEsAmE99' },
      secretHeaders: new Set(['x-tenant']),
    });
    const client = new Client(target, rules);
    expect((await failed(client.call(getThing))).message).toBe(
      `the service answered 422${message} (GET ${server.url}/v1/thing)`,
    );
    await client.close();
  });

  test('truncates an endless error text', async () => {
    await using server = await faultServer((socket) => {
      socket.write('HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
      };
      socket.on('drain', more);
      more();
    });
    const client = new Client(targetFor(server.url), rules);
    const error = await failed(client.send(createThing, { body: {} }));
    expect(error).toMatchObject({ code: 'refused', httpStatus: 400 });
    expect(error.message.length).toBeLessThan(500);
    await client.close();
  });

  test("the service's own explanation comes first, and gets only failures", async () => {
    await using server = await answering(answer(500, '"silence not found"', { 'x-note': 'n' }), answer(200, ok));
    const seen: unknown[] = [];
    const client = new Client(targetFor(server.url), {
      basePath: '',
      explain: (failure, endpoint) => {
        seen.push([failure.status, failure.contentType, failure.text, failure.headers['x-note'], endpoint.path]);
        return new SvcError('not_found', 'there is none');
      },
    });
    expect(await failed(client.send(createThing, { body: {} }))).toMatchObject({
      code: 'not_found',
      message: 'there is none',
    });
    await client.call(getThing);
    expect(seen).toEqual([[500, 'application/json', '"silence not found"', 'n', '/things']]);
    await client.close();
  });
});

describe('retries', () => {
  test.each([429, 500, 502, 503, 504])('repeats a read three times after %i', async (status) => {
    await using server = await answering(...Array(3).fill(answer(status, '')), answer(200, ok));
    const target = targetFor(server.url);
    const client = new Client(target, rules);
    expect(await client.call(getThing)).toEqual({ id: 1 });
    expect(target.slept).toEqual([125, 250, 500]);
    expect(server.requests).toHaveLength(4);
    await client.close();
  });

  test('reports the last response if it still fails', async () => {
    await using server = await answering(answer(503, '"busy"'));
    const client = new Client(targetFor(server.url), rules);
    expect((await failed(client.call(getThing))).message).toContain('answered 503: busy');
    expect(server.requests).toHaveLength(4);
    await client.close();
  });

  test.each([429, 500, 503])('does not repeat a probe or a write after %i', async (status) => {
    await using server = await answering(answer(status, ''));
    const client = new Client(targetFor(server.url), rules);
    await failed(client.call(probe));
    await failed(client.send(createThing, { body: {} }));
    expect(server.requests).toHaveLength(2);
    await client.close();
  });

  test('does not repeat a read after a 500 that is an answer of the service', async () => {
    await using server = await answering(answer(500, '"call rate"'));
    const explain = () => new SvcError('limited', 'too many calls');
    const client = new Client(targetFor(server.url), { ...rules, explain });
    await failed(client.call(getThing));
    expect(server.requests).toHaveLength(1);
    await client.close();
  });

  test('follows Retry-After within the deadline', async () => {
    await using server = await answering(
      answer(429, '', { 'retry-after': '2' }),
      answer(200, ok),
      answer(429, '', { 'retry-after': '60' }),
    );
    const target = targetFor(server.url, { timeoutMs: 5_000 });
    const client = new Client(target, rules);
    await client.call(getThing);
    expect(target.slept).toEqual([2_000]);
    expect(await failed(client.call(getThing))).toMatchObject({ code: 'limited', exit: 6 });
    expect(target.slept).toEqual([2_000]);
    expect(server.requests).toHaveLength(3);
    await client.close();
  });

  test('the deadline covers all attempts and the waits between them', async () => {
    await using server = await answering(answer(503, ''));
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const client = new Client(targetFor(server.url, { timeoutMs: 350, sleep }), rules);
    expect((await failed(client.call(getThing))).code).toBe('server_error');
    expect(server.requests.length).toBeLessThan(4);
    await client.close();
  });

  test('repeats a read whose body breaks off', async () => {
    await using server = await faultServer((socket, _request, index) => {
      if (index < 3) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"i');
      else socket.write(answer(200, ok));
    });
    const client = new Client(targetFor(server.url), rules);
    expect(await client.call(getThing)).toEqual({ id: 1 });
    await client.close();
  });
});

describe('credentials', () => {
  test('refreshes once after a 401, also for a write', async () => {
    await using server = await faultServer((socket, { headers }) =>
      socket.write(headers['authorization'] === 'Bearer new' ? answer(200, ok) : answer(401, '')),
    );
    const auth = authorizer(server.url, ['old', 'new']);
    const client = new Client(targetFor(server.url, { authorizer: auth }), rules);
    expect(await client.send(createThing, { body: { a: 1 } })).toEqual({ id: 1 });
    expect(server.requests.map(({ headers, body }) => [headers['authorization'], body])).toEqual([
      ['Bearer old', '{"a":1}'],
      ['Bearer new', '{"a":1}'],
    ]);
    await client.close();
  });

  test('refreshes only once, and not without a new token', async () => {
    await using server = await answering(answer(401, '{"message":"who?"}'));
    const twice = authorizer(server.url, ['a', 'b', 'c', 'd']);
    const never = authorizer(server.url, ['a']);
    for (const [auth, sends] of [
      [twice, 2],
      [never, 1],
    ] as const) {
      const client = new Client(targetFor(server.url, { authorizer: auth }), rules);
      const before = server.requests.length;
      expect(await failed(client.call(getThing))).toMatchObject({ code: 'unauthorized', exit: 4 });
      expect([server.requests.length - before, auth.refreshes]).toEqual([sends, 1]);
      await client.close();
    }
  });

  test.each([
    ['https://api.example.com', 'https://api.example.com.evil'],
    ['https://api.example.com', 'https://evil'],
    ['https://api.example.com', 'https://api.example.com:8443'],
    ['https://api.example.com', 'http://api.example.com'],
    ['https://api.example.com', 'https://api.example.com.'],
  ])('does not send one for %s to %s', (origin, address) => {
    expect(() => new Client(targetFor(address, { authorizer: authorizer(origin, ['t']) }), rules)).toThrow(
      expect.objectContaining({ code: 'credential_unusable', exit: 2 }),
    );
  });

  test.each([
    { authorizer: authorizer('http://h', ['t']) },
    { headers: { 'x-a': 'x' }, secretHeaders: new Set(['x-a']) },
    { headers: { Authorization: 'x' } },
    { headers: { 'x-api-key': 'x' } },
  ])('sends none unencrypted over a network: %j', (more) => {
    expect(() => new Client(targetFor('http://h', more), rules)).toThrow(
      expect.objectContaining({ code: 'credential_unusable', hint: expect.stringContaining('--insecure') }),
    );
    expect(() => new Client(targetFor('http://h', { ...more, tls: { insecure: true } }), rules)).not.toThrow();
  });

  test('sends one to a name below localhost, which is this machine whatever name servers and proxies say', async () => {
    await using server = await answering(answer(200, ok));
    const { port } = new URL(server.url);
    const address = `http://shop.localhost:${port}`;
    const target = targetFor(address, {
      authorizer: authorizer(address, ['t']),
      proxy: { all: 'http://no-such-proxy.invalid' },
    });
    const client = new Client(target, rules);
    await client.call(probe);
    expect(server.requests).toHaveLength(1);
    await client.close();
  });

  test('warns about --insecure over plain http even without a credential', async () => {
    const open = targetFor('http://no-such-host.invalid', { tls: { insecure: true } });
    const client = new Client(open, rules);
    await failed(client.call(probe));
    expect(open.warnings).toEqual([expect.stringContaining('the connection to http://no-such-host')]);
    await client.close();
    await using server = await answering(answer(200, ok));
    const near = targetFor(server.url, { tls: { insecure: true } });
    await new Client(near, rules).call(probe);
    expect(near.warnings).toEqual([]);
  });

  test('warns about --insecure when it takes effect', async () => {
    const exposed = targetFor('http://no-such-host.invalid', {
      headers: { authorization: 'x' },
      tls: { insecure: true },
    });
    const client = new Client(exposed, rules);
    expect(exposed.warnings).toEqual([]);
    await failed(client.call(probe));
    await failed(client.call(probe));
    expect(exposed.warnings).toEqual(['the credential goes to http://no-such-host.invalid unencrypted']);
    await client.close();
  });
});

describe('a dry run', () => {
  test('returns the request and does not connect', async () => {
    await using server = await answering(answer(200, ok));
    const auth: Authorizer = {
      origin: server.url,
      header: () => Promise.reject(new Error('asked for the credential')),
    };
    const client = new Client(targetFor(server.url, { dryRun: true, authorizer: auth }), rules);
    const plans = [
      await client.send(createThing, { body: { a: 1 } }),
      await client.send(deleteThing, {}, CONFIRMED),
    ] as readonly unknown[];
    expect(server.connections).toBe(0);
    expect(plans.every((plan) => plan instanceof Plan)).toBe(true);
    expect(plans).toMatchObject([
      {
        requests: [
          {
            method: 'POST',
            url: `${server.url}/v1/things`,
            body: { a: 1 },
            effect: 'write',
            headers: { authorization: '***', 'content-type': 'application/json' },
          },
        ],
      },
      { requests: [{ method: 'DELETE', url: `${server.url}/v1/thing`, body: undefined, effect: 'destroy' }] },
    ]);
    await client.close();
  });

  test('still reads', async () => {
    await using server = await answering(answer(200, ok));
    const client = new Client(targetFor(server.url, { dryRun: true }), rules);
    expect(await client.call(getThing)).toEqual({ id: 1 });
    await client.close();
  });
});

test('does not send a destructive request without a confirmation', async () => {
  await using server = await answering(answer(200, ''));
  const client = new Client(targetFor(server.url), rules);
  // @ts-expect-error: without the proof it does not compile
  expect(await failed(client.send(deleteThing, {}))).toMatchObject({ code: 'internal', exit: 70 });
  // @ts-expect-error: nor as a read
  expect(await failed(client.call(deleteThing))).toMatchObject({ code: 'internal', exit: 70 });
  expect(server.connections).toBe(0);
  await client.send(deleteThing, {}, CONFIRMED);
  expect(server.requests).toHaveLength(1);
  await client.close();
});

describe('interruption', () => {
  test.each([
    ['a read', (client: Client) => client.call(getThing), 'interrupted'],
    [
      'a write',
      (client: Client) => client.send(createThing, { body: {} }),
      /^interrupted; the request was sent and may have been applied \(POST http:.*\)$/,
    ],
  ] as const)('of %s in flight', async (_name, ask, message) => {
    const controller = new AbortController();
    await using server = await faultServer(() => controller.abort(new SvcError('interrupted', 'interrupted')));
    const client = new Client(targetFor(server.url, { signal: controller.signal }), rules);
    const error = await failed(ask(client));
    expect(error).toMatchObject({
      code: 'interrupted',
      exit: 130,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    await client.close();
  });

  test('of a wait between attempts', async () => {
    const controller = new AbortController();
    await using server = await answering(answer(503, ''));
    const sleep = async (): Promise<void> => {
      controller.abort(new SvcError('terminated', 'terminated'));
      controller.signal.throwIfAborted();
    };
    const client = new Client(targetFor(server.url, { signal: controller.signal, sleep }), rules);
    expect(await failed(client.call(getThing))).toMatchObject({ code: 'terminated', exit: 143 });
    await client.close();
  });

  test('of many requests causes no leak warning', async () => {
    const controller = new AbortController();
    const warnings: Error[] = [];
    const listen = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', listen);
    await using server = await faultServer((_socket, _request, index) => {
      if (index === 32) controller.abort(new SvcError('interrupted', 'interrupted'));
    });
    const client = new Client(targetFor(server.url, { signal: controller.signal }), rules);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => failed(client.send(createThing, { body: {} }))),
    );
    expect(outcomes.filter(({ message }) => message.includes('may have been applied'))).toHaveLength(32);
    expect(outcomes.filter(({ message }) => message === 'interrupted')).toHaveLength(8);
    await client.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('slow readers', () => {
  const many = `[${Array.from({ length: 30_000 }, (_, id) => `{"id":${id},"text":"${'x'.repeat(100)}"}`).join(',')}]`;

  test('a reader slower than the deadline gets everything', async () => {
    await using server = await answering(answer(200, many));
    const client = new Client(targetFor(server.url, { timeoutMs: 2000 }), { ...rules, stallMs: 300 });
    const ids: number[] = [];
    for await (const { id } of client.items(listThings)) {
      ids.push(id);
      if (id === 10 || id === 20) await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    expect(ids).toEqual(Array.from({ length: 30_000 }, (_, id) => id));
    await client.close();
  });

  test('a reader that stops early ends the connection without a failure', async () => {
    let gone: Promise<unknown> | undefined;
    await using server = await faultServer((socket) => {
      gone = new Promise((resolve) => socket.on('close', resolve));
      socket.write(answer(200, many));
    });
    const client = new Client(targetFor(server.url), rules);
    for await (const { id } of client.items(listThings)) if (id === 5) break;
    await gone;
    await client.close();
  });

  test('call returns a complete list, in order', async () => {
    await using server = await answering(answer(200, many));
    const client = new Client(targetFor(server.url), rules);
    const things = await client.call(listThings);
    expect(things.map(({ id }) => id)).toEqual(Array.from({ length: 30_000 }, (_, id) => id));
    await client.close();
  });
});

test('many concurrent writes each get their own response, on at most 32 connections', async () => {
  await using server = await faultServer((socket, { body }) => socket.write(answer(200, body)));
  const client = new Client(targetFor(server.url), rules);
  const answers = await Promise.all(Array.from({ length: 500 }, (_, id) => client.send(createThing, { body: { id } })));
  expect(answers.map((one) => answered(one).id)).toEqual(Array.from({ length: 500 }, (_, id) => id));
  expect(server.connections).toBeLessThanOrEqual(32);
  await client.close();
});

test('the clock skew of the service', async () => {
  await using server = await answering(
    answer(200, ok, { date: 'Fri, 20 Nov 2026 12:00:10 GMT' }),
    answer(404, '', { date: 'Fri, 20 Nov 2026 12:00:00 GMT' }),
    answer(200, ok, { date: 'noon' }),
  );
  const times = [0, 2_000, 0, 0].map((ms) => Date.parse('2026-11-20T12:00:00Z') + ms);
  const client = new Client(targetFor(server.url, { now: () => times.shift() ?? 0 }), rules);
  expect(client.clockSkewMs).toBeUndefined();
  await client.call(getThing);
  expect(client.clockSkewMs).toBe(9_000);
  await failed(client.call(getThing));
  expect(client.clockSkewMs).toBe(0);
  await client.call(getThing);
  expect(client.clockSkewMs).toBe(0);
  await client.close();
});

describe('the trace', () => {
  test('-v prints a line for every attempt', async () => {
    await using server = await faultServer((socket, _request, index) => {
      if (index === 1) socket.destroy();
      else socket.write(index === 2 ? answer(503, '') : answer(200, ok));
    });
    const target = targetFor(server.url, { level: 1 });
    const client = new Client(target, rules);
    await client.call(getThing, { query: { access_token: 'hunter22' } });
    const url = `${server.url}/v1/thing?access_token=***`;
    expect(target.events).toEqual([
      {
        kind: 'failure',
        method: 'GET',
        url,
        reason: 'the connection broke before a response',
        ms: expect.any(Number),
        attempt: 1,
      },
      { kind: 'answer', method: 'GET', url, status: 503, ms: expect.any(Number), attempt: 2 },
      { kind: 'answer', method: 'GET', url, status: 200, ms: expect.any(Number), attempt: 3 },
    ]);
    await client.close();
  });

  test('--debug shows headers and bodies, and no secret of either side', async () => {
    await using server = await answering(
      answer(
        200,
        `{"id":1,"echo":"got s3cr3t-tOkEn and s3cr3t-header","refresh_token":"s3cr3t-3","pad":"${'x'.repeat(20_000)}"}`,
        { 'set-cookie': 'sid=s3cr3t-4', 'x-plain': 'p' },
      ),
    );
    const target = targetFor(server.url, {
      level: 2,
      authorizer: authorizer(server.url, ['s3cr3t-tOkEn']),
      headers: { 'x-tenant': 's3cr3t-header' },
      secretHeaders: new Set(['x-tenant']),
    });
    const client = new Client(target, rules);
    await client.send(createThing, { body: { client_secret: 's3cr3t-5', name: 'n' } });
    expect(JSON.stringify(target.events)).not.toContain('s3cr3t');
    const [sent, received] = ['request-detail', 'answer-detail'].map((kind) =>
      target.events.find((event) => event.kind === kind),
    );
    expect(sent).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer ***', 'x-tenant': '***' },
      body: '{"client_secret":"***","name":"n"}',
    });
    expect(received).toMatchObject({
      status: 200,
      headers: { 'x-plain': 'p', 'set-cookie': '***' },
      body: expect.stringMatching(/^{"id":1,"echo":"got \*\*\* and \*\*\*","refresh_token":"\*\*\*"/),
    });
    expect(received?.kind === 'answer-detail' && received.body.length).toBeLessThan(17_000);
    await client.close();
  });
});

describe('close', () => {
  test('ends requests in flight', async () => {
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using server = await faultServer(() => arrived());
    const client = new Client(targetFor(server.url), rules);
    const work = failed(client.send(touchThing, {}));
    await arrival;
    await client.close();
    expect((await work).code).toBe('outcome_unknown');
    await client.close();
  });

  test('before any request does nothing', async () => {
    await new Client(targetFor('http://h'), rules).close();
  });

  test.runIf(process.platform === 'linux')(
    'lets the program end at once, with idle or opening connections',
    async () => {
      await using server = await answering(answer(200, ok));
      await using stopped = await stoppedServer();
      const directory = await mkdtemp(join(tmpdir(), 'svc-close-'));
      const file = join(directory, 'program.cjs');
      const bundle = await rolldown({
        input: fileURLToPath(new URL('closing-program.ts', import.meta.url)),
        platform: 'node',
      });
      await bundle.write({ file, format: 'cjs', codeSplitting: false });
      await bundle.close();
      const child = spawn(process.execPath, [file, server.url, stopped.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [[output], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
      expect([String(output), code]).toEqual([`no connection within 0.05 s (GET ${stopped.url}/thing)`, 0]);
      await rm(directory, { recursive: true });
    },
  );
});
