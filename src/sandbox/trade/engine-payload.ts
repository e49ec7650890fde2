/**
 * How polling carries packets (Engine.IO 3): in text each behind its length in UTF-16 units, or in bytes, as clients without `b64=1`
 * may send them.
 */

export function encodePayload(packets: readonly string[]): string {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

/** `undefined` for what is not framed so. */
export function decodePayload(body: string): readonly string[] | undefined {
  const packets: string[] = [];
  for (let at = 0; at < body.length; ) {
    const [head, digits] = /^(\d{1,9}):/.exec(body.slice(at, at + 10)) ?? [];
    if (head === undefined) return undefined;
    const start = at + head.length;
    at = start + Number(digits);
    if (at > body.length) return undefined;
    packets.push(body.slice(start, at));
  }
  return packets;
}

const TEXT = 0;
const END_OF_LENGTH = 255;

/**
 * Each packet behind a byte that says whether it is text (0) or binary (1), the digits of its length in bytes, and 255. Of a binary
 * packet only the type is kept: the gateway's clients send none with data. `undefined` for what is not framed so.
 */
export function decodeBinaryPayload(body: Buffer): readonly string[] | undefined {
  const packets: string[] = [];
  for (let at = 0; at < body.length; ) {
    const digits = body.indexOf(END_OF_LENGTH, at);
    const length = Number(body.subarray(at + 1, digits).join(''));
    const packet = body.subarray(digits + 1, digits + 1 + length);
    if (digits <= at + 1 || packet.length !== length) return undefined;
    packets.push(body[at] === TEXT ? packet.toString('utf8') : String(packet[0] ?? ''));
    at = digits + 1 + length;
  }
  return packets;
}
