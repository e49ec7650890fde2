/** Recordings, read piece by piece: any length of them in the memory of a piece and a line. */

import { isObject, parseJsonText } from '../../json-object.ts';
import { type Delivery, jsonHeaders, type RawHeader } from './delivery.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end. Valid until the next batch is asked for. */
  readonly bytes: Buffer;
  /** The last one, and no line end follows: whoever wrote it may have been killed while writing. */
  readonly open: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/** The lines of each piece, a batch of them at once: nothing is awaited for a line. Blank lines are left out. */
export async function* lineBatches(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<Line>, void, void> {
  let number = 0;
  let held: Buffer[] = [];
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const last = bytes.lastIndexOf(LF);
    if (last < 0) {
      held.push(Buffer.from(bytes));
      continue;
    }
    yield linesIn(bytes.subarray(0, last));
    held = last + 1 < bytes.length ? [Buffer.from(bytes.subarray(last + 1))] : [];
  }
  const rest = Buffer.concat(held);
  number++;
  if (rest.length > 0) yield [{ number, bytes: rest, open: true }];

  function* linesIn(bytes: Buffer): Generator<Line> {
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(LF, start);
      const end = found < 0 ? bytes.length : found;
      let line = bytes.subarray(start, end);
      if (held.length > 0) {
        line = Buffer.concat([...held, line]);
        held = [];
      }
      if (line.length > 0 && line[line.length - 1] === CR) line = line.subarray(0, -1);
      number++;
      if (line.length > 0) yield { number, bytes: line, open: false };
      start = end + 1;
    }
  }
}

const BODY = Buffer.from('"body_b64":"');
const OURS = '{"v":1,"received_at":"';
const QUOTE = 0x22;
const CLOSING = 0x7d;
const PLAIN = /^[ -~]*$/;
const NONE: readonly string[] = [];

export type LineReader = (line: Buffer, source: string, prefix: string) => Delivery | undefined;

/** Undefined where the line is no delivery. Headers that do not begin with `prefix` may be left out. */
export function recordedDelivery(line: Buffer, source: string, prefix: string): Delivery | undefined {
  return ownShape(line, source, prefix) ?? anyShape(line, source);
}

/**
 * The shape that `webhooks listen` writes, read without parsing it all: what stands before the body is small, and what stands
 * after it is not needed. Where that part holds no backslash, a quote can be nothing but the end of a text.
 */
function ownShape(line: Buffer, source: string, prefix: string): Delivery | undefined {
  // A line that was cut does not end so.
  if (line[line.length - 1] !== CLOSING) return undefined;
  const at = line.indexOf(BODY);
  if (at < 0) return undefined;
  const head = line.toString('latin1', 0, at);
  if (!head.startsWith(OURS) || head.includes('\\')) return undefined;
  const pairs = head.indexOf('"headers":[');
  const headers = pairs < 0 ? undefined : servicePairs(head, pairs + 11, prefix);
  if (headers === undefined) return undefined;
  const start = at + BODY.length;
  const body = Buffer.from(line.toString('latin1', start, line.indexOf(QUOTE, start)), 'base64');
  const ms = Date.parse(head.slice(OURS.length, head.indexOf('"', OURS.length)));
  return { source, headers, body, receivedS: Number.isNaN(ms) ? undefined : ms / 1000, notes: NONE };
}

/** The pairs of `[["a","b"],["c","d"]],` whose names begin with the prefix; undefined where it is not spelled so. */
function servicePairs(text: string, start: number, prefix: string): readonly RawHeader[] | undefined {
  const found: RawHeader[] = [];
  if (text.startsWith('],', start)) return text.length === start + 2 ? found : undefined;
  for (let at = start; ; ) {
    const nameEnd = text.indexOf('"', at + 2);
    const valueEnd = text.indexOf('"', nameEnd + 3);
    if (!text.startsWith('["', at) || !text.startsWith('","', nameEnd) || valueEnd < 0) return undefined;
    if ((text.charCodeAt(at + 2) | 0x20) === (prefix.charCodeAt(0) | 0x20) || prefix === '') {
      const name = text.slice(at + 2, nameEnd);
      if (name.startsWith(prefix) || name.toLowerCase().startsWith(prefix.toLowerCase())) {
        const value = text.slice(nameEnd + 3, valueEnd);
        // What is not ASCII is UTF-8, and is not read here.
        if (!PLAIN.test(value)) return undefined;
        found.push([name, value]);
      }
    }
    if (text.startsWith('],[', valueEnd + 1)) at = valueEnd + 3;
    else return text.length === valueEnd + 4 && text.endsWith(']],') ? found : undefined;
  }
}

/** Lines of other writers: headers as pairs or as an object, in any order. */
function anyShape(line: Buffer, source: string): Delivery | undefined {
  try {
    const value: unknown = parseJsonText(line.toString());
    if (!isObject(value) || typeof value['body_b64'] !== 'string') return undefined;
    const headers = jsonHeaders(value['headers'], source);
    const body = Buffer.from(value['body_b64'], 'base64');
    return { source, headers, body, ...receivedAt(value['received_at']), notes: NONE };
  } catch {
    return undefined;
  }
}

function receivedAt(value: unknown): { readonly receivedS?: number } {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? {} : { receivedS: ms / 1000 };
}
