/**
 * Reads values as programs print them: JSON, Node.js, Python, Ruby, Go and Java notations. Lenient
 * about what is around a text, and exact about the text itself.
 */
import { isUtf8 } from 'node:buffer';
import { SvcError } from '../../../errors.ts';
import { isEscaped, parseJsonText } from '../../../json-object.ts';

/** Node.js prints only the beginning of a long value. */
export const SHORTENED = Symbol('shortened');

/** The objects and lists that begin on a line. */
export interface LineValues {
  readonly values: readonly unknown[];
  /** From 1. Undefined if the whole text is one JSON document. */
  readonly line: number | undefined;
  /** Whether the value is all there is. If there is text around it, both may come from anyone. */
  readonly isAlone: boolean;
}

/** The objects and lists in a text: one JSON document, or those of each line but empty ones. */
export function* valuesIn(text: string, source: string): Generator<LineValues> {
  const document = parsedJson(text);
  if (document !== undefined) {
    yield { values: [document], line: undefined, isAlone: true };
    return;
  }
  let line = 1;
  let wasted = 0;
  for (let start = 0; start < text.length; ) {
    const end = endOfLine(text, start);
    const json = parsedJson(text.slice(start, end));
    const found = json === undefined ? valuesOnLine(text, start, end) : { values: [json], start, end, wasted: 0 };
    // A value may end on a later line. What follows it there is not read.
    const last = endOfLine(text, Math.max(end, found.end));
    const around = text.slice(start, found.start) + text.slice(found.end, last);
    const isAlone = found.values.length === 1 && around.trim() === '';
    if (found.values.length > 0 || around.trim() !== '') yield { values: found.values, line, isAlone };
    line += text.slice(end, last).split('\n').length;
    start = last + 1;
    wasted += found.wasted;
    if (wasted > MOST_WASTED + 10 * text.length) {
      throw new SvcError('file_unusable', `${source}: too many brackets in it are never closed`);
    }
  }
}

interface Found {
  readonly values: readonly unknown[];
  /** Where the first one begins. */
  readonly start: number;
  /** Where the last one ends. */
  readonly end: number;
  /** How many characters were read in vain. */
  readonly wasted: number;
}

/** The values that begin on this line. */
function valuesOnLine(text: string, start: number, lineEnd: number): Found {
  const values: unknown[] = [];
  let first = start;
  let end = start;
  let attempts = 0;
  let wasted = 0;
  for (const { index } of text.slice(start, lineEnd).matchAll(BRACKET)) {
    if (start + index < end) continue;
    if (++attempts > MOST_ATTEMPTS) break;
    const found = readLiteral(text, start + index);
    if (!found.isValue) {
      wasted += found.end - start - index;
      continue;
    }
    attempts = 0;
    if (values.length === 0) first = start + index;
    values.push(found.value);
    end = found.end;
  }
  return { values, start: first, end, wasted };
}

const BRACKET = /[[{]/g;
/** A line with more brackets that begin nothing is not a log of requests. */
const MOST_ATTEMPTS = 20;
/** Characters, besides ten times the text: reading more in vain would take too long. */
const MOST_WASTED = 20_000_000;

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** An object or a list. Undefined for anything that is not JSON. */
function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJsonText(text, Number.POSITIVE_INFINITY);
  } catch {
    return undefined;
  }
}

interface Literal {
  readonly value: unknown;
  /** Where it ends, or where it turned out to be none. */
  readonly end: number;
  readonly isValue: boolean;
}

/** The value that begins at this place. Bytes become a Buffer. */
export function readLiteral(text: string, start: number): Literal {
  const reader = new LiteralReader(text, start);
  try {
    return { value: reader.readValue(0), end: reader.at, isValue: true };
  } catch (error) {
    if (!(error instanceof NotALiteral)) throw error;
    // What is nested too deeply is skipped whole: trying each bracket would take too long.
    return { value: undefined, end: reader.at, isValue: error instanceof TooDeep };
  }
}

class NotALiteral extends Error {}
class TooDeep extends NotALiteral {}

/** Deeper values are not requests. */
const DEEPEST = 100;

