import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { Client, type ServiceRules } from '../../src/http/client.ts';
import type { Authorizer } from '../../src/http/target.ts';
import { rejectionOf } from '../support/refusal.ts';
import { answer, endless, faultServer } from '../support/servers.ts';
import { CONFIRMED, targetFor } from '../support/targets.ts';
import { createThing, deleteThing, getThing, listThings, probe, touchThing } from './endpoints.ts';

const ok = '{"id":1}';

/** A server that gives one answer after the other, the last one for ever. */
async function answering(...answers: string[]) {
  return faultServer((socket, _request, index) => socket.write(answers[Math.min(index, answers.length) - 1] ?? ''));
}

function authorizer(origin: string, tokens: readonly string[]): Authorizer & { readonly refreshes: number } {
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

describe('a status', () => {
  test('of a failure decides the exit status of a read and of a write', async () => {
    const statuses = {
      400: ['refused', 3, 'refused', 3],
      401: ['unauthorized', 4, 'unauthorized', 4],
      403: ['forbidden', 4, 'forbidden', 4],
      404: ['not_found', 5, 'not_found', 5],
      407: ['proxy_failed', 7, 'proxy_failed', 7],
      408: ['timeout', 7, 'outcome_unknown', 8],
      422: ['refused', 3, 'refused', 3],
      429: ['limited', 6, 'limited', 6],
      500: ['server_error', 7, 'outcome_unknown', 8],
      503: ['server_error', 7, 'outcome_unknown', 8],
    };
    for (const [status, exits] of Object.entries(statuses)) {
      await using server = await answering(answer(Number(status), '{"message":"because"}'));
      const client = new Client(targetFor(server.url), rules);
      const read = await rejectionOf(client.call(probe));
      expect(read.message).toBe(`the service answered ${status}: because (GET ${server.url}/v1/thing)`);
      const write = await rejectionOf(client.send(createThing, { body: {} }));
      const said = `^the service answered ${status}: because.* \\(POST ${server.url}/v1/things\\)$`;
      expect(write.message).toMatch(new RegExp(said));
      expect([read.httpStatus, write.httpStatus]).toEqual([Number(status), Number(status)]);
      expect([status, read.code, read.exit, write.code, write.exit]).toEqual([status, ...exits]);
      expect(server.requests).toHaveLength(2);
      await client.close();
    }
  });

  test.each([302, 307])('of a redirect is not followed: %i', async (status) => {
    await using other = await answering(answer(200, ok));
    const location = `${other.url}/v1/thing?access_token=hunter22`;
    await using server = await answering(answer(status, '<html>moved', { location, 'content-type': 'text/html' }));
    const client = new Client(targetFor(server.url, { authorizer: authorizer(server.url, ['t']) }), rules);
    const read = { code: 'redirected', exit: 3, httpStatus: status };
    // A redirect is the usual answer of a web application to a POST that succeeded.
    const write = { code: 'outcome_unknown', exit: 8, sent: 'yes', httpStatus: status };
    for (const [work, expected] of [
      [client.call(getThing), read],
      [client.send(createThing, { body: {} }), write],
    ] as const) {
      const error = await rejectionOf(work);
      expect(error).toMatchObject(expected);
      expect(error.message).toContain(`it redirects to ${other.url}/v1/thing?access_token=***`);
      expect(error.hint).not.toContain(other.url);
    }
    expect([server.requests.length, other.connections]).toEqual([2, 0]);
    await client.close();
  });

  test('of a redirect without a target is a bad answer, and says nothing of a write', async () => {
    await using server = await answering('HTTP/1.1 304 Not Modified\r\n\r\n');
    const client = new Client(targetFor(server.url), rules);
    expect(await rejectionOf(client.call(getThing))).toMatchObject({ code: 'bad_answer', httpStatus: 304 });
    const write = await rejectionOf(client.send(createThing, { body: {} }));
    expect(write).toMatchObject({ code: 'outcome_unknown', exit: 8, sent: 'yes', httpStatus: 304 });
    expect(write.message).toContain('answered 304, which does not fit this request; it may have been applied (POST ');
    await client.close();
  });
});

describe('the explanation of a failure', () => {
  test('is what the service wrote, in any of the usual forms', async () => {
    for (const [type, body, message] of [
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
      ['text/plain', 'a Bearer hunter2222 b', ': a Bearer *** b'],
      ['text/plain', 'it got sEsAmE99, no', ': it got ***, no'],
      ['text/plain', 'é'.repeat(400), `: ${'é'.repeat(300)}…`],
    ] as const) {
      await using server = await answering(answer(422, body, { 'content-type': type }));
      const secret = { headers: { 'x-tenant': 'sEsAmE99' }, secretHeaders: new Set(['x-tenant']) };
      const client = new Client(targetFor(server.url, secret), rules);
      const { message: shown } = await rejectionOf(client.call(getThing));
      expect(shown).toBe(`the service answered 422${message} (GET ${server.url}/v1/thing)`);
      await client.close();
    }
  });

  test('is cut off where it does not end', async () => {
    const head = 'HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n';
    await using server = await faultServer(endless(head, `4000\r\n${'x'.repeat(0x4000)}\r\n`));
    const client = new Client(targetFor(server.url), rules);
    const error = await rejectionOf(client.send(createThing, { body: {} }));
    expect(error).toMatchObject({ code: 'refused', httpStatus: 400 });
    expect(error.message.length).toBeLessThan(500);
    await client.close();
  });
});

describe('repetitions', () => {
  test('repeat a read three times, and report the last response if it still fails', async () => {
    await using server = await answering(...[429, 502, 503].map((status) => answer(status, '')), answer(200, ok));
    const target = targetFor(server.url);
    const client = new Client(target, rules);
    expect(await client.call(getThing)).toEqual({ id: 1 });
    expect(target.slept).toEqual([125, 250, 500]);
    expect(server.requests).toHaveLength(4);
    await client.close();
    await using busy = await answering(answer(504, '"busy"'));
    const other = new Client(targetFor(busy.url), rules);
    expect((await rejectionOf(other.call(getThing))).message).toContain('answered 504: busy');
    expect(busy.requests).toHaveLength(4);
    await other.close();
  });

  test('do not repeat a read after a 500 that is an answer of the service', async () => {
    await using server = await answering(answer(500, '"call rate"'));
    const explain = () => new SvcError('limited', 'too many calls');
    const client = new Client(targetFor(server.url), { ...rules, explain });
    await rejectionOf(client.call(getThing));
    expect(server.requests).toHaveLength(1);
    await client.close();
  });

  test('follow Retry-After within the deadline', async () => {
    await using server = await answering(
      answer(429, '', { 'retry-after': '2' }),
      answer(200, ok),
      answer(429, '', { 'retry-after': '60' }),
    );
    const target = targetFor(server.url, { timeoutMs: 5_000 });
    const client = new Client(target, rules);
    await client.call(getThing);
    expect(target.slept).toEqual([2_000]);
    expect(await rejectionOf(client.call(getThing))).toMatchObject({ code: 'limited', exit: 6 });
    expect(target.slept).toEqual([2_000]);
    expect(server.requests).toHaveLength(3);
    await client.close();
  });

  test('end with the deadline, which covers all attempts and the waits between them', async () => {
    await using server = await answering(answer(503, ''));
    const client = new Client(targetFor(server.url, { timeoutMs: 1_700, random: () => 0.999 }), rules);
    expect((await rejectionOf(client.call(getThing))).code).toBe('server_error');
    expect(server.requests.length).toBeLessThan(4);
    await client.close();
  });
});

describe('a credential', () => {
  test('is refreshed once after a 401, also for a write, and not without a new token', async () => {
    await using server = await faultServer((socket, { headers }) =>
      socket.write(headers['authorization'] === 'Bearer new' ? answer(200, ok) : answer(401, '{"message":"who?"}')),
    );
    const client = new Client(targetFor(server.url, { authorizer: authorizer(server.url, ['old', 'new']) }), rules);
    expect(await client.send(createThing, { body: { a: 1 } })).toEqual({ id: 1 });
    expect(server.requests.map(({ headers, body }) => [headers['authorization'], body])).toEqual([
      ['Bearer old', '{"a":1}'],
      ['Bearer new', '{"a":1}'],
    ]);
    await client.close();
    for (const [tokens, sends] of [
      [['a', 'b', 'c', 'd'], 2],
      [['a'], 1],
    ] as const) {
      const auth = authorizer(server.url, tokens);
      const other = new Client(targetFor(server.url, { authorizer: auth }), rules);
      const before = server.requests.length;
      expect(await rejectionOf(other.call(getThing))).toMatchObject({ code: 'unauthorized', exit: 4 });
      expect([server.requests.length - before, auth.refreshes]).toEqual([sends, 1]);
      await other.close();
    }
  });

  test('is not sent to another origin', () => {
    for (const address of [
      'https://api.example.com.evil',
      'https://api.example.com:8443',
      'http://api.example.com',
      'https://api.example.com.',
    ])
      expect(
        () => new Client(targetFor(address, { authorizer: authorizer('https://api.example.com', ['t']) }), rules),
      ).toThrow(expect.objectContaining({ code: 'credential_unusable', exit: 2 }));
  });

  test('is not sent unencrypted over a network, except with --insecure', () => {
    for (const more of [
      { authorizer: authorizer('http://h', ['t']) },
      { headers: { 'x-a': 'x' }, secretHeaders: new Set(['x-a']) },
      { headers: { Authorization: 'x' } },
      { headers: { 'x-api-key': 'x' } },
    ]) {
      expect(() => new Client(targetFor('http://h', more), rules)).toThrow(
        expect.objectContaining({ code: 'credential_unusable', hint: expect.stringContaining('--insecure') }),
      );
      expect(() => new Client(targetFor('http://h', { ...more, tls: { insecure: true } }), rules)).not.toThrow();
    }
  });

  test('is sent to a name below localhost, which is this machine whatever name servers and proxies say', async () => {
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

  test('causes a warning about --insecure once, when it is sent', async () => {
    for (const [headers, warning] of [
      [{ authorization: 'x' }, /^the credential goes to http:\/\/no-such-host.invalid unencrypted$/],
      [{}, /^the connection to http:\/\/no-such-host/],
    ] as const) {
      const exposed = targetFor('http://no-such-host.invalid', { headers, tls: { insecure: true } });
      const client = new Client(exposed, rules);
      expect(exposed.warnings).toEqual([]);
      await rejectionOf(client.call(probe));
      await rejectionOf(client.call(probe));
      expect(exposed.warnings).toEqual([expect.stringMatching(warning)]);
      await client.close();
    }
    await using server = await answering(answer(200, ok));
    const near = targetFor(server.url, { tls: { insecure: true } });
    await new Client(near, rules).call(probe);
    expect(near.warnings).toEqual([]);
  });
});

test('a destructive request is not sent without a confirmation', async () => {
  await using server = await answering(answer(200, ''));
  const client = new Client(targetFor(server.url), rules);
  // @ts-expect-error: without the proof it does not compile
  expect(await rejectionOf(client.send(deleteThing, {}))).toMatchObject({ code: 'internal', exit: 70 });
  // @ts-expect-error: nor as a read
  expect(await rejectionOf(client.call(deleteThing))).toMatchObject({ code: 'internal', exit: 70 });
  expect(server.connections).toBe(0);
  await client.send(deleteThing, {}, CONFIRMED);
  expect(server.requests).toHaveLength(1);
  await client.close();
});

test('a reader of a list that stops early ends the connection without a failure', async () => {
  const many = `[${Array.from({ length: 30_000 }, (_, id) => `{"id":${id},"text":"${'x'.repeat(100)}"}`).join(',')}]`;
  let gone: Promise<unknown> | undefined;
  await using server = await faultServer((socket) => {
    gone = new Promise((resolve) => socket.on('close', resolve));
    socket.write(answer(200, many));
  });
  const client = new Client(targetFor(server.url), rules);
  for await (const { id } of client.items(listThings)) if (id === 5) break;
  await gone;
  expect(await client.call(listThings)).toHaveLength(30_000);
  await client.close();
});

test('the clock of the service is compared with this one', async () => {
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
  await rejectionOf(client.call(getThing));
  expect(client.clockSkewMs).toBe(0);
  await client.call(getThing);
  expect(client.clockSkewMs).toBe(0);
  await client.close();
});

test('closing ends requests in flight, and may be repeated', async () => {
  let arrived = (): void => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await using server = await faultServer(() => arrived());
  const client = new Client(targetFor(server.url), rules);
  const work = rejectionOf(client.send(touchThing, {}));
  await arrival;
  await client.close();
  expect((await work).code).toBe('outcome_unknown');
  await client.close();
});
