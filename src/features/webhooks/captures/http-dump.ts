/** Raw HTTP requests, as nc, proxies, editors and `sign --as http` write them. */
import { type Delivery, hasServiceHeader, headerValues, type RawHeader } from '../delivery.ts';
import { headerLines } from './headers.ts';

/** The version may be missing after a complete URL: editors write that. */
export const REQUEST_LINE = /^([A-Z]+) (?:\S+ HTTP\/\d(?:\.\d)?|https?:\/\/\S+)[ \t]*\r?\n/;
/** The blank line that ends the headers, with the line end before it. */
const HEAD_END = /\r?\n\r?\n/;
const LONGEST_HEAD = 1 << 20;

/** Before a request: blank lines, and what editors have as separators and comments. */
const BEFORE = /^(?:[ \t]*\r?\n|(?:#|\/\/).*\r?\n)+/;
/** After a request in a file of an editor: the separator, or a script. */
const SEPARATOR = /^(?:###|> \{%)/m;

/** Whether it begins with a request line, or headers with one of the service and a blank line. */
export function isHttp(text: string): boolean {
  const start = text.replace(BEFORE, '');
  if (REQUEST_LINE.test(start)) return true;
  const [head] = /^(?::?[\w-]+:[^\n]*\n)+\r?\n/.exec(start) ?? [];
  return head !== undefined && hasServiceHeader(headerLines(head));
}

/**
 * Requests may follow each other if lengths or separators say where they end. Request lines may be
 * missing. Of several, only those with POST can be deliveries.
 */
export function httpDeliveries(bytes: Buffer, source: string): readonly Delivery[] {
  const found: Request[] = [];
  let rest = bytes;
  do {
    rest = skipLinesBefore(rest);
    const request = readRequest(rest);
    found.push(request);
    rest = rest.subarray(request.length);
  } while (REQUEST_LINE.test(skipLinesBefore(rest).toString('latin1', 0, 8192)));
  // One line end was added by an editor.
  if (rest.length > 0 && !/^\r?\n$/.test(rest.toString('latin1', 0, 3))) found.at(-1)?.notes.push('bytes_after_body');
  const deliveries: Delivery[] = [];
  for (const [index, { length: _, method, ...request }] of found.entries()) {
    if (found.length > 1 && method !== 'POST') continue;
    deliveries.push({ source: found.length === 1 ? source : `${source}#${index + 1}`, ...request });
  }
  return deliveries;
}

function skipLinesBefore(bytes: Buffer): Buffer {
  const [lines = ''] = BEFORE.exec(bytes.toString('latin1', 0, 4096)) ?? [];
  return bytes.subarray(lines.length);
}

interface Request {
  readonly method: string;
  readonly headers: readonly RawHeader[];
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly notes: string[];
  /** Of all of it, in bytes. */
  readonly length: number;
}

function readRequest(bytes: Buffer): Request {
  const text = bytes.toString('latin1', 0, LONGEST_HEAD);
  const end = HEAD_END.exec(text);
  const [line = '', method = 'POST'] = REQUEST_LINE.exec(text) ?? [];
  const headers = headerLines(text.slice(line.length, end?.index));
  if (end === null) return { method, headers, body: Buffer.alloc(0), truncated: true, notes: [], length: bytes.length };
  const start = end.index + end[0].length;
  const { body, length, truncated = false, note } = readBody(bytes.subarray(start), headers, line);
  const notes = end[0].startsWith('\r') ? [] : ['bare_lf_head'];
  if (note !== undefined) notes.push(note);
  return { method, headers, body, truncated, notes, length: start + length };
}

interface FramedBody {
  readonly body: Buffer;
  readonly length: number;
  readonly truncated?: boolean;
  readonly note?: string;
}

/** RFC 9112 §6.3: chunks precede a length; without either, everything is the body. */
function readBody(rest: Buffer, headers: readonly RawHeader[], line: string): FramedBody {
  const codings = headerValues(headers, 'transfer-encoding').join(',').toLowerCase();
  if (/(^|[,\s])chunked\s*$/.test(codings)) {
    if (CHUNK_SIZE.test(rest.toString('latin1', 0, 256)) || rest.length === 0) return decodeChunks(rest);
    // Many programs write the original headers with a decoded body.
    return { body: rest, length: rest.length, note: 'chunks_decoded_before' };
  }
  const [length] = headerValues(headers, 'content-length');
  // HTTP/2 needs no length, so what a sender wrote into its body must not end it.
  if (length === undefined && line !== '' && !/ HTTP\/[23]/.test(line)) return cutAtSeparator(rest, line);
  if (length === undefined || !/^\d{1,15}$/.test(length)) return { body: rest, length: rest.length };
  const body = rest.subarray(0, Number(length));
  return { body, length: body.length, truncated: body.length < Number(length) };
}

/** In a file of an editor, empty lines at the end are not part of the body. */
function cutAtSeparator(rest: Buffer, line: string): FramedBody {
  const separator = SEPARATOR.exec(rest.toString('latin1'));
  const isEdited = separator !== null || !line.includes(' HTTP/');
  if (!isEdited) return { body: rest, length: rest.length };
  const length = separator?.index ?? rest.length;
  let end = length;
  while (rest[end - 1] === 0x0a || rest[end - 1] === 0x0d) end--;
  return { body: rest.subarray(0, end), length };
}

const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[^\n]*)?\r?\n/;

function decodeChunks(bytes: Buffer): FramedBody {
  const pieces: Buffer[] = [];
  let at = 0;
  const ended = (truncated: boolean): FramedBody => ({ body: Buffer.concat(pieces), length: at, truncated });
  for (;;) {
    const [line, digits] = CHUNK_SIZE.exec(bytes.toString('latin1', at, at + 256)) ?? [];
    if (line === undefined || digits === undefined) return ended(true);
    const size = Number.parseInt(digits, 16);
    at += line.length;
    if (size === 0) {
      // The trailer, up to a blank line. A dump may end before it.
      const trailer = /^(?:[^\r\n]+\r?\n)*\r?\n/.exec(bytes.toString('latin1', at, at + LONGEST_HEAD));
      at += trailer?.[0].length ?? 0;
      return ended(false);
    }
    const piece = bytes.subarray(at, at + size);
    pieces.push(piece);
    at += piece.length;
    const lineEnd = /^\r?\n/.exec(bytes.toString('latin1', at, at + 2));
    if (piece.length < size || lineEnd === null) return ended(true);
    at += lineEnd[0].length;
  }
}
