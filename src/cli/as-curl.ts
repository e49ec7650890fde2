/**
 * A request as one curl command line. It means the same in sh (dash, busybox), bash, zsh, ksh and fish, whatever the values contain, and has nothing that a
 * terminal would interpret.
 */
import type { RequestValue } from '../http/endpoint.ts';
import { bodyText } from '../http/endpoint.ts';
import { isSecretName, redactForm, redactText } from '../http/redact.ts';
import { PLAIN_WORD, shellBytes, shellWord } from '../output/escape.ts';

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
    const isSecret = secretHeaders.has(name) || isSecretName(name);
    parts.push('-H', isSecret ? secretHeader(name) : plainHeader(name, value));
  }
  if (request.body === undefined) return parts.join(' ');
  const body = bodyBytes(request);
  // Without a content type, curl labels a body as a form.
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) parts.push('-H', 'content-type:');
  // Not --data: it would read a body that starts with @ as a file name.
  if (body.length < LONGEST_WORD && !body.includes(0) && body.at(-1) !== LINE_FEED)
    return [...parts, '--data-raw', shellBytes(body)].join(' ');
  // `echo` is built into the shell, so its arguments can have any length; a word cannot contain NUL, and command substitution drops the last line feed.
  return `echo ${body.toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`;
}

/** Linux limits one argument to 128 KiB. */
const LONGEST_WORD = 100_000;
const LINE_FEED = 0x0a;

function plainHeader(name: string, value: string): string {
  // `name:` without a value would make curl drop the header, `name;` sends it empty.
  const line = value === '' ? `${name};` : `${name}: ${redactText(value)}`;
  return shellBytes(Buffer.from(line, 'latin1'));
}

/** The header with its value from an environment variable. A name may contain `$` and backquotes (RFC 9110 §5.1). */
function secretHeader(name: string): string {
  const variable = name
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
  return PLAIN_WORD.test(name) ? `"${name}: $${variable}"` : `${shellWord(`${name}: `)}"$${variable}"`;
}

function bodyBytes(request: RequestValue): Buffer {
  if (request.encoding === 'bytes') return Buffer.from(request.body as Uint8Array);
  return Buffer.from(bodyText(shownBody(request)) ?? '');
}

export function shownBody(request: RequestValue): RequestValue {
  if (request.encoding !== 'form' || typeof request.body !== 'object' || request.body === null) return request;
  return { ...request, body: redactForm(request.body as Readonly<Record<string, unknown>>) };
}
