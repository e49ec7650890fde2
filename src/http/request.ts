/** From an endpoint and its values to the one request value that is sent, shown and turned into curl. */
import { SvcError } from '../errors.ts';
import type { CallValues, EndpointShape, QueryValues, RequestValue } from './endpoint.ts';
import { isHeaderName, isHeaderValue } from './header-syntax.ts';
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

export type RequestTarget = Pick<Target, 'baseUrl' | 'userAgent' | 'headers'>;

/** Makes the requests of one service. Requests in a row have the same headers, which are put together once. */
export class RequestBuilder {
  readonly #target: RequestTarget;
  readonly #root: string;
  readonly #accept: string;
  readonly #always: string | undefined;
  #authHeaders: Headers | undefined;
  #contentType: string | undefined;
  #headers: Headers = {};

  /** `contentType` is that of every request, whether it has a body or not. */
  constructor(target: RequestTarget, basePath: string, accept = 'application/json', contentType?: string) {
    const { baseUrl } = target;
    this.#target = target;
    this.#root = baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') + basePath;
    this.#accept = accept;
    this.#always = contentType;
  }

  build(endpoint: EndpointShape, values: CallValues, authHeaders: Headers): RequestValue {
    const { method, effect, encoding = 'json' } = endpoint;
    const { body, params, query } = values;
    return {
      method,
      url: this.#root + fillPath(endpoint.path, params ?? {}) + (query === undefined ? '' : queryText(query)),
      headers: this.#headersFor(
        this.#always ?? (body === undefined ? undefined : CONTENT_TYPES[encoding]),
        authHeaders,
      ),
      body,
      encoding,
      effect,
    };
  }

  #headersFor(contentType: string | undefined, authHeaders: Headers): Headers {
    if (authHeaders === this.#authHeaders && contentType === this.#contentType) return this.#headers;
    const { userAgent, headers: more } = this.#target;
    const headers: Record<string, string> = {
      accept: this.#accept,
      'accept-encoding': 'identity',
      'user-agent': userAgent,
    };
    if (contentType !== undefined) headers['content-type'] = contentType;
    addHeaders(headers, authHeaders);
    addHeaders(headers, more);
    this.#authHeaders = authHeaders;
    this.#contentType = contentType;
    this.#headers = headers;
    return headers;
  }
}

const CONTENT_TYPES = {
  json: 'application/json',
  'json-text': 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain;charset=UTF-8',
} as const;

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
  for (const name in more) {
    const value = more[name] ?? '';
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) {
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
