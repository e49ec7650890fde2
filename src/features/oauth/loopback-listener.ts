/**
 * Where the browser returns: a server on loopback by default, with one path, which accepts one
 * response and closes. It refuses everything else (RFC 8252 §7.3, §8.3; RFC 9700 §4.7, §4.12).
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SvcError } from '../../errors.ts';
import { hostLiteral } from '../../http/address.ts';

/** The verdict on an address that the browser or a person brings back. */
export type Verdict<T> =
  | { readonly kind: 'taken'; readonly value: T }
  /** Not a response to this sign-in, which continues. */
  | { readonly kind: 'refused'; readonly why: string }
  /** A response, which ends the sign-in. `shown`: the browser may be told that it is over. */
  | { readonly kind: 'over'; readonly failure: SvcError; readonly shown: boolean };

interface ListenerOptions {
  readonly path: string;
  readonly port?: number | undefined;
  /** Of the redirect address. The next is tried only if the machine lacks the previous one. */
  readonly hosts?: readonly string[];
  /** Where to listen instead, if something forwards the port of the redirect address. */
  readonly listenAt?: string | undefined;
}

const HOSTS = ['127.0.0.1', '::1'];
const MOST_CONNECTIONS = 32;
const LARGEST_HEAD = 16 * 1024;
const HEAD_MS = 5_000;
const REQUEST_MS = 6_000;
/** How often Node looks for late connections; by default every 30 s. */
const CHECK_MS = 500;
/** By the code of Node.js for a request that it cannot read. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
/** For a browser on a busy machine to fetch the page that says the login worked. */
const PAGE_MS = 2_000;
const DONE = '/done';

/** One path for each issuer: a response of another server ends nowhere (RFC 9700 §4.4.2). */
export function callbackPath(issuer: string): string {
  return `/callback/${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}`;
}

/** Rejects with the system's `code`: EADDRINUSE if the port is in use. */
export async function openListener({
  path,
  port = 0,
  hosts = HOSTS,
  listenAt,
}: ListenerOptions): Promise<LoopbackListener> {
  for (const [index, host] of hosts.entries()) {
    const server = createServer({
      maxHeaderSize: LARGEST_HEAD,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      requireHostHeader: false,
    });
    server.maxConnections = MOST_CONNECTIONS;
    server.listen(port, listenAt ?? host);
    try {
      await once(server, 'listening');
    } catch (error) {
      const missing = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (missing && index + 1 < hosts.length) continue;
      throw error;
    }
    return new LoopbackListener(server, host, path);
  }
  throw new SvcError('internal', 'no address to listen at');
}

export class LoopbackListener {
  /** An IP literal, never `localhost`: a name can be made to mean another machine. */
  readonly redirectUri: string;
  readonly port: number;
  readonly #server: Server;
  readonly #path: string;
  readonly #hosts: readonly string[];
  readonly #sockets = new Set<Socket>();
  #judge: ((query: string) => Verdict<unknown>) | undefined;
  #settle: { resolve(value: never): void; reject(error: Error): void } | undefined;
  /** The page that shows the result in the browser: not yet, at /done, or at once. */
  #page: 'unasked' | 'expected' | 'given' | 'served' = 'unasked';
  #pageServed: () => void = () => {};

  constructor(server: Server, host: string, path: string) {
    this.#server = server;
    this.#path = path;
    this.port = (server.address() as AddressInfo).port;
    const literal = hostLiteral(host);
    const origin = `http://${literal}:${this.port}`;
    this.redirectUri = origin + path;
    // A URL drops port 80, a person may not.
    this.#hosts = [`${literal}:${this.port}`, new URL(origin).host];
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#serve(request, response));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#unreadable(error, socket));
  }

  /** The first response that `judge` accepts. Before this call, every request is refused. */
  answer<T>(judge: (query: string) => Verdict<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#judge = judge;
      this.#settle = { resolve, reject };
    });
  }

  /** Resolves when the port is free, soon after the response: browsers may yet fetch its page. */
  async close(): Promise<void> {
    if (this.#page === 'expected' || this.#page === 'given') {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, PAGE_MS);
        this.#pageServed = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    // A browser keeps unused connections, which would hold the port and this process for minutes.
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const outcome = this.#outcome(request);
    const page = PAGES[outcome];
    response.sendDate = false;
    response.shouldKeepAlive = outcome === 303;
    if (outcome === 200 || this.#page === 'given') {
      response.on('close', () => {
        this.#page = 'served';
        this.#pageServed();
      });
    }
    response.writeHead(outcome, { ...HEADERS, ...page.headers, 'Content-Length': Buffer.byteLength(page.body) });
    response.end(request.method === 'HEAD' ? undefined : page.body);
  }

  #outcome({ method, url: target = '', rawHeaders, headers }: IncomingMessage): keyof typeof PAGES {
    const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
    // A web page that made its name mean this machine (DNS rebinding) sends its own name here.
    if (hosts.length !== 1 || !this.#hosts.includes(headers.host ?? '')) return 400;
    if (method !== 'GET') return 405;
    if (!target.startsWith('/') || target.startsWith('//')) return 400;
    const [path = '', ...rest] = target.split('?');
    if (path === DONE && this.#page !== 'unasked') return 200;
    if (path !== this.#path || this.#page !== 'unasked') return 404;
    // Images, scripts and frames are no person coming back. Old browsers and curl send neither.
    const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
    if (mode !== 'navigate' || destination !== 'document') return 400;
    return this.#take(rest.join('?'));
  }

  #take(query: string): 303 | 400 {
    const verdict: Verdict<unknown> = this.#judge?.(query) ?? { kind: 'refused', why: '' };
    if (verdict.kind === 'refused') return 400;
    this.#page = 'expected';
    if (verdict.kind === 'taken') {
      this.#settle?.resolve(verdict.value as never);
      return 303;
    }
    this.#settle?.reject(verdict.failure);
    if (verdict.shown) return 303;
    this.#page = 'given';
    return 400;
  }

  #unreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
    const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // A client that goes on sending is cut off.
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
  }
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** None of them contains anything from a request. */
const PAGES = {
  200: page(
    'html',
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>svc</title>\n<p>svc has received the response. The terminal shows the result. You can close this page.</p>\n</html>\n',
  ),
  // Not 307, which repeats a body (RFC 9700 §4.12). The code leaves address bar and history.
  303: page('plain', '', { Location: DONE }),
  400: page('plain', 'This request does not belong to the sign-in that svc waits for.\n'),
  404: page('plain', 'Not found.\n'),
  405: page('plain', 'Method not allowed.\n', { Allow: 'GET' }),
} as const;

function page(kind: 'html' | 'plain', body: string, headers: Page['headers'] = {}): Page {
  return { headers: { ...headers, 'Content-Type': `text/${kind}; charset=utf-8` }, body };
}
