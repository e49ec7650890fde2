/** Connections to a service itself, without TLS and without a proxy: for commands that send thousands of small requests. */
import { setFlagsFromString } from 'node:v8';
import { ClientDestroyedError } from 'undici/lib/core/errors.js';
import { AnswerParsers, LONGEST_CHUNK } from './answer-parser.ts';
import { Connection, type ConnectionOwner, type Job } from './connection.ts';
import type { Target } from './target.ts';
import { CONNECTIONS, type Wire, type WireHandler, type WireRequest } from './wire.ts';

export function openWire({ baseUrl, deferWasmTiering }: Pick<Target, 'baseUrl' | 'deferWasmTiering'>): Wire {
  // More than put off, as for one request: after some hundreds of answers it would come, and cost 90 ms. The same holds for the
  // JavaScript: what runs a few thousand times is optimised for longer than it then runs, on the core that the service may need.
  // The quick compilation without optimising pays from the first, and waits for no more of its like.
  if (deferWasmTiering) setFlagsFromString('--liftoff-only --interrupt-budget=1000000 --no-baseline-batch-compilation');
  return new DirectWire(baseUrl);
}

class DirectWire implements Wire, ConnectionOwner {
  readonly address: URL;
  readonly parsers = new AnswerParsers();
  readonly buffer = Buffer.allocUnsafeSlow(LONGEST_CHUNK);
  readonly #connections = new Set<Connection>();
  readonly #waiting: Job[] = [];
  /** Those whose answer is over. */
  #free: Connection[] = [];
  #scheduled = false;
  /** Those of the latest request, and how they are written: requests in a row have the same. */
  #headers: WireRequest['headers'] | undefined;
  #lines = '';
  #ended: (() => void) | undefined;

  constructor(address: URL) {
    this.address = address;
  }

  dispatch(request: WireRequest, handler: WireHandler): void {
    if (this.#ended !== undefined) {
      handler.onResponseError(undefined, new ClientDestroyedError());
      return;
    }
    this.#waiting.push({ request, handler });
    this.#grow();
    if (this.#free.length > 0) this.#schedule();
  }

  origin(error: unknown): unknown {
    return error;
  }

  head({ method, path, headers, body }: WireRequest, length: number): string {
    if (headers !== this.#headers) {
      this.#headers = headers;
      this.#lines = `host: ${this.address.host}\r\nconnection: keep-alive\r\n`;
      for (const name in headers) this.#lines += `${name}: ${headers[name]}\r\n`;
    }
    const hasLength = body !== undefined || method === 'POST' || method === 'PUT' || method === 'PATCH';
    return `${method} ${path} HTTP/1.1\r\n${this.#lines}${hasLength ? `content-length: ${length}\r\n` : ''}\r\n`;
  }

  freed(connection: Connection): void {
    this.#free.push(connection);
    this.#schedule();
  }

  gone(connection: Connection): void {
    this.#connections.delete(connection);
    this.#free = this.#free.filter((free) => free !== connection);
    if (this.#ended === undefined) this.#grow();
    else if (this.#connections.size === 0) this.#ended();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#ended = resolve;
      for (const { handler } of this.#waiting) handler.onResponseError(undefined, new ClientDestroyedError());
      for (const connection of this.#connections) connection.abort(new ClientDestroyedError());
      if (this.#connections.size === 0) resolve();
    });
  }

  #grow(): void {
    while (this.#waiting.length > this.#free.length && this.#connections.size < CONNECTIONS) {
      this.#connections.add(new Connection(this, this.#waiting.shift() as Job));
    }
  }

  /**
   * A connection is used again only after the bytes that have come are read: what follows an answer, such as the end of the
   * connection or an answer that nobody asked for, must not meet the next request.
   */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#assign);
  }

  readonly #assign = (): void => {
    this.#scheduled = false;
    const free = this.#free;
    this.#free = [];
    for (const connection of free) {
      if (connection.closed) continue;
      const job = this.#waiting.shift();
      if (job !== undefined) connection.send(job);
      else {
        connection.rest();
        this.#free.push(connection);
      }
    }
  };
}
