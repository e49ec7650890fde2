/** An endpoint as data, and the request made from it that is sent, shown and turned into curl. */
import { SvcError } from '../errors.ts';
import type { SchemaIssue } from '../json-object.ts';
import { addressOf } from './address.ts';
import type { Target } from './target.ts';

/** What a request can do to the service: decides about retries, confirmation and dry runs. */
export type Effect = 'read' | 'write' | 'destroy' | 'money';

/** The part of zod schemas that endpoints use: loaded only when a response is parsed. */
export interface Parser<T> {
  safeParse(value: unknown):
    | {
        readonly success: true;
        readonly data: T;
        /** What was left out because it could not be read: `row 3: tradeId is missing`. */
        readonly omitted?: readonly string[];
      }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/** `undefined` omits the parameter; an array repeats its key per item. */
export type QueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Endpoint<T, E extends Effect = Effect> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's base path, `{name}` for a parameter: `/silence/{silenceID}`. */
  readonly path: string;
  readonly effect: E;
  /** How a body is written. For `text` and `json-text` it is already a string. */
  readonly encoding?: 'json' | 'form' | 'text' | 'json-text';
  /** False for a read that must report the first response, such as a health check. */
  readonly retry?: false;
  /** No cache may answer it. */
  readonly fresh?: true;
  /** Its responses have meaningless content types. */
  readonly mislabeled?: true;
  /** An item of its array may be as large as a response: one group may have every alert. */
  readonly largeItems?: true;
  /** The schema of the response, or none if a success has no body. */
  readonly answer?: () => Promise<Parser<T>>;
  /** Instead of `answer`: the schema of an item, so that a long array is parsed as it arrives. */
  readonly item?: () => Promise<Parser<T extends readonly (infer Item)[] ? Item : never>>;
}

/** An endpoint with any response: for building a request and explaining a failure. */
export interface EndpointShape<E extends Effect = Effect> extends Omit<Endpoint<unknown, E>, 'answer' | 'item'> {
  readonly answer?: unknown;
  readonly item?: unknown;
}

export interface CallValues {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  /** A JSON value, or for `form` field → string; an array repeats its field per item. */
  readonly body?: unknown;
  /** Replaces the target's. */
  readonly timeoutMs?: number;
}

/** One complete request: sent, printed by a dry run, and turned into curl. */
export interface RequestValue {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, credentials unredacted: print only what `redactHeaders` returns. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `bytes`: the body is a Uint8Array, sent unchanged, as are the names of the headers. */
  readonly encoding: 'json' | 'form' | 'text' | 'json-text' | 'bytes';
  readonly effect: Effect;
  /** Valid only in the live session that it is sent in. */
  readonly inSession?: true | undefined;
}

declare const CONFIRMED: unique symbol;

/** The proof that a person or `--yes` confirmed the request. Only `ctx.confirm` makes one. */
export interface Confirmed {
  readonly [CONFIRMED]: true;
}

/** What a person confirms before it is sent. */
export type Guarded = 'destroy' | 'money';

/** Parameters of sending beside the endpoint's values. */
export type Proof<E extends Effect> = E extends Guarded ? [confirmed: Confirmed] : [];

/** The result of a dry run: the requests that would have been sent. */
export class Plan {
  readonly requests: readonly RequestValue[];
  /** Why some of several items have no request: a real run would report these failures. */
  readonly failures: readonly SvcError[];

  constructor(requests: readonly RequestValue[], failures: readonly SvcError[] = []) {
    this.requests = requests;
    this.failures = failures;
  }
}

/** For a write that only a real run reaches: a dry run has ended with an earlier plan. */
export function answered<T>(answer: T): Exclude<T, Plan> {
  if (answer instanceof Plan)
    throw new SvcError('internal', 'the dry run reached a request that only a real run sends');
  return answer as Exclude<T, Plan>;
}

/** Inferred: `endpoint({ …, answer: async () => (await import('./schema.ts')).silence })`. */
export function endpoint<T = undefined>(declaration: Endpoint<T, 'read'>): Endpoint<T, 'read'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'write'>): Endpoint<T, 'write'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'destroy'>): Endpoint<T, 'destroy'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'money'>): Endpoint<T, 'money'>;
export function endpoint<T>(declaration: Endpoint<T>): Endpoint<T> {
  return declaration;
}

/** Each connection sets these itself, and another value would break it (RFC 9110 §7.6.1). */
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
  /** The prefix of every path of the service: `/api/v2`. */
  readonly basePath: string;
  /** Sent with every request, with or without a body. */
  readonly contentType?: string;
}

/** `more`: the credential and other headers of the client. The user's own headers come last. */
export function buildRequest(
  { baseUrl, userAgent, headers: own }: Pick<Target, 'baseUrl' | 'userAgent' | 'headers'>,
  { basePath, contentType }: RequestRules,
  { method, path, effect, encoding = 'json' }: EndpointShape,
  { body, params = {}, query = {} }: CallValues,
  more: Headers = {},
): RequestValue {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  const type = contentType ?? (body === undefined ? undefined : CONTENT_TYPES[encoding]);
  if (type !== undefined) headers['content-type'] = type;
  addHeaders(headers, more);
  addHeaders(headers, own);
  return {
    method,
    url: addressOf(baseUrl) + basePath + fillPath(path, params) + queryText(query),
    headers,
    body,
    encoding,
    effect,
  };
}

/** The body's text as it is sent, `undefined` if there is none. Invalid UTF-8 is lost. */
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
    // The message does not contain the value: it may be a credential with a pasted line break.
    if (!isHeaderValue(value)) {
      throw new SvcError('invalid_value', `the header ${lower} contains a character that headers cannot carry`);
    }
    headers[lower] = value.trim();
  }
}

/** Valid in a header (RFC 9110 §5.1, §5.5): anything else could end it and begin another. */
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
    // An empty or dot segment would change the path.
    if (value === '' || value === '.' || value === '..') {
      throw new SvcError('invalid_value', `${JSON.stringify(value)} cannot be a ${name}`);
    }
    return encode(value);
  });
}

function queryText(query: QueryValues): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of [value].flat()) text += `${text === '' ? '?' : '&'}${encode(name)}=${encode(String(one))}`;
  }
  return text;
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new SvcError('invalid_value', 'a value contains half a surrogate pair, which is not a character');
  }
}
