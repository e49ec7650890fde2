import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { answered, endpoint } from '../../../../src/http/endpoint.ts';
import { Secret } from '../../../../src/http/redact.ts';
import { CONFIRMED } from '../../../support/targets.ts';
import { type Gateway, gateway, reader, sessionWith, TOKEN, until, wholeReader } from '../gateway.ts';

const anything = async () => ({ safeParse: (data: unknown) => ({ success: true as const, data }) });
const getModel = endpoint({ method: 'GET', path: '/trading/get_model', effect: 'read', answer: anything });
const openTrade = endpoint({
  method: 'POST',
  path: '/trading/open_trade',
  effect: 'money',
  encoding: 'form',
  answer: anything,
});

let shared: Gateway;
beforeAll(async () => {
  shared = await gateway();
});
afterAll(() => shared.stop());

describe('a session at the real socket.io 2.5', () => {
  test('connects by polling, sends requests with its id, and closes cleanly', async () => {
    await using server = await gateway();
    const { session, target } = sessionWith(server.url, {}, { level: 1 });
    expect(await session.call(getModel, { query: { models: 'Order' } })).toMatchObject({
      response: { executed: true },
    });
    const [first, ...others] = server.requests;
    const query = `access_token=${TOKEN}&EIO=3&transport=polling&t=[\\w.]+&b64=1`;
    expect(first?.url).toMatch(new RegExp(`^/socket\\.io/\\?${query}$`));
    for (const { url, headers } of others) {
      if (url.startsWith('/socket.io')) expect(url).toMatch(new RegExp(`^/socket\\.io/\\?${query}&sid=[\\w-]{20}$`));
      else expect(headers['authorization']).toMatch(new RegExp(`^Bearer [\\w-]{20}${TOKEN}$`));
      expect(headers['cookie']).toMatch(/^io=[\w-]{20}$/);
    }
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'svc/test',
      });
    }
    await session.close();
    expect(server.upgrades).toEqual([]);
    expect(server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual(['2:41', '1:1']);
    expect(server.ended).toEqual(['client namespace disconnect']);
    expect(server.live).toEqual([]);
    expect(target.events.filter(({ kind }) => kind === 'failure')).toEqual([]);
    await expect(session.call(getModel)).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(session.connect()).rejects.toMatchObject({ code: 'connection_lost' });
  });

  test('reconnects within two seconds if it is lost again and again', async () => {
    await using server = await gateway();
    await using opened = sessionWith(server.url, { reconnect: true }, { random: () => 0.5 });
    const next = reader(opened.session);
    await opened.session.connect();
    for (let i = 0; i < 6; i++) {
      server.live[0]?.disconnect(true);
      expect(await next()).toMatchObject({ kind: 'gap' });
      await opened.session.call(getModel);
    }
    expect(opened.target.slept).toEqual([0, 1_000, 2_000, 2_000, 2_000, 2_000]);
  });

  test('reconnects within two seconds if it is lost while it is restored', async () => {
    await using server = await gateway();
    await using opened = sessionWith(server.url, { reconnect: true }, { random: () => 0.5 });
    const { session, target } = opened;
    let losses = 0;
    session.onReconnect(async ({ call }) => {
      if (losses++ < 5) server.live[0]?.disconnect(true);
      await call(getModel);
    });
    await session.connect();
    server.live[0]?.disconnect(true);
    await until(() => losses === 6 && session.isConnected);
    expect(target.slept).toEqual([0, 1_000, 2_000, 2_000, 2_000, 2_000]);
  });

  test('reconnects fast again after a long outage', async () => {
    const first = await gateway();
    const slept: number[] = [];
    let second: Gateway | undefined;
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms);
      if (slept.length === 6) second = await gateway({ port: first.port });
    };
    await using opened = sessionWith(first.url, { reconnect: true }, { sleep, random: () => 0.5 });
    const next = reader(opened.session);
    await opened.session.connect();
    await first.stop();
    expect(await next()).toMatchObject({ kind: 'gap' });
    await opened.session.call(getModel);
    second?.live[0]?.disconnect(true);
    expect(await next()).toMatchObject({ kind: 'gap' });
    expect(slept).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 2_000]);
    await second?.stop();
  });

  test('sends no request while it reconnects', async () => {
    const first = await gateway();
    await using opened = sessionWith(first.url, { reconnect: true }, { sleep: briefly });
    await opened.session.connect();
    await first.stop();
    await until(() => opened.notices.length > 0);
    const lost = { code: 'connection_lost', sent: 'no' };
    await expect(opened.session.send(openTrade, { body: {} }, CONFIRMED)).rejects.toMatchObject(lost);
    await expect(opened.session.call(getModel)).rejects.toMatchObject(lost);
  });

  test('plans a write in a dry run without connecting, and shows no credential', async () => {
    await using opened = sessionWith('http://127.0.0.1:1', {}, { dryRun: true });
    const plan = { requests: [{ headers: { authorization: '***' }, inSession: true }] };
    expect(await opened.session.send(openTrade, { body: { amount: 1 } }, CONFIRMED)).toMatchObject(plan);
    await opened.session.close();
    expect(await opened.session.send(openTrade, { body: { amount: 1 } }, CONFIRMED)).toMatchObject(plan);
  });

  test('reports a bug while it connects as such, and not as an outage', async () => {
    const token = (): never => {
      throw new TypeError('a bug of svc');
    };
    await using opened = sessionWith(shared.url, { token, reconnect: true, awaitGateway: true });
    const next = wholeReader(opened.session);
    await expect(opened.session.connect()).rejects.toMatchObject({ code: 'internal', exit: 70 });
    expect(await next()).toMatchObject({ kind: 'closed', error: { code: 'internal' } });
    expect(opened.session.outage).toBeUndefined();
  });
});

