/** A delivery from the network or a file, and the event in its body (doc 2 §2, §6). */
import { isUtf8 } from 'node:buffer';
import { type Options, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { isObject, tryParseJson } from '../../json-object.ts';
import { EVENT_FLAG, eventFilter } from './event-types.ts';
import type { SignedHeaders } from './signature.ts';

/** A received header: the name in its original case, repeated headers separate. */
export type RawHeader = readonly [name: string, value: string];

export interface Delivery {
  /** Where it was read: `hook.http`, `rec.ndjson:12`, `trace.har#3`. */
  readonly source: string;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
  /** Another file of this machine that has the body, because the capture names it. It may be verified, and is never sent. */
  readonly bodyFile?: string | undefined;
  /** The time of receipt in Unix seconds, if it is recorded. */
  readonly receivedS?: number | undefined;
  /** Where that time was read, if not in a recording's `received_at`. */
  readonly clock?: 'startedDateTime' | undefined;
  /** Whether the receiver or the target responded without a 2xx, if that is recorded. */
  readonly failed?: boolean | undefined;
  /** The verdict of the recorder, if there is one. */
  readonly verdict?: string | undefined;
  /** The input ended before the body did. */
  readonly truncated?: boolean | undefined;
  /** Observations while reading: `bare_lf_head`, `text_body`, `curl_d_strips_newlines`. */
  readonly notes: readonly string[];
}

/** The file has what a JSON parser made of the body; svc wrote it as compact JSON, which most senders use. */
export const REBUILT = 'rebuilt_body';
const INEXACT: readonly string[] = ['text_body', REBUILT];

/** Whether the file has the received bytes. If not, a mismatch proves nothing. */
export function isExact({ notes }: Pick<Delivery, 'notes'>): boolean {
  return !notes.some((note) => INEXACT.includes(note));
}

/** A mismatch of a body that was parsed: whether the delivery is genuine cannot be known. */
export function lostBytes(source: string): SvcError {
  return new SvcError(
    'file_unusable',
    `${source}: this export re-encodes the body, so the signed bytes are lost: a mismatch proves nothing`,
    { hint: 'log the raw body as text or in base64, before any JSON parser' },
  );
}

/** The prefix of the service's header names (doc 2 §6). */
export const HEADER_PREFIX = 'X-Service-';

/** The values of all headers of this name, ignoring case. */
export function headerValues(headers: readonly RawHeader[], name: string): string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (const [found, value] of headers)
    if (found.length === wanted.length && found.toLowerCase() === wanted) values.push(value);
  return values;
}

/** The two headers that are needed to check a signature. */
export function signatureHeaders(headers: readonly RawHeader[]): SignedHeaders {
  return {
    timestamps: headerValues(headers, `${HEADER_PREFIX}Timestamp`),
    signatures: headerValues(headers, `${HEADER_PREFIX}Signature`),
  };
}

/** Whether any of them is a header of the service. */
export function hasServiceHeader(headers: readonly RawHeader[]): boolean {
  return headers.some(([name]) => name.toLowerCase().startsWith(HEADER_PREFIX.toLowerCase()));
}

/** The envelope of an event. Missing or invalid fields are undefined. */
export interface ReadEvent {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly created_at: string | undefined;
  /** Empty if it is not an object. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The whole object, with unknown fields. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Undefined if the bytes are not a JSON object in UTF-8. Read only a body with a valid signature (doc 2 §6 rule 3). */
export function readEvent(bytes: Uint8Array): ReadEvent | undefined {
  // Decoding would silently replace invalid UTF-8, so the text would differ from what was signed.
  if (!isUtf8(bytes)) return undefined;
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return asEvent(tryParseJson(json.startsWith('\ufeff') ? json.slice(1) : json));
}

/** The same for a parsed value: one of several samples. */
export function asEvent(value: unknown): ReadEvent | undefined {
  if (!isObject(value)) return undefined;
  return {
    id: text(value['id']),
    type: text(value['type']),
    created_at: text(value['created_at']),
    data: isObject(value['data']) ? value['data'] : {},
    value,
  };
}

/** Undefined for anything else. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export const FILTER_FLAGS = section('Filter options', {
  since: { type: 'time', bare: 'back', help: 'Only deliveries received since this time' },
  until: { type: 'time', bare: 'back', help: 'Only deliveries received until this time' },
  event: { ...EVENT_FLAG },
  status: { type: 'choice', choices: ['delivered', 'failed'], help: 'Only with this recorded outcome' },
});

/** Both times are included. */
type FilterInput = Options<typeof FILTER_FLAGS>;

/** Counts what it leaves out. Throws `invalid_value` for an event type that the service does not have. */
export class DeliveryFilter {
  readonly #input: FilterInput;
  readonly #types: readonly string[];
  /** By option. */
  readonly #leftOut = new Map<string, number>();

  constructor(input: FilterInput) {
    this.#input = input;
    this.#types = eventFilter(input.event);
  }

  /** The type is the one in the body where that was read; otherwise the header says it, if there is one. */
  takes(delivery: Delivery, type?: string | null): boolean {
    const option = this.#against(delivery, type);
    if (option !== undefined) this.leaveOut(option);
    return option === undefined;
  }

  leaveOut(option: string): void {
    this.#leftOut.set(option, (this.#leftOut.get(option) ?? 0) + 1);
  }

  report(notice: (text: string) => void): void {
    if (this.#leftOut.size === 0) return;
    notice(`skipped: ${[...this.#leftOut].map(([option, count]) => `${count} by ${option}`).join(', ')}`);
  }

  #against(delivery: Delivery, type: string | null | undefined): string | undefined {
    const { since, until, status } = this.#input;
    const { receivedS, failed } = delivery;
    if (receivedS === undefined && (since ?? until) !== undefined) return NO_TIME;
    const receivedMs = (receivedS ?? 0) * 1000;
    if (since !== undefined && receivedMs < since.ms) return '--since';
    if (until !== undefined && receivedMs > until.ms) return '--until';
    if (status !== undefined && failed !== (status === 'failed')) return '--status';
    if (this.#types.length === 0) return undefined;
    const found = type === undefined ? this.#typeOf(delivery) : type;
    return this.#types.includes(found ?? '') ? undefined : '--event';
  }

  #typeOf({ headers, body }: Delivery): string | undefined {
    return headerValues(headers, `${HEADER_PREFIX}Event`)[0] ?? readEvent(body)?.type;
  }
}

const NO_TIME = '--since or --until (their time of receipt is unknown)';
