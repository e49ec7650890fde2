/** Balancers, proxies and certificates between svc and the gateway, and that no trace shows a secret. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint } from '../../../../src/http/endpoint.ts';
import { proxy } from '../../../http/proxies.ts';
import { Authority } from '../../../support/certificates.ts';
import { type Gateway, gateway, reader, sessionWith, TOKEN } from '../gateway.ts';

const anything = async () => ({ safeParse: (data: unknown) => ({ success: true as const, data }) });
const getModel = endpoint({ method: 'GET', path: '/trading/get_model', effect: 'read', answer: anything });
const subscribe = endpoint({
  method: 'POST',
  path: '/trading/subscribe',
  effect: 'read',
  encoding: 'form',
  answer: anything,
});

const HOST = 'gateway.test';
let authority: Authority;
let secure: Gateway;
beforeAll(async () => {
  authority = new Authority();
  secure = await gateway({ tls: authority.sign(`DNS:${HOST},IP:127.0.0.1`) });
});
afterAll(async () => {
  await secure.stop();
  authority.remove();
});

/** Sends a session to the node that its cookie names, and to the other in turn where it has none. */
async function balancer(nodes: readonly Gateway[]): Promise<AsyncDisposable & { readonly url: string }> {
  let turn = 0;
  const sockets = new Set<Socket>();
  const nodeOf = ({ headers }: IncomingMessage): number =>
    Number(/BIGipServerapi=(\d)/.exec(headers.cookie ?? '')?.[1] ?? turn++ % nodes.length);
  const server = createServer((request, response) => {
    const node = nodeOf(request);
    const { method, url: path, headers } = request;
    const onward = httpRequest(
      { host: '127.0.0.1', port: nodes[node]?.port, method, path, headers, agent: false },
      (answer) => {
        const cookies = [...(answer.headers['set-cookie'] ?? []), `BIGipServerapi=${node}; path=/; Httponly`];
        response.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'set-cookie': cookies });
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const onward = connect(nodes[nodeOf(request)]?.port ?? 0, '127.0.0.1', () => {
      const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      onward.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {}).on('close', () => [socket, onward].map((other) => other.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('behind a balancer with two nodes 40 of 40 sessions work, including requests and pushes', async () => {
  await using one = await gateway();
  await using other = await gateway();
  await using front = await balancer([one, other]);
  const works = async (): Promise<boolean> => {
    await using opened = sessionWith(front.url);
    const { session } = opened;
    const next = reader(session);
    const taken = await session.call(subscribe, { body: { models: 'Order' } });
    const pushed = await next();
    const read = await session.call(getModel);
    return (
      [taken, read].every((answer) => JSON.stringify(answer).includes('"executed":true')) && pushed?.kind === 'push'
    );
  };
  const worked: boolean[] = [];
  for (let i = 0; i < 5; i++) worked.push(...(await Promise.all(Array.from({ length: 8 }, works))));
  expect(worked).toEqual(Array(40).fill(true));
  expect(one.clients.length).toBe(20);
  expect(other.clients.length).toBe(20);
  expect(one.live.length + other.live.length).toBe(0);
});

describe('the connection to the gateway', () => {
  test('uses a proxy for polls and requests', async () => {
    await using through = await proxy(secure.port);
    await using opened = sessionWith(
      `https://${HOST}`,
      {},
      { proxy: { https: `http://127.0.0.1:${through.port}` }, tls: { ca: authority.cert, insecure: false } },
    );
    const next = reader(opened.session);
    await opened.session.call(subscribe, { body: { models: 'Order' } });
    expect(await next()).toMatchObject({ kind: 'push', name: 'Order' });
    expect(through.heads.length).toBeGreaterThan(1);
    expect(new Set(through.heads.map((head) => head.split('\r\n')[0]))).toEqual(
      new Set([`CONNECT ${HOST}:443 HTTP/1.1`]),
    );
  });

  test('names a proxy that does not connect', async () => {
    await using opened = sessionWith(`https://${HOST}`, {}, { proxy: { https: 'http://127.0.0.1:1' } });
    await expect(opened.session.connect()).rejects.toMatchObject({
      code: 'proxy_failed',
      message: expect.stringContaining('127.0.0.1:1'),
    });
  });

  test('trusts a named authority', async () => {
    await using opened = sessionWith(secure.url, {}, { tls: { ca: authority.cert, insecure: false } });
    expect(await opened.session.call(getModel)).toMatchObject({ response: { executed: true } });
  });

  test('does not trust an unnamed authority', async () => {
    await using opened = sessionWith(secure.url);
    await expect(opened.session.connect()).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(
        /authority that is not trusted.* \(GET https:\/\/127\.0\.0\.1:\d+\/socket\.io\/\)$/,
      ),
      hint: expect.stringContaining('--cacert'),
    });
  });

  test('a certificate that has expired', async () => {
    await using expired = await gateway({ tls: authority.sign('IP:127.0.0.1', -1) });
    await using opened = sessionWith(expired.url, {}, { tls: { ca: authority.cert, insecure: false } });
    await expect(opened.session.connect()).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('has expired'),
    });
  });

  test('a connection that is refused', async () => {
    await using opened = sessionWith('http://127.0.0.1:1');
    await expect(opened.session.connect()).rejects.toMatchObject({
      code: 'connect_failed',
      message: 'nothing listens at 127.0.0.1:1 (GET http://127.0.0.1:1/socket.io/)',
    });
  });
});

describe('secrets', () => {
  test.each([1, 2] as const)('no line of level %i shows the token or a connection id', async (level) => {
    let accepted = 2;
    await using server = await gateway({
      accepts: () => accepted-- > 0,
      before: ({ url = '', headers }, response) => {
        // A gateway that repeats all secrets, in refusals and in responses.
        if (!url.startsWith('/echo')) return false;
        const echo = { message: `${headers.authorization} ${headers.cookie} ${url}`, token: TOKEN };
        response.writeHead(url.includes('refuse') ? 400 : 200, { 'content-type': 'application/json', 'x-told': TOKEN });
        response.end(JSON.stringify(echo));
        return true;
      },
    });
    const shown: unknown[] = [];
    const sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => signal?.throwIfAborted();
    await using opened = sessionWith(server.url, { reconnect: true }, { level, sleep });
    const { session, target, notices } = opened;
    const next = reader(session);
    await session.call(subscribe, { body: { models: 'Order' } });
    await next();
    for (const path of ['/echo', '/echo/refuse']) {
      const echo = endpoint({ method: 'GET', path, effect: 'read', answer: anything });
      await session.call(echo, { query: { text: TOKEN } }).catch((error: unknown) => shown.push(error));
    }
    server.live[0]?.disconnect(true);
    expect(await next()).toMatchObject({ kind: 'gap' });
    const hidden = session.hide(`${server.clients[0]?.id} ${TOKEN}`);
    server.live[0]?.disconnect(true);
    const closed = await next();
    expect(closed).toMatchObject({ kind: 'closed', error: { code: 'unauthorized' } });
    const all = inspect([target.events, target.warnings, notices, shown, closed, hidden], { depth: 20 });
    expect(shown).toHaveLength(1);
    expect(all).toContain('/socket.io/');
    expect(all).not.toContain(TOKEN);
    expect(server.clients).toHaveLength(2);
    for (const { id } of server.clients) expect(all).not.toContain(id);
  });
});
