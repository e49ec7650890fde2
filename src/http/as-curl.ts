/**
 * A request as one curl command line. It means the same in sh (dash, busybox), bash, zsh, ksh and fish, whatever the values contain, and has nothing that a
 * terminal would interpret.
 */
import type { RequestValue } from './endpoint.ts';
import { bodyText } from './endpoint.ts';
import { isSecretHeader, redactForm, redactText } from './redact.ts';

/**
 * Secret headers become shell variables, `"authorization: $AUTHORIZATION"`: the line shows no secret and runs where the variable is set. Secret fields of the
 * address and of a form are `***`. A JSON body is exact: the services take no secrets in one, and a comment that only looks like a secret must not be changed.
 * `secretHeaders` are in lower case.
 */
export function asCurl(request: RequestValue, secretHeaders: ReadonlySet<string>): string {
  const { headers } = request;
  const parts = ['curl', '-sS'];
  if (/[[\]{}]/.test(request.url)) parts.push('--globoff');
  // `-X POST` is redundant with a body, but PUT and DELETE need it, and one form for all reads best.
  if (request.method !== 'GET' || request.body !== undefined) parts.push('-X', request.method);
  parts.push(shellWord(redactText(request.url)));
  for (const [name, value] of Object.entries(headers)) {
    if (secretHeaders.has(name) || isSecretHeader(name)) parts.push('-H', secretHeader(name));
    // `name:` without a value would make curl drop the header, `name;` sends it empty.
    else parts.push('-H', quote(Buffer.from(value === '' ? `${name};` : `${name}: ${redactText(value)}`, 'latin1')));
  }
  if (request.body === undefined) return parts.join(' ');
  const body =
    request.encoding === 'bytes'
      ? Buffer.from(request.body as Uint8Array)
      : Buffer.from(bodyText(shownBody(request)) ?? '');
  // Without a content type, curl labels a body as a form.
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) parts.push('-H', 'content-type:');
  // Not --data: it would read a body that starts with @ as a file name.
  if (body.length < LONGEST_WORD && !body.includes(0) && body.at(-1) !== LINE_FEED)
    return [...parts, '--data-raw', quote(body)].join(' ');
  // `echo` is built into the shell, so its arguments can have any length; a word cannot contain NUL, and command substitution drops the last line feed.
  return `echo ${body.toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`;
}

/** Linux limits one argument to 128 KiB. */
const LONGEST_WORD = 100_000;
const LINE_FEED = 0x0a;

/** The header with its value from an environment variable. A name may contain `$` and backquotes (RFC 9110 §5.1). */
function secretHeader(name: string): string {
  const variable = name
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
  return PLAIN.test(name) ? `"${name}: $${variable}"` : `${shellWord(`${name}: `)}"$${variable}"`;
}

export function shownBody(request: RequestValue): RequestValue {
  if (request.encoding !== 'form' || typeof request.body !== 'object' || request.body === null) return request;
  return { ...request, body: redactForm(request.body as Readonly<Record<string, unknown>>) };
}

/** No leading `=`: zsh would look for a command with the name that follows. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** What a terminal or editor must not interpret: controls, bidi, zero width, and bytes that are not UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffd]/u;

/** A text as one word of a command line, to be shown and pasted. Trailing line feeds are lost. */
export function shellWord(text: string): string {
  return quote(Buffer.from(text));
}

/**
 * One shell word. Single quotes protect everything but `'` and, because of fish, `\`: these are in double quotes. Bytes that cannot be shown come from printf
 * in octal: `$'…'` does not work in dash and fish.
 */
function quote(bytes: Buffer): string {
  const text = bytes.toString();
  if (PLAIN.test(text)) return text;
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
