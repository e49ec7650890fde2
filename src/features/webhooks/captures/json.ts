/**
 * Requests in JSON: an object with headers and a body, by any usual name, at any depth. That covers
 * browsers, gateways, inspectors and logs.
 */
import { SvcError } from '../../../errors.ts';
import { isObject, parseJsonText } from '../../../json-object.ts';
import {
  type Delivery,
  HEADER_PREFIX,
  hasServiceHeader,
  headerValues,
  type RawHeader,
  signatureHeaders,
} from '../delivery.ts';
import { readHeaders } from './headers.ts';
import { httpDeliveries, REQUEST_LINE } from './http-dump.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Captures {
  readonly deliveries: readonly Delivery[];
  /** Requests that cannot be read. */
  readonly failures: readonly SvcError[];
  /** Lines without a request. */
  readonly skipped: number;
}

/** One JSON document, or the objects in the lines of a log. Undefined if it has no request. */
export function capturedDeliveries(bytes: Buffer, source: string): Captures | undefined {
  const all: Captured[] = [];
  let skipped = 0;
  for (const { value, place } of readDocuments(bytes.toString().replace(/^\ufeff/, ''), source)) {
    const found = findRequests(value, { place, depth: 0, parent: undefined });
    if (found.length === 0) skipped++;
    for (const request of found) all.push(request);
  }
  if (all.length === 0) return undefined;
  // A collection contains all kinds of requests; a single request is always used.
  const wanted = all.length === 1 ? all : all.filter(({ headers }) => hasServiceHeader(headers));
  if (wanted.length === 0) {
    throw new SvcError('file_unusable', `${source}: none of its ${all.length} requests has ${HEADER_PREFIX}Signature`);
  }
  const deliveries: Delivery[] = [];
  const failures: SvcError[] = [];
  for (const { read } of wanted) {
    try {
      deliveries.push(read());
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      failures.push(error);
    }
  }
  return { deliveries, failures, skipped };
}

interface Document {
  /** Undefined for a line that is not JSON. */
  readonly value: unknown;
  /** For messages: `trace.har`, `rec.log:12`. */
  readonly place: string;
}

function* readDocuments(text: string, source: string): Generator<Document> {
  const whole = parseJson(text);
  if (whole !== undefined) {
    yield { value: whole, place: source };
    return;
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '') yield { value: parseJson(line), place: `${source}:${index + 1}` };
  }
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJsonText(text, Number.POSITIVE_INFINITY);
  } catch {
    return undefined;
  }
}

/** A request. Its body is read only if it is wanted: bodies of other requests may be lost. */
interface Captured {
  readonly headers: readonly RawHeader[];
  /** Throws `file_unusable`. */
  read(): Delivery;
}

/** Where a value is. */
interface Position {
  readonly place: string;
  readonly depth: number;
  /** The object around it. */
  readonly parent: Json | undefined;
}

const DEEPEST = 60;

/** What a sender controls is not searched: a request's members, or a body without headers. */
function findRequests(value: unknown, { place, depth, parent }: Position): readonly Captured[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => {
      return findRequests(one, { place: `${place}#${index + 1}`, depth: depth + 1, parent });
    });
  }
  if (!isObject(value)) return [];
  const request = requestOf(value, place, parent) ?? rawRequestOf(value, place);
  if (request !== undefined) return [request];
  const inner = Object.entries(value).filter(([name]) => !isBody(name, value[name]) && !isHeaderKey(name));
  return inner.flatMap(([, one]) => findRequests(one, { place, depth: depth + 1, parent: value }));
}

/** The complete request in base64, which ngrok has beside its headers. */
function rawRequestOf(value: Json, place: string): Captured | undefined {
  const { raw } = value;
  // Without a member for headers, this may be one, which the sender named.
  if (typeof raw !== 'string' || !Object.keys(value).some(isHeaderKey)) return undefined;
  const bytes = Buffer.from(raw, 'base64');
  if (!REQUEST_LINE.test(bytes.toString('latin1', 0, 8192))) return undefined;
  const [delivery] = httpDeliveries(bytes, place);
  return delivery && { headers: delivery.headers, read: () => delivery };
}

/** Undefined if the object has no headers or no body. */
function requestOf(value: Json, place: string, parent: Json | undefined): Captured | undefined {
  const below = Object.keys(value)
    .filter(isHeaderKey)
    .map((name) => readHeaders(value[name]));
  const listed = below.filter((list) => list.length > 0);
  const lists = listed.length > 0 ? listed : [readHeadersBesideBody(value)];
  const signed = lists.filter((list) => signaturesOf(list) !== '');
  const headers = signed[0] ?? listed[0];
  const hasBody = bodyNames(value).length > 0 || 'isBase64Encoded' in value || 'bodySize' in value;
  if (headers === undefined || !hasBody) return undefined;
  const read = (): Delivery => {
    if (signed.some((list) => signaturesOf(list) !== signaturesOf(headers))) {
      throw new SvcError('file_unusable', `${place}: has two different values of ${HEADER_PREFIX}Signature`);
    }
    const record = listed.length > 0 ? value : onlyBody(value);
    return { source: place, headers, ...receivedAt(parent), ...readBody(record, headers, place) };
  };
  return { headers, read };
}

