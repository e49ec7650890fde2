/** From an endpoint and its values to the one request value that is sent, shown and turned into curl. */
import { SvcError } from '../errors.ts';
import type { CallValues, EndpointShape, QueryValues, RequestValue } from './endpoint.ts';
import type { Target } from './target.ts';

/** Headers that belong to the connection: a second opinion on them would desynchronise it from the service. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'proxy-connection',
]);

export type Headers = Readonly<Record<string, string>>;

const CONTENT_TYPES = {
  json: 'application/json',
  'json-text': 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain;charset=UTF-8',
} as const;

/** What the requests of one service have in common. */
export interface RequestRules {
  /** What every path of the service begins with: `/api/v2`. */
  readonly basePath: string;
  readonly accept?: string;
  /** Of every request, whether it has a body or not. */
  readonly contentType?: string;
}

/** `more`: the credential, and what else the client adds. The user's own headers come last. */
export function buildRequest(
  { baseUrl, userAgent, headers: own }: Pick<Target, 'baseUrl' | 'userAgent' | 'headers'>,
  { basePath, accept = 'application/json', contentType }: RequestRules,
  { method, path, effect, encoding = 'json' }: EndpointShape,
  { body, params = {}, query = {} }: CallValues,
  more: Headers = {},
): RequestValue {
  const root = baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') + basePath;
  const headers: Record<string, string> = { accept, 'accept-encoding': 'identity', 'user-agent': userAgent };
  const type = contentType ?? (body === undefined ? undefined : CONTENT_TYPES[encoding]);
  if (type !== undefined) headers['content-type'] = type;
  addHeaders(headers, more);
  addHeaders(headers, own);
  return { method, url: root + fillPath(path, params) + queryText(query), headers, body, encoding, effect };
}

/** The body's text as it is sent, `undefined` where there is none. Bytes that are no UTF-8 are lost. */
export function bodyText({ body, encoding }: Pick<RequestValue, 'body' | 'encoding'>): string | undefined {
  if (body === undefined) return undefined;
  if (encoding === 'json') return JSON.stringify(body);
  if (encoding === 'text' || encoding === 'json-text') return body as string;
  if (encoding === 'bytes') return Buffer.from(body as Uint8Array).toString();
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
  }
  return form.toString();
}

function addHeaders(headers: Record<string, string>, more: Headers): void {
  for (const [name, value] of Object.entries(more)) {
    const lower = name.toLowerCase();
    if (CONNECTION_HEADERS.has(lower) || lower === 'content-type' || lower === 'accept-encoding') {
      throw new SvcError('invalid_value', `the header ${lower} cannot be set: svc sets it itself`);
    }
    if (!isHeaderName(name)) {
      throw new SvcError('invalid_value', `${JSON.stringify(name)} is not a header name`);
    }
    // The value stays out of the message: it may be a credential with a line break pasted along.
    if (!isHeaderValue(value)) {
      throw new SvcError(
        'invalid_value',
        `the header ${lower} holds a line break or another character that headers cannot carry`,
      );
    }
    headers[lower] = value.trim();
  }
}

/** What HTTP can carry in a header (RFC 9110 §5.1, §5.5): anything else could end it, and begin another. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

export function isHeaderValue(text: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(text);
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name];
    if (value === undefined) throw new SvcError('internal', `no value for {${name}} in ${path}`);
    // An empty or dot segment would make the path another one.
    if (value === '' || value === '.' || value === '..') {
      throw new SvcError('invalid_value', `${JSON.stringify(value)} cannot be a ${name}`);
    }
    return encode(value);
  });
}

function queryText(query: QueryValues): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => [value].flat().map((one) => `${encode(name)}=${encode(String(one))}`));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new SvcError('invalid_value', 'a value holds half a surrogate pair, which is no character');
  }
}
