/** Proxies and certificates between svc and the gateway, and that no trace shows a secret. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint } from '../../../../src/http/endpoint.ts';
import { Authority } from '../../../support/certificates.ts';
import { faultServer, tunnelTo } from '../../../support/servers.ts';
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

describe('the connection to the gateway', () => {
  test('goes through the proxy, polls and requests', async () => {
    await using through = await faultServer(tunnelTo(secure.port));
    await using opened = sessionWith(
      `https://${HOST}`,
      {},
      { proxy: { https: `http://127.0.0.1:${through.port}` }, tls: { ca: authority.cert, insecure: false } },
    );
    const next = reader(opened.session);
    await opened.session.call(subscribe, { body: { models: 'Order' } });
    expect(await next()).toMatchObject({ kind: 'push', name: 'Order' });
    expect(through.requests.length).toBeGreaterThan(1);
    expect(new Set(through.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set([`CONNECT ${HOST}:443`]),
    );
  });

  test('trusts the authority of --cacert', async () => {
    await using opened = sessionWith(secure.url, {}, { tls: { ca: authority.cert, insecure: false } });
    expect(await opened.session.call(getModel)).toMatchObject({ response: { executed: true } });
  });

  test('does not trust another authority', async () => {
    await using opened = sessionWith(secure.url);
    await expect(opened.session.connect()).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(
        /authority that is not trusted.* \(GET https:\/\/127\.0\.0\.1:\d+\/socket\.io\/\)$/,
      ),
      hint: expect.stringContaining('--cacert'),
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
