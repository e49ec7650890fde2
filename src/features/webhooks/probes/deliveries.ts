/** The parts of probes: signed deliveries, and the expected responses. */
import type { RawHeader } from '../delivery.ts';
import {
  deliveryHeaders,
  deliveryId,
  eventBytes,
  type SampleEvent,
  SUMMARY_COMPLETED,
  sampleEvent,
  WEBHOOK_PING,
  withAgent,
} from '../sending/sample-event.ts';
import { signatureOf } from '../signature.ts';

/** The permitted statuses of a response. */
interface Expectation {
  readonly text: string;
  readonly accepts: (status: number) => boolean;
}

const inClass = (status: number, ...hundreds: readonly number[]): boolean =>
  hundreds.includes(Math.floor(status / 100));
export const ACCEPTED: Expectation = { text: '2xx', accepts: (status) => inClass(status, 2) };
export const REFUSED: Expectation = { text: '4xx', accepts: (status) => inClass(status, 4) };
export const EITHER: Expectation = { text: '2xx or 4xx', accepts: (status) => inClass(status, 2, 4) };

/** What the deliveries are made of. */
export interface ProbeKit {
  readonly key: string | Uint8Array;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** An event, and its body if that is not the usual JSON of it. */
interface ProbeEvent {
  readonly event: SampleEvent;
  readonly body?: string | Uint8Array;
}

type MakeEvent = (kit: ProbeKit) => ProbeEvent;

interface Signing {
  readonly skewS?: number;
  /** Appended to the timestamp, in the header and in what is signed. */
  readonly suffix?: string;
  /** Changes the header of the right signature. */
  readonly alter?: (signature: string, signed: SignedParts) => string;
  /** Added to the timestamp in the header, but not to the signed one. */
  readonly headerSkewS?: number;
  /** The type in the header, if it differs from the one in the body. */
  readonly type?: string;
  readonly without?: RegExp;
}

export interface SignedParts {
  readonly key: string | Uint8Array;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** What a delivery is, for the person who reads that it failed, and how it is made. */
export type Send = readonly [sent: string, event: MakeEvent, signing?: Signing | undefined];

export interface Probe {
  readonly name: string;
  /** Expected of each delivery; default 2xx. */
  readonly expected?: Expectation;
  /** What to change where it fails. Probes of one obligation have the same. */
  readonly fix: string;
  readonly sends: readonly Send[];
  /** All of them deliver one event. */
  readonly sameEvent?: true;
  /** There are four deliveries, and the third differs from the others in a way that must not change the response. */
  readonly alike?: true;
}

export interface ProbeDelivery {
  readonly sent: string;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
}

/** Each is made and signed on demand. */
export function* probeDeliveries({ sends, sameEvent }: Probe, kit: ProbeKit): Generator<ProbeDelivery> {
  const first = sends[0]?.[1](kit);
  for (const [sent, make, signing] of sends) {
    yield signDelivery([sent, sameEvent === true && first !== undefined ? () => first : make, signing], kit);
  }
}

export function signDelivery([sent, make, signing = {}]: Send, kit: ProbeKit): ProbeDelivery {
  const { event, body: text } = make(kit);
  const { skewS = 0, suffix = '', alter, headerSkewS = 0, without, type = event.type } = signing;
  const body = text === undefined ? eventBytes(event) : Buffer.from(text as string);
  const seconds = Math.floor(kit.now() / 1000) + skewS;
  const parts = { key: kit.key, timestamp: `${seconds}${suffix}`, body };
  const signature = signatureOf(parts.key, parts.timestamp, body);
  const headers = deliveryHeaders({
    type,
    deliveryId: deliveryId(kit.random),
    timestamp: `${seconds + headerSkewS}${suffix}`,
    signature: alter === undefined ? signature : alter(signature, parts),
  }).filter(([name]) => without === undefined || !without.test(name));
  return { sent, headers: withAgent(headers, kit.userAgent), body };
}

/** An event of this type; `change` modifies it. */
export function eventOf(
  type: string,
  change: (event: SampleEvent) => SampleEvent = (event) => event,
  size?: number,
): MakeEvent {
  return ({ now, random }) => ({ event: change(sampleEvent(type, { now, random, size })) });
}

export function pingOf(data: SampleEvent['data'] = {}): MakeEvent {
  return eventOf(WEBHOOK_PING, (event) => ({ ...event, data }));
}

/** A complete summary; `change` modifies its data. */
export function summaryOf(change: (data: SampleEvent['data']) => SampleEvent['data'] = (data) => data): MakeEvent {
  return eventOf(SUMMARY_COMPLETED, (event) => ({ ...event, data: change(event.data) }));
}

/** The same event in another spelling of its JSON. */
export function spelled(make: MakeEvent, spell: (json: string, event: SampleEvent) => string | Uint8Array): MakeEvent {
  return (kit) => {
    const { event } = make(kit);
    return { event, body: spell(JSON.stringify(event), event) };
  };
}
