/** JSON of a remote service: strict about the bytes, bounded in depth, errors that say what is wrong. */
import { isAscii, isUtf8 } from 'node:buffer';
import { exactIntegers, JsonLimit, parseJsonText } from '../json-object.ts';

/** The bytes are not the JSON that was promised. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

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
  return parseText(exact ? exactIntegers(text) : text);
}

export function parseText(text: string, mostValues?: number): unknown {
  try {
    return parseJsonText(text, mostValues);
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
