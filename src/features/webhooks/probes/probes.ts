/** The probes in order: never ten bad deliveries in a row, or a receiver may end or block svc. */
import { createHmac } from 'node:crypto';
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
type Expectation = '2xx' | '4xx';

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
  readonly without?: RegExp;
}

interface SignedParts {
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
}

export interface ProbeDelivery {
  readonly sent: string;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
}

/** Each is made and signed on demand. */
export function* probeDeliveries({ sends, sameEvent }: Probe, kit: ProbeKit): Generator<ProbeDelivery> {
  const event = sameEvent ? sends[0]?.[1](kit) : undefined;
  for (const [sent, make, signing] of sends) {
    yield signDelivery([sent, event === undefined ? make : () => event, signing], kit);
  }
}

export function signDelivery([sent, make, signing = {}]: Send, kit: ProbeKit): ProbeDelivery {
  const { event, body: text } = make(kit);
  const { skewS = 0, suffix = '', alter, headerSkewS = 0, without } = signing;
  const body = text === undefined ? eventBytes(event) : Buffer.from(text as string);
  const seconds = Math.floor(kit.now() / 1000) + skewS;
  const parts = { key: kit.key, timestamp: `${seconds}${suffix}`, body };
  const signature = signatureOf(parts.key, parts.timestamp, body);
  const headers = deliveryHeaders({
    type: event.type,
    deliveryId: deliveryId(kit.random),
    timestamp: `${seconds + headerSkewS}${suffix}`,
    signature: alter === undefined ? signature : alter(signature, parts),
  }).filter(([name]) => without === undefined || !without.test(name));
  return { sent, headers: withAgent(headers, kit.userAgent), body };
}

/** An event of this type; `change` modifies it. */
function eventOf(
  type: string,
  change: (event: SampleEvent) => SampleEvent = (event) => event,
  size?: number,
): MakeEvent {
  return ({ now, random }) => ({ event: change(sampleEvent(type, { now, random, size })) });
}

/** A complete summary; `change` modifies its data. */
function summaryOf(change: (data: SampleEvent['data']) => SampleEvent['data']): MakeEvent {
  return eventOf(SUMMARY_COMPLETED, (event) => ({ ...event, data: change(event.data) }));
}

const MIB = 1024 * 1024;
const HOUR_S = 3600;

const HEX_ONLY = 'accept "sha256=" and hexadecimal digits only';
const COMPLETE_SIGNATURE =
  'compare the whole header, its length first, with "sha256=" and all 64 digits that you computed';

export const ping = eventOf(WEBHOOK_PING);
export const summary = eventOf(SUMMARY_COMPLETED);
const digits = (signature: string): string => signature.slice('sha256='.length);

type Alteration = readonly [sent: string, alter: (signature: string, signed: SignedParts) => string];

/** Deliveries that a receiver must accept. */
function accepted(name: string, fix: string, ...sends: readonly Send[]): Probe {
  return { name, fix, sends };
}

function refused(name: string, fix: string, ...sends: readonly Send[]): Probe {
  return { name, expected: '4xx', fix, sends };
}

/** Pings with another signature header. */
function badSignature(name: string, fix: string, ...alterations: readonly Alteration[]): Probe {
  return refused(name, fix, ...alterations.map(([sent, alter]): Send => [sent, ping, { alter }]));
}

/** A correctly signed ping whose JSON is written in another way. */
function spelling(what: string, spell: (json: string) => string, data = {}): Send {
  const make = eventOf(WEBHOOK_PING, (event) => ({ ...event, data }));
  return [
    `a correctly signed event whose JSON has ${what}`,
    (kit) => {
      const { event } = make(kit);
      return { event, body: spell(JSON.stringify(event)) };
    },
  ];
}

