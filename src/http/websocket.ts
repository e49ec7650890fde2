/** A websocket to a service: opened like any request, by the same connections, proxies and rules. */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SvcError } from '../errors.ts';
import type { CallValues, EndpointShape } from './endpoint.ts';
import type { Sender } from './sender.ts';
import { clientFrame, FrameFault, FrameReader, OPCODE } from './websocket-frames.ts';

export interface WebSocketSink {
  text(message: string): void;
  /** It is over, whoever ended it; told once. The error says why, and is none after `close`. */
  closed(error: SvcError | undefined): void;
  /** Asked after each piece: nothing more is read until what it returns has settled. */
  room?(): Promise<void> | undefined;
}

export interface WebSocket {
  send(message: string): void;
  /** Says goodbye, and waits so long for the other side to do so. */
  close(waitMs: number): Promise<void>;
  /** Ends it at once. */
  destroy(): void;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const NORMAL_END = Buffer.from([0x03, 0xe8]);

/** `limit` is the most bytes of a message. No extension is offered. */
export async function openWebSocket(
  sender: Sender,
  endpoint: EndpointShape,
  values: CallValues,
  sink: WebSocketSink,
  limit: number,
): Promise<WebSocket> {
  const key = randomBytes(16).toString('base64');
  const upgrade = { 'sec-websocket-version': '13', 'sec-websocket-key': key };
  const { result } = await sender.send(endpoint, { ...values, upgrade }, ({ status, headers, socket }) => {
    if (socket === undefined) throw new SvcError('bad_answer', `answered ${status} instead of opening a websocket`);
    const expected = createHash('sha1').update(`${key}${GUID}`).digest('base64');
    if (headers['sec-websocket-accept'] !== expected) {
      socket.destroy();
      throw new SvcError('bad_answer', 'the websocket was opened for another request');
    }
    return new SocketConversation(socket, sink, limit, sender.traceFrame);
  });
  return result;
}

class SocketConversation implements WebSocket {
  readonly #socket: Duplex;
  readonly #sink: WebSocketSink;
  readonly #trace: Sender['traceFrame'];
  readonly #over: Promise<void>;
  #reason: SvcError | undefined;
  #closing = false;
  #told = false;

  constructor(socket: Duplex, sink: WebSocketSink, limit: number, trace: Sender['traceFrame']) {
    this.#socket = socket;
    this.#sink = sink;
    this.#trace = trace;
    const text = (message: string): void => {
      trace?.('received', message);
      if (!this.#told) sink.text(message);
    };
    const reader = new FrameReader({ text, control: (opcode, payload) => this.#control(opcode, payload) }, limit);
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        if (!(error instanceof FrameFault)) throw error;
        this.#fail(new SvcError('bad_answer', `what came on the websocket cannot be used: ${error.message}`));
      }
      const room = this.#closing ? undefined : sink.room?.();
      if (room === undefined) return;
      socket.pause();
      void room.then(() => socket.resume());
    });
    socket.on('error', (error) => this.#fail(lost(`broke: ${(error as NodeJS.ErrnoException).code ?? error.message}`)));
    socket.on('end', () => socket.end());
    this.#over = new Promise((resolve) => {
      const ended = (): void => {
        this.#tell();
        resolve();
      };
      if (socket.closed) ended();
      else socket.on('close', ended);
    });
  }

  send(message: string): void {
    if (!this.#socket.writable) return;
    this.#trace?.('sent', message);
    this.#socket.write(clientFrame(OPCODE.text, Buffer.from(message)));
  }

  async close(waitMs: number): Promise<void> {
    if (!this.#closing && this.#socket.writable) this.#socket.write(clientFrame(OPCODE.close, NORMAL_END));
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

  #control(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.ping) {
      if (this.#socket.writable) this.#socket.write(clientFrame(OPCODE.pong, payload));
    } else if (opcode === OPCODE.close) {
      const code = payload.length >= 2 ? ` with code ${payload.readUInt16BE(0)}` : '';
      this.#reason ??= lost(`was closed by the gateway${code}`);
      if (!this.#closing && this.#socket.writable)
        this.#socket.write(clientFrame(OPCODE.close, payload.subarray(0, 2)));
      this.#socket.end();
    }
  }

  #fail(reason: SvcError): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #tell(): void {
    if (this.#told) return;
    this.#told = true;
    this.#sink.closed(this.#closing ? undefined : (this.#reason ?? lost('was closed without a goodbye')));
  }
}

function lost(what: string): SvcError {
  return new SvcError('connection_lost', `the websocket ${what}`);
}
