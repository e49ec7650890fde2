/** What a file holds: a bare body, or one of the formats in which deliveries are stored. */

import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';
import { isCurlTrace } from './curl-trace.ts';

export const DELIVERY_FORMATS = ['auto', 'body', 'http', 'har', 'curl', 'trace', 'json', 'ndjson'] as const;
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number];

/** So much of the beginning tells the form. */
export const PEEK = 16_384;

/**
 * The form by the first bytes, `whole` where there are no more. What is none of the others is a body. Where somebody gave the
 * signature apart, nothing may be guessed: the sender of a body could dress it as a container of another one.
 */
export function detectFormat(bytes: Buffer, whole: boolean, prefix: string): Exclude<DeliveryFormat, 'auto'> {
  const text = bytes.toString('latin1', 0, PEEK).replace(/^\xef\xbb\xbf/, '');
  if (/^\s*(?:\$ )?(?:\S*\/)?curl(?:\.exe)?\s/.test(text)) return 'curl';
  if (startsRequest(bytes) || startsHeaders(text, prefix)) return 'http';
  if (/^\s*\{\s*"log"\s*:\s*\{/.test(text)) return 'har';
  if (/^\{"v":1,"received_at":"/.test(text) || isRecording(text, whole)) return 'ndjson';
  if (isCurlTrace(text)) return 'trace';
  // Of JSON only all of it tells whether it holds requests, or is a body.
  return /^\s*[[{]/.test(text) ? 'json' : 'body';
}

const OTHERS: readonly (readonly [form: RegExp, what: string, hint: string])[] = [
  [/^\x1f\x8b/, 'compressed with gzip', 'unpack it first, with gunzip'],
  [/^PK\x03\x04/, 'a zip archive', 'unpack it first'],
  [
    /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\x0a\x0d\x0d\x0a)/,
    'a packet capture',
    'export the request as text: in Wireshark, Follow > HTTP Stream > Save as raw',
  ],
  [
    /^(?:\*|>|\{|Note: ).*\r?\n(?:.*\r?\n)*?> [A-Z]+ \S+ HTTP\//,
    'the output of curl -v, which has no body',
    'curl --trace FILE writes every byte',
  ],
  [
    /^\S+ \S+ \S+ \[[^\]]+\] "[A-Z]+ \S+ HTTP\//,
    'an access log, which has neither headers nor bodies',
    'log the signature, the timestamp and the raw body',
  ],
  [/^\d+:\d+:(?:version|type)/, 'a dump of mitmproxy', 'export it: mitmdump -r FILE --set hardump=out.har'],
];

/** Throws `file_unusable` for a file that is known, and is no delivery. */
export function refuseOthers(bytes: Buffer, source: string): void {
  const text = bytes.toString('latin1', 0, PEEK);
  const [, what, hint] = OTHERS.find(([form]) => form.test(text)) ?? [];
  if (what !== undefined && hint !== undefined) throw new SvcError('file_unusable', `${source}: is ${what}`, { hint });
}

export const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?\r?\n/;

export function startsRequest(bytes: Buffer): boolean {
  return REQUEST_LINE.test(bytes.toString('latin1', 0, 8192));
}

/** Lines of headers, one of the service's among them, and a blank line. */
function startsHeaders(text: string, prefix: string): boolean {
  const [head] = /^(?::?[\w-]+:[^\n]*\n)+\r?\n/.exec(text) ?? [];
  return (
    head?.toLowerCase().includes(`\n${prefix.toLowerCase()}`) ||
    head?.toLowerCase().startsWith(prefix.toLowerCase()) ||
    false
  );
}

function isRecording(text: string, whole: boolean): boolean {
  if (!text.startsWith('{') || !text.includes('"body_b64"')) return false;
  const end = text.indexOf('\n');
  if (end < 0 && !whole) return /"body_b64"\s*:\s*"/.test(text) && /"headers"\s*:\s*[[{]/.test(text);
  try {
    const value: unknown = parseJsonText(end < 0 ? text : text.slice(0, end));
    return typeof value === 'object' && value !== null && 'body_b64' in value && 'headers' in value;
  } catch {
    return false;
  }
}
