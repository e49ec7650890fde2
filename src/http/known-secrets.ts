/** Redacts the secrets that a run has used, in a fixed list of notations. */
import { HIDDEN, isSecretName } from './redact.ts';

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
