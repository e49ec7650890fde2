/** Redacts secrets in everything that is shown: headers, addresses, bodies, messages; by their names, and by their values if a run has used them. */

const HIDDEN = '***';

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

/** The headers with every secret value replaced; the scheme of an `authorization` stays. `secretNames` are in lower case. */
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

/** Fields that are secret by their name or its ending, in any notation: `refresh_token`, `x-api-key`, `client_secret`. */
const STRONG =
  '(?:[\\w.-]*[_-])?(?:access_?token|refresh_?token|id_?token|(?<=[_-])token|secret|passw(?:or)?d|api[_-]?key|private[_-]?key|code_?verifier|device_?code|assertion|credential|sessionid)s?';
/** Names that are secret in an address, a form or a JSON object, but ordinary words in a sentence. */
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
 * Any text with its secrets replaced: credentials in headers and addresses, tokens, and the secret fields of queries, forms and JSON, complete or cut off.
 * Redacting twice changes nothing.
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

/** An error code may end like the name of a token (`bad_refresh_token: The token is wrong`). A password may be a sentence. */
const MAY_BE_AN_ERROR = /(?<!passw(?:or)?ds?["']?\s*):\s+$/i;
/** How such sentences begin and go on. A closed list of words: anything else may be the token itself. */
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
  readonly #forms = new Map<string, readonly Form[] | undefined>();
  /** All of them, the longest first: one secret may be part of another. */
  #search: readonly Form[] | undefined;
  /** Oldest first. */
  readonly #passing = new Set<string>();

  add(secret: string | undefined): void {
    this.#passing.delete(secret ?? '');
    if (secret === undefined || secret.length < SHORTEST || this.#forms.has(secret)) return;
    this.#forms.set(secret, undefined);
    this.#search = undefined;
  }

  /** For a secret that another will replace, such as the id of a connection: a run of many days has any number of them. */
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

  /** The credentials in the headers of all requests. `secretNames` are in lower case. */
  addHeaders(headers: Readonly<Record<string, string>>, secretNames: ReadonlySet<string>): void {
    for (const secret of secretsOf(headers, secretNames)) this.add(secret);
  }

  /** Those of one request. */
  addPassingHeaders(headers: Readonly<Record<string, string>>): void {
    for (const secret of secretsOf(headers)) this.addPassing(secret);
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
    this.#search ??= this.#allForms();
    let shown = text;
    for (const form of this.#search) shown = shown.replaceAll(form, HIDDEN);
    return shown;
  }

  #allForms(): readonly Form[] {
    for (const [secret, forms] of this.#forms) this.#forms.set(secret, forms ?? formsOf(secret));
    const all = [...this.#forms.values()].flatMap((forms) => forms ?? []);
    return all.sort((one, other) => lengthOf(other) - lengthOf(one));
  }
}

function* secretsOf(
  headers: Readonly<Record<string, string>>,
  secretNames: ReadonlySet<string> = new Set(),
): Generator<string | undefined> {
  for (const [name, value] of Object.entries(headers)) {
    if (!secretNames.has(name) && !isSecretName(name)) continue;
    yield* [value, value.replace(/^\w+ /, ''), passwordOf(value)];
    if (name === 'cookie') yield* value.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
  }
}

/** A service sees the password of basic authentication in plain text, and may repeat it. */
function passwordOf(authorization: string): string | undefined {
  const encoded = /^Basic (.*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

/** A text that is searched as it is; a short secret only as a word of its own. */
type Form = string | RegExp;

function lengthOf(form: Form): number {
  return typeof form === 'string' ? form.length : SHORTEST;
}

/** How a secret may be written in a text: as SECURITY.md promises, and in no other way. */
function formsOf(secret: string): readonly Form[] {
  if (secret.length < UNMISTAKABLE) {
    return [new RegExp(`(?<![\\w%])${secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}(?!\\w)`, 'g')];
  }
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const escaped = [...inJson(secret), ...inAddress(bytes), ...inHtml(secret)];
  return [...new Set([secret, hex, hex.toUpperCase(), ...escaped, ...escaped.map(inUpperCase), ...inBase64(bytes)])];
}

/** As JavaScript, Python, Go, PHP and .NET write it; with all signs as `\u002b`, and with everything. Each with `\/` as well. */
function inJson(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [
    json,
    ...[/\\.|[^ -~]/gsu, /\\.|[<>&]/gs].map((signs) => escapeMore(json, signs)),
    ...[/\\.|[<>&']/gs, /\\.|[<>&'`+]|[^ -~]/gsu].map((signs) => escapeMore(json.replaceAll('\\"', '\\u0022'), signs)),
    ...[/\W/gu, /./gsu].map((signs) => secret.replace(signs, unitsOf)),
  ];
  return forms.flatMap((form) => [form, form.replaceAll('/', '\\/')]);
}

/** An escape that is there already is matched as a whole, and stays. */
function escapeMore(json: string, signs: RegExp): string {
  return json.replace(signs, (one) => (one.startsWith('\\') ? one : unitsOf(one)));
}

function unitsOf(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at), 4)}`).join('');
}

/** What `encodeURIComponent` and other encoders escape in an address; then everything. */
const ESCAPED_IN_ADDRESS = [/[^\w.~!'()*-]/g, /[^\w.~-]/g, /./gs];

/** In a query, in a form, and in a query within a query. */
function inAddress(secret: Buffer): readonly string[] {
  return ESCAPED_IN_ADDRESS.flatMap((escaped) => {
    const encoded = secret.toString('latin1').replace(escaped, (one) => `%${hexOf(one.charCodeAt(0), 2)}`);
    const nested = [encoded, inUpperCase(encoded)].map((one) => one.replaceAll('%', '%25'));
    return [encoded, encoded.replaceAll('%20', '+'), ...nested];
  });
}

/** The signs that HTML requires, with each spelling of `'`; then all signs by number, and everything. */
function inHtml(secret: string): readonly string[] {
  const required = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = required.replaceAll('"', '&quot;');
  const named = ['&#39;', '&#039;', '&#x27;', '&apos;'].map((apostrophe) => quoted.replaceAll("'", apostrophe));
  const numbered = [/\W/gu, /./gsu].flatMap((escaped) => [
    secret.replace(escaped, (one) => `&#${one.codePointAt(0)};`),
    secret.replace(escaped, (one) => `&#x${hexOf(one.codePointAt(0) ?? 0, 1)};`),
  ]);
  return [required, quoted, ...named, ...numbered];
}

/** Alone, and the characters that only the secret decides if others precede it, as in `user:password`, or follow it. */
function inBase64(secret: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + secret.length) * 8) / 6);
    const forms = [text.slice(from), text.slice(from).replace(/=+$/, ''), text.slice(from, to)];
    return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
  });
}

/** The same escapes with digits in upper case. */
function inUpperCase(escapes: string): string {
  return escapes.replace(/(?<=\\u)[\da-f]{4}|(?<=%)[\da-f]{2}|(?<=&#x)[\da-f]+/g, (digits) => digits.toUpperCase());
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
