/** What a receiver must be able to bear (doc 2 §2, §6), as signed deliveries and the answers that are expected to them. */
import type { RawHeader } from './delivery.ts';
import type { ProbeName } from './probe-names.ts';
import {
  deliveryHeaders,
  deliveryId,
  eventBytes,
  SUMMARY_COMPLETED,
  sampleEvent,
  WEBHOOK_PING,
} from './sample-event.ts';
import type { Outgoing } from './sending.ts';
import { otherSignature, withAgent } from './sending-event.ts';
import { signatureOf } from './signature.ts';

/** Which status an answer may have. */
export interface Expectation {
  readonly text: string;
  readonly holds: (status: number) => boolean;
}

export interface Probe {
  readonly name: ProbeName;
  /** Of each of its deliveries. */
  readonly expected: Expectation;
  /** Sent one after the other. */
  readonly deliveries: (kit: ProbeKit) => readonly Outgoing[];
}

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

const inClass = (status: number, hundreds: number): boolean => Math.floor(status / 100) === hundreds;
const ACCEPTED: Expectation = { text: '2xx', holds: (status) => inClass(status, 2) };
const REFUSED: Expectation = { text: '4xx', holds: (status) => inClass(status, 4) };
const EITHER: Expectation = { text: '2xx or 4xx', holds: (status) => inClass(status, 2) || inClass(status, 4) };
const NO_REDIRECT: Expectation = { text: 'no 3xx', holds: (status) => !inClass(status, 3) };

const HOUR_S = 3600;
const LARGE_BYTES = 2 * 1024 * 1024;

export const PROBES: readonly Probe[] = [
  { name: 'valid-ping', expected: { ...ACCEPTED, text: '2xx in 5 s' }, deliveries: (kit) => [signed(kit, ping(kit))] },
  { name: 'valid-summary', expected: ACCEPTED, deliveries: (kit) => [signed(kit, event(kit, SUMMARY_COMPLETED))] },
  { name: 'unknown-type', expected: ACCEPTED, deliveries: (kit) => [signed(kit, event(kit, 'recording.archived'))] },
  { name: 'unknown-fields', expected: ACCEPTED, deliveries: (kit) => [signed(kit, unknownFields(kit))] },
  {
    name: 'same-event-twice',
    expected: { ...ACCEPTED, text: '2xx, both times' },
    deliveries: (kit) => {
      const once = event(kit, SUMMARY_COMPLETED);
      return [signed(kit, once), signed(kit, once)];
    },
  },
  {
    name: 'bad-signature',
    expected: REFUSED,
    deliveries: (kit) => [signed(kit, ping(kit), { alter: otherSignature })],
  },
  {
    name: 'missing-signature',
    expected: REFUSED,
    deliveries: (kit) => [without(signed(kit, ping(kit)), /-signature$/i)],
  },
  {
    name: 'missing-timestamp',
    expected: REFUSED,
    deliveries: (kit) => [without(signed(kit, ping(kit)), /-timestamp$/i)],
  },
  { name: 'stale-timestamp', expected: REFUSED, deliveries: (kit) => [signed(kit, ping(kit), { skewS: -HOUR_S })] },
  { name: 'future-timestamp', expected: REFUSED, deliveries: (kit) => [signed(kit, ping(kit), { skewS: HOUR_S })] },
  // What is signed is `1767225600.{"a":1.{…}`: whoever cuts it at another "." than the sender takes a part of a body for a body.
  { name: 'shifted-dot', expected: REFUSED, deliveries: (kit) => [signed(kit, ping(kit), { suffix: '.{"a":1' })] },
  { name: 'not-utf8', expected: EITHER, deliveries: (kit) => [signed(kit, notUtf8(kit))] },
  {
    name: 'large-body',
    expected: ACCEPTED,
    deliveries: (kit) => [signed(kit, event(kit, SUMMARY_COMPLETED, LARGE_BYTES))],
  },
  { name: 'no-redirect', expected: NO_REDIRECT, deliveries: (kit) => [signed(kit, ping(kit))] },
];

interface Made {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
}

function event(kit: ProbeKit, type: string, size?: number): Made {
  const made = sampleEvent(type, { now: kit.now, random: kit.random, size });
  return { id: made.id, type, body: eventBytes(made) };
}

function ping(kit: ProbeKit): Made {
  return event(kit, WEBHOOK_PING);
}

/** Fields and a format of tomorrow: receivers must tolerate them (doc 2 §2). */
function unknownFields(kit: ProbeKit): Made {
  const type = SUMMARY_COMPLETED;
  const made = sampleEvent(type, { now: kit.now, random: kit.random });
  const body = eventBytes({
    ...made,
    data: {
      ...made.data,
      chapters: [{ title: 'Opening', start: 0 }],
      summaries: [{ label: 'Summary', content: '= Notes', format: 'asciidoc', rank: 1 }],
    },
    ...{ api_version: 2, links: null },
  });
  return { id: made.id, type, body };
}

function notUtf8(kit: ProbeKit): Made {
  const made = sampleEvent(WEBHOOK_PING, { now: kit.now, random: kit.random });
  const text = Buffer.from(eventBytes({ ...made, data: { text: '?' } })).toString('latin1');
  return { id: made.id, type: made.type, body: Buffer.from(text.replace('"?"', '"\xff\xfe"'), 'latin1') };
}

interface Signing {
  readonly skewS?: number;
  /** Stands behind the timestamp, in the header and in what is signed. */
  readonly suffix?: string;
  readonly alter?: (signature: string) => string;
}

function signed(kit: ProbeKit, { id, type, body }: Made, { skewS = 0, suffix = '', alter }: Signing = {}): Outgoing {
  const timestamp = `${Math.floor(kit.now() / 1000) + skewS}${suffix}`;
  const signature = signatureOf(kit.key, timestamp, body);
  const headers = deliveryHeaders({
    type,
    deliveryId: deliveryId(kit.random),
    timestamp,
    signature: alter === undefined ? signature : alter(signature),
  });
  return { eventId: id, eventType: type, headers: withAgent(headers, kit.userAgent), body };
}

function without(outgoing: Outgoing, name: RegExp): Outgoing {
  return { ...outgoing, headers: outgoing.headers.filter(([one]: RawHeader) => !name.test(one)) };
}
