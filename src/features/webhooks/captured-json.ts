/** Requests in the JSON of gateways, inspectors and API clients: AWS, webhook.site, ngrok, Postman, Insomnia, and logs of one's own. */
import { SvcError } from '../../errors.ts';
import { isObject, parseJsonText } from '../../json-object.ts';
import { type Delivery, jsonHeaders, type RawHeader } from './delivery.ts';
import { httpDeliveries } from './http-dump.ts';

type Json = Readonly<Record<string, unknown>>;

/** One JSON document, or one on each line. Undefined where it is none of these. */
export function capturedDeliveries(bytes: Buffer, source: string, prefix: string): readonly Delivery[] | undefined {
  const text = bytes.toString().replace(/^\ufeff/, '');
  const documents = jsonDocuments(text) ?? [];
  const several = documents.length > 1;
  const found = documents.map((document, index) => requestsOf(document, several ? `${source}:${index + 1}` : source));
  if (found.every((requests) => requests === undefined)) return undefined;
  const all = found.flatMap((requests, index) => {
    if (requests !== undefined) return requests;
    throw new SvcError('file_unusable', `${source}:${index + 1}: holds no request, as other lines do`);
  });
  // A collection holds requests of all kinds; one alone is what it was given for.
  const wanted = all.length === 1 ? all : all.filter(({ headers }) => isService(headers, prefix));
  return wanted.map(({ read }) => read());
}

/** The values of one JSON document, or of one on each line. Undefined: it is not JSON. */
export function jsonDocuments(text: string): readonly unknown[] | undefined {
  try {
    return [parseJsonText(text)];
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map((line): unknown => parseJsonText(line));
    } catch {
      return undefined;
    }
  }
}

function isService(headers: readonly RawHeader[], prefix: string): boolean {
  const wanted = prefix.toLowerCase();
  return headers.some(([name]) => name.toLowerCase().startsWith(wanted));
}

/** A request that was found. Its body is read only if it is wanted: of another one it may well be lost. */
interface Captured {
  readonly headers: readonly RawHeader[];
  read(): Delivery;
}

/** `inList`: it is an item of a list already, and no list of its own: nesting has an end. */
function requestsOf(value: unknown, source: string, inList = false): readonly Captured[] | undefined {
  const list = inList ? undefined : listIn(value);
  if (list !== undefined) return several(list, source);
  if (!isObject(value)) return undefined;
  if ('isBase64Encoded' in value || (isObject(value['requestContext']) && 'body' in value)) return [aws(value, source)];
  if (isObject(value['request']) && typeof value['request']['raw'] === 'string') {
    return ngrok(value['request']['raw'], value['start'], source);
  }
  if (typeof value['content'] === 'string' && isObject(value['headers'])) return [webhookSite(value, source)];
  if (isObject(value['info']) && Array.isArray(value['item'])) return postman(value['item'], source);
  if (value['_type'] === 'export' && Array.isArray(value['resources'])) return insomnia(value['resources'], source);
  return generic(value, source);
}

/** A plain list, that of the inspector of ngrok, or that of webhook.site. */
function listIn(value: unknown): readonly unknown[] | undefined {
  const lists = isObject(value) ? [value['requests'], value['data']] : [value];
  return lists.find((one) => Array.isArray(one));
}

function several(values: readonly unknown[], source: string): readonly Captured[] | undefined {
  const found = values.map((value, index) => requestsOf(value, `${source}#${index + 1}`, true));
  return found.length === 0 || found.includes(undefined) ? undefined : found.flatMap((requests) => requests ?? []);
}

function captured(
  source: string,
  headers: readonly RawHeader[],
  body: () => Uint8Array,
  received?: number,
  notes: readonly string[] = ['text_body'],
): Captured {
  const receivedS = received === undefined || Number.isNaN(received) ? undefined : received / 1000;
  return { headers, read: () => ({ source, headers, body: body(), receivedS, notes }) };
}

/** API Gateway (payload versions 1.0 and 2.0), Application Load Balancer and function URLs. */
function aws(event: Json, source: string): Captured {
  const { multiValueHeaders, headers, body, isBase64Encoded, requestContext } = event;
  const context = isObject(requestContext) ? requestContext : {};
  const encoded = isBase64Encoded === true;
  return captured(
    source,
    jsonHeaders(multiValueHeaders ?? headers, source),
    () => bodyBytes(body ?? '', 'a Lambda event', source, encoded),
    Number(context['requestTimeEpoch'] ?? context['timeEpoch']),
    encoded ? [] : ['text_body'],
  );
}

