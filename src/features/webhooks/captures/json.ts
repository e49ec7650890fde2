/**
 * Requests in JSON and in printed values: an object with headers and a body, by any usual name, at
 * any depth. That covers browsers, gateways, inspectors, API clients and logs.
 */
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';
import {
  type Delivery,
  HEADER_PREFIX,
  hasServiceHeader,
  headerValues,
  type RawHeader,
  REBUILT,
  signatureHeaders,
} from '../delivery.ts';
import { readHeaders } from './headers.ts';
import { httpDeliveries, REQUEST_LINE } from './http-dump.ts';
import { SHORTENED, valuesIn } from './literals.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Captures {
  readonly deliveries: readonly Delivery[];
  /** Requests that cannot be read. */
  readonly failures: readonly SvcError[];
  /** Lines without a request. */
  readonly skipped: number;
}

/** One JSON document, or the objects in a log. Undefined if it has no request. */
export function capturedDeliveries(bytes: Buffer, source: string): Captures | undefined {
  const text = bytes.toString().replace(/^\ufeff/, '');
  const all: Captured[] = [];
  let skipped = 0;
  for (const { values, line, isAlone } of valuesIn(text, source)) {
    const place = line === undefined ? source : `${source}:${line}`;
    const found = values.flatMap((value) => findRequests(value, { place, key: '', depth: 0, isAlone, outer: [] }));
    if (found.length === 0) skipped++;
    for (const request of found) all.push(request);
  }
  if (all.length === 0) return undefined;
  // A collection contains all kinds of requests; a single request is always used.
  const wanted = all.length === 1 ? all : all.filter(({ headers }) => hasServiceHeader(headers));
  if (wanted.length === 0) {
    throw new SvcError('file_unusable', `${source}: none of its ${all.length} requests has ${HEADER_PREFIX}Signature`);
  }
  const read = wanted.map((request) => request.read());
  return {
    deliveries: read.flatMap((one) => (one instanceof SvcError ? [] : [one])),
    failures: read.flatMap((one) => (one instanceof SvcError ? [one] : [])),
    skipped,
  };
}

/** A request. Its body is read only if it is wanted: bodies of other requests may be lost. */
interface Captured {
  readonly headers: readonly RawHeader[];
  read(): Delivery | SvcError;
}

/** Where a value is. */
interface Position {
  /** For messages: `rec.log:12`, `trace.har#3`. */
  readonly place: string;
  /** The name of the member. */
  readonly key: string;
  readonly depth: number;
  /** Whether no text is around it: a sender may have written one, with an object and a time. */
  readonly isAlone: boolean;
  /** The objects around it, the nearest first. */
  readonly outer: readonly Json[];
}

const DEEPEST = 60;
/** Members of a log line that may be another line, or a complete request. */
const TEXT_KEY = /^(?:@?message|msg|log|line|textPayload|raw|dump|request)$/i;

/** What a sender controls is not searched: a request's members, or a body without headers. */
function findRequests(value: unknown, position: Position): readonly Captured[] {
  const { place, key, depth, isAlone, outer } = position;
  if (depth > DEEPEST || Buffer.isBuffer(value)) return [];
  if (typeof value === 'string') return TEXT_KEY.test(key) ? findRequestsInText(value, position) : [];
  const within = { ...position, depth: depth + 1 };
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => findRequests(one, { ...within, place: `${place}#${index + 1}` }));
  }
  if (!isObject(value)) return [];
  const around = isAlone ? [value, ...outer] : outer;
  const request = requestOf(value, { ...position, outer: around });
  if (request !== undefined) return [request];
  const inner = Object.entries(value).filter(([name, one]) => !isBody(name, one) && !isHeaderKey(name));
  return inner.flatMap(([name, one]) => findRequests(one, { ...within, key: name, outer: around }));
}