describe('a write', () => {
  test('is not sent if the connection ends before', async () => {
    const controller = new AbortController();
    await using opened = sessionWith(shared.url, {}, { signal: controller.signal });
    await opened.session.connect();
    const before = shared.requests.length;
    const sending = opened.session.send(openTrade, { body: {} }, CONFIRMED);
    controller.abort(new SvcError('interrupted', 'interrupted'));
    await expect(sending).rejects.toMatchObject({ code: 'interrupted', sent: undefined });
    await opened.session.close();
    expect(shared.requests.slice(before).filter(({ url }) => url === '/trading/open_trade')).toEqual([]);
  });

  test('without a confirmation is not sent', async () => {
    await using opened = sessionWith(shared.url);
    const before = shared.requests.length;
    // @ts-expect-error: without the proof it does not compile
    await expect(opened.session.send(openTrade, { body: {} })).rejects.toMatchObject({ code: 'internal' });
    expect(shared.requests.slice(before).filter(({ url }) => url === '/trading/open_trade')).toEqual([]);
  });
});

describe('a slow reader', () => {
  const large = JSON.stringify('x'.repeat(1024 * 1024));

  // More than svc reads ahead, and not more than it reads at once.
  test('delays the gateway, and loses nothing', async () => {
    const count = 15;
    await using server = await gateway({ engine: { pingInterval: 100, pingTimeout: 20_000 } });
    await using opened = sessionWith(server.url);
    await opened.session.connect();
    const [client] = server.live;
    let pings = 0;
    client?.conn.on('packet', ({ type }) => {
      if (type === 'ping') pings++;
    });
    for (let i = 1; i < count; i++) {
      client?.emit('Order', large);
      await opened.session.call(getModel);
    }
    await until(() => pings > 2);
    client?.emit('Order', large);
    const before = pings;
    await until(() => pings > before + 3);
    expect(client?.conn.writeBuffer.length).toBeGreaterThan(0);
    const next = reader(opened.session);
    for (let i = 0; i < count; i++) expect((await next())?.kind).toBe('push');
    expect(await opened.session.call(getModel)).toMatchObject({ response: { executed: true } });
    expect(server.ended).toEqual([]);
  });
});

