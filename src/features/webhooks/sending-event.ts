/** The deliveries that `webhooks send` makes up: the event, its signature, and what is wrong with it on purpose. */
import { SvcError } from '../../errors.ts';
import { isObject, parseJsonText } from '../../json-object.ts';
import type { RawHeader } from './delivery.ts';
import {
  deliveryHeaders,
  deliveryId,
  eventBytes,
  type SampleEvent,
  SUMMARY_COMPLETED,
  sampleEvent,
} from './sample-event.ts';
import type { Outgoing } from './sending.ts';
import { signatureOf } from './signature.ts';

/** What of a delivery is changed after it was signed. Of these only the header is not signed. */
export const TAMPERINGS = ['none', 'body', 'signature', 'timestamp', 'header'] as const;
export type Tampering = (typeof TAMPERINGS)[number];

export interface EventDraft {
  readonly type: string;
  readonly id?: string | undefined;
  /** By path: `data.title`. */
  readonly set: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly size?: number | undefined;
}

interface Surroundings {
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** Throws `invalid_value`. */
export function draftEvent({ type, id, set, size }: EventDraft, { now, random }: Surroundings): SampleEvent {
  const event = sampleEvent(type, { now, random, id, size });
  if (size !== undefined) checkSize(event, size);
  const changed = structuredClone(event);
  for (const [path, text] of Object.entries(set)) setValue(changed, path, text);
  return changed;
}

function checkSize(event: SampleEvent, size: number): void {
  const least = eventBytes(event).length;
  if (event.type !== SUMMARY_COMPLETED) {
    throw new SvcError('invalid_value', `--size: a ${event.type} has no text that could grow`, {
      hint: `--event ${SUMMARY_COMPLETED} has`,
    });
  }
  if (least > size) throw new SvcError('invalid_value', `--size: the event has ${least} bytes at least`);
}

/** Sets what is there, to a value of the same kind. */
function setValue(event: SampleEvent, path: string, text: string): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder: unknown = event;
  for (const name of names) holder = field(holder, name, path);
  const before = field(holder, last, path);
  (holder as Record<string, unknown>)[last] = sameKind(before, text, path);
}

function field(holder: unknown, name: string, path: string): unknown {
  if ((isObject(holder) || Array.isArray(holder)) && Object.hasOwn(holder, name) && name !== 'length') {
    return (holder as Readonly<Record<string, unknown>>)[name];
  }
  const names = typeof holder === 'object' && holder !== null ? Object.keys(holder) : [];
  throw new SvcError('invalid_value', `--set: the event has no ${path}`, {
    hint:
      names.length > 0
        ? `there is ${names.join(', ')}`
        : `the data of --event ${SUMMARY_COMPLETED} has fields; --set data='{"a":1}' gives any event some`,
  });
}

function sameKind(before: unknown, text: string, path: string): unknown {
  if (typeof before === 'string') return text;
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    // told below
  }
  const kind = kindOf(before);
  if (kindOf(value) === kind) return value;
  throw new SvcError('invalid_value', `--set: ${path} is ${kind}, which ${JSON.stringify(text)} is not`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

export interface Making extends Surroundings {
  /** The secret's whole text. */
  readonly key: string;
  readonly tamper: Tampering;
  /** What the timestamp is off by. */
  readonly skewMs: number;
  readonly userAgent: string;
}

/** A delivery of this body that is made now. `about` says what stands in it, where that is known. */
export function makeDelivery(
  body: Uint8Array,
  about: { readonly id: string | null; readonly type: string | null },
  { key, tamper, skewMs, userAgent, now, random }: Making,
): Outgoing {
  const signedS = Math.floor((now() + skewMs) / 1000);
  const signature = signatureOf(key, String(signedS), body);
  const headers = deliveryHeaders({
    timestamp: String(tamper === 'timestamp' ? signedS + 1 : signedS),
    signature: tamper === 'signature' ? otherSignature(signature) : signature,
    type: tamper === 'header' ? 'tampered.event' : (about.type ?? undefined),
    deliveryId: deliveryId(random),
  });
  return {
    eventId: about.id,
    eventType: about.type,
    headers: withAgent(headers, userAgent),
    body: tamper === 'body' ? otherBody(body) : body,
  };
}

export function withAgent(headers: readonly RawHeader[], userAgent: string): readonly RawHeader[] {
  return [['User-Agent', userAgent], ...headers];
}

/** The same but for its last digit. */
export function otherSignature(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0');
}

/** The same but for its last letter or digit, such that JSON stays JSON: a receiver must not find out by parsing. */
export function otherBody(body: Uint8Array): Uint8Array {
  const other = Buffer.from(body);
  const at = other.findLastIndex((byte) => /[0-9A-Za-z]/.test(String.fromCharCode(byte)));
  if (at < 0) return Buffer.concat([other, Buffer.from(' ')]);
  const before = String.fromCharCode(other[at] as number);
  other[at] = (/\d/.test(before) ? (before === '1' ? '2' : '1') : before === 'x' ? 'y' : 'x').charCodeAt(0);
  return other;
}
