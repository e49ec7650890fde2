/** What a receiver does with one request: the few checks before its body is read, its bytes, and the end it comes to. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SigningSecret } from './secret.ts';
import { SignatureCheck, type Verification } from './signature.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Where deliveries are taken; anything else is answered 404. */
  readonly path: string;
  /** PEM texts: the receiver speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Bytes. */
  readonly maxBody: number;
  /** Undefined: nothing is verified. */
  readonly secrets: readonly SigningSecret[] | undefined;
  readonly toleranceS: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

export interface Limits {
  /** For the head of a request, and for a connection on which nothing comes. The service itself waits 5 s in all (doc 2 §6). */
  readonly headMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** How long a connection may be idle between two requests: longer than the tunnels and proxies in front keep theirs. */
  readonly idleMs: number;
  readonly connections: number;
  /** How much of large bodies is held in memory at once. */
  readonly heldBytes: number;
}

/** One delivery, complete. */
export interface Arrival {
  /** Milliseconds since 1970, when its last byte had come. */
  readonly receivedMs: number;
  /** By `performance.now()`, when its head had come. */
  readonly beganMs: number;
  readonly remote: string;
  /** As it was asked for, with its query. */
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Undefined where nothing is verified. */
  readonly verification: Verification | undefined;
  /** To be called once. `done` tells whether the sender was still there. */
  answer(status: number, text: string, done?: (sent: boolean) => void): void;
}

export type RefusalReason =
  | 'browser_request'
  | 'wrong_path'
  | 'wrong_method'
  | 'body_too_large'
  | 'busy'
  | 'closing'
  | 'aborted';

/** What was no delivery, and was answered at once. */
export interface Refusal {
  readonly receivedMs: number;
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  readonly reason: RefusalReason;
  /** Null where the sender went away. */
  readonly response: number | null;
  readonly bytes: number;
}

export interface ReceiverHandlers {
  arrived(arrival: Arrival): void;
  refused(refusal: Refusal): void;
}

/** A body up to this size is taken whatever else is held. */
const SMALL_BYTES = 256 * 1024;
/** How long what a refused sender goes on to send is read, so that it sees the answer and no broken connection. */
const LINGER_MS = 1_000;

/** The headers that decide what becomes of a request, each as often as it stands there: joined values could not be told apart. */
interface Head {
  readonly timestamps: string[];
  readonly signatures: string[];
  origin: boolean;
  chunked: boolean;
  length: number;
}

function readHead(headers: readonly string[]): Head {
  const head: Head = { timestamps: [], signatures: [], origin: false, chunked: false, length: 0 };
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    // The length tells nearly all other names apart, without a copy in lower case.
    switch (name.length) {
      case 6:
        if (name.toLowerCase() === 'origin') head.origin = true;
        break;
      case 14:
        if (name.toLowerCase() === 'content-length') head.length = Number(value);
        break;
      case 17:
        if (name.toLowerCase() === 'transfer-encoding') head.chunked = true;
        break;
      case 19: {
        const lower = name.toLowerCase();
        if (lower === 'x-service-timestamp') head.timestamps.push(value);
        else if (lower === 'x-service-signature') head.signatures.push(value);
        break;
      }
    }
  }
  return head;
}

/** Takes each request, and hands on what is a delivery; the rest it answers itself. */
export class Desk {
  readonly #options: ReceiverOptions;
  readonly #limits: Limits;
  readonly #handlers: ReceiverHandlers;
  #held = 0;
  #active = 0;
  #closing = false;
  #idle: (() => void) | undefined;

  constructor(options: ReceiverOptions, limits: Limits, handlers: ReceiverHandlers) {
    this.#options = options;
    this.#limits = limits;
    this.#handlers = handlers;
  }