describe('a token', () => {
  test('is tried again after longer and longer waits if it was accepted before', async () => {
    let accepted = 1;
    await using server = await gateway({ accepts: () => accepted-- > 0 });
    const { session, notices, target } = sessionWith(server.url, { reconnect: true }, { random: () => 0.5 });
    const next = reader(session);
    await session.connect();
    server.live[0]?.disconnect(true);
    expect(await next()).toMatchObject({
      kind: 'closed',
      error: { code: 'unauthorized', message: expect.stringContaining('although it was accepted before') },
    });
    expect(target.slept).toEqual([0, 20_000, 40_000, 80_000, 160_000, 300_000]);
    expect(notices[1]).toMatch(/Not authorized.*next attempt in 20 s/);
    await session.close();
  });

  test('is read at each connection', async () => {
    await using server = await gateway({ accepts: (token) => token.length === 40 });
    let asked = 0;
    await using opened = sessionWith(
      server.url,
      { reconnect: true, token: () => new Secret(String(++asked).padStart(40, 'a')) },
      { sleep: briefly },
    );
    await opened.session.connect();
    server.live[0]?.disconnect(true);
    await until(() => server.clients.length === 2);
    expect(asked).toBe(2);
  });

  /** The gateway answers every request of trading with a body that repeats the token and the connection id. */
  const repeating = (body: (id: string) => object) =>
    gateway({
      before({ url, headers }, response) {
        if (!url?.startsWith('/trading/')) return false;
        const id = (headers.authorization ?? '').slice('Bearer '.length, -TOKEN.length);
        response.end(JSON.stringify(body(id)));
        return true;
      },
    });

  test('does not appear in the error of a response, nor does the connection id', async () => {
    const ERRORS: readonly (readonly [error: (id: string) => unknown, shown: unknown])[] = [
      [(id) => `session ${id} of ${TOKEN} is over`, 'session *** of *** is over'],
      [
        (id) => JSON.stringify({ code: 9, message: id, parameters: [TOKEN] }),
        '{"code":9,"message":"***","parameters":["***"]}',
      ],
      [(id) => ({ code: 9, message: id + TOKEN }), '{"code":9,"message":"******"}'],
      [() => '', ''],
      [() => null, null],
    ];
    let turn = 0;
    await using server = await repeating((id) => {
      return { response: { executed: false, error: ERRORS[turn]?.[0](id) }, id: 1 };
    });
    await using opened = sessionWith(server.url);
    for (; turn < ERRORS.length; turn++) {
      const answer = await opened.session.send(openTrade, { body: { is_buy: 'true' } }, CONFIRMED);
      expect(answer).toEqual({ response: { executed: false, error: ERRORS[turn]?.[1] }, id: 1 });
    }
  });

  test('does not appear in a row of a table', async () => {
    await using server = await repeating((id) => {
      const row = { accountId: '1', accountName: `of ${TOKEN}`, more: [{ id }, null, 2] };
      return { response: { executed: true }, accounts: [row] };
    });
    await using opened = sessionWith(server.url);
    expect(await opened.session.call(getModel)).toMatchObject({
      accounts: [{ accountId: '1', accountName: 'of ***', more: [{ id: '***' }, null, 2] }],
    });
  });

  test('does not appear in a push, nor in a traced poll', async () => {
    await using server = await gateway();
    const opened = sessionWith(server.url, {}, { level: 2 });
    const next = reader(opened.session);
    await opened.session.connect();
    const [client] = server.live;
    const { id } = server.clients[0] ?? { id: '' };
    client?.emit('Order', `{"name":"${TOKEN}"}`);
    expect(await next()).toMatchObject({ payload: '{"name":"***"}' });
    for (const more of ['', 'x'.repeat(300)]) {
      client?.emit(`of ${id}`, `{"name":"${id}${TOKEN}${more}"}`);
      expect(await next()).toMatchObject({ name: 'of ***', payload: `{"name":"******${more}"}` });
    }
    await opened.session.close();
    const traced = JSON.stringify(opened.target.events);
    for (const secret of [TOKEN, id]) expect(traced).not.toContain(secret);
  });

  test('does not appear in a raw response, however its chunks are split', async () => {
    const pieces = ['{"a":"é', `${TOKEN.slice(0, 7)}`, `${TOKEN.slice(7)}","b":"${TOKEN}`, TOKEN.slice(0, 9), '"}'];
    await using server = await gateway({
      before({ url }, response) {
        if (!url?.startsWith('/trading/')) return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        const write = (index: number): void => {
          const piece = pieces[index];
          if (piece === undefined) response.end();
          else response.write(piece, () => setImmediate(write, index + 1));
        };
        write(0);
        return true;
      },
    });
    await using opened = sessionWith(server.url);
    const { bytes } = answered(await opened.session.answer(getModel, {}, undefined));
    const all: Uint8Array[] = [];
    for await (const piece of bytes) all.push(piece);
    expect(Buffer.concat(all).toString()).toBe(`{"a":"é***","b":"***${TOKEN.slice(0, 9)}"}`);
  });

  test('is not sent unencrypted', () => {
    expect(() => sessionWith('http://gateway.test')).toThrow(SvcError);
  });
});

