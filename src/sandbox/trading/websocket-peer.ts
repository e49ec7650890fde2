/** The server's end of a WebSocket (RFC 6455): text frames, without extensions. */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';

/** Of RFC 6455, section 1.3. */
const ACCEPT_KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const LONGEST_MESSAGE = 1 << 20;
/** A client that does not read is cut off. */
const MOST_WAITING = 64 << 20;

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const UNSUPPORTED = 1003;
const TOO_LARGE = 1009;

export interface WebSocketSink {
  text(message: string): void;
  /** However it ended; perhaps twice. */
  closed(): void;
}

export function handshakeAnswer(key: string, headers: readonly string[] = []): string {
  const accept = createHash('sha1')
    .update(key + ACCEPT_KEY)
    .digest('base64');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + size);
  head[0] = 0x80 | opcode;
  head[1] = size === 0 ? length : size === 2 ? 126 : 127;
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

export class WebSocketPeer {
  readonly #stream: Duplex;
  readonly #sink: WebSocketSink;
  #waiting: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #ended = false;

  constructor(stream: Duplex, sink: WebSocketSink) {
    this.#stream = stream;
    this.#sink = sink;
    stream.on('data', (chunk: Buffer) => this.read(chunk));
    // a client that is gone before it took over leaves half a connection
    stream.on('end', () => stream.destroy());
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.#sink.closed());
  }

  send(text: string): void {
    if (this.#ended) return;
    this.#stream.write(frame(TEXT, Buffer.from(text)));
    if (this.#stream.writableLength > MOST_WAITING) this.destroy();
  }

  close(code = NORMAL): void {
    if (this.#ended) return;
    this.#ended = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#stream.end(frame(CLOSE, payload), () => this.#stream.destroy());
    this.#sink.closed();
  }

  destroy(): void {
    this.#ended = true;
    this.#stream.destroy();
  }

  /** What came with the handshake, or after it. */
  read(chunk: Buffer): void {
    if (this.#ended) return;
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (!this.#ended && this.#readFrame());
  }

  #readFrame(): boolean {
    const data = this.#waiting;
    const [first = 0, second = 0] = data;
    if (data.length < 2) return false;
    // Clients mask; nobody has agreed on what the reserved bits mean.
    if ((second & 0x80) === 0 || (first & 0x70) !== 0) return this.#refuse(PROTOCOL_ERROR);
    const short = second & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = 2 + extended + 4;
    if (data.length < start) return false;
    const length = extended === 2 ? data.readUInt16BE(2) : extended === 8 ? Number(data.readBigUInt64BE(2)) : short;
    if (length > LONGEST_MESSAGE) return this.#refuse(TOO_LARGE);
    if (data.length < start + length) return false;
    const mask = data.subarray(start - 4, start);
    const payload = Buffer.from(data.subarray(start, start + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
    this.#waiting = data.subarray(start + length);
    return this.#receive(first & 0x0f, (first & 0x80) !== 0, payload);
  }

  #receive(opcode: number, isLast: boolean, payload: Buffer): boolean {
    if (opcode === CLOSE) return this.#refuse(NORMAL);
    if (opcode === PONG) return true;
    if (opcode === PING) {
      this.#stream.write(frame(PONG, payload));
      return true;
    }
    if (opcode !== TEXT && opcode !== CONTINUATION) return this.#refuse(UNSUPPORTED);
    if ((opcode === CONTINUATION) !== this.#parts.length > 0) return this.#refuse(PROTOCOL_ERROR);
    this.#parts.push(payload);
    if (this.#parts.reduce((sum, part) => sum + part.length, 0) > LONGEST_MESSAGE) return this.#refuse(TOO_LARGE);
    if (!isLast) return true;
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#sink.text(text);
    return true;
  }

  #refuse(code: number): boolean {
    this.close(code);
    return false;
  }
}
