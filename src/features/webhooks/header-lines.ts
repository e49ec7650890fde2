/** Headers as text: the lines of a head, or a JSON object of them as gateways log it. */

import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';
import { jsonHeaders, type RawHeader } from './delivery.ts';

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