describe('an interruption', () => {
  test('ends a handshake that hangs', async () => {
    const hanging = createServer(() => {}).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const controller = new AbortController();
    const { port } = hanging.address() as AddressInfo;
    const { session } = sessionWith(`http://127.0.0.1:${port}`, {}, { signal: controller.signal });
    const connecting = session.connect();
    await once(hanging, 'request');
    controller.abort(new SvcError('interrupted', 'interrupted'));
    await expect(connecting).rejects.toMatchObject({ code: 'interrupted' });
    await session.close();
    hanging.close();
    hanging.closeAllConnections();
  });

  test('ends a wait for the pace of connections', async () => {
    const controller = new AbortController();
    const wait = (signal: AbortSignal) =>
      new Promise<void>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    const { session } = sessionWith(shared.url, { pace: wait }, { signal: controller.signal });
    const connecting = session.connect();
    controller.abort(new SvcError('interrupted', 'interrupted'));
    await expect(connecting).rejects.toMatchObject({ code: 'interrupted' });
    await session.close();
  });
});

describe('another server', () => {
  const answered = async (status: number, body: string, type = 'text/plain'): Promise<SvcError> => {
    const server = createServer((_, response) => response.writeHead(status, { 'content-type': type }).end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using opened = sessionWith(url);
    const error = await opened.session.connect().catch((error: unknown) => error as SvcError);
    server.close();
    server.closeAllConnections();
    return error as SvcError;
  };

  test('is named by what it responds', async () => {
    const ANSWERS: readonly (readonly [status: number, body: string, code: string, message: RegExp])[] = [
      [200, '0{"sid":"abc","upgrades":[],"pingInterval":25000}', 'bad_answer', /speaks Engine.IO 4/],
      [200, '{"products":[]}', 'bad_answer', /does not follow the Engine.IO protocol/],
      [200, '2:40', 'bad_answer', /no connection id/],
      [200, '', 'bad_answer', /no connection id/],
      [200, '3:0{}', 'bad_answer', /no connection id/],
      [400, '{"code":0,"message":"Transport unknown"}', 'bad_answer', /refused the connection: Transport unknown/],
      [400, '{"code":1,"message":"Session ID unknown"}', 'connection_lost', /no longer knows the connection id/],
      [400, 'no', 'bad_answer', /refused the connection: no/],
      [403, '{"code":4,"message":"Forbidden"}', 'unauthorized', /refused the token/],
      [404, 'Not found', 'wrong_path', /not as a trading gateway/],
      [
        502,
        'Bad gateway',
        'server_error',
        /^the service answered 502.* \(GET http:\/\/127\.0\.0\.1:\d+\/socket\.io\/\)$/,
      ],
    ];
    for (const [status, body, code, message] of ANSWERS) {
      const error = await answered(status, body);
      expect(error, `${status} ${body}`).toMatchObject({ code, message: expect.stringMatching(message) });
    }
    expect(await answered(200, '<html>', 'text/html')).toMatchObject({
      code: 'bad_answer',
      message: expect.stringMatching(/HTML.* \(GET http:\/\/127\.0\.0\.1:\d+\/socket\.io\/\)$/),
    });
  });

  test('refuses a payload above 16 MiB', async () => {
    expect(await answered(200, 'x'.repeat(17 * 1024 * 1024))).toMatchObject({ code: 'answer_too_large' });
  });
});

describe('a gateway that does not respond', () => {
  type Clock = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake'];
  const stopClock = (toFake: Clock): void => {
    vi.useFakeTimers({ toFake });
    onTestFinished(() => void vi.useRealTimers());
  };
  const timerIsSet = async (): Promise<void> => {
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  };

  test('is noticed by the heartbeat', async () => {
    stopClock(['setInterval', 'clearInterval', 'performance', 'Date']);
    await using server = await gateway({ engine: { pingInterval: 100, pingTimeout: 1_000 } });
    await using opened = sessionWith(server.url);
    const next = reader(opened.session);
    await opened.session.connect();
    const conn = server.live[0]?.conn;
    // It does not end the connection either.
    clearTimeout(conn?.pingTimeoutTimer);
    if (conn !== undefined) Object.assign(conn, { onPacket: () => {}, sendPacket: () => {} });
    vi.advanceTimersByTime(3_000);
    expect(await next()).toMatchObject({
      kind: 'closed',
      reason: expect.stringContaining('no response to the heartbeat within 1 s'),
      error: { code: 'connection_lost' },
    });
    expect(await next()).toBeUndefined();
    await expect(opened.session.call(getModel)).rejects.toMatchObject({ code: 'connection_lost' });
  });

  test('is left after a second', async () => {
    await using server = await gateway();
    const { session, target } = sessionWith(server.url, {}, { level: 1 });
    await session.connect();
    for (const socket of server.sockets) socket.pause();
    stopClock(['setTimeout', 'clearTimeout']);
    const closed = session.close();
    await timerIsSet();
    vi.advanceTimersByTime(1_000);
    await closed;
    const failures = target.events.filter(({ kind }) => kind === 'failure');
    expect(failures).toContainEqual(expect.objectContaining({ method: 'POST', reason: 'no response within 1 s' }));
  });

  test('fails if it never confirms the connection', async () => {
    let polled = (_cookie: string | undefined): void => {};
    const cookie = new Promise<string | undefined>((resolve) => {
      polled = resolve;
    });
    const server = createServer((request, response) => {
      if (request.method === 'POST') response.end('ok');
      else if (request.url?.includes('sid=')) polled(request.headers.cookie);
      else response.setHeader('set-cookie', ['io=ab', 'node=1']).end('13:0{"sid":"ab"}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    stopClock(['setTimeout', 'clearTimeout']);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { session } = sessionWith(url, {}, { timeoutMs: 5_000 });
    const failed = expect(session.connect()).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('did not confirm the connection within 5 s'),
    });
    expect(await cookie).toBe('io=ab; node=1');
    vi.advanceTimersByTime(5_000);
    await failed;
    server.closeAllConnections();
    await session.close();
    server.close();
  });
});

async function briefly(_ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise((done) => setTimeout(done, 10));
  signal?.throwIfAborted();
}
