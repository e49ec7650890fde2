/** One connection without TLS, kept alive between requests, with at most one of them under way. */
import { connect, type Socket } from 'node:net';
import { BodyTimeoutError, ConnectTimeoutError, SocketError } from 'undici/lib/core/errors.js';
import type { AnswerParser, AnswerParsers, AnswerSink } from './answer-parser.ts';
import type { Flow } from './body.ts';
import { ConnectFailure } from './failures.ts';
import { bare } from './proxy.ts';
import { CONNECT_MS, KEEP_ALIVE_MS, type WireHandler, type WireRequest } from './wire.ts';

/** A request and who is told of it. */
export interface Job {
  readonly request: WireRequest;
  readonly handler: WireHandler;
}

export interface ConnectionOwner {
  readonly address: URL;
  readonly parsers: AnswerParsers;
  /** What all connections read into: each reading is over before the next begins. */
  readonly buffer: Buffer;
  /** All that stands before a body of so many bytes. */
  head(request: WireRequest, length: number): string;
  /** The answer is over, and the connection may be used again. */
  freed(connection: Connection): void;
  /** It is no more. */
  gone(connection: Connection): void;
}

export class Connection implements Flow, AnswerSink {
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #parser: AnswerParser;
  #connecting: NodeJS.Timeout | undefined;
  #job: Job | undefined;
  #status = 0;
  #keepAlive = true;
  #keepAliveMs = KEEP_ALIVE_MS;
  #silence: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Connects, and carries the job as soon as it has. */
  constructor(owner: ConnectionOwner, job: Job) {
    this.#owner = owner;
    this.#job = job;
    this.#parser = owner.parsers.open(this);
    const { hostname, port } = owner.address;
    const onread = { buffer: owner.buffer, callback: (size: number) => this.#read(size) };
    this.#socket = connect({ host: bare(hostname), port: Number(port || 80), noDelay: true, keepAlive: true, onread });
    this.#connecting = setTimeout(() => this.abort(new ConnectFailure(new ConnectTimeoutError())), CONNECT_MS);
    this.#socket
      .on('connect', () => this.#connected())
      .on('error', (error) => this.#lost(error))
      .on('end', () => this.#ended())
      .on('close', () => this.#closed());
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  send(job: Job): void {
    if (this.#idle !== undefined) {
      clearTimeout(this.#idle);
      this.#idle = undefined;
      this.#socket.ref();
    }
    this.#job = job;
    job.handler.onRequestStart(this);
    if (this.#job !== undefined) this.#write(job.request);
  }

  /** Nothing is to be sent for now: it keeps neither the process alive nor itself for long. */
  rest(): void {
    if (this.#idle !== undefined) return;
    this.#socket.unref();
    this.#idle = setTimeout(() => this.#socket.destroy(), this.#keepAliveMs).unref();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#silence?.refresh();
    this.#socket.resume();
  }

  /** Ends it, and what is under way on it. */
  abort(reason: Error): void {
    this.#fail(reason);
    this.#socket.destroy();
  }

  begin(): boolean {
    if (this.#job !== undefined) return true;
    this.#socket.destroy(); // nobody asked for it
    return false;
  }

  head(status: number, headers: Record<string, string>, keepAlive: boolean, upgrade: boolean): boolean {
    if (status === 100 || upgrade) {
      this.abort(new SocketError(upgrade ? 'bad upgrade' : 'bad response'));
      return false;
    }
    this.#status = status;
    this.#keepAlive = keepAlive;
    const hint = headers['keep-alive'];
    if (hint !== undefined) this.#keepAliveMs = keepAliveMs(hint);
    if (status >= 200) this.#job?.handler.onResponseStart(this, status, headers);
    return !this.#socket.destroyed;
  }

  body(chunk: Buffer): boolean {
    this.#job?.handler.onResponseData(this, Buffer.from(chunk)); // the next reading overwrites it
    return !this.#socket.destroyed;
  }

  end(): boolean {
    const interim = this.#status < 200;
    this.#status = 0;
    if (interim) return true;
    const { handler } = this.#job as Job;
    this.#job = undefined;
    clearTimeout(this.#silence);
    this.#silence = undefined;
    if (!this.#keepAlive || this.#keepAliveMs <= 0) this.#socket.destroy();
    else this.#owner.freed(this);
    handler.onResponseEnd();
    return !this.#socket.destroyed;
  }

  #write(request: WireRequest): void {
    const { body = '' } = request;
    const length = Buffer.byteLength(body);
    const head = this.#owner.head(request, length);
    if (length === body.length) {
      this.#socket.write(head + body, 'latin1'); // ASCII
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body, 'utf8');
    this.#socket.uncork();
  }

  #connected(): void {
    clearTimeout(this.#connecting);
    this.#connecting = undefined;
    if (this.#job !== undefined) this.send(this.#job);
  }

  #read(size: number): boolean {
    let fault: Error | undefined;
    try {
      fault = this.#parser.execute(this.#owner.buffer.subarray(0, size));
    } catch (error) {
      fault = error as Error; // of who was told
    }
    if (fault !== undefined) this.abort(fault);
    else if (this.#status >= 200) this.#watch();
    return true;
  }

  /** An answer that has begun must not fall silent, but a reader may take its time. */
  #watch(): void {
    if (this.#silence !== undefined) {
      this.#silence.refresh();
      return;
    }
    this.#silence = setTimeout(() => {
      if (this.#socket.isPaused()) this.#silence?.refresh();
      else this.abort(new BodyTimeoutError());
    }, this.#job?.request.bodyTimeout);
  }

  /** The end of the connection may be that of the answer. */
  #ended(): void {
    if (this.#status === 0 || this.#keepAlive) this.abort(new SocketError('other side closed'));
    else this.abort(this.#parser.finish() ?? new SocketError('closed'));
  }

  #lost(error: Error): void {
    this.#fail(this.#connecting === undefined ? error : new ConnectFailure(error));
  }

  #fail(error: Error): void {
    clearTimeout(this.#connecting);
    clearTimeout(this.#silence);
    this.#silence = undefined;
    const job = this.#job;
    this.#job = undefined;
    job?.handler.onResponseError(this, error);
  }

  #closed(): void {
    this.#lost(new SocketError('closed'));
    clearTimeout(this.#idle);
    this.#parser.free();
    this.#owner.gone(this);
  }
}

/** `timeout=5` in seconds, and two of them too early: the service's clock runs since before ours. */
function keepAliveMs(hint: string): number {
  const seconds = /timeout=(\d+)/.exec(hint)?.[1];
  return seconds === undefined ? KEEP_ALIVE_MS : Math.min(KEEP_ALIVE_MS, Number(seconds) * 1000 - 2_000);
}