/** The complete request, as it is or in base64, or a line of another log. */
function findRequestsInText(text: string, position: Position): readonly Captured[] {
  const { place, key, outer } = position;
  const raw = key === 'raw' && !REQUEST_LINE.test(text) ? Buffer.from(text, 'base64') : Buffer.from(text);
  if (REQUEST_LINE.test(raw.toString('latin1', 0, 8192))) {
    return httpDeliveries(raw, place).map((delivery) => ({
      headers: delivery.headers,
      read: () => ({ ...delivery, ...readCircumstances(outer) }),
    }));
  }
  const within = { ...position, key: '', depth: position.depth + 1 };
  return [...valuesIn(text, place)].flatMap(({ values, isAlone }) =>
    values.flatMap((value) => findRequests(value, { ...within, isAlone: isAlone && position.isAlone })),
  );
}

/** Undefined if the object has no headers or no body. */
function requestOf(value: Json, { place, outer }: Position): Captured | undefined {
  const lists = readHeaderLists(value);
  const isFlat = lists.length === 0;
  const signed = (isFlat ? [readHeadersBesideBody(value)] : lists).filter((list) => signaturesOf(list) !== '');
  const headers = signed[0] ?? lists[0];
  const hasBody = bodyNames(value).length > 0 || 'isBase64Encoded' in value || 'bodySize' in value;
  if (headers === undefined || !hasBody) return undefined;
  const record = isFlat ? withoutHeaders(value) : value;
  const around = outer.map((one) => (one === value ? record : one));
  const read = (): Delivery | SvcError => {
    try {
      if (signed.some((list) => signaturesOf(list) !== signaturesOf(headers))) {
        throw new SvcError('file_unusable', `${place}: has two different values of ${HEADER_PREFIX}Signature`);
      }
      return { source: place, headers, ...readCircumstances(around), ...bodyOf(record, headers, place) };
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  };
  return { headers, read };
}

function signaturesOf(headers: readonly RawHeader[]): string {
  return signatureHeaders(headers).signatures.join('\n');
}

/** smee.io, nginx and Envoy have each header as a member beside the body. */
function readHeadersBesideBody(value: Json): readonly RawHeader[] {
  const others = Object.entries(value).filter((member) => !isBody(...member));
  return readHeaders(Object.fromEntries(others)) ?? [];
}

/** Other texts may be headers, which the sender named: "rawBody", "encoding", "received_at". */
function withoutHeaders(value: Json): Json {
  const body = 'body' in value ? 'body' : bodyNames(value)[0];
  return Object.fromEntries(Object.entries(value).filter(([name, one]) => name === body || typeof one === 'number'));
}

/** Lists with repeated headers come first. */
const HEADER_KEYS = [
  /^raw_?headers?$/i,
  /^multi_?value_?headers$/i,
  /^(?!res|.*response).*headers?$/i,
  /^(?:META|environ|env|_?SERVER)$/,
];

function isHeaderKey(name: string): boolean {
  return HEADER_KEYS.some((key) => key.test(name));
}

/** Those below one of their names. */
function readHeaderLists(record: Json): readonly (readonly RawHeader[])[] {
  const names = HEADER_KEYS.flatMap((key) => Object.keys(record).filter((name) => key.test(name)));
  return names.map((name) => readHeaders(record[name]) ?? []).filter((list) => list.length > 0);
}

/** In lower case, without dashes. Those that say that the bytes are exact come first. */
const BODY_KEYS = 'bodyb64 bodybase64 rawbody bodyraw requestbody reqbody body postdata content payload data'.split(
  ' ',
);

/** Many objects have other data. */
function isBody(name: string, value: unknown): boolean {
  const key = plainKey(name);
  return BODY_KEYS.includes(key) && (key !== 'data' || typeof value === 'string' || Buffer.isBuffer(value));
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

/** The text or the bytes of the body; otherwise what a parser made of it, written again. */
function bodyOf(record: Json, headers: readonly RawHeader[], place: string): Body {
  const names = bodyNames(record).filter((name) => readBodyValue(record, name).value !== undefined);
  const [body, ...others] = names.flatMap((name) => readBody(record, name, headers, place) ?? []);
  if (body !== undefined && others.some((other) => Buffer.compare(body.body, other.body) !== 0)) {
    throw new SvcError('file_unusable', `${place}: has two different bodies`, {
      hint: 'save the one that was received, and pass its headers with --headers-file',
    });
  }
  if (body !== undefined) return body;
  const [name] = names;
  if (name !== undefined) return { body: Buffer.from(JSON.stringify(record[name])), notes: [REBUILT] };
  const { bodySize } = record;
  const sizes = [typeof bodySize === 'number' ? bodySize : 0, ...headerValues(headers, 'content-length').map(Number)];
  if (!sizes.some((size) => size > 0)) return { body: Buffer.alloc(0), notes: [] };
  throw new SvcError('file_unusable', `${place}: the body is not in it`, {
    hint: 'log or export requests with their bodies',
  });
}

/** Undefined for a parsed body. A program may have changed a text before it wrote it. */
function readBody(record: Json, name: string, headers: readonly RawHeader[], place: string): Body | undefined {
  const { value, holder } = readBodyValue(record, name);
  if (value === SHORTENED) {
    throw new SvcError('file_unusable', `${place}: console.log printed only the beginning of the body`, {
      hint: "log all of it: body.toString('base64')",
    });
  }
  const isBase64 = /64$/.test(name) || ENCODING_KEYS.some((key) => holder[key] === true || holder[key] === 'base64');
  const isText = typeof value === 'string' && !isBase64;
  const body = typeof value === 'string' ? Buffer.from(value, isBase64 ? 'base64' : 'utf8') : bytesOf(value);
  if (body === undefined) return undefined;
  const [length] = headerValues(headers, 'content-length');
  const notes = isText ? ['text_body'] : [];
  if (length !== undefined && Number(length) !== body.length) notes.push('length_differs');
  return { body, notes };
}

const ENCODING_KEYS = 'encoding _encoding bodyEncoding body_encoding base64 _base64 isBase64 isBase64Encoded'.split(
  ' ',
);

/** A HAR has the text below the body. Elsewhere an object with a text is a parsed body. */
function readBodyValue(record: Json, name: string): { readonly value: unknown; readonly holder: Json } {
  const value = record[name] ?? undefined;
  return name === 'postData' && isObject(value) ? { value: value['text'], holder: value } : { value, holder: record };
}

function bytesOf(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) return value;
  const listed = isObject(value) && value['type'] === 'Buffer' ? value['data'] : undefined;
  return Array.isArray(listed) && listed.every(isByte) ? Buffer.from(listed) : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

const TIME_KEYS =
  'received_at ingested_at startedDateTime start requestTimeEpoch timeEpoch time timestamp ts @timestamp date created_at'.split(
    ' ',
  );

/** When the request arrived, and how it was answered, from the nearest object that says so. */
function readCircumstances(around: readonly Json[]): Pick<Delivery, 'receivedS' | 'clock' | 'failed'> {
  const objects = around.flatMap((one) => [one, one['requestContext']].filter(isObject));
  const times = objects.flatMap((one) => TIME_KEYS.map((key) => ({ key, receivedS: parseTime(one[key], one) })));
  const time = times.find(({ receivedS }) => receivedS !== undefined);
  const responses = around.flatMap((one) => [one['response'], one['res'], one].filter(isObject));
  const statuses = responses.flatMap((one) => STATUS_KEYS.map((key) => one[key]));
  const status = statuses.find((one) => typeof one === 'number');
  return {
    receivedS: time?.receivedS,
    clock: time?.key === 'startedDateTime' ? time.key : undefined,
    failed: status === undefined ? undefined : !(status >= 200 && status <= 299),
  };
}

/** A HAR has the status 0 if there was no response. */
const STATUS_KEYS = ['status', 'response_status', 'status_code', 'statusCode'] as const;

/** Of a date with a zone, or of seconds or milliseconds since 1970, as a number or as text. */
function parseTime(time: unknown, { content }: Json): number | undefined {
  if (typeof time === 'number' || (typeof time === 'string' && /^\d{9,13}(?:\.\d+)?$/.test(time))) {
    const value = Number(time);
    if (value < YEAR_1973) return undefined;
    return value < YEAR_5000 ? value : value / 1000;
  }
  if (typeof time !== 'string') return undefined;
  // webhook.site, which has the body as "content", writes UTC without a zone.
  const zoned = content === undefined ? time : time.replace(/^(\S+) (\S+)$/, '$1T$2Z');
  const ms = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/.test(zoned) ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** In seconds: smaller numbers are no times, and larger ones are milliseconds. */
const YEAR_1973 = 100_000_000;
const YEAR_5000 = 95_617_584_000;
