/** The frames of RFC 6455 without extensions: bytes to messages for a client, and a client's messages to bytes. */
import { randomFillSync } from 'node:crypto';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export type Opcode = (typeof OPCODE)[keyof typeof OPCODE];

/** Bytes that no websocket sends. */
export class FrameFault extends Error {}

export interface FrameSink {
  text(message: string): void;
  /** A ping, a pong or a close. */
  control(opcode: number, payload: Buffer): void;
}

const FIN = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const LONGEST_CONTROL = 125;

export class FrameReader {
  readonly #sink: FrameSink;
  readonly #limit: number;
  /** What begins a frame that is not complete. */
  #held: Buffer[] = [];
  #size = 0;
  /** How much of a frame has to be there before it is looked at again. */
  #needed = 2;
  /** Of a message in several frames. */
  #parts: Buffer[] | undefined;
  #partsSize = 0;
  #isText = false;

  /** `limit` is the most bytes of a message. */
  constructor(sink: FrameSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Keeps what it needs of the chunk, which must not be overwritten. Throws `FrameFault`. */
  push(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#size > 0) {
      this.#held.push(chunk);
      this.#size += chunk.length;
      if (this.#size < this.#needed) return;
      bytes = Buffer.concat(this.#held, this.#size);
      this.#held = [];
      this.#size = 0;
    }
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      this.#needed = 2;
      if (left < 2) break;
      const first = bytes[at] as number;
      let length = bytes[at + 1] as number;
      if (length & MASKED) throw new FrameFault('a frame of the server is masked');
      let head = 2;
      if (length > LONGEST_CONTROL) {
        head = length === 126 ? 4 : 10;
        this.#needed = head;
        if (left < head) break;
        length = head === 4 ? bytes.readUInt16BE(at + 2) : longLength(bytes, at + 2);
      }
      if (length > this.#limit - this.#partsSize) throw new FrameFault(`a message is larger than ${this.#limit} bytes`);
      this.#needed = head + length;
      if (left < this.#needed) break;
      at += head;
      this.#frame(first, bytes, at, at + length);
      at += length;
    }
    if (at === bytes.length) return;
    this.#held.push(at === 0 ? bytes : bytes.subarray(at));
    this.#size = bytes.length - at;
  }

  #frame(first: number, bytes: Buffer, start: number, end: number): void {
    if (first === (FIN | OPCODE.text) && this.#parts === undefined) {
      this.#sink.text(bytes.toString('utf8', start, end));
      return;
    }
    if (first & RESERVED) throw new FrameFault('a frame uses an extension that was not agreed on');
    const opcode = first & 0x0f;
    const isLast = (first & FIN) !== 0;
    if (opcode >= OPCODE.close) {
      if (!isLast || opcode > OPCODE.pong || end - start > LONGEST_CONTROL)
        throw new FrameFault('a control frame is malformed');
      this.#sink.control(opcode, bytes.subarray(start, end));
      return;
    }
    if (opcode > OPCODE.binary) throw new FrameFault(`a frame has the unknown opcode ${opcode}`);
    if ((opcode === OPCODE.continuation) === (this.#parts === undefined))
      throw new FrameFault('the frames of a message are out of order');
    if (this.#parts === undefined) {
      this.#parts = [];
      this.#isText = opcode === OPCODE.text;
    }
    // A copy: a small part must not keep the whole chunk it came in.
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
    this.#partsSize += end - start;
    if (!isLast) return;
    const message = Buffer.concat(this.#parts, this.#partsSize);
    this.#parts = undefined;
    this.#partsSize = 0;
    if (this.#isText) this.#sink.text(message.toString()); // nothing here sends binary messages: one is passed over
  }
}

function longLength(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

/** One frame that is a whole message, masked as a client's have to be. */
export function clientFrame(opcode: Opcode, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = length <= LONGEST_CONTROL ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + 4 + length);
  frame[0] = FIN | opcode;
  frame[1] = MASKED | (head === 2 ? length : head === 4 ? 126 : 127);
  if (head === 4) frame.writeUInt16BE(length, 2);
  else if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomFillSync(frame.subarray(head, head + 4));
  const body = head + 4;
  for (let i = 0; i < length; i++) frame[body + i] = (payload[i] as number) ^ (mask[i & 3] as number);
  return frame;
}
