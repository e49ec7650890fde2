import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SvcError } from '../../src/errors.ts';
import { Authority, type Pair } from '../support/certificates.ts';
import { freePort } from '../support/ports.ts';
import { answer, type Fault, type FaultServer, faultServer, tunnelTo } from '../support/servers.ts';
import { type TargetOptions, type TestTarget, targetFor } from '../support/targets.ts';
import { outcomes } from './outcomes.ts';

// Loopback is never proxied, so the services have names that only the test's proxy knows.
const HOST = 'service.test';
let authority: Authority;
let pair: Pair;
let service: FaultServer;
beforeAll(async () => {
  authority = new Authority();
  pair = authority.sign(`DNS:${HOST},IP:127.0.0.1`);
  service = await faultServer((socket) => socket.write(answer(200, '{"id":1}')), { tls: pair });
});
afterAll(async () => {
  await service.close();
  authority.remove();
});

function target(through: string, more: TargetOptions = {}): TestTarget {
  return targetFor(`https://${HOST}`, {
    proxy: { https: through, http: through },
    tls: { ca: authority.cert, insecure: false },
    ...more,
  });
}

describe('https through a proxy', () => {
  test('shows the proxy the host and its own credential, and the service neither', async () => {
    await using through = await faultServer(tunnelTo(service.port));
    const before = service.requests.length;
    const to = target(`http://user:p%40ss@127.0.0.1:${through.port}`, {
      authorizer: { origin: `https://${HOST}`, header: async () => ({ authorization: 'Bearer t' }) },
      level: 2,
    });
    expect(await outcomes(to)).toEqual(['done', 'done']);
    const basic = Buffer.from('user:p@ss').toString('base64');
    expect(through.requests[0]).toMatchObject({ method: 'CONNECT', path: `${HOST}:443` });
    expect(through.requests[0]?.headers).toEqual({ host: `${HOST}:443`, 'proxy-authorization': `Basic ${basic}` });
    for (const { headers, path } of service.requests.slice(before)) {
      expect(headers['proxy-authorization']).toBeUndefined();
      expect(headers).toMatchObject({ host: HOST, authorization: 'Bearer t' });
      expect(path).toMatch(/^\/thing/);
    }
    expect(JSON.stringify(to.events)).not.toMatch(/p@ss|p%40ss|Bearer t/);
  });

  test('checks the certificate of the service', async () => {
    await using through = await faultServer(tunnelTo(service.port));
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, { tls: { insecure: false } }))) {
      expect(error).toMatchObject({
        code: 'tls_failed',
        message: expect.stringContaining(`the certificate of ${HOST}`),
      });
    }
  });
});

describe('a proxy that fails has sent nothing', () => {
  test.each<[name: string, fault: Fault, message: string, hint: string]>([
    ['407', (socket) => socket.end(answer(407, '')), 'answered 407', 'user and a password'],
    ['301', (socket) => socket.end(answer(301, '', { location: 'http://evil/' })), 'answered 301', 'no_proxy'],
    ['garbage', (socket) => socket.end('garbage\r\n\r\n'), 'sent something that is not HTTP', 'no_proxy'],
    [
      'an endless head',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`),
      'sent something that is not HTTP',
      'no_proxy',
    ],
    ['half a head', (socket) => socket.end('HTTP/1.1 200'), 'closed the connection', 'no_proxy'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'broke the connection (ECONNRESET)', 'no_proxy'],
  ])('as with %s', async (_name, how, message, hint) => {
    await using through = await faultServer(how);
    const found = await outcomes(target(`http://user:hunter22@127.0.0.1:${through.port}`));
    for (const error of found) {
      expect(error).toMatchObject({
        code: 'proxy_failed',
        exit: 7,
        message: expect.stringContaining(`the proxy 127.0.0.1:${through.port} ${message}`),
      });
      expect((error as SvcError).hint).toContain(hint);
      expect((error as SvcError).message).not.toContain('hunter22');
    }
    expect(through.requests).toHaveLength(2);
  });

  test('as after silence, until the deadline', async () => {
    await using through = await faultServer(() => {});
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, { timeoutMs: 300 }))) {
      expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('no connection within 0.3 s') });
    }
  });

  test.each(['https', 'http'])('as where nothing listens, for %s', async (scheme) => {
    const port = await freePort();
    const to = target(`http://127.0.0.1:${port}`, { baseUrl: new URL(`${scheme}://${HOST}`) });
    for (const error of await outcomes(to)) {
      expect(error).toMatchObject({
        code: 'proxy_failed',
        message: expect.stringContaining(`the proxy 127.0.0.1:${port} could not be reached (ECONNREFUSED)`),
      });
    }
  });
});

describe('plain http through a proxy', () => {
  const plain = { baseUrl: new URL('http://service.test:8080/am') };

  test('gives the proxy the whole address, the host of the service and its own credential', async () => {
    await using through = await faultServer((socket) => socket.write(answer(200, '{"id":1}')));
    expect(await outcomes(target(`http://u:p@127.0.0.1:${through.port}`, plain))).toEqual(['done', 'done']);
    const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
    const headers = { host: 'service.test:8080', 'proxy-authorization': authorization };
    expect(through.requests).toMatchObject([
      { method: 'GET', path: 'http://service.test:8080/am/thing', headers },
      { method: 'POST', path: 'http://service.test:8080/am/things', headers },
    ]);
  });

  test('reports 407 as a response of the proxy', async () => {
    await using through = await faultServer((socket) => socket.write(answer(407, 'no')));
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, plain))) {
      expect(error).toMatchObject({ code: 'proxy_failed', httpStatus: 407 });
    }
  });

  test('leaves the outcome of a write unknown after a cut', async () => {
    await using through = await faultServer((socket) => socket.destroy());
    const [read, write] = await outcomes(target(`http://127.0.0.1:${through.port}`, plain));
    expect(read).toMatchObject({ code: 'connection_lost' });
    expect(write).toMatchObject({ code: 'outcome_unknown' });
    expect(through.requests).toHaveLength(2);
  });
});
