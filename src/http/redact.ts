/** Redacts secrets that svc does not know, by their names, in everything that is shown. */

export const HIDDEN = '***';

/** A secret that is not shown when it is printed, logged or serialized by mistake. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

const SECRET_HEADER =
  /auth(entication|orization)|(^|[-_])auth([-_]|$)|cookie|token|secret|password|credential|session|api[-_]?key/i;
const HARMLESS_HEADER = /^(www|proxy)-authenticate$|^access-control-/i;

/** Whether a header or an option of this name has a secret for its value. */
export function isSecretName(name: string): boolean {
  return SECRET_HEADER.test(name) && !HARMLESS_HEADER.test(name);
}

/** The scheme of an `authorization` stays. `secretNames` are in lower case. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  secretNames: ReadonlySet<string>,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (secretNames.has(name.toLowerCase())) shown[name] = HIDDEN;
    else if (isSecretName(name)) shown[name] = value.replace(/^(?:(Bearer|Basic) )?.*$/is, hideAfterScheme);
    else shown[name] = redactText(value);
  }
  return shown;
}

function hideAfterScheme(_all: string, scheme: string | undefined): string {
  return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`;
}

/** Names of secret fields, in any notation: `refresh_token`, `x-api-key`, `client_secret`. */
const STRONG =
  '(?:[\\w.-]*[_-])?(?:access_?token|refresh_?token|id_?token|(?<=[_-])token|secret|passw(?:or)?d|api[_-]?key|private[_-]?key|code_?verifier|device_?code|assertion|credential|sessionid)s?';
/** Names that are secret in an address, a form or JSON, but ordinary words in a sentence. */
const WEAK = 'token|code|sid|auth|authorization|cookie|session';

