/** JSON of a remote service: strict about the bytes, bounded in depth, errors that say what is wrong. */
import { isAscii, isUtf8 } from 'node:buffer';
import { exactIntegers } from '../json-object.ts';

/** The bytes are not the JSON that was promised. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Deeper values than any service sends would overflow the stack of what walks them later. */
export const DEEPEST = 256;

export function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new JsonFault('it is not UTF-8');
  return bytes.toString('utf8');
}

/** `exact`: see `exactIntegers`. */
export function parseJson(bytes: Buffer, exact = false): unknown {
  const decoded = decodeUtf8(bytes);
  const text = decoded.charCodeAt(0) === 0xfeff ? decoded.slice(1) : decoded;
  if (text.trim() === '') throw new JsonFault('it is empty');
  checkDepth(text);
  return parseText(exact ? exactIntegers(text) : text);
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault('it is not JSON'); // the parser's own message quotes the text
  }
}

function checkDepth(text: string): void {
  // Most answers have not even so many brackets.
  if (text.length < DEEPEST) return;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < text.length; i++) {
        const inner = text.charCodeAt(i);
        if (inner === 0x5c) i++;
        else if (inner === 0x22) break;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEEPEST) throw new JsonFault('it is nested too deep');
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** `[` for an array, `{` for an object, `''` for anything else. */
export function outerKind(bytes: Buffer): '[' | '{' | '' {
  const first = /[^\s\ufeff]/.exec(bytes.toString('utf8', 0, 256))?.[0];
  return first === '[' || first === '{' ? first : '';
}
