/** From an endpoint and its values to the one request value that is sent, shown and turned into curl. */
import { SvcError } from '../errors.ts';
import type { CallValues, EndpointShape, QueryValues, RequestValue } from './endpoint.ts';
import type { Target } from './target.ts';

/** Headers that belong to the transport: a second opinion on them would desynchronise it from the service. */
const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
  'proxy-authorization',
  'proxy-connection',
]);

export type Headers = Readonly<Record<string, string>>;

export function buildRequest(
  target: Pick<Target, 'baseUrl' | 'userAgent' | 'headers'>,
  basePath: string,
  endpoint: EndpointShape,
  values: CallValues,
  authHeaders: Headers,
  accept = 'application/json',
): RequestValue {
  const { method, effect, encoding = 'json' } = endpoint;
  const { baseUrl } = target;
  const root = baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') + basePath;
  const headers: Record<string, string> = { accept, 'accept-encoding': 'identity', 'user-agent': target.userAgent };
  if (values.body !== undefined) headers['content-type'] = CONTENT_TYPES[encoding];
  addHeaders(headers, authHeaders);
  addHeaders(headers, target.headers);
  return {
    method,
    url: root + fillPath(endpoint.path, values.params ?? {}) + queryText(values.query ?? {}),
    headers,
    body: values.body,
    encoding,
    effect,
  };
}

const CONTENT_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** The body's text as it is sent, `undefined` where there is none. */
export function bodyText({ body, encoding }: Pick<RequestValue, 'body' | 'encoding'>): string | undefined {
  if (body === undefined) return undefined;
  if (encoding === 'json') return JSON.stringify(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    if (value !== undefined) form.append(name, String(value));
  }
  return form.toString();
}

function addHeaders(headers: Record<string, string>, more: Headers): void {
  for (const name in more) {
    const value = more[name] ?? '';
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) {
      throw new SvcError('invalid_value', `the header ${lower} cannot be set: svc sets it itself`);
    }
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new SvcError('invalid_value', `${JSON.stringify(name)} is not a header name`);
    }
    // The value stays out of the message: it may be a credential with a line break pasted along.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new SvcError(
        'invalid_value',
        `the header ${lower} holds a line break or another character that headers cannot carry`,
      );
    }
    headers[lower] = value.trim();
  }
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  if (!path.includes('{')) return path;
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
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${text === '' ? '?' : '&'}${encode(name)}=${encode(String(one))}`;
    }
  }
  return text;
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new SvcError('invalid_value', 'a value holds half a surrogate pair, which is no character');
  }
}