  /** What comes from now on is refused. */
  drained(ms: number): Promise<void> {
    this.#closing = true;
    if (this.#active === 0) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#idle = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  take(request: IncomingMessage, response: ServerResponse, waits = false): void {
    const beganMs = performance.now();
    this.#active++;
    response.once('close', () => {
      if (--this.#active === 0) this.#idle?.();
    });
    const head = readHead(request.rawHeaders);
    const path = request.url ?? '';
    const query = path.indexOf('?');
    const pathname = query === -1 ? path : path.slice(0, query);
    const { method } = request;
    // Deliveries come from a server. What a page in a browser sends, from whatever site, has an origin.
    if (head.origin) this.#refuse(request, response, head, 403, 'browser_request');
    else if ((method === 'GET' || method === 'HEAD') && pathname === '/') answerWith(response, 200, '');
    else if (pathname !== this.#options.path) this.#refuse(request, response, head, 404, 'wrong_path');
    else if (method !== 'POST') this.#refuse(request, response, head, 405, 'wrong_method');
    else if (this.#closing) this.#refuse(request, response, head, 503, 'closing');
    else if (head.length > this.#options.maxBody) this.#refuse(request, response, head, 413, 'body_too_large');
    else {
      if (waits) response.writeContinue();
      this.#read(request, response, head, beganMs);
    }
  }

  #read(request: IncomingMessage, response: ServerResponse, head: Head, beganMs: number): void {
    const { secrets, maxBody, toleranceS, now } = this.#options;
    const check = secrets === undefined ? undefined : new SignatureCheck(head, secrets);
    const remote = request.socket.remoteAddress ?? '-';
    let pieces: Buffer[] = [];
    let size = 0;
    let over = false;
    const release = (): void => {
      this.#held -= size;
      size = 0;
      pieces = [];
    };
    const refuse = (status: number, reason: RefusalReason): void => {
      over = true;
      const bytes = size;
      release();
      this.#refuse(request, response, head, status, reason, bytes);
    };
    request.on('data', (piece: Buffer) => {
      if (over) return;
      size += piece.length;
      this.#held += piece.length;
      if (size > maxBody) refuse(413, 'body_too_large');
      else if (size > SMALL_BYTES && this.#held > this.#limits.heldBytes) refuse(503, 'busy');
      else {
        check?.update(piece);
        pieces.push(piece);
      }
    });
    request.on('end', () => {
      if (over) return;
      over = true;
      const receivedMs = now();
      this.#handlers.arrived({
        receivedMs,
        beganMs,
        remote,
        path: request.url ?? '',
        headers: request.rawHeaders,
        body: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, size),
        verification: check?.finish({ nowS: receivedMs / 1000, toleranceS }),
        answer: (status, text, done) => {
          release();
          if (done !== undefined) {
            const sent = !response.destroyed;
            done(sent);
          }
          if (!response.destroyed) answerWith(response, status, text);
        },
      });
    });
    request.on('close', () => {
      if (over) return;
      over = true;
      const bytes = size;
      release();
      this.#tell(request, 'aborted', null, bytes);
    });
  }

  #tell(request: IncomingMessage, reason: RefusalReason, response: number | null, bytes: number): void {
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

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { chunked, length }: Head,
    status: number,
    reason: RefusalReason,
    bytes = 0,
  ): void {
    this.#tell(request, reason, status, bytes);
    if (status === 405) response.setHeader('allow', 'POST');
    if (!chunked && length === 0) answerWith(response, status, reason);
    else answerAndLinger(request, response, status, reason);
  }
}

function answerWith(response: ServerResponse, status: number, text: string): void {
  const body = text === '' ? '' : `${text}\n`;
  if (status === 204 || status === 304) response.writeHead(status);
  else response.writeHead(status, { 'content-type': 'text/plain', 'content-length': body.length });
  response.end(body);
}

/** The answer goes out at once; the connection is closed when the sender has ended, or goes on for too long. */
function answerAndLinger(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain',
    'content-length': text.length + 1,
    connection: 'close',
  });
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
