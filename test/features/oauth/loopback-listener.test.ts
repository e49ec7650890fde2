/** The listener at its socket, byte by byte (RFC 8252 §7.3, §8.3; RFC 9700 §4). */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import {
  callbackPath,
  type LoopbackListener,
  openListener,
  type Verdict,
} from '../../../src/features/oauth/loopback-listener.ts';
import { connected, exchangeBytes, isOpen, statusOf } from './raw.ts';

const ISSUER = 'https://service.example';
const PATH = callbackPath(ISSUER);
const listeners: LoopbackListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function listening(): Promise<LoopbackListener> {
  const listener = await openListener(ISSUER);
  listeners.push(listener);
  return listener;
}

/** Takes `?right`, ends with `?wrong-server` and `?denied`, refuses all else. */
function judge(query: string): Verdict<string> {
  const failure = new SvcError('unauthorized', query);
  if (query === 'denied') return { kind: 'over', failure };
  return query.startsWith('right') ? { kind: 'taken', value: query } : { kind: 'refused', why: 'wrong' };
}

const COMMON = [
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none'",
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
];
const message = (status: string, headers: readonly string[], body: string, connection = 'close'): string =>
  [
    `HTTP/1.1 ${status}`,
    ...COMMON,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${connection}`,
    ...(connection === 'close' ? [] : ['Keep-Alive: timeout=5']),
    '',
    body,
  ].join('\r\n');
const PLAIN = 'Content-Type: text/plain; charset=utf-8';
const BAD = message('400 Bad Request', [PLAIN], 'This request does not belong to the sign-in that svc waits for.\n');
const SEE_DONE = message('303 See Other', ['Location: /done', PLAIN], '', 'keep-alive');

describe('the response', () => {
  it('to the right request is a redirect without a query, then a static page', async () => {
    const listener = await listening();
    const { port } = listener;
    const answer = listener.answer(judge);
    const request = (target: string, more = ''): string =>
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
    const bytes = await exchangeBytes(port, request(`${PATH}?right&code=c0de`) + request('/done'));
    expect(await answer).toBe('right&code=c0de');
    expect(bytes.slice(0, SEE_DONE.length)).toBe(SEE_DONE);
    const page = bytes.slice(SEE_DONE.length);
    expect(page).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    for (const header of COMMON) expect(page).toContain(`\r\n${header}\r\n`);
    expect(page).toContain('\r\nContent-Type: text/html; charset=utf-8\r\n');
    // Nothing from elsewhere, nothing of the request.
    expect(page).not.toMatch(/https?:|src=|href=|<script|code|c0de/);
  });

  const refusals: readonly (readonly [name: string, request: (port: number) => string, status: number])[] = [
    ['another answer', (port) => get(`${PATH}?wrong`, port), 400],
    ['no query', (port) => get(PATH, port), 400],
    ['POST', (port) => get(`${PATH}?right`, port).replace('GET', 'POST'), 405],
    ['HEAD', (port) => get(`${PATH}?right`, port).replace('GET', 'HEAD'), 405],
    ['OPTIONS', (port) => get(`${PATH}?right`, port).replace('GET', 'OPTIONS'), 405],
    ['OPTIONS *', (port) => get('*', port).replace('GET', 'OPTIONS'), 405],
    ['DELETE', (port) => get(`${PATH}?right`, port).replace('GET', 'DELETE'), 405],
    ['the favicon', (port) => get('/favicon.ico', port, 'Sec-Fetch-Dest: image\r\nSec-Fetch-Mode: no-cors\r\n'), 404],
    ['the root', (port) => get('/', port), 404],
    ['the page, too early', (port) => get('/done', port), 404],
    ['//', (port) => get(`/${PATH}?right`, port), 400],
    ['// alone', (port) => get('//', port), 400],
    ['an absolute target', (port) => get(`http://127.0.0.1:${port}${PATH}?right`, port), 400],
    ['an absolute target of elsewhere', (port) => get(`http://evil.example${PATH}?right`, port), 400],
    ['an encoded path', (port) => get(`${PATH.replace('c', '%63')}?right`, port), 404],
    ['an encoded slash', (port) => get(`${PATH.replace('/callback/', '/callback%2f')}?right`, port), 404],
    ['dot segments', (port) => get(`/x/..${PATH}?right`, port), 404],
    ['a trailing slash', (port) => get(`${PATH}/?right`, port), 404],
    ['another case', (port) => get(`${PATH.toUpperCase()}?right`, port), 404],
    ['the path of another issuer', (port) => get(`${callbackPath('https://evil.example')}?right`, port), 404],
    ['a foreign host', (port) => get(`${PATH}?right`, port).replace(/Host: .*/, 'Host: evil.example'), 400],
    [
      'a foreign host with the port',
      (port) => get(`${PATH}?right`, port).replace(/Host: .*?:/, 'Host: evil.example:'),
      400,
    ],
    ['localhost', (port) => get(`${PATH}?right`, port).replace('Host: 127.0.0.1', 'Host: localhost'), 400],
    ['another port', (port) => get(`${PATH}?right`, port + 1), 400],
    ['no port', (port) => get(`${PATH}?right`, port).replace(/Host: .*/, 'Host: 127.0.0.1'), 400],
    ['no host', (port) => get(`${PATH}?right`, port).replace(/Host: .*\r\n/, ''), 400],
    ['an empty host', (port) => get(`${PATH}?right`, port).replace(/Host: .*/, 'Host:'), 400],
    ['no host, HTTP/1.0', (port) => get(`${PATH}?right`, port).replace(/1\.1\r\nHost: .*\r\n/, '1.0\r\n'), 400],
    ['two hosts', (port) => get(`${PATH}?right`, port, 'Host: evil.example\r\n'), 400],
    ['a script', (port) => get(`${PATH}?right`, port, 'Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n'), 400],
    ['an image', (port) => get(`${PATH}?right`, port, 'Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n'), 400],
    ['a frame', (port) => get(`${PATH}?right`, port, 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n'), 400],
    ['a mode alone', (port) => get(`${PATH}?right`, port, 'Sec-Fetch-Mode: no-cors\r\n'), 400],
    ['no HTTP', () => 'hello\r\n\r\n', 400],
    ['a head of 20 KiB', (port) => get(`${PATH}?right`, port, `X: ${'x'.repeat(20_480)}\r\n`), 431],
    ['a target of 20 KiB', (port) => get(`${PATH}?right${'x'.repeat(20_480)}`, port), 431],
  ];
  it.each(refusals)('%s changes nothing', async (_name, request, status) => {
    const listener = await listening();
    const answer = listener.answer(judge);
    const bytes = await exchangeBytes(listener.port, request(listener.port));
    expect(statusOf(bytes)).toBe(status);
    expect(bytes).toMatch(/\r\nConnection: close\r\n/i);
    if (status === 400 && bytes.includes('Content-Type')) expect(bytes).toBe(BAD);
    if (status === 405) expect(bytes).toContain('\r\nAllow: GET\r\n');
    if (status !== 431 && bytes.includes('Content-Type')) for (const header of COMMON) expect(bytes).toContain(header);
    // The right one still works.
    const right = await exchangeBytes(listener.port, get(`${PATH}?right`, listener.port) + get('/done', listener.port));
    expect(statusOf(right)).toBe(303);
    expect(await answer).toBe('right');
  });

  it('to HEAD has no body', async () => {
    const { port } = await listening();
    const bytes = await exchangeBytes(port, get(PATH, port).replace('GET', 'HEAD'));
    expect(bytes.endsWith('\r\n\r\n')).toBe(true);
  });

  it('accepts browsers, and clients without browser headers', async () => {
    for (const more of ['Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: cross-site\r\n', '']) {
      const listener = await listening();
      const answer = listener.answer(judge);
      await exchangeBytes(listener.port, get(`${PATH}?right`, listener.port, more) + get('/done', listener.port));
      expect(await answer).toBe('right');
    }
  });

  it('accepts one authorization response', async () => {
    const listener = await listening();
    const answer = listener.answer(judge);
    const again = get(`${PATH}?right&second`, listener.port, 'Connection: close\r\n');
    const bytes = await exchangeBytes(listener.port, get(`${PATH}?right&first`, listener.port) + again);
    expect(await answer).toBe('right&first');
    expect(bytes.slice(SEE_DONE.length)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('accepts nothing before the login starts', async () => {
    const listener = await listening();
    expect(statusOf(await exchangeBytes(listener.port, get(`${PATH}?right`, listener.port)))).toBe(400);
  });

  it('ends with a denial, which the browser page does not show', async () => {
    const listener = await listening();
    const answer = listener.answer(judge);
    const ended = expect(answer).rejects.toMatchObject({ message: 'denied' });
    const bytes = await exchangeBytes(
      listener.port,
      get(`${PATH}?denied`, listener.port) + get('/done', listener.port),
    );
    await ended;
    expect(bytes.slice(0, SEE_DONE.length)).toBe(SEE_DONE);
  });
});

function get(target: string, port: number, more = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
}

describe('the address', () => {
  it('is 127.0.0.1 only', async () => {
    const { port, redirectUri } = await listening();
    expect(redirectUri).toBe(`http://127.0.0.1:${port}${PATH}`);
    expect(await isOpen(port, '::1')).toBe(false);
    const others = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address, internal, family, scopeid } of others) {
      if (!internal && !(family === 'IPv6' && scopeid)) expect(await isOpen(port, address), address).toBe(false);
    }
    // Node's own default would be every address of the machine.
    expect(await isOpen(port, '127.0.0.2')).toBe(false);
  });

  it('has exactly the given port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(openListener(ISSUER, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    taken.close();
    await once(taken, 'close');
    const listener = await openListener(ISSUER, port);
    listeners.push(listener);
    expect(listener.port).toBe(port);
  });

  it('has a random path of 64 bits per issuer', () => {
    expect(callbackPath('https://a.example')).toMatch(/^\/callback\/[0-9a-f]{16}$/);
    expect(callbackPath('https://a.example')).not.toBe(callbackPath('https://b.example'));
  });
});

