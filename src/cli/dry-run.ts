/** What `--dry-run` prints: the requests that would have gone, as JSON values or as curl lines. */
import type { OutStream } from '../context.ts';
import { asCurl } from '../http/as-curl.ts';
import type { RequestValue } from '../http/endpoint.ts';
import { redactHeaders } from '../http/redact.ts';
import { render } from '../output/render.ts';
import type { OutputOptions, RecordOutput, TextOutput } from '../output/types.ts';

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
    { name: 'body', cell: ({ body }) => (body === undefined ? undefined : JSON.stringify(body, null, 2).split('\n')) },
  ],
  id: ({ method, url }) => `${method} ${url}`,
};

const TEXT: TextOutput = { kind: 'text' };

export async function renderDryRun(
  requests: readonly RequestValue[],
  curl: boolean,
  options: OutputOptions,
  stdout: OutStream,
  secretHeaders: ReadonlySet<string>,
): Promise<void> {
  if (curl) {
    const lines = requests.map((request) => asCurl(request, secretHeaders));
    await render(lines.join('\n'), TEXT, { ...options, format: 'table' }, stdout);
    return;
  }
  const shown = requests.map(
    ({ method, url, headers, body }): ShownRequest => ({
      method,
      url,
      headers: redactHeaders(headers, secretHeaders),
      body: body ?? null,
    }),
  );
  const [only, ...more] = shown;
  if (only === undefined) return;
  const format = options.format === 'table' || options.format === 'wide' ? options.format : options.format;
  if (more.length === 0) await render(only, REQUEST, { ...options, format }, stdout);
  else if (format === 'table' || format === 'wide') {
    for (const request of shown) await render(request, REQUEST, { ...options, format }, stdout);
  } else {
    await render(shown, { ...REQUEST, kind: 'list' }, { ...options, format }, stdout);
  }
}
