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

/** An envelope as the service writes it begins so. */
const OWN_BEGINNING = /^\{"id":"([\w.:-]{1,60})","type":"([\w.:-]{1,60})",/;

/** Its id and type alone: where it begins as the service writes it, the rest need not be parsed. */
export function readNames(bytes: Uint8Array): Pick<ReadEvent, 'id' | 'type'> | undefined {
  // A byte for a character: what is looked for is ASCII, and nothing is decoded.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const [beginning, id, type] = OWN_BEGINNING.exec(text) ?? [];
  // A text that does not end is none.
  if (beginning !== undefined && text.endsWith('}') && !namesAgain(text, beginning.length)) return { id, type };
  return readEvent(bytes);
}

/** A second one would count in JSON, also before a blank and with escaped letters, which all are U+0064 to U+0079. */
function namesAgain(text: string, after: number): boolean {
  return ['"id"', '"type"', '\\u006', '\\u007'].some((sign) => text.includes(sign, after));
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
