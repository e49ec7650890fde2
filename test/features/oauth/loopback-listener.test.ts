/** The listener at its socket, byte by byte (RFC 8252 §7.3, §8.3; RFC 9700 §4). */
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
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
  vi.useRealTimers();
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function listening(): Promise<LoopbackListener> {
  const listener = await openListener(ISSUER);
  listeners.push(listener);
  return listener;
}

/** Takes `?right`, ends with `?denied`, refuses all else. */
function judge(query: string): Verdict<string> {
  if (query === 'denied') return { kind: 'over', failure: new SvcError('unauthorized', query) };
  return query.startsWith('right') ? { kind: 'taken', value: query } : { kind: 'refused', why: 'wrong' };
}

const get = (target: string, port: number, more = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
/** The right response, and the page that a browser loads next. */
const right = (port: number, more = ''): string => get(`${PATH}?right`, port, more) + get('/done', port);

const COMMON = [
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none'",
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
];
const PLAIN = 'Content-Type: text/plain; charset=utf-8';
const BAD = 'This request does not belong to the sign-in that svc waits for.\n';

function expectHeaders(bytes: string, ...more: readonly string[]): void {
  for (const header of [...COMMON, ...more]) expect(bytes).toContain(`\r\n${header}\r\n`);
}

/** The responses on one connection after the first, which must be the redirect to the page. */
function afterRedirect(bytes: string): string {
  const [redirect = '', ...others] = bytes.split(/(?=HTTP\/1\.1 )/);
  expect(redirect).toMatch(/^HTTP\/1\.1 303 See Other\r\n/);
  expectHeaders(redirect, PLAIN, 'Location: /done', 'Content-Length: 0');
  return others.join('');
}

describe('the loopback listener', () => {
  it('answers the right response by a redirect without a query, then by a static page', async () => {
    const listener = await listening();
    const { port } = listener;
    const answer = listener.answer(judge);
    const bytes = await exchangeBytes(port, get(`${PATH}?right&code=c0de?x`, port) + get('/done', port));
    expect(await answer).toBe('right&code=c0de?x');
    const page = afterRedirect(bytes);
    expect(page).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expectHeaders(page, 'Content-Type: text/html; charset=utf-8');
    // Nothing from elsewhere, nothing of the request.
    expect(page).not.toMatch(/https?:|src=|href=|<script|code|c0de/);
  });

  it('refuses every other request, and still takes the right one', async () => {
    const listener = await listening();
    const { port } = listener;
    const answer = listener.answer(judge);
    const good = get(`${PATH}?right`, port);
    const method = (name: string) => good.replace('GET', name);
    const host = (line: string) => good.replace(/Host: .*\r\n/, line);
    const fetched = (mode: string, destination: string) =>
      get(`${PATH}?right`, port, `Sec-Fetch-Mode: ${mode}\r\nSec-Fetch-Dest: ${destination}\r\n`);
    const refused: readonly (readonly [request: string, status: number])[] = [
      [get(`${PATH}?wrong`, port), 400],
      [get(PATH, port), 400],
      ...['POST', 'HEAD', 'OPTIONS'].map((name) => [method(name), 405] as const),
      [get('/', port), 404],
      [get('/done', port), 404],
      [get(`/${PATH}?right`, port), 400],
      [get(`http://127.0.0.1:${port}${PATH}?right`, port), 400],
      [get(`${PATH.replace('c', '%63')}?right`, port), 404],
      [get(`${PATH}/?right`, port), 404],
      [get(`${callbackPath('https://evil.example')}?right`, port), 404],
      [host('Host: evil.example\r\n'), 400],
      [host(`Host: localhost:${port}\r\n`), 400],
      [host(`Host: 127.0.0.1:${port + 1}\r\n`), 400],
      [host('Host: 127.0.0.1\r\n'), 400],
      [host(''), 400],
      [host('').replace('1.1', '1.0'), 400],
      [get(`${PATH}?right`, port, 'Host: evil.example\r\n'), 400],
      [fetched('navigate', 'iframe'), 400],
      [get(`${PATH}?right`, port, 'Sec-Fetch-Mode: no-cors\r\n'), 400],
      ['hello\r\n\r\n', 400],
      [get(`${PATH}?right`, port, `X: ${'x'.repeat(20_480)}\r\n`), 431],
    ];
    for (const [request, status] of refused) {
      const bytes = await exchangeBytes(port, request);
      expect(statusOf(bytes), request.slice(0, 200)).toBe(status);
      expect(bytes).toMatch(/\r\nConnection: close\r\n/i);
      if (bytes.endsWith(BAD)) expectHeaders(bytes, PLAIN);
      if (status === 405) expect(bytes).toContain('\r\nAllow: GET\r\n');
      if (request.startsWith('HEAD')) expect(bytes.endsWith('\r\n\r\n')).toBe(true);
    }
    expect(await exchangeBytes(port, get(`${PATH}?wrong`, port))).toContain(`\r\n\r\n${BAD}`);
    const navigation = 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: cross-site\r\n';
    expect(statusOf(await exchangeBytes(port, right(port, navigation)))).toBe(303);
    expect(await answer).toBe('right');
  });

  it('takes one response, and none before the login starts', async () => {
    const listener = await listening();
    const { port } = listener;
    expect(statusOf(await exchangeBytes(port, get(`${PATH}?right`, port)))).toBe(400);
    const answer = listener.answer(judge);
    const again = get(`${PATH}?right&second`, port, 'Connection: close\r\n');
    const bytes = await exchangeBytes(port, get(`${PATH}?right&first`, port) + again);
    expect(await answer).toBe('right&first');
    expect(afterRedirect(bytes)).toMatch(/^HTTP\/1\.1 404 /);
    expect(statusOf(await exchangeBytes(port, get('/done', port)))).toBe(200);
  });
});

describe('the address of the loopback listener', () => {
  it('is 127.0.0.1 only', async () => {
    const { port, redirectUri } = await listening();
    expect(redirectUri).toBe(`http://127.0.0.1:${port}${PATH}`);
    // The default of Node.js would be every address of the machine.
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const others = own.filter(({ internal, family, scopeid }) => !internal && !(family === 'IPv6' && scopeid));
    for (const address of ['::1', '127.0.0.2', ...others.map((one) => one.address)])
      expect(await isOpen(port, address), address).toBe(false);
  });

  it('has a path of 64 bits for each issuer', () => {
    expect(callbackPath('https://a.example')).toMatch(/^\/callback\/[0-9a-f]{16}$/);
    expect(callbackPath('https://a.example')).not.toBe(callbackPath('https://b.example'));
  });
});

describe('the end of the loopback listener', () => {
  it('does not wait for unused connections of a browser', async () => {
    const listener = await listening();
    const { port } = listener;
    const idle = await Promise.all([connected(port), connected(port), connected(port)]);
    const answer = listener.answer(judge);
    await exchangeBytes(port, right(port));
    await answer;
    await listener.close();
    expect(await isOpen(port)).toBe(false);
    for (const socket of idle) socket.destroy();
  });

  it('waits for the page to be loaded, for 2 s at most', async () => {
    for (const loads of [true, false]) {
      const listener = await listening();
      const { port } = listener;
      const answer = listener.answer(judge);
      const browser = await connected(port);
      browser.write(get(`${PATH}?right`, port));
      await answer;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const closing = listener.close();
      if (loads) expect(statusOf(await exchangeBytes(port, get('/done', port)))).toBe(200);
      else {
        vi.advanceTimersByTime(1_999);
        expect(await isOpen(port)).toBe(true);
        vi.advanceTimersByTime(1);
      }
      await closing;
      vi.useRealTimers();
      expect(await isOpen(port)).toBe(false);
    }
  });

  it('comes for a connection that is slow, before it has sent the right response', async () => {
    const listener = await listening();
    const { port } = listener;
    void listener.answer(judge);
    const slow = await connected(port);
    const answered = once(slow, 'data') as Promise<[Buffer]>;
    slow.write(`GET ${PATH}?right HTTP/1.1\r\nX: `);
    // It sends for longer than the listener allows, and then all that is missing.
    let left = 60;
    const drip = setInterval(() => {
      if (left-- > 0) slow.write('x');
      else slow.write(`\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    }, 200);
    const [bytes] = await answered;
    clearInterval(drip);
    slow.destroy();
    expect(statusOf(bytes.toString())).toBe(408);
  });

  it('comes for the 33rd connection at once, and for no other', async () => {
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