export const PROBES: readonly Probe[] = [
  accepted('valid-ping', 'accept webhook.ping like any event', ['a correctly signed webhook.ping', ping]),
  accepted('valid-summary', 'accept summary.completed: respond before you process it, and read the body as UTF-8', [
    'a correctly signed summary.completed with all fields',
    summary,
  ]),
  refused(
    'bad-signature',
    COMPLETE_SIGNATURE,
    ['a signature whose last digit is wrong', ping, { alter: otherSignature }],
    ['a signature whose first digit is wrong', ping, { alter: otherFirstDigit }],
    ['a signature of 64 zeros', ping, { alter: () => `sha256=${'0'.repeat(64)}` }],
    ['a timestamp one second later than the signed one', ping, { headerSkewS: 1 }],
  ),
  accepted(
    'optional-fields',
    'require nothing but data.audio_id, and check every other field before you use it',
    ['a summary.completed whose data has audio_id and nothing else', summaryOf(({ audio_id }) => ({ audio_id }))],
    [
      'a summary.completed whose transcript is truncated and has no segments',
      summaryOf((data) => ({ ...data, transcript: { text: 'Good morn', truncated: true } })),
    ],
  ),
  badSignature(
    'signature-length',
    COMPLETE_SIGNATURE,
    ['X-Service-Signature: sha256= and no digits', () => 'sha256='],
    ['X-Service-Signature: sha256=00', () => 'sha256=00'],
    ['the first digit of the right signature alone', (signature) => signature.slice(0, 8)],
    ['the right signature without its last digit', (signature) => signature.slice(0, -1)],
    ['the right signature with two extra digits', (signature) => `${signature}00`],
  ),
  accepted('unknown-type', 'respond 2xx to event types that you do not know, and ignore them', [
    'an event of the type recording.archived, which does not exist yet',
    eventOf('recording.archived'),
  ]),
  accepted('unknown-fields', 'ignore fields that you do not know, and treat an unknown format as plain text', [
    'a summary.completed with fields and a summary format that do not exist yet',
    eventOf(SUMMARY_COMPLETED, (event) => {
      const summaries = [{ label: 'Summary', content: '= Notes', format: 'asciidoc' }];
      const chapters = [{ title: 'Opening', start: 0 }];
      return { ...event, api_version: 2, links: null, data: { ...event.data, summaries, chapters } };
    }),
  ]),
  badSignature(
    'signature-prefix',
    `${HEX_ONLY}, and always compute HMAC-SHA256`,
    ['the digits of the right signature without sha256=', digits],
    ['sha1= and an HMAC-SHA1 with the right secret', (_, parts) => `sha1=${hmacOf('sha1', parts, '.')}`],
    ['the right digits after sha1=', (signature) => `sha1=${digits(signature)}`],
  ),
  badSignature(
    'signature-input',
    'compute the HMAC over the timestamp, "." and the raw body, and leave out secrets that are empty',
    [
      'a signature of the body alone, which anyone can replay with a new timestamp',
      (_, parts) => `sha256=${hmacOf('sha256', { ...parts, timestamp: '' }, '')}`,
    ],
    [
      'a signature of the timestamp and the body without "." between them',
      (_, parts) => `sha256=${hmacOf('sha256', parts, '')}`,
    ],
    ['a signature made with an empty secret', (_, { timestamp, body }) => signatureOf('', timestamp, body)],
  ),
  {
    name: 'same-event-twice',
    fix: 'respond 2xx to an event id that you have processed already, and do nothing else',
    sameEvent: true,
    sends: [
      ['a summary.completed for the first time', summary],
      ['the same event id again, in a new delivery', summary],
    ],
  },
  refused('missing-signature', 'refuse a request without X-Service-Signature', [
    'a ping without X-Service-Signature',
    ping,
    { without: /-signature$/i },
  ]),
  refused('missing-timestamp', 'refuse a request without X-Service-Timestamp', [
    'a ping without X-Service-Timestamp',
    ping,
    { without: /-timestamp$/i },
  ]),
  refused('stale-timestamp', 'refuse a timestamp that is more than about 5 minutes old', [
    'a correctly signed ping that is one hour old',
    ping,
    { skewS: -HOUR_S },
  ]),
  refused('future-timestamp', 'refuse a timestamp in the future too: compare the absolute difference from now', [
    'a correctly signed ping dated one hour ahead',
    ping,
    { skewS: HOUR_S },
  ]),
  // The signed text is `1767225600.{"a":1.{…}`: cut at another ".", it is part of a body.
  refused('shifted-dot', 'accept a timestamp of digits only, /^\\d+$/: Number() and parseInt() accept more', [
    'the timestamp <now>.{"a":1, signed as it is',
    ping,
    { suffix: '.{"a":1' },
  ]),
  accepted(
    'raw-body',
    'compute the HMAC over the raw bytes of the request, before anything parses or changes them: express.raw() in Express, await request.body() in FastAPI, request.raw_post in Rails',
    spelling('spaces, tabs and newlines inside', (json) => json.replace(/([{,:])"/g, '$1 \t"').replace('}', '\n }')),
    spelling('a line feed before it and CRLF after it', (json) => `\n${json}\r\n`),
    spelling('the number 1.0 and escapes', (json) => json.replace('"n":1', '"n":1.0,"t":"\\u0041\\u00e9\\/"'), {
      n: 1,
    }),
  ),
  accepted(
    'large-body',
    'raise the limit for request bodies above 2 MiB',
    ['a summary.completed of 1 MiB', eventOf(SUMMARY_COMPLETED, undefined, MIB)],
    ['a summary.completed of 2 MiB', eventOf(SUMMARY_COMPLETED, undefined, 2 * MIB)],
  ),
];

/** The same except for its last digit. */
function otherSignature(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0');
}

function otherFirstDigit(signature: string): string {
  return `sha256=${digits(signature).startsWith('0') ? '1' : '0'}${digits(signature).slice(1)}`;
}

function hmacOf(algorithm: string, { key, timestamp, body }: SignedParts, separator: string): string {
  return createHmac(algorithm, key).update(timestamp).update(separator).update(body).digest('hex');
}

export const PROBE_NAMES: readonly string[] = PROBES.map(({ name }) => name);
