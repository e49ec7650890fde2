/** Standard error, for a person: notices, the lines of `-v` and `--debug`, and the progress bar. */
import type { Context } from '../context.ts';
import type { TraceEvent } from '../http/target.ts';
import { escapeText } from '../output/escape.ts';
import { formatNotice, isDumb, type Progress, progressBar } from '../output/terminal.ts';
import type { Format } from '../output/types.ts';

/**
 * With `-o json` and `-o ndjson` notices wait for the end, and are dropped if the command fails: stderr is then one line of JSON,
 * which scripts rely on. A stream may never end, so its notices are printed at once.
 */
export class Notices {
  readonly #context: Context;
  readonly #quiet: boolean;
  #delayed: string[] | undefined;
  #writes: Promise<void> = Promise.resolve();
  #bar: Progress | undefined;

  constructor(
    context: Context,
    { quiet, format, streams }: { readonly quiet: boolean; readonly format: Format; readonly streams: boolean },
  ) {
    this.#context = context;
    this.#quiet = quiet;
    if (!streams && (format === 'json' || format === 'ndjson')) this.#delayed = [];
  }

  say(text: string): void {
    if (!this.#quiet) this.warn(text);
  }

  warn(text: string): void {
    const line = formatNotice(text);
    if (this.#delayed === undefined) this.always(line);
    else this.#delayed.push(line);
  }

  trace(event: TraceEvent): void {
    this.always(
      traceLines(event)
        .map((line) => `${escapeText(line)}\n`)
        .join(''),
    );
  }

  always(line: string): void {
    this.#bar?.clear();
    this.#writes = this.#writes.then(() => this.#context.stderr.write(line));
  }

  progress(total: number): Progress {
    this.#bar?.clear();
    const { env, stderr, now } = this.#context;
    this.#bar = progressBar(this.#quiet || isDumb(env) ? 0 : total, stderr, now);
    return this.#bar;
  }

  /** Prints what waits, and from here on everything at once. */
  async release(): Promise<void> {
    for (const line of this.#delayed ?? []) this.always(line);
    this.#delayed = undefined;
    await this.#writes;
  }

  flushed(): Promise<void> {
    return this.#writes;
  }
}

/** The transport has redacted what the event contains. */
function traceLines(event: TraceEvent): string[] {
  const again = 'attempt' in event && event.attempt > 1 ? `, attempt ${event.attempt}` : '';
  switch (event.kind) {
    case 'answer':
      return [`${event.method} ${event.url} ${event.status} (${Math.round(event.ms)} ms${again})`];
    case 'failure':
      return [`${event.method} ${event.url} failed: ${event.reason} (${Math.round(event.ms)} ms${again})`];
    case 'request-detail':
      return [`> ${event.method} ${event.url}`, ...detailLines('>', event)];
    case 'answer-detail':
      return [`< ${event.status}`, ...detailLines('<', event)];
    case 'frame':
      return [`${event.direction === 'sent' ? '>' : '<'} websocket, ${event.bytes} bytes: ${event.text}`];
  }
}

function detailLines(
  mark: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): string[] {
  return [
    ...Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`),
    ...(body === '' ? [] : body.split('\n').map((line) => `${mark}   ${line}`)),
  ];
}
