/** JSON of a remote service, strict about bytes and depth. Arrays are read as they arrive. */
import { isAscii, isUtf8 } from 'node:buffer';
import { DEEPEST, exactNumbers, isObject, JsonLimit, parseJsonText, schemaProblem, TOO_DEEP } from '../json-object.ts';
import type { Parser } from './endpoint.ts';

/** The bytes are not the promised JSON. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** It is JSON of another shape than the interface's: a second request would bring the same. */
export class ShapeFault extends JsonFault {}

function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new JsonFault('it is not UTF-8');
  return bytes.toString('utf8');
}

export function parseJson(bytes: Buffer): unknown {
  const decoded = decodeUtf8(bytes);
  const text = decoded.charCodeAt(0) === 0xfeff ? decoded.slice(1) : decoded;
  if (text.trim() === '') throw new JsonFault('it is empty');
  return parseText(text);
}

function parseText(text: string, mostValues?: number): unknown {
  try {
    return parseJsonText(exactNumbers(text), mostValues);
  } catch (error) {
    // The parser's own message quotes the text.
    throw new JsonFault(error instanceof JsonLimit ? `it is ${error.message}` : 'it is not JSON');
  }
}

/** `[` for an array, `{` for an object, `''` for anything else. */
export function outerKind(bytes: Buffer): '[' | '{' | '' {
  const first = /[^\s\ufeff]/.exec(bytes.toString('utf8', 0, 256))?.[0];
  return first === '[' || first === '{' ? first : '';
}

