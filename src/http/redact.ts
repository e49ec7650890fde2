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
  readonly #patterns = new Map<string, RegExp | undefined>();
  /** Oldest first. */
  readonly #passing = new Set<string>();

  add(secret: string | undefined): void {
    this.#passing.delete(secret ?? '');
    if (secret !== undefined && secret.length >= SHORTEST && !this.#patterns.has(secret)) {
      this.#patterns.set(secret, undefined);
    }
  }

  /** For a secret that another will replace, such as the id of a connection: a run of many days has any number of them. */
  addPassing(secret: string | undefined): void {
    if (secret === undefined || (this.#patterns.has(secret) && !this.#passing.has(secret))) return;
    this.add(secret);
    if (!this.#patterns.has(secret)) return;
    this.#passing.add(secret);
    const [oldest = ''] = this.#passing;
    if (this.#passing.size <= MOST_PASSING) return;
    this.#passing.delete(oldest);
    this.#patterns.delete(oldest);
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

  hide(text: string): string {
    let shown = text;
    // The longest first: one may be part of another.
    for (const secret of [...this.#patterns.keys()].sort((one, other) => other.length - one.length)) {
      const pattern = this.#patterns.get(secret) ?? patternOf(secret);
      this.#patterns.set(secret, pattern);
      shown = shown.replace(pattern, HIDDEN);
    }
    return shown;
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

function patternOf(secret: string): RegExp {
  const plain = [...secret].map(anyFormOf).join('');
  if (secret.length < UNMISTAKABLE) return new RegExp(`(?<![\\w%])${plain}(?!\\w)`, 'g');
  const bytes = Buffer.from(secret);
  const hex = [...bytes.toString('hex')].map((digit) => (digit > '9' ? `[${digit}${digit.toUpperCase()}]` : digit));
  return new RegExp([plain, hex.join(''), ...[0, 1, 2].map((shift) => base64Of(bytes, shift))].join('|'), 'g');
}

/** One character: itself, and its escapes in an address, a form, JSON and HTML. */
function anyFormOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const forms = [`\\\\{0,4}${escaped(character)}`];
  forms.push([...Buffer.from(character)].map((byte) => `%(?:25)*${anyCase(hexOf(byte, 2))}`).join(''));
  // Bounded: a run of backslashes must not be searched from each of them to its end.
  forms.push([...character.split('')].map((unit) => `\\\\{1,16}u${anyCase(hexOf(unit.charCodeAt(0), 4))}`).join(''));
  forms.push(`&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`);
  const name = NAMED[character];
  if (name !== undefined) forms.push(name);
  return `(?:${forms.join('|')})`;
}

const NAMED: Readonly<Record<string, string>> = {
  ' ': '\\+',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/**
 * The base64 characters that depend only on the secret if `shift` bytes precede it, as in `user:password`. Both alphabets, with `+`, `/` and `_` escaped or
 * not.
 */
function base64Of(secret: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), secret]).toString('base64');
  const from = Math.ceil((shift * 8) / 6);
  const decided = text.slice(from, Math.floor(((shift + secret.length) * 8) / 6));
  const characters = [...decided].map((one) =>
    one === '+' ? `(?:-|${anyFormOf('+')})` : one === '/' ? `(?:_|${anyFormOf('/')})` : one,
  );
  return `${characters.join('')}(?:[\\w+/-](?![\\w+/-]))?(?:=|%3[dD]){0,2}`;
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
