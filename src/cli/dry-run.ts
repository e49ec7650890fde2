/** What `--dry-run` prints: the requests, as JSON values or as curl lines. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { bodyText, type RequestValue } from '../http/endpoint.ts';
import { isSecretName, redactForm, redactHeaders, redactText } from '../http/redact.ts';
import { PLAIN_WORD, shellBytes, shellWord } from '../output/escape.ts';
import { render } from '../output/render.ts';
import type { OutputOptions, RecordOutput } from '../output/types.ts';

type ShownRequest = Pick<RequestValue, 'method' | 'url' | 'headers' | 'body'>;

const REQUEST: RecordOutput<ShownRequest> = {
  kind: 'record',
  columns: [
    { name: 'request', cell: ({ method, url }) => `${method} ${url}` },
    { name: 'headers', cell: ({ headers }) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`) },
    { name: 'body', cell: ({ body }) => (body === null ? undefined : bodyLines(body)) },
  ],
  id: ({ method, url }) => `${method} ${url}`,
};

function bodyLines(body: unknown): readonly string[] {
  return (typeof body === 'string' ? body : JSON.stringify(body, null, 2)).split('\n');
}

/** Text stays text: a JSON value would hide spaces and field order, which signatures cover. */
function bodyValue({ body, encoding }: RequestValue): unknown {
  if (encoding === 'json-text') return JSON.parse(String(body));
  if (encoding !== 'bytes') return body ?? null;
  const bytes = Buffer.from(body as Uint8Array);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}

function shownRequests(requests: readonly RequestValue[], secretHeaders: ReadonlySet<string>): readonly ShownRequest[] {
  return requests.map(shownBody).map((request) => ({
    method: request.method,
    url: redactText(request.url),
    headers: redactHeaders(request.headers, secretHeaders),
    body: bodyValue(request),
  }));
}

interface DryRunRendering {
  readonly curl: boolean;
  readonly options: OutputOptions;
  readonly stdout: OutStream;
  readonly secretHeaders: ReadonlySet<string>;
}

/** The error for a request over a live session. */
export function noCurlLine(): SvcError {
  const why = 'no line can send this request, as it needs the id of a live session';
  return new SvcError('usage', `--dry-run=curl: ${why}`, { hint: '--dry-run prints the request' });
}

export async function renderDryRun(
  requests: readonly RequestValue[],
  { curl, options, stdout, secretHeaders }: DryRunRendering,
): Promise<void> {
  // The output options were for the command's own value, not for requests.
  const plain: OutputOptions = {
    ...options,
    fields: undefined,
    query: undefined,
    columns: undefined,
    sort: undefined,
    limit: undefined,
  };
  if (curl) {
    if (requests.some(({ inSession }) => inSession)) throw noCurlLine();
    const lines = requests.map((request) => asCurl(request, secretHeaders)).join('\n');
    await render(lines, { kind: 'text' }, { ...plain, format: 'table' }, stdout);
    return;
  }
  const shown = shownRequests(requests, secretHeaders);
  const read = plain.format === 'table' || plain.format === 'wide';
  if (read || shown.length === 1) for (const request of shown) await render(request, REQUEST, plain, stdout);
  else await render(shown, { ...REQUEST, kind: 'list' }, plain, stdout);
}

/**
 * A request as one curl command line. It means the same in sh (dash, busybox), bash, zsh, ksh and
 * fish, and has nothing that a terminal obeys. Secret headers (`secretHeaders`, in lower case)
 * become variables, secret fields of the address and of a form `***`. A JSON body is exact: the
 * services take no secrets in one, and a comment may only look like a secret.
 */
export function asCurl(request: RequestValue, secretHeaders: ReadonlySet<string>): string {
  const { headers } = request;
  const parts = ['curl', '-sS'];
  if (/[[\]{}]/.test(request.url)) parts.push('--globoff');
  // `-X POST` is redundant with a body, but PUT and DELETE need it: one form for all.
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
  // `echo` is built in: any length. No word has NUL, and `$(…)` drops the last line feed.
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

/** The value comes from a variable. A name may contain `$` and backquotes (RFC 9110 §5.1). */
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

function shownBody(request: RequestValue): RequestValue {
  if (request.encoding !== 'form' || typeof request.body !== 'object' || request.body === null) return request;
  return { ...request, body: redactForm(request.body as Readonly<Record<string, unknown>>) };
}
