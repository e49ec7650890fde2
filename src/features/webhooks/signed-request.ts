/** A signed delivery as somebody would send it: the head of an HTTP request, or a curl line. */
import { shellWord } from '../../http/as-curl.ts';
import type { RawHeader } from './delivery.ts';

/** The whole request, whose body is exactly these bytes. */
export function httpRequest(to: URL, headers: readonly RawHeader[], body: Uint8Array): Uint8Array {
  const all = [['Host', to.host], ...headers, ['Content-Length', String(body.length)]];
  const head = [`POST ${to.pathname}${to.search} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
}

/** A line for a shell that sends the file as it is; `-` is what is piped into curl. */
export function curlLine(to: URL, headers: readonly RawHeader[], file: string): string {
  const words = ['curl', '-sS'];
  // curl would read these as patterns.
  if (/[[\]{}]/.test(to.href)) words.push('--globoff');
  words.push('-X', 'POST', shellWord(to.href));
  for (const [name, value] of headers) words.push('-H', shellWord(`${name}: ${value}`));
  // Not -d, which takes line ends out of a file.
  words.push('--data-binary', shellWord(`@${file}`));
  return words.join(' ');
}

/** Whether a text can stand in a header as it is: visible ASCII, and blanks in between. */
export function fitsHeader(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