const HEADER_LINE =
  /((?:^|[^\w"'-])(?:proxy-authorization|authorization|set-cookie|cookie|x-[\w-]*(?:key|token|secret))[ \t]*:[ \t]*)(?:(Bearer|Basic) )?[^\r\n]+/gim;
const USERINFO = /([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/?#"'<>]*@/gi;
/** `Bearer` before one of these words is a name, and no token follows. */
const BEARER =
  /\b(bearer)(\s+)(?!\w+=["']|(?:authentic|authori[sz])ation(?![\w.~+/=-])|(?:credential|token|scheme|challenge)s?(?![\w.~+/=-]))[\w.~+/=-]{6,}/gi;
const BASIC = /\b(basic)(\s+)([\w+/=-]{6,})/gi;
const SIGNING_SECRET = /whsec_[\w+/=-]+/g;
const PARAMETER = new RegExp(`((?:^|[?&;#\\s"'(,])(?:${STRONG}|${WEAK})=)(?!\\*{3})[^&\\s"'#<>)]+`, 'gi');
const ASSIGNED = new RegExp(
  `((?:^|[^\\w"'.-])(?:${STRONG})["']?\\s*[:=]\\s*)("[^"]*"?|'[^']*'?|[^\\s"',;&{}[\\]]+)`,
  'gi',
);
const JSON_FIELD = new RegExp(
  `("(?:${STRONG}|${WEAK})"\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\[^])*)(?:"|\\\\?$)|-?[\\d.eE+-]+)`,
  'gi',
);
/** The same inside a JSON string, where every quote is preceded by backslashes. */
const NESTED_FIELD = new RegExp(`((\\\\{1,8})"(?:${STRONG}|${WEAK})\\2"\\s*:\\s*\\2")[^]*?(\\2"|$)`, 'gi');
const SECRET_FIELD = new RegExp(`^(?:${STRONG}|${WEAK})$`, 'i');

/** The fields of a form with secret values replaced. */
export function redactForm(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET_FIELD.test(name) ? HIDDEN : value]),
  );
}

/** Error codes, `{"error":{"code":"quota_exceeded"}}`: words, unlike random authorization codes. */
const ERROR_NAME = /^[a-z]{2,}(_[a-z]+)*$/;

/**
 * Redacts credentials in headers and addresses, tokens, and secret fields of queries, forms and
 * JSON, complete or not. Redacting twice changes nothing.
 */
export function redactText(text: string): string {
  return text
    .replace(HEADER_LINE, (_all, head: string, scheme?: string) => `${head}${hideAfterScheme('', scheme)}`)
    .replace(USERINFO, `$1${HIDDEN}@`)
    .replace(SIGNING_SECRET, `whsec_${HIDDEN}`)
    .replace(JSON_FIELD, redactField)
    .replace(NESTED_FIELD, `$1${HIDDEN}$3`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(ASSIGNED, redactAssigned)
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(BASIC, redactBasic);
}

function redactField(all: string, head: string, value: string | undefined): string {
  if (/^"code"/i.test(head) && (value === undefined || (value.length <= 32 && ERROR_NAME.test(value)))) return all;
  return value === '' ? all : `${head}"${HIDDEN}"`;
}

/** An error code may end like a token's name: `bad_refresh_token`. A password may be a sentence. */
const MAY_BE_AN_ERROR = /(?<!passw(?:or)?ds?["']?\s*):\s+$/i;
/** How such sentences begin and go on; any other word may be the token itself. */
const SENTENCE_START = /^(?:the|this|that|your|an|a|no|is|was|has|must|not|access|refresh|token|bearer)$/i;
const SENTENCE_GOES_ON = /^\s+[a-z]+(?![\w~+/=-])/;

function redactAssigned(all: string, head: string, value: string, offset: number, text: string): string {
  const isSentence = SENTENCE_START.test(value) && SENTENCE_GOES_ON.test(text.slice(offset + all.length));
  if (isSentence && MAY_BE_AN_ERROR.test(head)) return all;
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return value === quote + quote ? all : `${head}${quote}${HIDDEN}${quote}`;
}

/** "Basic authentication" is a name, `Basic dTpw` is `u:p`. */
function redactBasic(all: string, scheme: string, blank: string, value: string): string {
  return Buffer.from(value, 'base64').includes(0x3a) ? `${scheme}${blank}${HIDDEN}` : all;
}

/** A shorter one would match innocent text, and can be guessed anyway. */
const SHORTEST = 4;
/** So many of those that pass are remembered: those of the last few connections. */
const MOST_PASSING = 40;
/** From this length on, a secret is also hidden inside longer text and in encoded forms. */
const UNMISTAKABLE = 6;

export class KnownSecrets {
  /** The forms of each secret, once a text has been searched for them. */
  readonly #forms = new Map<string, readonly string[] | undefined>();
  /** All of them, the longest first: one secret may be part of another. */
  #search: readonly string[] | undefined;
  /** Oldest first. */
  readonly #passing = new Set<string>();

  add(secret: string | undefined): void {
    this.#passing.delete(secret ?? '');
    if (secret === undefined || secret.length < SHORTEST || this.#forms.has(secret)) return;
    this.#forms.set(secret, undefined);
    this.#search = undefined;
  }

  /** For a secret that is replaced often, such as the id of a connection in a long run. */
  addPassing(secret: string | undefined): void {
    if (secret === undefined || (this.#forms.has(secret) && !this.#passing.has(secret))) return;
    this.add(secret);
    if (!this.#forms.has(secret)) return;
    this.#passing.add(secret);
    const [oldest = ''] = this.#passing;
    if (this.#passing.size <= MOST_PASSING) return;
    this.#passing.delete(oldest);
    this.#forms.delete(oldest);
    this.#search = undefined;
  }

  /** The password in the address of a proxy. */
  addAddress(address: string | undefined): void {
    const password = /^[a-z]+:\/\/[^/?#@]*:([^/?#@]+)@/i.exec(address ?? '')?.[1];
    if (password === undefined) return;
    this.add(password);
    try {
      this.add(decodeURIComponent(password));
    } catch {
      // Its unencoded form.
    }
  }

  /** The text without any form of a secret. */
  hide(text: string): string {
    this.#search ??= this.#listForms();
    let shown = text;
    for (const form of this.#search) {
      if (form.length >= UNMISTAKABLE) shown = shown.replaceAll(form, HIDDEN);
      else shown = shown.replace(new RegExp(`(?<![\\w%])${form.replace(/\W/g, '\\$&')}(?!\\w)`, 'g'), HIDDEN);
    }
    return shown;
  }

  #listForms(): readonly string[] {
    const all: string[] = [];
    for (const [secret, known] of this.#forms) {
      const forms = known ?? formsOf(secret);
      this.#forms.set(secret, forms);
      all.push(...forms);
    }
    return all.sort((one, other) => other.length - one.length);
  }
}

/** The secrets in the headers of a request; `secretNames`, in lower case, are always secret. */
export function secretsIn(
  headers: Readonly<Record<string, string>>,
  secretNames: ReadonlySet<string>,
): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!secretNames.has(name) && !isSecretName(name)) continue;
    const credential = value.replace(/^\w+ /, '');
    found.push(value, credential);
    if (/^Basic /i.test(value)) {
      // A service sees the password of basic authentication in plain text, and may repeat it.
      const pair = Buffer.from(credential, 'base64').toString();
      found.push(pair.slice(pair.indexOf(':') + 1));
    }
    if (name === 'cookie') for (const pair of value.split('; ')) found.push(pair.slice(pair.indexOf('=') + 1));
  }
  return found;
}

/** How an encoder writes a sign: its number, with this before and after it. */
interface Notation {
  readonly before: string;
  readonly radix: number;
  readonly digits: number;
  readonly after: string;
}

const UNICODE: Notation = { before: '\\u', radix: 16, digits: 4, after: '' };
const PERCENT: Notation = { before: '%', radix: 16, digits: 2, after: '' };
/** In a query within a query. */
const PERCENT_TWICE: Notation = { before: '%25', radix: 16, digits: 2, after: '' };
const HTML_DECIMAL: Notation = { before: '&#', radix: 10, digits: 1, after: ';' };
const HTML_HEX: Notation = { before: '&#x', radix: 16, digits: 1, after: ';' };

/**
 * The signs that encoders escape. `json` is the secret as JavaScript writes it in JSON, `quoted`
 * the same without `\"`, and `bytes` its UTF-8 with one character for each byte.
 */
const ESCAPES: readonly (readonly [of: 'secret' | 'json' | 'quoted' | 'bytes', signs: RegExp, as: Notation])[] = [
  ['json', /[^ -~]/g, UNICODE], // Python
  ['json', /[<>&]/g, UNICODE], // Go
  ['quoted', /[<>&']/g, UNICODE], // PHP
  ['quoted', /[<>&'`+]|[^ -~]/g, UNICODE], // .NET
  ['secret', /\W/g, UNICODE],
  ['secret', /./gs, UNICODE],
  ['bytes', /[^\w.~!'()*-]/g, PERCENT], // encodeURIComponent
  ['bytes', /[^\w.~-]/g, PERCENT],
  ['bytes', /./gs, PERCENT],
  ['bytes', /[^\w.~!'()*-]/g, PERCENT_TWICE],
  ['bytes', /[^\w.~-]/g, PERCENT_TWICE],
  ['bytes', /./gs, PERCENT_TWICE],
  ['secret', /\W/gu, HTML_DECIMAL],
  ['secret', /./gsu, HTML_DECIMAL],
  ['secret', /\W/gu, HTML_HEX],
  ['secret', /./gsu, HTML_HEX],
];

/** How a secret may be written in a text: as SECURITY.md promises, and in no other way. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < UNMISTAKABLE) return [secret];
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const texts = { secret, json, quoted: json.replaceAll('\\"', '\\u0022'), bytes: bytes.toString('latin1') };
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quotedHtml = html.replaceAll('"', '&quot;');
  const hex = bytes.toString('hex');
  const forms = [secret, json, hex, hex.toUpperCase(), html, quotedHtml, ...formsInBase64(bytes)];
  for (const apostrophe of ['&#39;', '&#039;', '&#x27;', '&apos;']) {
    forms.push(quotedHtml.replaceAll("'", apostrophe));
  }
  for (const [text, signs, notation] of ESCAPES) {
    for (const isUpper of [false, true]) forms.push(escapeSigns(texts[text], signs, notation, isUpper));
  }
  const all = new Set<string>();
  for (const form of forms) all.add(form).add(form.replaceAll('/', '\\/')).add(form.replaceAll('%20', '+'));
  return [...all];
}

function escapeSigns(
  text: string,
  signs: RegExp,
  { before, radix, digits, after }: Notation,
  isUpper: boolean,
): string {
  return text.replace(signs, (sign) => {
    const number = (sign.codePointAt(0) ?? 0).toString(radix).padStart(digits, '0');
    return before + (isUpper ? number.toUpperCase() : number) + after;
  });
}

/** Alone, and the characters that the secret alone decides next to others: `user:password`. */
function formsInBase64(secret: Buffer): readonly string[] {
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + secret.length) * 8) / 6);
    for (const form of [text.slice(from), text.slice(from).replace(/=+$/, ''), text.slice(from, to)]) {
      forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return forms;
}
