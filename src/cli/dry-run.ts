/** What `--dry-run` prints: the requests, as JSON values or as curl lines. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { RequestValue } from '../http/endpoint.ts';
import { redactHeaders, redactText } from '../http/redact.ts';
import { render } from '../output/render.ts';
import type { OutputOptions, RecordOutput } from '../output/types.ts';
import { asCurl, shownBody } from './as-curl.ts';

interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

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

/** Exact bytes are shown as text if they are text: a JSON value would hide spaces and field order, which signatures cover. */
function bodyValue({ body, encoding }: RequestValue): unknown {
  if (encoding === 'json-text') return JSON.parse(String(body));
  if (encoding !== 'bytes') return body ?? null;
  const bytes = Buffer.from(body as Uint8Array);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}

export function shownRequests(
  requests: readonly RequestValue[],
  secretHeaders: ReadonlySet<string>,
): readonly ShownRequest[] {
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

/** Of a request over a live session. */
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
