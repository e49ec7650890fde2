/** A delivery from the network or a file, and the event in its body (doc 2 §2, §6). */
import { isUtf8 } from 'node:buffer';
import { isObject, tryParseJson } from '../../json-object.ts';
import type { SignedHeaders } from './signature.ts';

/** A received header: the name in its original case, repeated headers separate. */
export type RawHeader = readonly [name: string, value: string];

export interface Delivery {
  /** Where it was read: `hook.http`, `rec.ndjson:12`, `trace.har#3`. */
  readonly source: string;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
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
  /** Observations while reading: `bare_lf_head`, `text_body`. */
  readonly notes: readonly string[];
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

/** Whether this response accepts a delivery (doc 2 §6). */
export function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
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

/** Undefined unless a JSON object in UTF-8. Only for a validly signed body (doc 2 §6 rule 3). */
export function readEvent(bytes: Uint8Array): ReadEvent | undefined {
  // Decoding would silently replace invalid UTF-8, so the text would differ from what was signed.
  if (!isUtf8(bytes)) return undefined;
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return asEvent(tryParseJson(json.startsWith('\ufeff') ? json.slice(1) : json));
}

/** The event in a parsed value. */
export function asEvent(value: unknown): ReadEvent | undefined {
  if (!isObject(value)) return undefined;
  const { id, type, created_at, data } = value;
  return {
    id: typeof id === 'string' ? id : undefined,
    type: typeof type === 'string' ? type : undefined,
    created_at: typeof created_at === 'string' ? created_at : undefined,
    data: isObject(data) ? data : {},
    value,
  };
}

export function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status <= 399;
}
