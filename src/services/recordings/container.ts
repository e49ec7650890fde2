/** What a file holds: a bare body, or one of the forms in which deliveries are kept. */

export const DELIVERY_FORMATS = ['auto', 'body', 'http', 'har', 'curl', 'ndjson'] as const;
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
  return 'body';
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
    const value: unknown = JSON.parse(end < 0 ? text : text.slice(0, end));
    return typeof value === 'object' && value !== null && 'body_b64' in value && 'headers' in value;
  } catch {
    return false;
  }
}
