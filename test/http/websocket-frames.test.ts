import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientFrame, FrameFault, FrameReader, OPCODE } from '../../src/http/websocket-frames.ts';

type Came = string | readonly [opcode: number, payload: string];

/** The frame of a server, which masks nothing. */
function frame(opcode: number, payload: Uint8Array | string, last = true): Buffer {
  const body = Buffer.from(payload);
  const { length } = body;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (last ? 0x80 : 0) | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, body]);
}

function read(chunks: readonly Buffer[], limit = 1 << 20): Came[] {
  const came: Came[] = [];
  const reader = new FrameReader(
    { text: (message) => came.push(message), control: (opcode, payload) => came.push([opcode, payload.toString()]) },
    limit,
  );
  for (const chunk of chunks) reader.push(chunk);
  return came;
}

/** The bytes in pieces, which end where the cuts say. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...at, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : at[i - 1], end));
}

const cuts = fc.array(fc.nat());

describe('frames', () => {
  test('messages come out whole and in order, however the bytes are cut', () => {
    const message = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('x'.repeat(125), 'x'.repeat(126), 'π'.repeat(40_000), 'x'.repeat(65_536)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), cuts, (messages, cuts) => {
        const bytes = Buffer.concat(messages.map((message) => frame(OPCODE.text, message)));
        expect(read(pieces(bytes, cuts))).toEqual(messages);
      }),
    );
  });

  test('a message in many frames is one, with control frames in between', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), cuts, cuts, (message, parts, cuts) => {
        const split = pieces(Buffer.from(message), parts);
        const frames = split.flatMap((part, i) => [
          frame(i === 0 ? OPCODE.text : OPCODE.continuation, part, i === split.length - 1),
          ...(i < split.length - 1 ? [frame(OPCODE.ping, String(i))] : []),
        ]);
        const pings = split.slice(1).map((_, i) => [OPCODE.ping, String(i)]);
        expect(read(pieces(Buffer.concat(frames), cuts))).toEqual([...pings, message]);
      }),
    );
  });

  test('what the client writes is masked, and is read back by taking the mask off', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (message) => {
        const sent = clientFrame(OPCODE.text, Buffer.from(message));
        expect((sent[1] ?? 0) & 0x80).toBe(0x80);
        const length = Buffer.byteLength(message);
        const head = sent.length - length - 4;
        const mask = sent.subarray(head, head + 4);
        const body = sent.subarray(head + 4).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
        expect(Buffer.from(body).toString()).toBe(message);
      }),
    );
    expect(clientFrame(OPCODE.text, Buffer.alloc(70_000)).readBigUInt64BE(2)).toBe(70_000n);
  });

  test('binary messages are passed over', () => {
    expect(read([frame(OPCODE.binary, 'x'), frame(OPCODE.text, 'y')])).toEqual(['y']);
  });

  const long = Buffer.alloc(10);
  long[0] = 0x81;
  long[1] = 127;
  long.writeUInt32BE(0xffffffff, 2);
  test.each([
    ['a masked frame', Buffer.from([0x81, 0x80, 0, 0, 0, 0])],
    ['a compressed frame', Buffer.from([0xc1, 0])],
    ['an unknown opcode', Buffer.from([0x83, 0])],
    ['an unknown control opcode', Buffer.from([0x8b, 0])],
    ['a ping in parts', Buffer.from([0x09, 0])],
    ['a long ping', frame(OPCODE.ping, 'x'.repeat(126))],
    ['a continuation of nothing', Buffer.from([0x80, 0])],
    ['a text within a text', Buffer.from([0x01, 0, 0x81, 0])],
    ['a length beyond measure', long],
    ['a large message', frame(OPCODE.text, 'x'.repeat(1001))],
    ['a large message in parts', Buffer.concat([frame(1, 'x'.repeat(900), false), frame(0, 'x'.repeat(101))])],
  ])('%s is a fault', (_name, bytes) => {
    expect(() => read([bytes], 1000)).toThrow(FrameFault);
  });

  test('a large message is refused before it is there', () => {
    expect(() => read([frame(OPCODE.text, 'x'.repeat(1001)).subarray(0, 4)], 1000)).toThrow(FrameFault);
  });

  test('any bytes are messages or a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          read([Buffer.from(bytes)]);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameFault);
        }
      }),
    );
  });

  test('a message of many chunks takes linear time', () => {
    const bytes = frame(OPCODE.text, 'x'.repeat(16_000_000));
    const chunks = Array.from({ length: 8000 }, (_, i) => bytes.subarray(i * 2001, (i + 1) * 2001));
    const began = performance.now();
    expect(read(chunks, 1 << 24)).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
