/** The HTTP server of `listen`: early checks, a body's exact bytes, the response. No parsing. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SvcError } from '../../../errors.ts';
import type { RawHeader } from '../delivery.ts';

/** The response to `GET /`, by which a tunnel's address is known to lead here. */
export const READY = 'svc webhooks listen';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

interface Limits {
  /** For a request's headers, and idle connections. The service waits 5 s in all (doc 2 §6). */
  readonly headMs: number;
  readonly requestMs: number;
  /** How long a connection may be idle: longer than tunnels and proxies keep theirs open. */
  readonly idleMs: number;
  readonly connections: number;
  /** Of one body, in bytes. */
  readonly maxBody: number;
  /** How much of large bodies may be in memory at once. */
  readonly bufferedBytes: number;
}

export interface IncomingDelivery {
  /** Milliseconds since 1970, when its last byte arrived. */
  readonly receivedMs: number;
  /** By `performance.now()`, when its head arrived. */
  readonly startedMs: number;
  readonly remote: string;
  readonly path: string;
  /** As received: order, case and repeats. */
  readonly headers: readonly RawHeader[];
  readonly body: Buffer;
  /** Call it once. False: the sender has gone. */
  respond(status: number, text: string): boolean;
}

type RefusalReason = 'browser_request' | 'wrong_method' | 'body_too_large' | 'busy' | 'closing' | 'aborted';

/** A request that is not a delivery. It was answered at once. */
export interface Refusal {
  readonly receivedMs: number;
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  readonly reason: RefusalReason;
  /** Null if the sender went away. */
  readonly response: number | null;
  readonly bytes: number;
}

interface ReceiverHandlers {
  delivered(delivery: IncomingDelivery): void;
  refused(refusal: Refusal): void;
  /** A connection began with TLS or HTTP/2, and was answered 400. */
  misdirected(): void;
}

const LIMITS: Limits = {
  headMs: 5_000,
  requestMs: 10_000,
  idleMs: 75_000,
  connections: 1_000,
  maxBody: 32 * 1024 * 1024,
  bufferedBytes: 128 * 1024 * 1024,
};

const CHECKS_MS = 500;

export interface Receiver {
  readonly port: number;
  /** Accepts nothing more, and waits until all current requests are answered, or for this long. */
  drain(ms: number): Promise<void>;
  destroy(): void;
}

/** Throws `invalid_value` if it cannot listen there. */
export async function startReceiver(options: ReceiverOptions, handlers: ReceiverHandlers): Promise<Receiver> {
  const limits = { ...LIMITS, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(CHECKS_MS, limits.headMs),
  });
  const requests = new RequestReceiver(options, limits, handlers);
  server.on('request', (request, response) => requests.receive(request, response));
  server.on('checkContinue', (request, response) => requests.receive(request, response, true));
  server.maxConnections = limits.connections;
  // Idle connections make way for new ones.
  server.on('drop', () => server.closeIdleConnections());
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The server answers 400 and closes the connection with this error.
    socket.on('error', (error) => {
      if (isOtherProtocol(error)) handlers.misdirected();
    });
  });
  const port = await listen(server, options);
  return {
    port,
    async drain(ms) {
      server.close();
      server.closeIdleConnections();
      await requests.drain(ms);
    },
    destroy() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** By the bytes that node:http could not parse: a TLS handshake or HTTP/2 (RFC 9113 §3.4). */
function isOtherProtocol(error: Error): boolean {
  return 'rawPacket' in error && /^(?:\x16\x03|PRI \* HTTP\/2)/.test((error.rawPacket as Buffer).toString('latin1'));
}

function listen(server: Server, { host, port }: ReceiverOptions): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : (error.code ?? error.message);
      const hint = 'choose another with --port, or 0 for a free one';
      fail(new SvcError('invalid_value', `cannot listen on ${host}, port ${port}: ${why}`, { hint, cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // Running out of descriptors costs one connection, not the listener.
      server.on('error', () => {});
      done((server.address() as AddressInfo).port);
    });
  });
}

/** A body up to this size is accepted however much is buffered. */
const SMALL_BYTES = 256 * 1024;
/** How long a refused sender is read, so that it sees the response and no broken connection. */
const LINGER_MS = 1_000;

