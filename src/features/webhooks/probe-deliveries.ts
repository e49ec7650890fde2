/** The deliveries that probes are made of. */
import type { RawHeader } from './delivery.ts';
import {
  deliveryHeaders,
  deliveryId,
  eventBytes,
  type SampleEvent,
  SUMMARY_COMPLETED,
  sampleEvent,
  WEBHOOK_PING,
} from './sample-event.ts';
import type { Outgoing } from './sending.ts';
import { withAgent } from './sending-event.ts';
import { signatureOf } from './signature.ts';

/** What the deliveries are made of. */
export interface ProbeKit {
  /** The secret's whole text. */
  readonly key: string;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

export interface ProbeDelivery extends Outgoing {
  /** What it is, for the person who reads that it failed. */
  readonly sent: string;
}

/** An event, and its body where that is not the usual JSON of it. */
export interface ProbeEvent {
  readonly event: SampleEvent;
  readonly body?: string | Uint8Array;
}

/** What a signature is made of. */
export interface SignedParts {
  readonly key: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

interface Signing {
  readonly skewS?: number;
  /** Follows the timestamp, in the header and in what is signed. */
  readonly suffix?: string;
  /** Makes another header of the right signature. */
  readonly alter?: (signature: string, signed: SignedParts) => string;
  /** The timestamp in the header, where that is not the one that is signed. */
  readonly headerSkewS?: number;
  /** The type in the header, where that is not the one in the body. */
  readonly type?: string;
  /** A header that is left out. */
  readonly without?: RegExp;
}

export function signed(kit: ProbeKit, sent: string, { event, body }: ProbeEvent, signing: Signing = {}): ProbeDelivery {
  const { skewS = 0, suffix = '', alter, headerSkewS = 0, without, type = event.type } = signing;
  const bytes = body === undefined ? eventBytes(event) : Buffer.from(body as string);
  const seconds = Math.floor(kit.now() / 1000) + skewS;
  const parts = { key: kit.key, timestamp: `${seconds}${suffix}`, body: bytes };
  const signature = signatureOf(parts.key, parts.timestamp, parts.body);
  const headers = deliveryHeaders({
    type,
    deliveryId: deliveryId(kit.random),
    timestamp: `${seconds + headerSkewS}${suffix}`,
    signature: alter === undefined ? signature : alter(signature, parts),
  }).filter(([name]: RawHeader) => without === undefined || !without.test(name));
  return { sent, eventId: event.id, eventType: type, headers: withAgent(headers, kit.userAgent), body: bytes };
}

export function eventOf(kit: ProbeKit, type: string, size?: number): ProbeEvent {
  return { event: sampleEvent(type, { now: kit.now, random: kit.random, size }) };
}

export function ping(kit: ProbeKit, data: SampleEvent['data'] = {}): ProbeEvent {
  const { event } = eventOf(kit, WEBHOOK_PING);
  return { event: { ...event, data } };
}

/** A complete summary; `change` says what is different in its data. */
export function summary(
  kit: ProbeKit,
  change: (data: SampleEvent['data']) => SampleEvent['data'] = (data) => data,
): ProbeEvent {
  const { event } = eventOf(kit, SUMMARY_COMPLETED);
  return { event: { ...event, data: change(event.data) } };
}

/** The same event in another spelling of its JSON. */
export function spelled({ event }: ProbeEvent, spell: (json: string, event: SampleEvent) => string): ProbeEvent {
  return { event, body: spell(JSON.stringify(event), event) };
}

/** A copy without the field of this path. A number in it is the place in a list. */
export function withoutField(data: SampleEvent['data'], path: string): SampleEvent['data'] {
  const copy = structuredClone(data) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() as string;
  const holder = names.reduce<Record<string, unknown>>((one, name) => one[name] as Record<string, unknown>, copy);
  delete holder[last];
  return copy;
}

/** With a signature that does not belong to it, in a body that is no JSON. */
export function malformed(kit: ProbeKit): ProbeEvent {
  return spelled(ping(kit), (json) => json.slice(0, -1));
}
