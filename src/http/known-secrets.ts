/** The secrets that a run has used, and the only filter that removes all their forms from output. */
import { isSecretHeader } from './redact.ts';

const HIDDEN = '***';
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
    if (!secretNames.has(name) && !isSecretHeader(name)) continue;
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
  forms.push([...character.split('')].map((unit) => `\\\\+u${anyCase(hexOf(unit.charCodeAt(0), 4))}`).join(''));
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