const BLANK = /\s*/y;
const SEPARATOR = /[\s,;>]*/y;
/** `=>` of Ruby and PHP, `:` of JSON, Python, Go, `=` of Java. Ruby symbols begin with a colon. */
const PAIR = /\s*(?:=>|[:=])\s*/y;
const NAME = /:?([\w$@.\-/]+)(?=\s*(?:=>|[:=]))/y;
/** In the list of a value, `=` belongs to the text: `[sha256=…]`. */
const NAME_IN_LIST = /:?([\w$@.\-/]+)(?=\s*(?:=>|:))/y;
const PLAIN = /[^,\n)\]}]+/y;
/** A bracket with prefix: `<ref *1> Headers {`, `[Object: null prototype] {`, `dict(`, `map[`. */
const OPENING = /(?:<ref \*\d+>\s*)?(?:\[[\w:. ]+\]\s*(?=\{)|<?[A-Za-z_$][\w$.]*(?:\(\d+\))?\s*(?=[[{(]))?([[{(])/y;
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };
const BUFFER = /<Buffer((?: [0-9a-f]{2})*)( \.\.\. \d+ more bytes?)?>/y;
const QUOTE = /([bBuU]?)(["'`])/y;
/** Node.js joins the lines of a long text with `+`, and Python prints them one after the other. */
const CONTINUATION = /\s*(?:\+\s*)?(?=[bBuU]?["'`])/y;
const REST = /\.\.\. \d+ more (?:character|byte|item)s?/y;

class LiteralReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  readValue(depth: number): unknown {
    this.#match(BLANK);
    const text = this.#readText();
    if (text !== undefined) return this.#match(REST) === undefined ? text : SHORTENED;
    const buffer = this.#match(BUFFER);
    if (buffer !== undefined) {
      const [, hex = '', rest] = buffer;
      return rest === undefined ? Buffer.from(hex.replaceAll(' ', ''), 'hex') : SHORTENED;
    }
    const bracket = this.#match(OPENING)?.[1];
    if (bracket !== undefined) return this.#readMembers(bracket, depth + 1);
    const plain = this.#match(PLAIN)?.[0];
    if (plain === undefined) throw new NotALiteral();
    return plainValue(plain.trim());
  }

  /** To the closing bracket: an object if a member is named, else a list, or a sole argument. */
  #readMembers(bracket: string, depth: number): unknown {
    if (depth > DEEPEST) throw new TooDeep();
    const items: unknown[] = [];
    const members = new Map<string, unknown[]>();
    while (!this.#closes(bracket)) {
      const name = this.#match(bracket === '[' && depth > 1 ? NAME_IN_LIST : NAME)?.[1];
      const item = name ?? this.readValue(depth);
      if (this.#match(PAIR) === undefined) items.push(item);
      else members.set(`${item}`, [...(members.get(`${item}`) ?? []), this.readValue(depth)]);
    }
    if (members.size > 0) return objectOf(members);
    if (bracket === '{' && items.length === 0) return {};
    return bracket === '(' && items.length === 1 ? items[0] : items;
  }

  #closes(bracket: string): boolean {
    this.#match(SEPARATOR);
    if (this.at >= this.#text.length) throw new NotALiteral();
    if (this.#text[this.at] !== CLOSING[bracket]) return false;
    this.at++;
    return true;
  }

  /** One text, or the parts of one. */
  #readText(): string | Buffer | undefined {
    let whole = this.#readQuoted();
    while (whole !== undefined && this.#match(CONTINUATION) !== undefined) {
      const part = this.#readQuoted() ?? '';
      whole = typeof whole === 'string' ? `${whole}${part}` : Buffer.concat([whole, Buffer.from(part as string)]);
    }
    return whole;
  }

  #readQuoted(): string | Buffer | undefined {
    const [, prefix = '', quote] = this.#match(QUOTE) ?? [];
    if (quote === undefined) return undefined;
    const start = this.at;
    let end = this.#text.indexOf(quote, start);
    while (end >= 0 && isEscaped(this.#text, end)) end = this.#text.indexOf(quote, end + 1);
    const raw = this.#text.slice(start, end);
    if (end < 0 || (quote !== '`' && raw.includes('\n'))) throw new NotALiteral();
    this.at = end + 1;
    const isBytes = /b/i.test(prefix);
    const text = unescaped(raw, isBytes);
    return isBytes ? Buffer.from(text, 'latin1') : text;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}

/** A name that is there twice has both values: a sender must not replace one. */
function objectOf(members: ReadonlyMap<string, readonly unknown[]>): object {
  return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

const ESCAPES = /((?:\\x[0-9a-fA-F]{2})+)|\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|\r?\n|(.))/gs;
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  0: '\0',
};

/** `isBytes`: one character per byte. nginx and Ruby write a character's bytes in texts, too. */
function unescaped(raw: string, isBytes: boolean): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(ESCAPES, (_, hex?: string, unit?: string, point?: string, other = '') => {
    if (hex !== undefined) {
      const bytes = Buffer.from(hex.replaceAll('\\x', ''), 'hex');
      return bytes.toString(isBytes || !isUtf8(bytes) ? 'latin1' : 'utf8');
    }
    const code = unit ?? point;
    if (code === undefined) return CONTROLS[other] ?? other;
    return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
  });
}

const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['nil', null],
  ['undefined', null],
]);

/** A number only if it prints as the same text: a timestamp with a leading zero does not. */
function plainValue(text: string): unknown {
  if (CONSTANTS.has(text)) return CONSTANTS.get(text);
  return String(Number(text)) === text ? Number(text) : text;
}
