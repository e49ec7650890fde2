/** A request as one line of curl that a shell can run. */
import type { RequestValue } from './endpoint.ts';
import { isSecretHeader, redactForm, redactText } from './redact.ts';
import { bodyText } from './request.ts';

/**
 * Headers that hold a secret become shell variables, `"authorization: $AUTHORIZATION"`: the line shows no secret and runs
 * where the variable is set. Secret fields of the address and of a form are `***`. A JSON body is exact: the services take no
 * secret in one, and a comment that only looks like one must not be changed on its way. `secretHeaders` are in lower case.
 */
export function asCurl(request: RequestValue, secretHeaders: ReadonlySet<string>): string {
  const words = ['curl', '-sS'];
  if (/[[\]{}]/.test(request.url)) words.push('--globoff');
  // Twice `-X POST` with a body would be harmless, but a PUT or a DELETE needs it, and one form for all reads best.
  if (request.method !== 'GET' || request.body !== undefined) words.push('-X', request.method);
  words.push(quote(Buffer.from(redactText(request.url))));
  for (const [name, value] of Object.entries(request.headers)) {
    if (secretHeaders.has(name) || isSecretHeader(name)) {
      words.push(
        '-H',
        `"${name}: $${name
          .toUpperCase()
          .replace(/\W/g, '_')
          .replace(/^(?=\d)/, '_')}"`,
      );
    } else {
      // `name:` without a value would make curl drop the header, `name;` sends it empty.
      words.push('-H', quote(Buffer.from(value === '' ? `${name};` : `${name}: ${redactText(value)}`, 'latin1')));
    }
  }
  if (request.encoding === 'bytes') return withBytes(words, request);
  const body = bodyText(shownBody(request));
  // Not --data: a body that starts with @ would be read as a file's name.
  if (body !== undefined) words.push('--data-raw', quote(Buffer.from(body)));
  return words.join(' ');
}

/** Linux takes 128 KiB in one word of a command line. */
const LONGEST_WORD = 100_000;

function withBytes(words: string[], { headers, body }: RequestValue): string {
  // curl calls whatever it sends a form, unless told.
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) words.push('-H', 'content-type:');
  const bytes = Buffer.from(body as Uint8Array);
  const word = bytes.includes(0) ? '' : quote(bytes);
  if (bytes.length === 0 || (word !== '' && word.length < LONGEST_WORD)) {
    return [...words, '--data-raw', word || "''"].join(' ');
  }
  // `echo` is a part of the shell, and so takes words of any length; no word can hold a NUL.
  return `echo ${bytes.toString('base64')} | base64 -d | ${[...words, '--data-binary', '@-'].join(' ')}`;
}

/** The request with the secret fields of a form replaced. */
export function shownBody(request: RequestValue): RequestValue {
  if (request.encoding !== 'form' || typeof request.body !== 'object' || request.body === null) return request;
  return { ...request, body: redactForm(request.body as Readonly<Record<string, unknown>>) };
}

/** Not a `=` in front: zsh looks for a command of the name that follows. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** What no terminal or editor may interpret: controls, bidi, zero width, and bytes that are no UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffd]/u;

/** A text as one word of a command line, to be shown and pasted. */
export function shellWord(text: string): string {
  return quote(Buffer.from(text));
}

/** One word of shell. Text that must not reach a terminal is written byte by byte in `$'…'`, which bash, zsh and ksh read. */
function quote(bytes: Buffer): string {
  const text = bytes.toString();
  if (!UNPRINTABLE.test(text)) return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  let word = '';
  for (const byte of bytes) {
    // Octal, always three digits: \x would swallow a hexadecimal digit that follows in zsh and ksh.
    if (byte < 0x20 || byte > 0x7e) word += `\\${byte.toString(8).padStart(3, '0')}`;
    else word += byte === 0x27 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
  }
  return `$'${word}'`;
}
