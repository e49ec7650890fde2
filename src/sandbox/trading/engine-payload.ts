/** How polling carries packets (Engine.IO 3 with `b64=1`): each behind its length in UTF-16 units. */

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
