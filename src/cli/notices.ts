/** Standard error, for a person: notices, the lines of `-v` and `--debug`, the progress bar and the spinner. */
import type { Context } from '../context.ts';
import type { TraceEvent } from '../http/target.ts';
import { escapeText } from '../output/escape.ts';
import { type Progress, progressBar, Spinner } from '../output/progress.ts';
import { formatNotice } from '../output/terminal.ts';
import type { Format } from '../output/types.ts';

/**
 * With `-o json` and `-o ndjson`, notices wait for the end and are dropped if the command fails: stderr is then one line of JSON for scripts. A stream may
 * never end, so its notices are printed at once.
 */
export class Notices {
  readonly #context: Context;
  readonly #quiet: boolean;
  readonly #draws: boolean;
  #delayed: string[] | undefined;
  #writes: Promise<void> = Promise.resolve();
  #bar: Progress | undefined;
  readonly #spinner: Spinner | undefined;

  /** With `traces` requests are printed line by line. */
  constructor(
    context: Context,
    {
      quiet,
      traces,
      format,
      streams,
      ascii,
      dumb,
    }: {
      readonly quiet: boolean;
      readonly traces: boolean;
      readonly format: Format;
      readonly streams: boolean;
      readonly ascii: boolean;
      readonly dumb: boolean;
    },
  ) {
    const { stdout, stderr, env, now } = context;
    this.#context = context;
    this.#quiet = quiet;
    this.#draws = stderr.isTTY && !quiet && !dumb;
    const spins = this.#draws && stdout.isTTY && !traces && !streams && !env['CI'];
    this.#spinner = spins ? new Spinner(stderr, now, ascii) : undefined;
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
    this.#spinner?.clear();
    this.#writes = this.#writes.then(() => this.#context.stderr.write(line));
  }

  progress(total: number): Progress {
    this.#bar?.clear();
    if (total > 1) this.#spinner?.end();
    this.#bar = progressBar(this.#draws ? total : 0, this.#context.stderr, this.#context.now);
    return this.#bar;
  }

  /** Shows what is waited for, if it takes long, until what this returns is called. */
  waiting(host: string): () => void {
    return this.#spinner?.begin(host) ?? (() => {});
  }

  /** Nothing is drawn until what this returns is called: a person is asked. */
  pause(): () => void {
    return this.#spinner?.pause() ?? (() => {});
  }

  /** Takes away what is drawn, for good: standard output is written, perhaps in mid-line. */
  endDrawing(): void {
    this.#spinner?.end();
  }

  /** Prints nothing before the pager, whose screen it is, has ended. */
  holdFor(pager: Promise<void>): void {
    this.#writes = this.#writes.then(() => pager);
  }

  /** Prints waiting notices, and all later ones at once. */
  async release(): Promise<void> {
    for (const line of this.#delayed ?? []) this.always(line);
    this.#delayed = undefined;
    await this.#writes;
  }

  flushed(): Promise<void> {
    return this.#writes;
  }
}

/** The transport has already redacted the event. */
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
