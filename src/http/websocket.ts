/** A websocket to a service: opened like any request, with the same connections, proxies and rules. */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Sender as FrameSender, Receiver } from 'ws';
import { SvcError } from '../errors.ts';
import type { CallValues, EndpointShape } from './endpoint.ts';
import type { Response, Sender } from './sender.ts';

/** Parts of ws beyond its published types: the two halves of a connection that svc's own HTTP client opened. */
declare module 'ws' {
  /** Emits `message` with the data and whether it is binary, `ping` with its payload, `conclude` with the code of a close frame. */
  export class Receiver extends Writable {
    constructor(options: { maxPayload: number; maxFragments: number; maxBufferedChunks: number });
  }

  export class Sender {
    constructor(socket: Duplex);
    send(data: string, options: { readonly mask: boolean; readonly fin: boolean }): void;
    pong(payload: Buffer, mask: boolean): void;
    close(code: number | undefined, data: string | undefined, mask: boolean): void;
  }
}

export interface WebSocketSink {
  text(message: string): void;
  /** Called once at the end, with the error, or with none after `close`. */
  closed(error: SvcError | undefined): void;
  /** Called after each chunk: reading pauses until the returned promise settles. */
  drained?(): Promise<void> | undefined;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const NORMAL_CLOSURE = 1000;
/** Limits for the frames of a message and the chunks of a frame: many more than any service sends, to bound their cost. */
const MOST_FRAGMENTS = 4096;
const MOST_PIECES = 65_536;

/**
 * Node.js reads at most 64 KiB at once. bun, which runs the executables, reads 512 KiB, and as long as there is as much again, it neither runs
 * timers nor takes signals until the socket is paused.
 */
const LARGE_CHUNK = 128 * 1024;

/** `limit`: the maximum bytes of a message. No extension is offered. */
export async function openWebSocket(
  sender: Sender,
  endpoint: EndpointShape,
  values: CallValues,
  sink: WebSocketSink,
  limit: number,
): Promise<WebSocket> {
  const key = randomBytes(16).toString('base64');
  const upgrade = { 'sec-websocket-version': '13', 'sec-websocket-key': key };
  const response = await sender.request(endpoint, { ...values, upgrade }, 'none');
  try {
    return new WebSocket(checkUpgrade(response, key), sink, limit, sender);
  } catch (error) {
    response.socket?.destroy();
    throw sender.explain(error, response);
  }
}

function checkUpgrade({ status, headers, socket }: Response, key: string): Duplex {
  if (socket === undefined)
    throw new SvcError('bad_answer', `the service answered ${status} instead of opening a websocket`);
  const expected = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  if (headers['sec-websocket-accept'] !== expected)
    throw new SvcError('bad_answer', 'the websocket was opened for another request');
  // RFC 6455 §4.1: a client must not continue with what it did not offer.
  for (const name of ['sec-websocket-extensions', 'sec-websocket-protocol'])
    if (headers[name] !== undefined)
      throw new SvcError('bad_answer', `the websocket was opened with ${name}, which was not offered`);
  return socket;
}

export class WebSocket {
  readonly #socket: Duplex;
  readonly #sink: WebSocketSink;
  readonly #frames: FrameSender;
  readonly #sender: Sender;
  readonly #over: Promise<void>;
  #reason: SvcError | undefined;
  #closing = false;
  #ended = false;

  constructor(socket: Duplex, sink: WebSocketSink, limit: number, sender: Sender) {
    this.#socket = socket;
    this.#sink = sink;
    this.#frames = new FrameSender(socket);
    this.#sender = sender;
    const receiver = new Receiver({ maxPayload: limit, maxFragments: MOST_FRAGMENTS, maxBufferedChunks: MOST_PIECES });
    receiver.on('message', (message: Buffer, isBinary: boolean) => {
      if (!isBinary) this.#received(message.toString());
    });
    receiver.on('ping', (payload: Buffer) => this.#pong(payload));
    receiver.on('conclude', (code: number) => this.#closedByService(code));
    receiver.on('error', (error) => this.#fail(unusable(error, limit)));
    socket.on('data', (chunk: Buffer) => {
      receiver.write(chunk);
      const drained = this.#closing ? undefined : sink.drained?.();
      if (drained === undefined && chunk.length < LARGE_CHUNK) return;
      socket.pause();
      void (drained ?? setImmediate()).then(() => socket.resume());
    });
    socket.on('error', (error) => this.#fail(lost(`broke: ${(error as NodeJS.ErrnoException).code ?? error.message}`)));
    socket.on('end', () => socket.end());
    this.#over = new Promise((resolve) => {
      const ended = (): void => {
        this.#end();
        resolve();
      };
      if (socket.closed) ended();
      else socket.on('close', ended);
    });
  }

  send(message: string): void {
    if (!this.#socket.writable) return;
    this.#sender.traceFrame('sent', message);
    this.#frames.send(message, { mask: true, fin: true });
  }

  /** Sends a close frame, and waits this long for the service to do the same. */
  async close(waitMs: number): Promise<void> {
    if (!this.#closing && this.#socket.writable) this.#frames.close(NORMAL_CLOSURE, undefined, true);
    this.#closing = true;
    this.#socket.resume();
    const late = setTimeout(() => this.#socket.destroy(), waitMs);
    await this.#over;
    clearTimeout(late);
  }

  destroy(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  #received(message: string): void {
    this.#sender.traceFrame('received', message);
    if (this.#ended) return;
    try {
      this.#sink.text(message);
    } catch (error) {
      const bug = new SvcError('internal', 'a message on the websocket could not be handled', { cause: error });
      this.#fail(error instanceof SvcError ? error : bug);
    }
  }

  /** A service that sends pings and reads no pongs gets only the latest one (RFC 6455 §5.5.3). */
  #pong(payload: Buffer): void {
    if (this.#socket.writable && !this.#socket.writableNeedDrain) this.#frames.pong(payload, true);
  }

  #closedByService(code: number): void {
    const withCode = code === NO_STATUS ? '' : ` with code ${code}`;
    this.#reason ??= lost(`was closed by the gateway${withCode}`);
    if (!this.#closing && this.#socket.writable)
      this.#frames.close(code === NO_STATUS ? undefined : code, undefined, true);
    this.#socket.end();
  }

  #fail(reason: SvcError): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink.closed(this.#closing ? undefined : (this.#reason ?? lost('was closed without a close frame')));
  }
}

/** What ws reports for a close frame without a status (RFC 6455 §7.1.5). */
const NO_STATUS = 1005;

function unusable(error: Error & { readonly code?: string }, limit: number): SvcError {
  const detail =
    error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? `a message is larger than ${limit} bytes` : error.message;
  return new SvcError('bad_answer', `the data on the websocket cannot be used: ${detail}`);
}

function lost(what: string): SvcError {
  return new SvcError('connection_lost', `the websocket ${what}`);
}
