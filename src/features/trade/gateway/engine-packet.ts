/**
 * Engine.IO packets and the socket.io messages in them. A packet is a text: its type, and its data.
 * Doc 3 §4 requires version 3 (`EIO=3`), with polling in text (`b64=1`).
 */
import { SvcError } from '../../../errors.ts';
import { isObject, JsonLimit, jsonText, parseJsonText, tryParseJson } from '../../../json-object.ts';

export const PROTOCOL_VERSION = 3;

/** The types of packets, each the first character of a packet. */
const OPEN = '0';
export const CLOSE = '1';
export const PING = '2';
export const MESSAGE = '4';
export const UPGRADE = '5';
/** Whole packets. */
export const PROBE = '2probe';
export const PROBE_ANSWER = '3probe';
/** socket.io's disconnect in an Engine.IO message. */
export const DISCONNECT = '41';

/** The data does not follow this protocol. */
export class PacketFault extends Error {}

/** Per polling body: packets of a few bytes would fill the memory. */
const MOST_PACKETS = 200_000;

/** The packets of one polling body, each after its length in UTF-16 units. Throws `PacketFault`. */
export function decodePayload(body: string): string[] {
  // The later version separates packets with a character, and so begins with the packet itself.
  if (/^0\{/.test(body)) throw new PacketFault(`it speaks Engine.IO 4, svc speaks Engine.IO ${PROTOCOL_VERSION}`);
  const packets: string[] = [];
  for (let at = 0; at < body.length; ) {
    const colon = body.indexOf(':', at);
    const digits = colon < 0 ? '' : body.slice(at, colon);
    const length = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
    at = colon + 1 + length;
    if (length === 0 || at > body.length) throw new PacketFault('it does not follow the Engine.IO protocol');
    packets.push(body.slice(colon + 1, at));
    if (packets.length > MOST_PACKETS) throw new PacketFault(`it sent more than ${MOST_PACKETS} packets at once`);
  }
  return packets;
}

export function encodePayload(packets: readonly string[]): string {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

export interface Opening {
  readonly sid: string;
  readonly offersWebsocket: boolean;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** Replaces missing and absurd values. */
const PING_INTERVAL_MS = { least: 100, most: 300_000, otherwise: 25_000 };
/** A slow response is no lost connection, whatever the gateway says. */
const PING_TIMEOUT_MS = { least: 1_000, most: 300_000, otherwise: 5_000 };

/** The first packet of a connection. Throws `PacketFault`. */
export function readOpening(packet = ''): Opening {
  const data = packet.startsWith(OPEN) ? tryParseJson(packet.slice(1)) : undefined;
  const { sid, upgrades, pingInterval, pingTimeout } = isObject(data) ? data : {};
  // It becomes part of a header and of addresses.
  if (typeof sid !== 'string' || !/^[\w.~-]{1,128}$/.test(sid)) throw new PacketFault('it gave no connection id');
  return {
    sid,
    offersWebsocket: Array.isArray(upgrades) && upgrades.includes('websocket'),
    pingIntervalMs: within(pingInterval, PING_INTERVAL_MS),
    pingTimeoutMs: within(pingTimeout, PING_TIMEOUT_MS),
  };
}

function within(value: unknown, { least, most, otherwise }: typeof PING_INTERVAL_MS): number {
  return typeof value === 'number' && value > 0 ? Math.min(most, Math.max(least, value)) : otherwise;
}

export type Message =
  | { readonly kind: 'connect' }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'event'; readonly name: string; readonly payload: string }
  /** The gateway's message, unchanged. */
  | { readonly kind: 'error'; readonly text: string };

/** The data of an Engine.IO message. `undefined` for another namespace or another type. */
export function readMessage(data: string): Message | undefined {
  const type = data.charAt(0);
  if (type === '2') return readEvent(data);
  if (data.charAt(1) === '/') return undefined;
  if (type === '0') return { kind: 'connect' };
  if (type === '1') return { kind: 'disconnect' };
  if (type !== '4') return undefined;
  return { kind: 'error', text: unquoted(data.slice(1)) };
}

/** An event, with or without an acknowledgement number before it. */
function readEvent(data: string): Message | undefined {
  const start = data.indexOf('[');
  if (start < 0 || (start > 1 && !/^\d+$/.test(data.slice(1, start)))) return undefined;
  let parts: unknown;
  try {
    parts = parseJsonText(start === 0 ? data : data.slice(start));
  } catch (error) {
    if (error instanceof JsonLimit)
      throw new SvcError('bad_answer', `the gateway sent an event that is ${error.message}`);
    return undefined;
  }
  const [name, payload] = parts as unknown[];
  if (typeof name !== 'string') return undefined;
  // Doc 3 §6 says a JSON record; it is sent as a string that contains one, or as itself.
  return { kind: 'event', name, payload: typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? '') };
}

function unquoted(text: string): string {
  const value = tryParseJson(text);
  if (typeof value === 'string') return value;
  return isObject(value) && 'message' in value ? jsonText(value['message']) : text;
}
