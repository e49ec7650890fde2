/** Standard error, for a person: notices, and the lines of `-v` and `--debug`. */
import type { Context, OutStream } from '../context.ts';
import type { TraceEvent } from '../http/target.ts';
import { escapeText } from '../output/escape.ts';
import { formatNotice, shorten } from '../output/terminal.ts';
import type { OutputOptions } from '../output/types.ts';
import type { GlobalInput } from './common-flags.ts';

/**
 * With `-o json` and `-o ndjson`, notices wait for the end and are dropped if the command fails:
 * stderr is then one line of JSON. A stream may never end, so its notices are printed at once.
 */
export class Notices {
  readonly #context: Context;
  readonly #quiet: boolean;
  #delayed: string[] | undefined;
  #writes: Promise<void> = Promise.resolve();
  readonly #spinner: Spinner | undefined;

  constructor(
    context: Context,
    { quiet, verbose, debug }: Pick<GlobalInput, 'quiet' | 'verbose' | 'debug'>,
    { format, ascii, dumb }: Pick<OutputOptions, 'format' | 'ascii' | 'dumb'>,
    isEndless: boolean,
  ) {
    const { stdout, stderr, env, now } = context;
    this.#context = context;
    this.#quiet = quiet;
    const isDrawn = stderr.isTTY && stdout.isTTY && !dumb && !env['CI'];
    const spins = isDrawn && !quiet && !verbose && !debug && !isEndless;
    this.#spinner = spins ? new Spinner(stderr, now, ascii) : undefined;
    if (!isEndless && (format === 'json' || format === 'ndjson')) this.#delayed = [];
  }

  /** Prints a notice, unless --quiet is given. */
  say(text: string): void {
    if (!this.#quiet) this.warn(text);
  }

  warn(text: string): void {
    const line = formatNotice(text);
    if (this.#delayed === undefined) this.printNow(line);
    else this.#delayed.push(line);
  }

  trace(event: TraceEvent): void {
    this.printNow(
      traceLines(event)
        .map((line) => `${escapeText(line)}\n`)
        .join(''),
    );
  }

  printNow(line: string): void {
    this.#spinner?.clear();
    this.#writes = this.#writes.then(() => this.#context.stderr.write(line));
  }

  /** Shows what is waited for, if it takes long. Returns the function that ends it. */
  showWait(host: string): (() => void) | undefined {
    return this.#spinner?.begin(host);
  }

  /** Nothing is drawn while a person is asked. Returns the function that ends it. */
  pauseDrawing(): (() => void) | undefined {
    return this.#spinner?.pause();
  }

  endDrawing(): void {
    this.#spinner?.end();
  }

  /** Standard output, whose first write ends the drawing: it may end in mid-line. */
  endDrawingAtFirstWrite(stdout: OutStream): OutStream {
    if (this.#spinner === undefined) return stdout;
    return Object.assign(Object.create(stdout) as OutStream, {
      write: (chunk: string | Uint8Array) => {
        this.endDrawing();
        return stdout.write(chunk);
      },
    });
  }

  /** Prints nothing before the pager, whose screen it is, has ended. */
  holdFor(pager: Promise<void>): void {
    this.#writes = this.#writes.then(() => pager);
  }

  /** Prints waiting notices, and all later ones at once. */
  async release(): Promise<void> {
    for (const line of this.#delayed ?? []) this.printNow(line);
    this.#delayed = undefined;
    await this.#writes;
  }

  close(): Promise<void> {
    this.#spinner?.end();
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

const CLEAR = '\r\u001b[K';

const REDRAW_MS = 100;

/** A request that is answered sooner needs no spinner. */
const SPINNER_MS = 500;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const ASCII_FRAMES = '|/-\\';

/** `⠋ alerts.example.com:9093  3 s`: what is waited for, and how long. */
export class Spinner {
  readonly #out: OutStream;
  readonly #frames: string;
  readonly #now: () => number;
  #host = '';
  #waits = 0;
  /** In milliseconds since 1970. */
  #began = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;
  #isPaused = false;
  #isOver = false;

  constructor(out: OutStream, now: () => number, ascii: boolean) {
    this.#out = out;
    this.#now = now;
    this.#frames = ascii ? ASCII_FRAMES : FRAMES;
  }

  /** Something of this host is waited for until what this returns is called, once. */
  begin(host: string): () => void {
    this.#host = host;
    this.#waits++;
    if (this.#timer === undefined && !this.#isOver) {
      this.#began = this.#now();
      // Waits in a row are one wait. The spinner alone is no reason for the process to live.
      this.#timer = setInterval(() => this.#tick(), REDRAW_MS).unref();
    }
    return () => {
      this.#waits--;
    };
  }

  /** Takes the line away, to be drawn again while the wait goes on. */
  clear(): void {
    if (this.#isDrawn) this.#write(CLEAR);
    this.#isDrawn = false;
  }

  /** Draws nothing until what this returns is called. */
  pause(): () => void {
    this.clear();
    this.#isPaused = true;
    return () => {
      this.#isPaused = false;
    };
  }

  /** Draws nothing any more, because something else is on the screen. */
  end(): void {
    this.#isOver = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.clear();
  }

  #tick(): void {
    if (this.#waits === 0) this.#stop();
    const elapsed = this.#now() - this.#began;
    if (this.#waits === 0 || this.#isPaused || elapsed < SPINNER_MS) return;
    const frame = this.#frames[this.#frame++ % this.#frames.length];
    const text = `${frame} ${this.#host}  ${Math.round(elapsed / 1000)} s`;
    this.#write(`\r${shorten(text, (this.#out.columns ?? 80) - 1)}\u001b[K`);
    this.#isDrawn = true;
  }

  #write(text: string): void {
    this.#out.write(text).catch(() => {}); // standard error is gone
  }
}
