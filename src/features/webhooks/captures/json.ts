/** Requests in the JSON of browsers, gateways, inspectors and API clients, and in a program's own logs. */
import { SvcError } from '../../../errors.ts';
import { isObject, parseJsonText } from '../../../json-object.ts';
import { type Delivery, hasServiceHeader, headerValues, jsonHeaders, type RawHeader, REBUILT } from '../delivery.ts';
import { headerLines, httpDeliveries } from './http-dump.ts';

type Json = Readonly<Record<string, unknown>>;

/** A request. Its body is read only if it is wanted: bodies of other requests may be lost. */
interface Captured {
  readonly headers: readonly RawHeader[];
  read(): Delivery;
}

/** The requests in one format; undefined if the value has another format. `source` says where the value is. */
type Reader = (value: Json, source: string, prefix: string) => readonly Captured[] | undefined;

/** The first matching reader reads the value. To add a format, add its reader here. */
const READERS: readonly Reader[] = [har, lambda, ngrok, webhookSite, postman, log, smee];

/** One JSON document, or one per line. Undefined if no reader matches. */
export function capturedDeliveries(bytes: Buffer, source: string, prefix: string): readonly Delivery[] | undefined {
  const text = bytes.toString().replace(/^\ufeff/, '');
  const documents = jsonDocuments(text) ?? jsonDocuments(text.replace(NGINX_ESCAPES, nginxText)) ?? [];
  const place = (index: number): string => (documents.length > 1 ? `${source}:${index + 1}` : source);
  const found = documents.map((document, index) => requestsOf(document, place(index), prefix));
  if (found.every((requests) => requests === undefined)) return undefined;
  const all = found.flatMap((requests, index) => {
    if (requests !== undefined) return requests;
    throw new SvcError('file_unusable', `${place(index)}: this line has no request, unlike others`);
  });
  // A collection contains all kinds of requests; a single request is always used.
  const wanted = all.length === 1 ? all : all.filter(({ headers }) => hasServiceHeader(headers, prefix));
  return wanted.map(({ read }) => read());
}

/** nginx without escape=json writes the bytes of quotes, backslashes, control characters and everything beyond ASCII like this. */
const NGINX_ESCAPES = /(?:\\x[0-9A-F]{2})+/g;

function nginxText(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('\\x', ''), 'hex');
  return JSON.stringify(bytes.toString()).slice(1, -1);
}

/** The values of one JSON document, or of one per line. Undefined if it is not JSON. */
export function jsonDocuments(text: string): readonly unknown[] | undefined {
  const parse = (json: string): unknown => parseJsonText(json, Number.POSITIVE_INFINITY);
  try {
    return [parse(text)];
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map(parse);
    } catch {
      return undefined;
    }
  }
}

