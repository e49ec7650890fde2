/** Events made up here, for trying a receiver out, and the headers that a delivery of one carries (doc 2 §2, §6). */
import { HEADER_PREFIX, type RawHeader } from './delivery.ts';
import { signatureOf } from './signature.ts';

/** The envelope (doc 2 §2). */
export interface SampleEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface SampleOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  readonly id?: string | undefined;
  /** The size of the body in bytes. A `summary.completed` gets exactly that many, unless it is longer by itself; other types cannot grow. */
  readonly size?: number | undefined;
}

export const SUMMARY_COMPLETED = 'summary.completed';
export const WEBHOOK_PING = 'webhook.ping';

/** An event of any type, of which only `summary.completed` carries data. */
export function sampleEvent(type: string, options: SampleOptions): SampleEvent {
  const { random, size, id = eventId(random) } = options;
  const now = options.now();
  const envelope = (data: SampleEvent['data']): SampleEvent => ({ id, type, created_at: instant(now), data });
  if (type !== SUMMARY_COMPLETED) return envelope({});
  const audioId = `aud_${letters(random)}`;
  const event = envelope(summary(audioId, now, ''));
  const missing = size === undefined ? 0 : size - eventBytes(event).length;
  return missing <= 0 ? event : envelope(summary(audioId, now, filling(missing)));
}

/** The body of a delivery of it. */
export function eventBytes(event: SampleEvent): Uint8Array {
  return Buffer.from(JSON.stringify(event));
}

/** `evt_` and twelve letters and digits. `evt_sample_…` is the service's own (doc 2 §4 rule 7). */
export function eventId(random: () => number): string {
  return `evt_${letters(random)}`;
}

/** `dlv_` and twelve letters and digits. */
export function deliveryId(random: () => number): string {
  return `dlv_${letters(random)}`;
}

export interface Signing {
  /** The secret's whole text. */
  readonly key: string;
  /** Unix seconds. */
  readonly timestampS: number;
  readonly body: Uint8Array;
  /** Not signed; left out where unknown. */
  readonly type?: string | undefined;
  /** Not signed; left out where unknown. */
  readonly deliveryId?: string | undefined;
  readonly prefix?: string | undefined;
}

/** The headers of a delivery, in the order and the case of the document. */
export function signedHeaders({ key, timestampS, body, ...rest }: Signing): readonly RawHeader[] {
  const timestamp = String(timestampS);
  return deliveryHeaders({ ...rest, timestamp, signature: signatureOf(key, timestamp, body) });
}

export interface HeaderValues {
  readonly timestamp: string;
  readonly signature: string;
  readonly type?: string | undefined;
  readonly deliveryId?: string | undefined;
  readonly prefix?: string | undefined;
}

/** The same of a signature that is there already. */
export function deliveryHeaders(values: HeaderValues): readonly RawHeader[] {
  const { prefix = HEADER_PREFIX } = values;
  const all: readonly (readonly [string, string | undefined])[] = [
    ['Content-Type', 'application/json'],
    [`${prefix}Event`, values.type],
    [`${prefix}Delivery`, values.deliveryId],
    [`${prefix}Timestamp`, values.timestamp],
    [`${prefix}Signature`, values.signature],
  ];
  return all.filter((header): header is RawHeader => header[1] !== undefined);
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function letters(random: () => number): string {
  return Array.from({ length: 12 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
}

/** Whole seconds: the document's own examples of times carry no fraction. */
function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

const MINUTE_MS = 60_000;

interface Segment {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A letter beyond ASCII, and one beyond it by far: a receiver that counts characters, or re-encodes, fails here and not in production. */
const SEGMENTS: readonly Segment[] = [
  { speaker: 'Zoë', start: 0.4, end: 6.2, text: 'Good morning everybody. Shall we start with the release?' },
  { speaker: 'Marek', start: 6.9, end: 15.1, text: 'The build is green since Tuesday. Only the import is slow.' },
  { speaker: 'Zoë', start: 15.8, end: 21, text: 'Then we ship on Thursday, and look at the import after that.' },
  { speaker: 'Marek', start: 21.6, end: 24.3, text: 'I will write the notes today. 👍' },
];

const SUMMARY = `# Weekly release meeting

## Decisions

- The release ships on **Thursday**.
- The slow import is looked at afterwards.

## Next steps

1. Marek writes the release notes today.
2. Zoë tells support.`;

function summary(audioId: string, now: number, more: string): Record<string, unknown> {
  return {
    audio_id: audioId,
    report_id: audioId.replace('aud_', 'rpt_'),
    status: 2,
    title: 'Weekly release meeting',
    duration_ms: 25_000,
    recorded_at: instant(now - 10 * MINUTE_MS),
    transcript: {
      language: 'en',
      text: SEGMENTS.map(({ text }) => text).join(' ') + more,
      truncated: false,
      segments: SEGMENTS,
    },
    summaries: [{ label: 'Summary', content: SUMMARY, format: 'markdown', template_name: 'Meeting' }],
  };
}

/** Text of exactly so many bytes, all of them ASCII and none that JSON escapes. */
function filling(bytes: number): string {
  const sentence = ' And so it went on, for longer than anybody had planned.';
  return sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
}
