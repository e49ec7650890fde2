/** The envelope of an event (doc 2 §2), read out of a body. Only a body whose signature is good says anything. */
import { isUtf8 } from 'node:buffer';
import { isObject, parseJsonText } from '../../json-object.ts';

export interface ReadEvent {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly created_at: string | undefined;
  /** Empty where it is no object. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The whole object, with all that is not known here. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Undefined where the bytes are no JSON object in UTF-8. A field that is missing, or is not what the document says, is undefined. */
export function readEvent(bytes: Uint8Array): ReadEvent | undefined {
  let value: unknown;
  try {
    // Broken UTF-8 would be repaired without a word, and what was signed is not what was read then.
    if (!isUtf8(bytes)) return undefined;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    value = parseJsonText(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
  return asEvent(value);
}

/** The same of a value that is parsed already: one sample of several. */
export function asEvent(value: unknown): ReadEvent | undefined {
  if (!isObject(value)) return undefined;
  return {
    id: string(value['id']),
    type: string(value['type']),
    created_at: string(value['created_at']),
    data: isObject(value['data']) ? value['data'] : {},
    value,
  };
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
