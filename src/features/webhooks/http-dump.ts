/** Raw HTTP requests, as nc, tcpdump, proxies and `sign --as http` write them. */

import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';
import { type Delivery, headerValues, jsonHeaders, type RawHeader } from './delivery.ts';
import { REQUEST_LINE, startsRequest } from './input-format.ts';

/** The blank line that ends a head, and the line end before it. */
const HEAD_END = /\r?\n\r?\n/;
/** No sender's head is as long. */
const LONGEST_HEAD = 1 << 20;

/** One after the other where a length says where each ends. A head without its request line is one too: headers, a blank line, the body. */
export function httpDeliveries(bytes: Buffer, source: string): readonly Delivery[] {
  const found: Delivery[] = [];
  let rest = bytes;
  do {
    const { delivery, length } = readRequest(rest, source);
    found.push(delivery);
    rest = rest.subarray(length);
  } while (startsRequest(rest));
  const last = found.pop();
  if (last !== undefined) {
    // One line end is an editor's.
    const surplus = rest.length > 0 && !/^\r?\n$/.test(rest.toString('latin1', 0, 3));
    found.push(surplus ? { ...last, notes: [...last.notes, 'bytes_after_body'] } : last);
  }
  if (found.length === 1) return found;
  return found.map((delivery, index) => ({ ...delivery, source: `${source}#${index + 1}` }));
}

function readRequest(bytes: Buffer, source: string): { readonly delivery: Delivery; readonly length: number } {
  const text = bytes.toString('latin1', 0, LONGEST_HEAD);
  // A head that holds nothing but its request line has no line end of its own before the blank line.
  const end = HEAD_END.exec(text);
  if (end === null) {
    return {
      delivery: { source, headers: head(text), body: Buffer.alloc(0), truncated: true, notes: [] },
      length: bytes.length,
    };
  }
  const notes = end[0].startsWith('\r') ? [] : ['bare_lf_head'];
  const headers = head(text.slice(0, end.index));
  const start = end.index + end[0].length;
  const framed = readBody(bytes.subarray(start), headers);
  const { body, truncated } = framed;
  return {
    delivery: {
      source,
      headers,
      body,
      ...(truncated ? { truncated } : {}),
      notes: framed.note === undefined ? notes : [...notes, framed.note],
    },
    length: start + framed.length,
  };
}

function head(text: string): readonly RawHeader[] {
  return headerLines(text.replace(REQUEST_LINE, ''));
}

interface FramedBody {
  readonly body: Buffer;
  readonly length: number;
  readonly truncated?: true;
  readonly note?: string;
}

/** RFC 9112 §6.3: chunks before a length; without either, all there is. */
function readBody(rest: Buffer, headers: readonly RawHeader[]): FramedBody {
  const codings = headerValues(headers, 'transfer-encoding').join(',').toLowerCase();
  if (/(^|[,\s])chunked\s*$/.test(codings)) {
    // Many programs write the header down as it was, and the body decoded.
    if (CHUNK_SIZE.test(rest.toString('latin1', 0, 256)) || rest.length === 0) return decodeChunks(rest);
    return { body: rest, length: rest.length, note: 'chunks_decoded_before' };
  }
  const [length] = headerValues(headers, 'content-length');
  if (length === undefined || !/^\d{1,15}$/.test(length)) return { body: rest, length: rest.length };
  const wanted = Number(length);
  const body = rest.subarray(0, wanted);
  return body.length < wanted ? { body, length: body.length, truncated: true } : { body, length: wanted };
}

const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[^\n]*)?\r?\n/;

function decodeChunks(bytes: Buffer): FramedBody {
  const pieces: Buffer[] = [];
  let at = 0;
  const ended = (truncated: boolean): FramedBody => ({
    body: Buffer.concat(pieces),
    length: at,
    ...(truncated ? { truncated } : {}),
  });
  for (;;) {
    const [line, digits] = CHUNK_SIZE.exec(bytes.toString('latin1', at, at + 256)) ?? [];
    if (line === undefined || digits === undefined) return ended(true);
    const size = Number.parseInt(digits, 16);
    at += line.length;
    if (size === 0) {
      // The trailer, up to a blank line. A dump may well end before it.
      const trailer = /^(?:[^\r\n]+\r?\n)*\r?\n/.exec(bytes.toString('latin1', at, at + LONGEST_HEAD));
      at += trailer?.[0].length ?? 0;
      return ended(false);
    }
    const piece = bytes.subarray(at, at + size);
    pieces.push(piece);
    at += piece.length;
    if (piece.length < size) return ended(true);
    const lineEnd = /^\r?\n/.exec(bytes.toString('latin1', at, at + 2));
    if (lineEnd === null) return ended(true);
    at += lineEnd[0].length;
  }
}

/** `Name: value` lines, CRLF or LF; a line that begins with a blank goes on with the one before. Others are no headers. */
export function headerLines(text: string): RawHeader[] {
  const headers: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    const before = headers.at(-1);
    if (/^[ \t]/.test(line) && before !== undefined) {
      before[1] = `${before[1]} ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':', 1);
    if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')]);
  }
  return headers;
}

/** A file of headers: lines, with or without the request line before them, or JSON. */
export function headerFile(bytes: Uint8Array, source: string): readonly RawHeader[] {
  const text = new TextDecoder().decode(bytes);
  if (!/^\s*[[{]/.test(text)) return headerLines(text.replace(/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?\r?\n/, ''));
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    throw new SvcError('file_unusable', `${source}: these headers are no JSON, though they begin like it`);
  }
  return jsonHeaders(value, source);
}