/** nginx and Envoy have each header as a member beside the body. */
function readHeadersBesideBody(value: Json): readonly RawHeader[] {
  return readHeaders(Object.fromEntries(Object.entries(value).filter((member) => !isBody(...member))));
}

/** Other texts beside it may be headers, which the sender named: "rawBody", "encoding". */
function onlyBody(value: Json): Json {
  const name = 'body' in value ? 'body' : (bodyNames(value)[0] ?? 'body');
  return { [name]: value[name] };
}

function signaturesOf(headers: readonly RawHeader[]): string {
  return signatureHeaders(headers).signatures.join('\n');
}

/** Not those of a response. */
function isHeaderKey(name: string): boolean {
  return /^(?!res|.*response).*headers?$/i.test(name);
}

/** In lower case, without dashes. Those that say that the bytes are exact come first. */
const BODY_KEYS = 'bodyb64 bodybase64 rawbody bodyraw requestbody reqbody body postdata content payload data'.split(
  ' ',
);

/** Many objects have other data. */
function isBody(name: string, value: unknown): boolean {
  const key = plainKey(name);
  return BODY_KEYS.includes(key) && (key !== 'data' || typeof value === 'string');
}

/** The most exact first. */
function bodyNames(record: Json): readonly string[] {
  const names = Object.keys(record).filter((name) => isBody(name, record[name]));
  return names.sort((a, b) => BODY_KEYS.indexOf(plainKey(a)) - BODY_KEYS.indexOf(plainKey(b)));
}

function plainKey(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

type Body = Pick<Delivery, 'body' | 'notes'>;

/** The text or the bytes of the body. What a parser made of it is not what was signed. */
function readBody(record: Json, headers: readonly RawHeader[], place: string): Body {
  const names = bodyNames(record).filter((name) => (record[name] ?? undefined) !== undefined);
  const [body, ...others] = names.flatMap((name) => readBodyMember(record, name, headers) ?? []);
  if (body !== undefined && others.some((other) => Buffer.compare(body.body, other.body) !== 0)) {
    throw new SvcError('file_unusable', `${place}: has two different bodies`, {
      hint: 'save the one that was received, and pass its headers with --headers-file',
    });
  }
  if (body !== undefined) return body;
  const { bodySize } = record;
  const sizes = [typeof bodySize === 'number' ? bodySize : 0, ...headerValues(headers, 'content-length').map(Number)];
  if (names.length === 0 && !sizes.some((size) => size > 0)) return { body: Buffer.alloc(0), notes: [] };
  const why = names.length === 0 ? 'the body is not in it' : 'the body in it was parsed, so the signed bytes are lost';
  throw new SvcError('file_unusable', `${place}: ${why}`, {
    hint: 'log the raw body as text or in base64, before any JSON parser',
  });
}

/** Undefined for a parsed body. A program may have changed a text before it wrote it. */
function readBodyMember(record: Json, name: string, headers: readonly RawHeader[]): Body | undefined {
  const member = record[name];
  // A HAR has the text below the body. Elsewhere an object with a text is a parsed body.
  const holder = name === 'postData' && isObject(member) ? member : record;
  const value = holder === record ? member : holder['text'];
  const isBase64 = /64$/.test(name) || ENCODING_KEYS.some((key) => holder[key] === true || holder[key] === 'base64');
  const body = typeof value === 'string' ? Buffer.from(value, isBase64 ? 'base64' : 'utf8') : bytesOf(value);
  if (body === undefined) return undefined;
  const [length] = headerValues(headers, 'content-length');
  const notes = typeof value === 'string' && !isBase64 ? ['text_body'] : [];
  if (length !== undefined && Number(length) !== body.length) notes.push('length_differs');
  return { body, notes };
}

const ENCODING_KEYS = 'encoding _encoding bodyEncoding body_encoding base64 _base64 isBase64 isBase64Encoded'.split(
  ' ',
);

/** A Buffer of Node.js in JSON. */
function bytesOf(value: unknown): Buffer | undefined {
  const listed = isObject(value) && value['type'] === 'Buffer' ? value['data'] : undefined;
  return Array.isArray(listed) && listed.every(isByte) ? Buffer.from(listed) : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** A HAR has it beside the request. Times of other formats have no zone, or come from the sender. */
function receivedAt(parent: Json | undefined): Pick<Delivery, 'receivedS' | 'clock'> {
  const time = parent?.['startedDateTime'];
  const ms = typeof time === 'string' && /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? {} : { receivedS: ms / 1000, clock: 'startedDateTime' };
}
