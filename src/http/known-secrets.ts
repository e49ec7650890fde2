/** Redacts the secrets that a run has used, by their values. Each is searched for in a fixed list of plain forms, which are computed once. */
import { HIDDEN, isSecretName } from './redact.ts';

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
