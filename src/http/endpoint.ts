/** An endpoint as data, and the one request value made from it that is sent, shown and turned into curl. */
import { SvcError } from '../errors.ts';
import type { SchemaIssue } from '../json-object.ts';
import type { Target } from './target.ts';

/** What a request can do to the service: it decides retries, confirmation and dry runs. */
export type Effect = 'read' | 'write' | 'destroy' | 'money';

/** What zod schemas offer and all that is asked of them: endpoints load their schema only when an answer is parsed. */
export interface Parser<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/** `undefined` leaves the parameter out; an array repeats its key once per item. */
export type QueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Endpoint<T, E extends Effect = Effect> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's base path, `{name}` for a parameter: `/silence/{silenceID}`. */
  readonly path: string;
  readonly effect: E;
  /** How a body is written. `text`, `json-text`: it is a string already. */
  readonly encoding?: 'json' | 'form' | 'text' | 'json-text';
  /** False for a read that must show the first answer as it is, such as a health check. */
  readonly retry?: false;
  /** No cache on the way may answer it. */
  readonly fresh?: true;
  /** The type that an answer is labelled with says nothing about it. */
  readonly mislabelled?: true;
  /** An item of its array may be as large as a whole response: one group may hold every alert. */
  readonly largeItems?: true;
  /** Its answers have ids above 2^53, which are parsed as texts. */
  readonly exactIntegers?: true;
  /** The answer's schema, or none where a success has no body. */
  readonly answer?: () => Promise<Parser<T>>;
  /** Instead of `answer`, where the answer is an array: the schema of one item, so that a long one is parsed as it arrives. */
  readonly item?: () => Promise<Parser<T extends readonly (infer Item)[] ? Item : never>>;
}

/** An endpoint of whatever answer: what building a request and explaining a failure need. */
export interface EndpointShape<E extends Effect = Effect> extends Omit<Endpoint<unknown, E>, 'answer' | 'item'> {
  readonly answer?: unknown;
  readonly item?: unknown;
}

export interface CallValues {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  /** A JSON value, or for `form` an object of field → string; an array repeats its field once per item. */
  readonly body?: unknown;
  /** Instead of the target's. */
  readonly timeoutMs?: number;
  /** Asks for a websocket, with these headers. */
  readonly upgrade?: Readonly<Record<string, string>>;
}

/** One request, complete: what is sent, what a dry run prints, and what the curl form is made of. */
export interface RequestValue {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, credentials unredacted: print only what `redactHeaders` returns. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `bytes`: the body is a Uint8Array, which is sent as it is, and so are the names of the headers. */
  readonly encoding: 'json' | 'form' | 'text' | 'json-text' | 'bytes';
  readonly effect: Effect;
  /** Only the live session that it is sent in makes it valid. */
  readonly inSession?: true | undefined;
}

declare const CONFIRMED: unique symbol;

/** The proof that a person or `--yes` confirmed what is sent. Only `ctx.confirm` makes one. */
export interface Confirmed {
  readonly [CONFIRMED]: true;
}

/** What a person confirms before it is sent. */
export type Guarded = 'destroy' | 'money';

/** What sending an endpoint's request takes beside its values. */
export type Proof<E extends Effect> = E extends Guarded ? [confirmed: Confirmed] : [];

/** What a dry run gives in place of an answer: the requests that would have been sent. */
export class Plan {
  readonly requests: readonly RequestValue[];

  constructor(requests: readonly RequestValue[]) {
    this.requests = requests;
  }
}

/** The answer to a write that only a real run comes to: in a dry run the command has ended with an earlier plan. */
export function answered<T>(answer: T): Exclude<T, Plan> {
  if (answer instanceof Plan)
    throw new SvcError('internal', 'the dry run reached a request that only a real run sends');
  return answer as Exclude<T, Plan>;
}

/** Inferred from the schema: `endpoint({ …, answer: async () => (await import('./schema.ts')).silence })`. */
export function endpoint<T = undefined>(declaration: Endpoint<T, 'read'>): Endpoint<T, 'read'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'write'>): Endpoint<T, 'write'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'destroy'>): Endpoint<T, 'destroy'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'money'>): Endpoint<T, 'money'>;
export function endpoint<T>(declaration: Endpoint<T>): Endpoint<T> {
  return declaration;
}

/** Whether each connection sets this header itself: another value would desynchronise it from the service (RFC 9110 §7.6.1). */
export function isConnectionHeader(name: string): boolean {
  return /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i.test(
    name,
  );
}

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
    if (isConnectionHeader(lower) || lower === 'content-type' || lower === 'accept-encoding') {
      throw new SvcError('invalid_value', `the header ${lower} cannot be set: svc sets it itself`);
    }
    if (!isHeaderName(name)) throw new SvcError('invalid_value', `${JSON.stringify(name)} is not a header name`);
    // The value stays out of the message: it may be a credential with a line break pasted along.
    if (!isHeaderValue(value)) {
      throw new SvcError('invalid_value', `the header ${lower} contains a character that headers cannot carry`);
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
    throw new SvcError('invalid_value', 'a value contains half a surrogate pair, which is not a character');
  }
}