/** Its times are UTC without saying so: `2026-01-01 00:00:00`. */
function webhookSite({ headers, content, created_at: created }: Json, source: string): Captured {
  const time = typeof created === 'string' ? Date.parse(`${created.replace(' ', 'T')}Z`) : Number.NaN;
  return captured(source, jsonHeaders(headers, source), () => Buffer.from(content as string), time);
}

/** The inspector keeps the whole request in base64. */
function ngrok(raw: string, start: unknown, source: string): readonly Captured[] {
  const time = typeof start === 'string' ? Date.parse(start) : Number.NaN;
  return httpDeliveries(Buffer.from(raw, 'base64'), source).map((delivery) => ({
    headers: delivery.headers,
    read: () => ({ ...delivery, ...(Number.isNaN(time) ? {} : { receivedS: time / 1000 }) }),
  }));
}

/** Folders in folders. */
const DEEPEST = 50;

/** Collection v2.1, its folders included. */
function postman(items: readonly unknown[], source: string, depth = 0): readonly Captured[] {
  return items.flatMap((item, index): readonly Captured[] => {
    const where = `${source}#${index + 1}`;
    if (!isObject(item)) return [];
    if (Array.isArray(item['item'])) return depth < DEEPEST ? postman(item['item'], where, depth + 1) : [];
    const { request } = item;
    if (!isObject(request)) return [];
    const { header, body } = request;
    const raw = isObject(body) ? (body['raw'] ?? '') : '';
    return [captured(where, namedHeaders(header, 'key'), () => bodyBytes(raw, 'a Postman collection', where))];
  });
}

/** Export format 4. */
function insomnia(resources: readonly unknown[], source: string): readonly Captured[] {
  return resources.flatMap((resource, index): readonly Captured[] => {
    if (!isObject(resource) || resource['_type'] !== 'request') return [];
    const { headers, body } = resource;
    const where = `${source}#${index + 1}`;
    const text = isObject(body) ? (body['text'] ?? '') : '';
    return [captured(where, namedHeaders(headers, 'name'), () => bodyBytes(text, 'an Insomnia export', where))];
  });
}

/** The headers that are sent, of a list of objects. */
function namedHeaders(list: unknown, name: 'key' | 'name'): readonly RawHeader[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown): RawHeader[] => {
    if (!isObject(one) || one['disabled'] === true || typeof one[name] !== 'string') return [];
    return [[one[name], typeof one['value'] === 'string' ? one['value'] : '']];
  });
}

/** What programs log: `{headers, body}`, perhaps below `request` or `data`, or with the headers beside the body. */
function generic(value: Json, source: string): readonly Captured[] | undefined {
  const holder = [value, value['request'], value['data']].find(
    (one): one is Json => isObject(one) && isObject(one['headers']) && bodyNames(one).length > 0,
  );
  if (holder !== undefined) {
    const [name = 'body'] = bodyNames(holder);
    const headers = jsonHeaders(holder['headers'], source);
    return [captured(source, headers, () => bodyBytes(holder[name], 'a log of requests', source))];
  }
  // smee.io: each header is a member of its own.
  const beside = Object.entries(value).filter(([name, one]) => /-signature$/i.test(name) && typeof one === 'string');
  if (beside.length === 0 || !('body' in value)) return undefined;
  const headers = Object.entries(value).flatMap(([name, one]): RawHeader[] =>
    typeof one === 'string' && name !== 'body' ? [[name, one]] : [],
  );
  return [captured(source, headers, () => bodyBytes(value['body'], 'an event of smee.io', source))];
}

/** The exact bytes first, where both are there. */
function bodyNames(holder: Json): readonly string[] {
  return ['rawBody', 'raw_body', 'body'].filter((name) => name in holder);
}

function bodyBytes(body: unknown, what: string, source: string, encoded = false): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, encoded ? 'base64' : 'utf8');
  throw new SvcError('file_unusable', `${source}: ${what} whose body was parsed: the bytes that were signed are gone`, {
    hint: 'log the raw body as text or in base64, before any JSON parser',
  });
}
