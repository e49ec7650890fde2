/** What the OAuth endpoints answer. Their errors stand at the top level, unlike those below /v1 (doc 2 §7, RFC 6749 §5.2). */

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The connection is cut instead. */
  readonly lost?: boolean;
  /** What was asked is done at once, and told after this. */
  readonly delayMs?: number;
}

type Headers = WireAnswer['headers'];

export class OAuthRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Headers;

  constructor(code: string, description: string, status = 400, headers: Headers = {}) {
    super(description);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

const UNKEPT: Headers = { 'cache-control': 'no-store', pragma: 'no-cache' };

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): WireAnswer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...UNKEPT, ...headers }, body: JSON.stringify(value) };
}

/** Not 307, which would send a form again (RFC 9700 §4.12). */
export function redirectAnswer(location: string): WireAnswer {
  return { status: 303, headers: { ...UNKEPT, location, 'referrer-policy': 'no-referrer' }, body: '' };
}

const PAGE_HEADERS: Headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function pageAnswer(status: number, body: string, headers: Headers = {}): WireAnswer {
  return { status, headers: { ...PAGE_HEADERS, ...UNKEPT, ...headers }, body };
}

export interface Parameters {
  /** One that is empty counts as missing. */
  get(name: string): string | undefined;
  /** Names that stand there more than once, which none may. */
  readonly repeated: ReadonlySet<string>;
}

/** Throws where it is not encoded well. */
export function readParameters(text: string): Parameters {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new OAuthRefusal('invalid_request', 'the parameters are not encoded well');
  const pairs = [...new URLSearchParams(text)];
  const values = new Map(pairs);
  return {
    get: (name) => values.get(name) || undefined,
    repeated: new Set(pairs.map(([name]) => name).filter((name, index, all) => all.indexOf(name) !== index)),
  };
}

const FORM = 'application/x-www-form-urlencoded';

/** A form body. Throws where it is none, or has a parameter twice. */
export function readForm(contentType: string | undefined, body: string): Parameters {
  const [type = ''] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM) throw new OAuthRefusal('invalid_request', `the body must be ${FORM}`);
  const form = readParameters(body);
  for (const name of form.repeated) throw new OAuthRefusal('invalid_request', `${name} stands there more than once`);
  return form;
}

export function required(form: Parameters, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthRefusal('invalid_request', `${name} is required`);
  return value;
}
