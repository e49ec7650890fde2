/** Shows what is longer than the screen in the user's pager; what fits is printed as it is. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Context, EndSignal, OutStream } from '../context.ts';
import { interruptionOf } from '../errors.ts';
import { displayWidth } from '../output/terminal.ts';
import { childEnvironment } from '../store/setting-keys.ts';

/** `-F`: print what fits; `-R`: show colors; `-X`: leave the text on the screen. */
const LESS_OPTIONS = 'FRX';
const USUAL = 'less';

/** SVC_PAGER precedes PAGER. Undefined if nothing is to be paged: it is empty, or `cat`. */
export function pagerCommand(env: Context['env']): string | undefined {
  const command = (env['SVC_PAGER'] ?? env['PAGER'] ?? USUAL).trim();
  return command === '' || command === 'cat' ? undefined : command;
}

interface Surroundings {
  readonly context: Pick<Context, 'env' | 'stdout' | 'takeSignals'>;
  /** Called once the pager has the screen; `ended` resolves when it has given it back. */
  readonly onStart: (ended: Promise<void>) => void;
  readonly notice: (text: string) => void;
}

type Child = ChildProcessByStdio<Writable, null, null>;

/** Standard output, by way of the pager as soon as more is written than fits on the screen. */
export class PagedOutput implements OutStream {
  readonly isTTY = true;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly colorDepth: OutStream['colorDepth'];
  readonly #command: string;
  readonly #surroundings: Surroundings;
  readonly #stdout: OutStream;
  /** All that was written, as long as it may still have to be printed. */
  #buffered: (string | Uint8Array)[] | undefined = [];
  #lines = 0;
  #lastLine = '';
  #pager: Child | undefined;
  #ended: Promise<void> | undefined;
  #isLeft = false;
  #signal: EndSignal | undefined;

  constructor(command: string, surroundings: Surroundings) {
    const { stdout } = surroundings.context;
    this.#command = command;
    this.#surroundings = surroundings;
    this.#stdout = stdout;
    this.columns = stdout.columns;
    this.rows = stdout.rows;
    this.colorDepth = stdout.colorDepth;
  }

  /** A pager that was left early has a reader no more. */
  get closed(): boolean {
    return this.#isLeft || this.#stdout.closed;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.closed) return;
    if (this.#pager !== undefined) return this.#send(chunk);
    if (this.#buffered === undefined) return this.#stdout.write(chunk);
    this.#buffered.push(chunk);
    this.#count(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    if (this.#lines >= (this.rows ?? Number.POSITIVE_INFINITY)) await this.#start();
  }

  /** Waits until the pager is left. */
  async end(): Promise<void> {
    if (this.#pager === undefined) return this.#printBuffered();
    this.#pager.stdin.end();
    await this.#ended;
    if (this.#signal !== undefined) throw interruptionOf(this.#signal);
  }

  async #start(): Promise<void> {
    const { context, onStart, notice } = this.#surroundings;
    // Without a shell, it is known at once whether it runs.
    const [name = '', ...args] = this.#command.split(/\s+/);
    const env = { ...childEnvironment(context.env), LESS: context.env['LESS'] ?? LESS_OPTIONS };
    const pager = spawn(name, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
    const failure = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
      pager.once('spawn', () => done(undefined)).once('error', done);
    });
    if (failure !== undefined) {
      if (this.#command !== USUAL) notice(`cannot run the pager ${this.#command}: ${failure.code ?? failure.message}`);
      return this.#printBuffered();
    }
    // Its user may leave before everything is written.
    pager.stdin.on('error', () => {
      this.#isLeft = true;
    });
    // Ctrl-C at the terminal is for the pager: if svc ended now, two programs would read the keys.
    const release = context.takeSignals((signal, shared) => {
      if (shared) return;
      this.#signal ??= signal;
      pager.kill(signal);
    });
    this.#ended = new Promise((done) => {
      pager.once('close', () => {
        this.#isLeft = true;
        release();
        done();
      });
    });
    onStart(this.#ended);
    this.#pager = pager;
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    for (const chunk of buffered) await this.#send(chunk);
  }

  /** Resolves also where the pager is left meanwhile. */
  async #send(chunk: string | Uint8Array): Promise<void> {
    const taken = new Promise((done) => this.#pager?.stdin.write(chunk, done));
    await Promise.race([taken, this.#ended]);
  }

  async #printBuffered(): Promise<void> {
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    for (const chunk of buffered) await this.#stdout.write(chunk);
  }

  /** How many lines of the screen have been filled. */
  #count(text: string): void {
    const lines = (this.#lastLine + text).split('\n');
    this.#lastLine = lines.pop() ?? '';
    for (const line of lines) {
      const width = displayWidth(line.replace(INVISIBLE, ''));
      this.#lines += Math.max(1, Math.ceil(width / (this.columns ?? 80)));
    }
  }
}

/** Colors and links. */
const INVISIBLE = /\u001b\[[\d;]*m|\u001b\]8;[^\u001b]*\u001b\\/g;
