import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SvcError } from '../../src/errors.ts';
import { Authority, type Pair } from '../support/certificates.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { type TargetOptions, type TestTarget, targetFor } from '../support/targets.ts';
import { outcomes } from './outcomes.ts';
import { proxy } from './proxies.ts';

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
    await using through = await proxy(service.port);
    const before = service.requests.length;
    const to = target(`http://user:p%40ss@127.0.0.1:${through.port}`, {
      authorizer: { origin: `https://${HOST}`, header: async () => ({ authorization: 'Bearer t' }) },
      level: 2,
    });
    expect(await outcomes(to)).toEqual(['done', 'done']);
    const basic = Buffer.from('user:p@ss').toString('base64');
    expect(through.heads[0]).toBe(
      `CONNECT ${HOST}:443 HTTP/1.1\r\nhost: ${HOST}:443\r\nproxy-authorization: Basic ${basic}\r\n\r\n`,
    );
    for (const { headers, path } of service.requests.slice(before)) {
      expect(headers['proxy-authorization']).toBeUndefined();
      expect(headers).toMatchObject({ host: HOST, authorization: 'Bearer t' });
      expect(path).toMatch(/^\/thing/);
    }
    expect(JSON.stringify(to.events)).not.toMatch(/p@ss|p%40ss|Bearer t/);
  });

  test('checks the certificate of the service', async () => {
    await using through = await proxy(service.port);
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, { tls: { insecure: false } }))) {
      expect(error).toMatchObject({
        code: 'tls_failed',
        message: expect.stringContaining(`the certificate of ${HOST}`),
      });
    }
  });
});

describe('a proxy that fails has sent nothing', () => {
  test.each([
    ['407', 'HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic\r\n\r\n', 'answered 407', 'user and a password'],
    ['301', 'HTTP/1.1 301 Moved\r\nLocation: http://evil/\r\n\r\n', 'answered 301', 'no_proxy'],
    ['garbage', 'garbage\r\n\r\n', 'sent something that is not HTTP', 'no_proxy'],
    [
      'an endless head',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`),
      'sent something that is not HTTP',
      'no_proxy',
    ],
    ['half a head', (socket: Socket) => socket.end('HTTP/1.1 200'), 'closed the connection', 'no_proxy'],
    ['a reset', (socket: Socket) => socket.resetAndDestroy(), 'broke the connection (ECONNRESET)', 'no_proxy'],
  ] as const)('%s', async (_name, how, message, hint) => {
    await using through = await proxy(how);
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
    expect(through.heads).toHaveLength(2);
  });

  test('as after silence, until the deadline', async () => {
    await using through = await proxy(() => {});
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, { timeoutMs: 300 }))) {
      expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('no connection within 0.3 s') });
    }
  });

  test.each(['https', 'http'])('as where nothing listens, for %s', async (scheme) => {
    const closed = await proxy(service.port);
    await closed[Symbol.asyncDispose]();
    const to = target(`http://127.0.0.1:${closed.port}`, { baseUrl: new URL(`${scheme}://${HOST}`) });
    for (const error of await outcomes(to)) {
      expect(error).toMatchObject({
        code: 'proxy_failed',
        message: expect.stringContaining(`the proxy 127.0.0.1:${closed.port} could not be reached (ECONNREFUSED)`),
      });
    }
  });
});

describe('plain http through a proxy', () => {
  const plain = { baseUrl: new URL('http://service.test:8080/am') };

  test('gives the proxy the whole address, the host of the service and its own credential', async () => {
    await using through = await proxy(answer(200, '{"id":1}', { connection: 'close' }));
    expect(await outcomes(target(`http://u:p@127.0.0.1:${through.port}`, plain))).toEqual(['done', 'done']);
    expect(through.heads[0]).toMatch(
      /^GET http:\/\/service\.test:8080\/am\/thing HTTP\/1\.1\r\nhost: service\.test:8080\r\n/,
    );
    expect(through.heads[0]).toContain(`proxy-authorization: Basic ${Buffer.from('u:p').toString('base64')}\r\n`);
    expect(through.heads[1]).toMatch(/^POST http:\/\/service\.test:8080\/am\/things /);
  });

  test('reports 407 as a response of the proxy', async () => {
    await using through = await proxy(answer(407, 'no', { connection: 'close' }));
    for (const error of await outcomes(target(`http://127.0.0.1:${through.port}`, plain))) {
      expect(error).toMatchObject({ code: 'proxy_failed', httpStatus: 407 });
    }
  });

  test('leaves the outcome of a write unknown after a cut', async () => {
    await using through = await proxy((socket) => socket.destroy());
    const [read, write] = await outcomes(target(`http://127.0.0.1:${through.port}`, plain));
    expect(read).toMatchObject({ code: 'connection_lost' });
    expect(write).toMatchObject({ code: 'outcome_unknown' });
    expect(through.heads).toHaveLength(2);
  });
});