/** Passes on complete deliveries, and responds to everything else itself. */
class RequestReceiver {
  readonly #options: ReceiverOptions;
  readonly #limits: Limits;
  readonly #handlers: ReceiverHandlers;
  #bufferedBytes = 0;
  #active = 0;
  #closing = false;
  #onIdle: (() => void) | undefined;

  constructor(options: ReceiverOptions, limits: Limits, handlers: ReceiverHandlers) {
    this.#options = options;
    this.#limits = limits;
    this.#handlers = handlers;
  }

  /** Refuses new requests, and waits until the others are answered, or for this long. */
  drain(ms: number): Promise<void> {
    this.#closing = true;
    if (this.#active === 0) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  receive(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    const startedMs = performance.now();
    this.#active++;
    response.once('close', () => {
      if (--this.#active === 0) this.#onIdle?.();
    });
    const { method, url = '', headers } = request;
    const [pathname] = url.split('?', 1);
    // Deliveries come from a server. Requests from a web page have an origin.
    if (headers.origin !== undefined) this.#refuse(request, response, 403, 'browser_request');
    else if ((method === 'GET' || method === 'HEAD') && pathname === '/')
      writeResponse(response, 200, method === 'GET' ? READY : '');
    else if (method !== 'POST') this.#refuse(request, response, 405, 'wrong_method');
    else if (this.#closing) this.#refuse(request, response, 503, 'closing');
    else if (Number(headers['content-length'] ?? 0) > this.#limits.maxBody) {
      this.#refuse(request, response, 413, 'body_too_large');
    } else {
      if (expectsContinue) response.writeContinue();
      this.#readBody(request, response, startedMs);
    }
  }

  #readBody(request: IncomingMessage, response: ServerResponse, startedMs: number): void {
    const { now } = this.#options;
    const { maxBody, bufferedBytes } = this.#limits;
    let chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    const release = (): number => {
      const released = size;
      this.#bufferedBytes -= size;
      size = 0;
      chunks = [];
      return released;
    };
    const refuse = (status: number, reason: RefusalReason): void => {
      ended = true;
      this.#refuse(request, response, status, reason, release());
    };
    request.on('data', (chunk: Buffer) => {
      if (ended) return;
      size += chunk.length;
      this.#bufferedBytes += chunk.length;
      if (size > maxBody) refuse(413, 'body_too_large');
      else if (size > SMALL_BYTES && this.#bufferedBytes > bufferedBytes) refuse(503, 'busy');
      else chunks.push(chunk);
    });
    request.on('end', () => {
      if (ended) return;
      ended = true;
      this.#handlers.delivered({
        receivedMs: now(),
        startedMs,
        remote: request.socket.remoteAddress ?? '-',
        path: request.url ?? '',
        headers: headerPairs(request.rawHeaders),
        body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size),
        respond: (status, text) => {
          release();
          if (response.destroyed) return false;
          writeResponse(response, status, text);
          return true;
        },
      });
    });
    request.on('close', () => {
      if (ended) return;
      ended = true;
      this.#report(request, 'aborted', null, release());
    });
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: RefusalReason, bytes = 0): void {
    this.#report(request, reason, status, bytes);
    if (status === 405) response.setHeader('allow', 'POST');
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && Number(length) === 0) writeResponse(response, status, reason);
    else respondAndLinger(request, response, status, reason);
  }

  #report(request: IncomingMessage, reason: RefusalReason, response: number | null, bytes: number): void {
    this.#handlers.refused({
      receivedMs: this.#options.now(),
      remote: request.socket.remoteAddress ?? '-',
      method: request.method ?? '',
      path: request.url ?? '',
      reason,
      response,
      bytes,
    });
  }
}

/** Names and values in turn as pairs. */
function headerPairs(headers: readonly string[]): RawHeader[] {
  const pairs: RawHeader[] = [];
  for (let index = 0; index < headers.length; index += 2) pairs.push([headers[index] ?? '', headers[index + 1] ?? '']);
  return pairs;
}

function writeResponse(response: ServerResponse, status: number, text: string): void {
  const body = text === '' ? '' : `${text}\n`;
  if (status === 204 || status === 304) response.writeHead(status);
  else response.writeHead(status, { 'content-type': 'text/plain', 'content-length': body.length });
  response.end(body);
}

/** Responds at once, and closes the connection when the sender has ended, or after `LINGER_MS`. */
function respondAndLinger(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': text.length + 1, connection: 'close' });
  response.write(`${text}\n`);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end);
  request.once('close', end);
  request.resume();
}