describe('the end', () => {
  it('does not wait for unused connections of a browser', async () => {
    const listener = await listening();
    const { port } = listener;
    const idle = await Promise.all([connected(port), connected(port), connected(port)]);
    const answer = listener.answer(judge);
    await exchangeBytes(port, get(`${PATH}?right`, port) + get('/done', port));
    await answer;
    await listener.close();
    expect(await isOpen(port)).toBe(false);
    for (const socket of idle) socket.destroy();
  });

  it('waits at most half a second for the page to be loaded', async () => {
    const listener = await listening();
    const { port } = listener;
    const answer = listener.answer(judge);
    const browser = await connected(port);
    browser.write(get(`${PATH}?right`, port));
    await answer;
    const closing = listener.close();
    expect(statusOf(await exchangeBytes(port, get('/done', port)))).toBe(200);
    await closing;
    expect(await isOpen(port)).toBe(false);

    const alone = await listening();
    const other = alone.answer(judge);
    const silent = await connected(alone.port);
    silent.write(get(`${PATH}?right`, alone.port));
    await other;
    await alone.close();
    expect(await isOpen(alone.port)).toBe(false);
  });

  it('does not come from requests of others, however many', async () => {
    const listener = await listening();
    const { port } = listener;
    const answer = listener.answer(judge);
    for (let count = 0; count < 100; count++) await exchangeBytes(port, get(`${PATH}?wrong`, port));
    expect(statusOf(await exchangeBytes(port, get(`${PATH}?right`, port)))).toBe(303);
    expect(await answer).toBe('right');
  });

  it('closes a slow connection', async () => {
    const { port } = await listening();
    const slow = (await connected(port)).resume();
    const drip = setInterval(() => slow.write('x'), 200);
    slow.write(`GET ${PATH}?right HTTP/1.1\r\nX: `);
    await once(slow, 'close');
    clearInterval(drip);
  });

  it('allows at most 32 connections', async () => {
    const { port } = await listening();
    const sockets = await Promise.all(Array.from({ length: 32 }, () => connected(port)));
    const last = await connected(port);
    await once(last, 'close');
    for (const socket of sockets) {
      expect(socket.closed).toBe(false);
      socket.destroy();
    }
  });
});
