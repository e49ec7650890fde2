/** What programs do to a body on its way, undone: each repair makes the bytes that were signed, if it is that what happened. */

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJsonText } from '../../json-object.ts';

export interface Repair {
  /** The part, and what is done to it. */
  readonly name: string;
  /** What happened, for a person. */
  readonly sentence: string;
}

interface BodyRepair extends Repair {
  /** Nothing where it does not apply. */
  readonly repair: (body: Buffer) => Iterable<Uint8Array>;
}

const LF = Buffer.from('\n');
const CRLF = Buffer.from('\r\n');
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** More is not unpacked: a few bytes can hold any amount. */
const MOST_UNPACKED = 16 << 20;

/** In the order in which they are tried: the first that matches is told. */
export const BODY_REPAIRS: readonly BodyRepair[] = [
  {
    name: 'body_minus_trailing_newline',
    sentence:
      'the signature matches without the trailing newline (echo and editors add one; use printf, or the file as it came)',
    *repair(body) {
      const cut = /\r?\n$/.exec(body.toString('latin1', Math.max(0, body.length - 2)))?.[0].length ?? 0;
      if (cut > 0) yield body.subarray(0, -cut);
      if (cut === 2) yield body.subarray(0, -1);
    },
  },
  {
    name: 'body_plus_trailing_newline',
    sentence:
      'the signature matches with a newline at the end ($(cat file) and copying drop it; use the file as it came)',
    *repair(body) {
      yield Buffer.concat([body, LF]);
      yield Buffer.concat([body, CRLF]);
    },
  },
  {
    name: 'body_crlf_to_lf',
    sentence: 'the signature matches with LF line ends (an editor, git or FTP made them CRLF)',
    *repair(body) {
      const text = body.toString('latin1');
      if (text.includes('\r\n')) yield latin1(text.replaceAll('\r\n', '\n'));
    },
  },
  {
    name: 'body_lf_to_crlf',
    sentence: 'the signature matches with CRLF line ends (an editor, git or a copy made them LF)',
    *repair(body) {
      const text = body.toString('latin1');
      if (text.includes('\n')) yield latin1(text.replace(/\r?\n/g, '\r\n'));
    },
  },
  {
    name: 'body_minus_bom',
    sentence: 'the signature matches without the byte order mark at the start (an editor added it)',
    *repair(body) {
      if (body.subarray(0, 3).equals(BOM)) yield body.subarray(3);
    },
  },
  {
    name: 'body_plus_bom',
    sentence: 'the signature matches with a byte order mark at the start (reading the body as text dropped it)',
    *repair(body) {
      yield Buffer.concat([BOM, body]);
    },
  },
  {
    name: 'body_trimmed',
    sentence: 'the signature matches without the white space around the body',
    *repair(body) {
      const text = body.toString('latin1');
      const trimmed = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
      if (trimmed !== text) yield latin1(trimmed);
    },
  },
  {
    name: 'body_without_newlines',
    sentence: 'the signature matches without any line ends (the sender had none; curl -d drops them)',
    *repair(body) {
      const text = body.toString('latin1');
      if (/[\r\n]/.test(text)) yield latin1(text.replace(/[\r\n]/g, ''));
    },
  },
  {
    name: 'body_unquoted',
    sentence:
      'the signature matches the text inside: the body is a JSON string that holds the event (it was stringified twice)',
    *repair(body) {
      const value = json(body);
      if (typeof value === 'string') yield Buffer.from(value);
    },
  },
  {
    name: 'body_base64_decoded',
    sentence: 'the signature matches once the body is decoded from base64 (a gateway encoded it)',
    *repair(body) {
      const text = body.toString('latin1').trim();
      if (text.length >= 4 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) yield Buffer.from(text, 'base64');
    },
  },
  {
    name: 'body_decompressed',
    sentence:
      'the signature matches the decompressed body: a proxy compressed it after it was signed (Content-Encoding)',
    *repair(body) {
      for (const unpack of [gunzipSync, inflateSync, brotliDecompressSync]) {
        try {
          yield unpack(body, { maxOutputLength: MOST_UNPACKED });
        } catch {
          // of another kind
        }
      }
    },
  },
  {
    name: 'body_utf16_to_utf8',
    sentence: 'the signature matches as UTF-8: the file is UTF-16 (PowerShell writes that by > and Out-File)',
    *repair(body) {
      if (body.length < 2 || body.length % 2 !== 0) return;
      const text = body.toString('utf16le').replace(/^\ufeff/, '');
      yield Buffer.from(text);
      yield Buffer.from(text.replace(/\r?\n$/, ''));
    },
  },
  {
    name: 'body_latin1_to_utf8',
    sentence: 'the signature matches as UTF-8: the bytes are Latin-1, converted on the way',
    *repair(body) {
      if (!isAscii(body)) yield Buffer.from(body.toString('latin1'));
    },
  },
  {
    name: 'body_utf8_encoded_once',
    sentence: 'the signature matches once decoded: the body was encoded as UTF-8 twice (bytes were taken for Latin-1)',
    *repair(body) {
      if (!isAscii(body)) yield latin1(body.toString());
    },
  },
  {
    name: 'body_compact_json',
    sentence:
      'the signature matches the compact JSON: something reformatted the body (jq, an editor, JSON.stringify); keep the bytes',
    *repair(body) {
      yield* printed(body, (value) => JSON.stringify(value));
    },
  },
  {
    name: 'body_indented_json',
    sentence:
      'the signature matches the indented JSON: something reformatted the body (jq -c, JSON.stringify); keep the bytes',
    *repair(body) {
      for (const indent of [2, 4, '\t']) {
        yield* printed(body, (value) => JSON.stringify(value, null, indent));
        yield* printed(body, (value) => `${JSON.stringify(value, null, indent)}\n`);
      }
    },
  },
  {
    name: 'body_python_json',
    sentence: 'the signature matches JSON as Python writes it: something reformatted the body; keep the bytes',
    *repair(body) {
      yield* printed(body, pythonJson);
      yield* printed(body, (value) => asciiOnly(pythonJson(value)));
    },
  },
  {
    name: 'body_ascii_json',
    sentence:
      'the signature matches with \\u escapes for what is not ASCII: something reformatted the body; keep the bytes',
    *repair(body) {
      yield* printed(body, (value) => asciiOnly(JSON.stringify(value)));
    },
  },
  {
    name: 'body_escaped_slashes',
    sentence:
      'the signature matches with \\/ for every slash, as PHP writes it: something reformatted the body; keep the bytes',
    *repair(body) {
      yield* printed(body, (value) => JSON.stringify(value).replaceAll('/', '\\/'));
      yield* printed(body, (value) => asciiOnly(JSON.stringify(value)).replaceAll('/', '\\/'));
    },
  },
  {
    name: 'body_escaped_html',
    sentence:
      'the signature matches with \\u003c, \\u003e and \\u0026, as Go writes them: something reformatted the body; keep the bytes',
    *repair(body) {
      const escaped = (text: string) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape);
      yield* printed(body, (value) => escaped(JSON.stringify(value)));
      yield* printed(body, (value) => `${escaped(JSON.stringify(value))}\n`);
    },
  },
];

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function isAscii(body: Buffer): boolean {
  return !/[\x80-\xff]/.test(body.toString('latin1'));
}

function json(body: Buffer): unknown {
  try {
    return parseJsonText(body.toString());
  } catch {
    return undefined;
  }
}

/** Only objects and arrays: other values have one spelling. Nesting too deep for a printer is no JSON that anybody signed. */
function* printed(body: Buffer, print: (value: object) => string): Generator<Uint8Array> {
  const value = json(body);
  if (typeof value !== 'object' || value === null) return;
  try {
    yield Buffer.from(print(value));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** With a blank after each comma and colon. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonJson(member)}`);
  return `{${members.join(', ')}}`;
}

function asciiOnly(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
