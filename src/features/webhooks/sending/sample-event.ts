/** Sample events to test a receiver with, and deliveries of them (doc 2 §2, §6). */
import { HEADER_PREFIX, type RawHeader } from '../delivery.ts';
import { signatureOf } from '../signature.ts';
import type { Outgoing } from './sending.ts';

/** The envelope (doc 2 §2). */
export interface SampleEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Surroundings {
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

interface SampleOptions extends Surroundings {
  readonly id?: string | undefined;
  /** In bytes, of the body. Only `summary.completed` grows to exactly this, unless it is longer. */
  readonly size?: number | undefined;
}

export const SUMMARY_COMPLETED = 'summary.completed';
export const WEBHOOK_PING = 'webhook.ping';

/** An event of any type, of which only `summary.completed` carries data. */
export function sampleEvent(type: string, options: SampleOptions): SampleEvent {
  // `evt_sample_…` is the service's own (doc 2 §4 rule 7).
  const { random, size, id = `evt_${makeLetters(random)}` } = options;
  const now = options.now();
  const envelope = (data: SampleEvent['data']): SampleEvent => ({ id, type, created_at: formatTime(now), data });
  if (type !== SUMMARY_COMPLETED) return envelope({});
  const audioId = `aud_${makeLetters(random)}`;
  const event = envelope(makeSummary(audioId, now, ''));
  const missing = size === undefined ? 0 : size - eventBytes(event).length;
  return missing <= 0 ? event : envelope(makeSummary(audioId, now, makeFilling(missing)));
}

export function eventBytes(event: SampleEvent): Uint8Array {
  return Buffer.from(JSON.stringify(event));
}

/** `dlv_` and twelve letters and digits. */
export function deliveryId(random: () => number): string {
  return `dlv_${makeLetters(random)}`;
}

interface HeaderValues {
  readonly timestamp: string;
  readonly signature: string;
  readonly type?: string | undefined;
  readonly deliveryId?: string | undefined;
}

/** The headers of a delivery, in the order and the case of the document. */
export function deliveryHeaders(values: HeaderValues): readonly RawHeader[] {
  const all: readonly (readonly [string, string | undefined])[] = [
    ['Content-Type', 'application/json'],
    [`${HEADER_PREFIX}Event`, values.type],
    [`${HEADER_PREFIX}Delivery`, values.deliveryId],
    [`${HEADER_PREFIX}Timestamp`, values.timestamp],
    [`${HEADER_PREFIX}Signature`, values.signature],
  ];
  return all.filter((header): header is RawHeader => header[1] !== undefined);
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function makeLetters(random: () => number): string {
  return Array.from({ length: 12 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
}

/** Whole seconds: the document's own examples of times carry no fraction. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

const MINUTE_MS = 60_000;

/** Letters beyond ASCII and the BMP: receivers that count characters or re-encode fail here. */
const SEGMENTS = [
  { speaker: 'Zoë', start: 0.4, end: 6.2, text: 'Good morning everybody. Shall we start with the release?' },
  { speaker: 'Marek', start: 6.9, end: 15.1, text: 'The build is green. It ships on Thursday 👍' },
];

const SUMMARY = '# Weekly release meeting\n\n- The release ships on **Thursday**.\n- Zoë tells support.';

function makeSummary(audioId: string, now: number, more: string): Record<string, unknown> {
  return {
    audio_id: audioId,
    report_id: audioId.replace('aud_', 'rpt_'),
    status: 2,
    title: 'Weekly release meeting',
    duration_ms: 25_000,
    recorded_at: formatTime(now - 10 * MINUTE_MS),
    transcript: {
      language: 'en',
      text: SEGMENTS.map(({ text }) => text).join(' ') + more,
      truncated: false,
      segments: SEGMENTS,
    },
    summaries: [{ label: 'Summary', content: SUMMARY, format: 'markdown', template_name: 'Meeting' }],
  };
}

/** Text of exactly this many ASCII bytes, none of which JSON escapes. */
function makeFilling(bytes: number): string {
  const sentence = ' And so it went on, for longer than anybody had planned.';
  return sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
}

export interface Making extends Surroundings {
  readonly key: string;
  readonly userAgent: string;
}

/** A delivery of this body, made now. `about` describes it, if known. */
export function makeDelivery(
  body: Uint8Array,
  about: { readonly id: string | null; readonly type: string | null },
  { key, userAgent, now, random }: Making,
): Outgoing {
  const timestamp = String(Math.floor(now() / 1000));
  const headers = deliveryHeaders({
    timestamp,
    signature: signatureOf(key, timestamp, body),
    type: about.type ?? undefined,
    deliveryId: deliveryId(random),
  });
  return { eventId: about.id, eventType: about.type, headers: withAgent(headers, userAgent), body };
}

export function withAgent(headers: readonly RawHeader[], userAgent: string): readonly RawHeader[] {
  return [['User-Agent', userAgent], ...headers];
}