/** `inList`: already an item of a list, so not a list itself: nesting is limited. */
function requestsOf(value: unknown, source: string, prefix: string, inList = false): readonly Captured[] | undefined {
  // A plain list, a list of ngrok's inspector, of webhook.site or of Hookdeck.
  const lists = isObject(value) ? [value['requests'], value['data'], value['models']] : [value];
  const list = inList ? undefined : lists.find((one) => Array.isArray(one));
  if (list !== undefined) {
    const found = list.map((one, index) => requestsOf(one, `${source}#${index + 1}`, prefix, true));
    return found.length === 0 || found.includes(undefined) ? undefined : found.flatMap((requests) => requests ?? []);
  }
  if (!isObject(value)) return undefined;
  for (const read of READERS) {
    const found = read(value, source, prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Body {
  /** The text of the body, or what a parser made of it. */
  readonly body: unknown;
  /** The text is base64: the bytes are exact. */
  readonly base64?: boolean;
  /** Milliseconds since 1970, or a date. */
  readonly time?: unknown;
  /** The status of the response. */
  readonly status?: unknown;
}

function captured(
  source: string,
  headers: readonly RawHeader[],
  { body, base64 = false, time, status }: Body,
): Captured {
  const read = (): Delivery => {
    const failed = typeof status === 'number' ? isFailure(status) : undefined;
    return { source, headers, receivedS: seconds(time), failed, ...bodyOf(body, base64, headers) };
  };
  return { headers, read };
}

/** Base64 and lists of bytes are exact. A text may have been changed, and a parsed body was. */
function bodyOf(body: unknown, base64: boolean, headers: readonly RawHeader[]): Pick<Delivery, 'body' | 'notes'> {
  if (typeof body === 'string' && base64) return { body: Buffer.from(body, 'base64'), notes: [] };
  const listed = isObject(body) && body['type'] === 'Buffer' ? body['data'] : undefined;
  if (Array.isArray(listed) && listed.every(isByte)) return { body: Buffer.from(listed), notes: [] };
  if (typeof body !== 'string') return { body: Buffer.from(JSON.stringify(body)), notes: [REBUILT] };
  const bytes = Buffer.from(body);
  const [length] = headerValues(headers, 'content-length');
  const differs = length !== undefined && Number(length) !== bytes.length;
  return { body: bytes, notes: differs ? ['text_body', 'length_differs'] : ['text_body'] };
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** Of a date, or of a number of seconds or milliseconds since 1970, which may be written as text. */
function seconds(time: unknown): number | undefined {
  const isNumber = typeof time === 'number' || (typeof time === 'string' && /^\d{9,13}(?:\.\d+)?$/.test(time));
  const value = isNumber ? Number(time) : typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (!Number.isFinite(value) || (isNumber && value < YEAR_1973)) return undefined;
  return isNumber && value < YEAR_5000 ? value : value / 1000;
}

/** In seconds: smaller numbers are no times, and larger ones are milliseconds. */
const YEAR_1973 = 100_000_000;
const YEAR_5000 = 95_617_584_000;

/** HTTP archives (HAR 1.2), as browsers and proxies export them: the requests with a header of the service. */
function har({ log }: Json, source: string, prefix: string): readonly Captured[] | undefined {
  if (!isObject(log) || !Array.isArray(log['entries'])) return undefined;
  return log['entries'].flatMap((entry: unknown, index): readonly Captured[] => {
    if (!isObject(entry) || !isObject(entry['request'])) return [];
    const { request, response, startedDateTime } = entry;
    const headers = namedHeaders(request['headers'], 'name');
    if (!hasServiceHeader(headers, prefix)) return [];
    const data = isObject(request['postData']) ? request['postData'] : {};
    const base64 = [data['encoding'], data['_encoding']].includes('base64') || data['_base64'] === true;
    const { text = '' } = data;
    const { bodySize } = request;
    const sizes = [typeof bodySize === 'number' ? bodySize : 0, ...headerValues(headers, 'content-length').map(Number)];
    const { read } = captured(`${source}#${index + 1}`, headers, { body: text, base64, time: startedDateTime });
    const about = {
      clock: 'startedDateTime',
      failed: isObject(response) && isFailure(response['status']),
      truncated: data['text'] === undefined && sizes.some((size) => size > 0),
    } as const;
    return [{ headers, read: () => ({ ...read(), ...about }) }];
  });
}

/** A status other than 2xx. A HAR has 0 if there was no response. */
function isFailure(status: unknown): boolean {
  return typeof status === 'number' && !(status >= 200 && status <= 299);
}

/** API Gateway (payload versions 1.0 and 2.0), Application Load Balancer and function URLs. */
function lambda(event: Json, source: string): readonly Captured[] | undefined {
  const { multiValueHeaders, headers, body, isBase64Encoded, requestContext } = event;
  const context = isObject(requestContext) ? requestContext : {};
  if (!('isBase64Encoded' in event || (isObject(requestContext) && 'body' in event))) return undefined;
  const time = context['requestTimeEpoch'] ?? context['timeEpoch'];
  const base64 = isBase64Encoded === true;
  const names = jsonHeaders(multiValueHeaders ?? headers, source);
  return [captured(source, names, { body: body ?? '', base64, time })];
}

/** ngrok's inspector stores the complete request in base64. */
function ngrok({ request, response, start }: Json, source: string): readonly Captured[] | undefined {
  if (!isObject(request) || typeof request['raw'] !== 'string') return undefined;
  const failed = isObject(response) ? isFailure(response['status_code']) : undefined;
  return httpDeliveries(Buffer.from(request['raw'], 'base64'), source).map((delivery) => ({
    headers: delivery.headers,
    read: () => ({ ...delivery, receivedS: seconds(start), failed }),
  }));
}

/** Its times are UTC without a zone: `2026-01-01 00:00:00`. */
function webhookSite({ headers, content, created_at: time }: Json, source: string): readonly Captured[] | undefined {
  if (typeof content !== 'string' || !isObject(headers)) return undefined;
  const names = jsonHeaders(headers, source);
  return [captured(source, names, { body: content, time: `${time}`.replace(' ', 'T').concat('Z') })];
}

const DEEPEST_FOLDER = 50;

/** A Postman collection v2.0 or v2.1, including its folders. */
function postman({ info, item }: Json, source: string): readonly Captured[] | undefined {
  return isObject(info) && Array.isArray(item) ? postmanFolder(item, source, 0) : undefined;
}

function postmanFolder(items: readonly unknown[], source: string, depth: number): readonly Captured[] {
  return items.flatMap((item, index): readonly Captured[] => {
    const place = `${source}#${index + 1}`;
    if (!isObject(item)) return [];
    if (Array.isArray(item['item'])) return depth < DEEPEST_FOLDER ? postmanFolder(item['item'], place, depth + 1) : [];
    const { request } = item;
    if (!isObject(request)) return [];
    const { header, body } = request;
    const text = isObject(body) ? (body['raw'] ?? '') : '';
    const headers = typeof header === 'string' ? headerLines(header) : namedHeaders(header, 'key');
    return [captured(place, headers, { body: text })];
  });
}

function namedHeaders(list: unknown, name: 'key' | 'name'): readonly RawHeader[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown): RawHeader[] => {
    if (!isObject(one) || one['disabled'] === true || typeof one[name] !== 'string') return [];
    const { value } = one;
    return [[one[name], typeof value === 'string' || typeof value === 'number' ? String(value) : '']];
  });
}

/** Logs of programs and events of Hookdeck: `{headers, body}`, possibly below `request` or `data`. Exact bytes are preferred. */
function log(value: Json, source: string): readonly Captured[] | undefined {
  for (const one of [value, value['request'], value['data']]) {
    if (!isObject(one) || !isObject(one['headers'])) continue;
    const name = BODY_KEYS.find((key) => one[key] !== undefined && one[key] !== null) ?? 'body';
    if (!(name in one)) continue;
    const base64 = /64$/.test(name) || ENCODING_KEYS.some((key) => one[key] === 'base64' || one[key] === true);
    const time = TIME_KEYS.map((key) => value[key] ?? one[key]).find((found) => seconds(found) !== undefined);
    const response = isObject(value['response']) ? value['response'] : value;
    const status = response['status'] ?? response['response_status'];
    return [captured(source, jsonHeaders(one['headers'], source), { body: one[name] ?? '', base64, time, status })];
  }
  return undefined;
}

const BODY_KEYS = ['body_b64', 'body_base64', 'bodyBase64', 'rawBody', 'raw_body', 'body'] as const;
const ENCODING_KEYS = ['encoding', 'bodyEncoding', 'body_encoding', 'base64', 'isBase64'] as const;
const TIME_KEYS = 'received_at ingested_at time timestamp ts @timestamp date created_at'.split(' ');

/** smee.io: each header is a separate key beside the body. */
function smee({ body, ...members }: Json, source: string): readonly Captured[] | undefined {
  const headers = Object.entries(members).flatMap(([name, one]): RawHeader[] =>
    typeof one === 'string' ? [[name, one]] : [],
  );
  if (body === undefined || !headers.some(([name]) => /-signature$/i.test(name))) return undefined;
  return [captured(source, headers, { body, time: members['timestamp'] })];
}
