/**
 * Every rendering passes through here, so that remote text cannot control a terminal, forge lines
 * or hide. Unsafe are C0 and C1 controls, DEL, default-ignorable code points (bidi controls,
 * zero-width characters, tags, variation selectors), line and paragraph separators, interlinear
 * marks, the blank Braille pattern, marks that arrange hieroglyphs, and lone surrogates.
 */
import { isUtf8 } from 'node:buffer';

const PLAIN_ASCII = /^[\x20-\x7e]*$/;
/** Printable ASCII and JSON's white space: five times as fast, and enough for most values. */
const PLAIN_JSON = /^[\t\n\x20-\x7e]*$/;
const UNSAFE_IN_TEXT =
  /[\x00-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\u2800\u{13430}-\u{1343f}\ufff9-\ufffb]/gu;
/** U+FFFD, too, so that it looks the same whether the service or the filter wrote it. */
const UNSAFE_IN_JSON =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\u2800\u{13430}-\u{1343f}\ufff9-\ufffb\ufffd]/gu;

/**
 * The result is to be read, not decoded: a backslash in the text stays single, so that paths and
 * patterns stay readable. A variation selector after a pictograph stays.
 */
export function escapeText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text;
  return text.replace(UNSAFE_IN_TEXT, (character, offset: number) =>
    (character === '\ufe0f' || character === '\ufe0e') && followsPictograph(text, offset)
      ? character
      : visibleEscape(character),
  );
}

/** Like `escapeText`, for multi-line text that is itself the data: keeps line feeds and tabs. */
export function escapeLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeText);
}

/** The value of the JSON stays the same. An astral character becomes a surrogate pair. */
export function escapeJson(json: string): string {
  if (PLAIN_JSON.test(json)) return json;
  return json.replace(UNSAFE_IN_JSON, jsonEscape);
}

/** Double-quoted strings in YAML have `\xXX`, `\uXXXX` and `\UXXXXXXXX` for unsafe characters. */
export function escapeYaml(yaml: string): string {
  return yaml.replace(UNSAFE_IN_JSON, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0xff) return `\\x${hex(code, 2)}`;
    return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
}

/** Whether a string must be double-quoted so that `escapeYaml` can escape it. */
export function needsYamlQuotes(text: string): boolean {
  return !PLAIN_ASCII.test(text) && (text.includes('\t') || text.search(UNSAFE_IN_JSON) >= 0);
}

/**
 * The only way of a service's JSON to standard output. Invalid bytes become `\ufffd`, and a
 * carriage return between tokens becomes a space. Valid JSON keeps its value, however the bytes are
 * cut into chunks. A call without a chunk ends the text.
 */
export function jsonByteFilter(): (chunk?: Uint8Array) => Uint8Array {
  let pending = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    let bytes = chunk === undefined ? pending : viewOf(chunk);
    if (chunk !== undefined && pending.length > 0) bytes = Buffer.concat([pending, bytes]);
    const end = chunk === undefined ? bytes.length : completeLength(bytes);
    pending = Buffer.from(bytes.subarray(end));
    bytes = bytes.subarray(0, end);
    if (!started && bytes.length > 0) {
      started = true;
      bytes = withoutByteOrderMark(bytes);
    }
    if (isUtf8(bytes) && !SUSPECT_BYTES.test(bytes.toString('latin1'))) return bytes;
    return Buffer.from(escapeJson(bytes.toString('utf8').replaceAll('\r', ' ')));
  };
}

function withoutByteOrderMark(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * The first UTF-8 bytes of UNSAFE_IN_JSON, and a few more: only a match needs the exact search.
 * Searching bytes as a one-byte string is six times as fast as decoding first.
 */
const SUSPECT_BYTES =
  /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])|\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf]|\xa0\x80)|\xe3\x85\xa4|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xbd])|\xf0(?:\x93\x90|\x9b\xb2|\x9d\x85)|\xf3/;

/** The length of the character that this byte begins, which is 0xc2 or more. */
function sequenceLength(byte: number): number {
  if (byte < 0xe0) return 2;
  if (byte < 0xf0) return 3;
  return byte < 0xf5 ? 4 : 1;
}

/** How many bytes precede a sequence that the next chunk may complete. */
function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc2) {
      return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

function viewOf(chunk: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
}

function followsPictograph(text: string, offset: number): boolean {
  return /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, offset - 2), offset));
}

function visibleEscape(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 0)}}`;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let unit = 0; unit < character.length; unit++) escaped += `\\u${hex(character.charCodeAt(unit), 4)}`;
  return escaped;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Also for a quoted attribute. Characters that XML cannot have are escaped or replaced. */
export function xmlText(text: string): string {
  return escapeText(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** No leading `=`: zsh would look for a command with the name that follows. */
export const PLAIN_WORD = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** What no terminal or editor may interpret: controls, bidi, zero width, broken UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffd]/u;

/** A text as one word of a command line, to be shown and pasted. Trailing line feeds are lost. */
export function shellWord(text: string): string {
  return shellBytes(Buffer.from(text));
}

/**
 * Double quotes protect `'` and, because of fish, `\`; single quotes all else. printf makes bytes
 * that cannot be shown, because `$'…'` does not work in dash and fish.
 */
export function shellBytes(bytes: Buffer): string {
  const text = bytes.toString();
  if (PLAIN_WORD.test(text)) return text;
  if (text === '') return "''";
  if (!UNPRINTABLE.test(text))
    return text.replace(/[^'\\]+|['\\]+/g, (run) =>
      /['\\]/.test(run) ? `"${run.replaceAll('\\', '\\\\')}"` : `'${run}'`,
    );
  let format = '';
  for (const byte of bytes) {
    // A leading `-` would be an option of printf.
    const literal =
      byte >= 0x20 && byte <= 0x7e && !/[%'\\]/.test(String.fromCharCode(byte)) && !(byte === 0x2d && format === '');
    format += literal ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `"$(printf '${format}')"`;
}