/** `values`: the limit of names and values in one item. */
const ITEM = { mebibytes: 24, values: undefined };
/** 50,000 alerts of 100 names and values. */
const LARGE_ITEM = { mebibytes: 64, values: 5_000_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Splits a JSON array as its bytes arrive, so that only a chunk of it is ever in memory. */
export class ArrayItems {
  #phase: 'before' | 'inside' | 'after' = 'before';
  /** The bracket depth inside the array. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #separated = false;
  /** The bytes since the last comma between items. */
  #open: Buffer[] = [];
  #openBytes = 0;
  readonly #limits: typeof ITEM | typeof LARGE_ITEM;

  constructor(large = false) {
    this.#limits = large ? LARGE_ITEM : ITEM;
  }

  /** The items that the chunk completes, parsed together: one `JSON.parse` per chunk. */
  push(piece: Buffer): readonly unknown[] {
    let chunk = piece;
    let start = 0;
    if (this.#phase === 'before') {
      // The byte order mark may arrive in pieces.
      chunk = Buffer.concat([...this.#open, piece]);
      this.#open = [];
      const inside = this.#enter(chunk);
      if (inside === undefined) return [];
      start = inside;
    }
    if (this.#phase === 'after') {
      checkBlank(chunk, 0);
      return [];
    }
    const { comma, end } = this.#scan(chunk, start);
    if (end >= 0) {
      if (chunk[end] !== CLOSE_ARRAY) throw new JsonFault('it is not JSON');
      checkBlank(chunk, end + 1);
      this.#phase = 'after';
      return this.#parse(chunk.subarray(start, end), !this.#separated);
    }
    if (comma < 0) {
      this.#open.push(chunk.subarray(start));
      this.#openBytes += chunk.length - start;
      const { mebibytes } = this.#limits;
      if (this.#openBytes > mebibytes * 2 ** 20) {
        throw new JsonFault(`one of its items is larger than ${mebibytes} MiB`);
      }
      return [];
    }
    this.#separated = true;
    const items = this.#parse(chunk.subarray(start, comma), false);
    this.#open = [chunk.subarray(comma + 1)];
    this.#openBytes = chunk.length - comma - 1;
    return items;
  }

  /** Call at the end of the bytes. */
  finish(): void {
    if (this.#phase !== 'after') throw new JsonFault(this.#phase === 'before' ? 'it is empty' : 'its end is missing');
  }

  /** Where the array's first item begins. Undefined if its bracket has not arrived. */
  #enter(chunk: Buffer): number | undefined {
    if (chunk[0] === 0xef && chunk.length < 3) {
      this.#open.push(chunk);
      return undefined;
    }
    // Some servers send a byte order mark.
    const text = chunk.toString('latin1');
    const at = /^(?:\xef\xbb\xbf)?[ \n\r\t]*/.exec(text)?.[0].length ?? 0;
    if (at === chunk.length) return undefined;
    if (text[at] === '{') throw new ShapeFault('it is an object, not an array');
    if (text[at] !== '[') throw new JsonFault('it is not a JSON array');
    this.#phase = 'inside';
    return at + 1;
  }

  /** Finds the last comma between items, and the bracket that ends the array. */
  #scan(chunk: Buffer, start: number): { comma: number; end: number } {
    let [depth, comma] = [this.#depth, -1];
    let i = this.#inString ? this.#skipString(chunk, start) : start;
    while (i < chunk.length) {
      const byte = chunk[i++];
      switch (byte) {
        case QUOTE:
          i = this.#skipString(chunk, i);
          break;
        case COMMA:
          if (depth === 0) comma = i - 1;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          if (++depth === DEEPEST) throw new JsonFault(`it is ${TOO_DEEP}`);
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          if (--depth < 0) return { comma, end: i - 1 };
      }
    }
    this.#depth = depth;
    return { comma, end: -1 };
  }

  /** Where the string has ended, or the end of the chunk: it continues in the next one. */
  #skipString(chunk: Buffer, start: number): number {
    const length = chunk.length;
    let i = start;
    if (this.#escaped && i < length) {
      this.#escaped = false;
      i++;
    }
    while (i < length) {
      const byte = chunk[i++];
      if (byte === QUOTE) {
        this.#inString = false;
        return i;
      }
      if (byte === BACKSLASH && i++ === length) this.#escaped = true;
    }
    this.#inString = true;
    return length;
  }

  #parse(rest: Buffer, mayBeEmpty: boolean): readonly unknown[] {
    const text = decodeUtf8(this.#open.length === 0 ? rest : Buffer.concat([...this.#open, rest]));
    if (!mayBeEmpty && text.trim() === '') throw new JsonFault('it is not JSON');
    return parseText(`[${text}]`, this.#limits.values) as unknown[];
  }
}

function checkBlank(chunk: Buffer, from: number): void {
  if (/[^ \n\r\t]/.test(chunk.toString('latin1', from))) throw new JsonFault('more text follows its end');
}

export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** A sentence for each row that is left out: `row 3: tradeId is missing`. */
  readonly omitted: readonly string[];
  /** Those rows, as received. */
  readonly unread: readonly unknown[];
}

/** To say of more rows why they cannot be read would take seconds: 0.1 ms for each. */
const MOST_UNREAD = 5_000;

/** `noun` names one row, and `before` counts the rows that came earlier. */
export function readRows<Row>(
  schema: Parser<Row>,
  values: readonly unknown[],
  noun: string,
  before = 0,
): ReadRows<Row> {
  const rows: Row[] = [];
  const omitted: string[] = [];
  const unread: unknown[] = [];
  for (const [index, value] of values.entries()) {
    const where = `${noun} ${before + index + 1}`;
    const outcome = schema.safeParse(value);
    if (outcome.success) {
      rows.push(outcome.data);
      for (const problem of outcome.omitted ?? []) omitted.push(`${where}: ${problem}`);
    } else {
      unread.push(value);
      omitted.push(`${where}: ${schemaProblem(outcome.error.issues, value, ': ')}`);
      if (unread.length > MOST_UNREAD) throw new ShapeFault(`${omitted[0]}, and ${MOST_UNREAD} more cannot be read`);
    }
  }
  return { rows, omitted, unread };
}

export interface ReceivedList<Row> {
  readonly rows: readonly Row[];
  /** How many rows came, with those that are left out: a page is short by this number only. */
  readonly received: number;
}

/** The list is the field `items`, or the response itself. Go writes null for an empty list. */
export function listParser<Row>(schema: Parser<Row>, noun: string): Parser<ReceivedList<Row>> {
  return {
    safeParse(value) {
      const items = isObject(value) ? value['items'] : value;
      if (items !== null && !Array.isArray(items)) {
        const kind = items === undefined ? 'invalid_value' : 'invalid_type';
        const path = isObject(value) ? ['items'] : [];
        return {
          success: false,
          error: { issues: [{ path, code: kind, expected: 'array', message: 'expected a list' }] },
        };
      }
      const received = items ?? [];
      const { rows, omitted } = readRows(schema, received, noun);
      const [first] = omitted;
      if (rows.length === 0 && first !== undefined) {
        return { success: false, error: { issues: [{ path: [], message: first }] } };
      }
      return { success: true, data: { rows, received: received.length }, omitted };
    },
  };
}
