/**
 * Where the browser returns: a server on loopback with one path, which accepts one response. It
 * refuses everything else (RFC 8252 §7.3, §8.3; RFC 9700 §4.7, §4.12).
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SvcError } from '../../errors.ts';
import { errorCode } from '../../store/own-file.ts';

/** The verdict on an address that the browser or a person brings back. */
export type Verdict<T> =
  | { readonly kind: 'taken'; readonly value: T }
  /** Not a response to this sign-in, which continues. */
  | { readonly kind: 'refused'; readonly why: string }
  /** A response, which ends the sign-in. */
  | { readonly kind: 'over'; readonly failure: SvcError };

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 6_000,
  /** How often Node looks for late connections; by default every 30 s. */
  connectionsCheckingInterval: 500,
  requireHostHeader: false,
};
const MOST_CONNECTIONS = 32;
/** For a browser on a busy machine to fetch the page that says the login worked. */
const PAGE_MS = 2_000;
const DONE = '/done';

/** One path for each issuer: a response of another server ends nowhere (RFC 9700 §4.4.2). */
export function callbackPath(issuer: string): string {
  return `/callback/${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}`;
}

/**
 * Rejects with the system's `code`: EADDRINUSE if the port is in use. `listenAt` is another IP
 * address of this machine, for a port that is forwarded from loopback: the redirect names that.
 */
export async function openListener(issuer: string, port = 0, listenAt?: string): Promise<LoopbackListener> {
  const server = createServer(LIMITS);
  server.maxConnections = MOST_CONNECTIONS;
  try {
    await once(server.listen(port, listenAt ?? '127.0.0.1'), 'listening');
    return new LoopbackListener(server, '127.0.0.1', callbackPath(issuer));
  } catch (error) {
    // A machine without IPv4.
    const isMissing = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(errorCode(error) ?? '');
    if (!isMissing || listenAt !== undefined) throw error;
  }
  await once(server.listen(port, '::1'), 'listening');
  return new LoopbackListener(server, '[::1]', callbackPath(issuer));
}

export class LoopbackListener {
  /** An IP literal, never `localhost`: a name can be made to mean another machine. */
  readonly redirectUri: string;
  readonly port: number;
  readonly #server: Server;
  readonly #path: string;
  readonly #hosts: readonly string[];
  #judge: ((query: string) => Verdict<unknown>) | undefined;
  #settle: { resolve(value: never): void; reject(error: Error): void } | undefined;
  /** The response has come. */
  #isOver = false;
  #setPageLoaded: () => void = () => {};
  readonly #pageLoaded = new Promise<void>((done) => {
    this.#setPageLoaded = done;
  });

  constructor(server: Server, hostname: string, path: string) {
    const { port } = server.address() as AddressInfo;
    const host = `${hostname}:${port}`;
    this.#server = server;
    this.#path = path;
    this.port = port;
    this.redirectUri = `http://${host}${path}`;
    // A URL drops port 80, a person may not.
    this.#hosts = [host, new URL(this.redirectUri).host];
    server.on('request', (request, response) => this.#serve(request, response));
  }

  /** The first response that `judge` accepts. Before this call, every request is refused. */
  answer<T>(judge: (query: string) => Verdict<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#judge = judge;
      this.#settle = { resolve, reject };
    });
  }

  /** Resolves when the port is free, soon after the response: the browser may yet fetch its page. */
  async close(): Promise<void> {
    if (this.#isOver) {
      const timer = setTimeout(this.#setPageLoaded, PAGE_MS);
      await this.#pageLoaded;
      clearTimeout(timer);
    }
    const closed = once(this.#server.close(), 'close');
    // A browser keeps unused connections, which would hold the port and this process for minutes.
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const status = this.#statusOf(request);
    const { headers, body } = PAGES[status];
    response.sendDate = false;
    response.shouldKeepAlive = status === 303;
    if (status === 200) response.on('close', this.#setPageLoaded);
    response.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  }

  #statusOf({ method, url: target = '', rawHeaders, headers }: IncomingMessage): keyof typeof PAGES {
    const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
    // A web page that made its name mean this machine (DNS rebinding) sends its own name here.
    if (hosts.length !== 1 || !this.#hosts.includes(headers.host ?? '')) return 400;
    if (method !== 'GET') return 405;
    if (!target.startsWith('/') || target.startsWith('//')) return 400;
    const [path = '', ...rest] = target.split('?');
    if (path === DONE && this.#isOver) return 200;
    if (path !== this.#path || this.#isOver) return 404;
    // Images, scripts and frames are no person coming back. Old browsers and curl send neither.
    const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
    if (mode !== 'navigate' || destination !== 'document') return 400;
    return this.#take(rest.join('?'));
  }

  #take(query: string): 303 | 400 {
    const verdict = this.#judge?.(query);
    if (verdict === undefined || verdict.kind === 'refused') return 400;
    this.#isOver = true;
    if (verdict.kind === 'taken') this.#settle?.resolve(verdict.value as never);
    else this.#settle?.reject(verdict.failure);
    return 303;
  }
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };

/** None of them contains anything from a request. */
const PAGES = {
  200: {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>svc</title>\n<p>svc has received the response. The terminal shows the result. You can close this page.</p>\n</html>\n',
  },
  // Not 307, which repeats a body (RFC 9700 §4.12). The code leaves address bar and history.
  303: { headers: { Location: DONE, ...PLAIN }, body: '' },
  400: { headers: PLAIN, body: 'This request does not belong to the sign-in that svc waits for.\n' },
  404: { headers: PLAIN, body: 'Not found.\n' },
  405: { headers: { Allow: 'GET', ...PLAIN }, body: 'Method not allowed.\n' },
} as const;
