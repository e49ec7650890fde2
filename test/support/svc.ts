/** Runs `svc` in this process, with everything from outside replaced by what a test says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Choice, Context, OutStream } from '../../src/context.ts';
import { main } from '../../src/main.ts';
import { isReadableByOthers, readSmallFile } from '../../src/process/context.ts';
import { clockAt, clockOff, countRun, EXECUTABLE } from './executable.ts';
import { temporaryHome } from './homes.ts';

export { temporaryHome } from './homes.ts';

export interface Run {
  readonly code: number;
  readonly stdout: string;
  /** Without the lines that name the server of a write and the command that undoes it. */
  readonly stderr: string;
  /** That line: `server: alerts.example.com (profile staging)`. */
  readonly server: string | undefined;
  /** The command that undoes a write: `svc silences expire 2f1a`. */
  readonly undo: string | undefined;
  /** The questions that were asked, and after `! ` what was wrong with an answer. */
  readonly asked: readonly string[];
  /** The addresses that a browser was to show. */
  readonly opened: readonly string[];
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>;
  /** What is piped in. */
  readonly stdin?: string | Uint8Array;
  /** What is piped in over time, in the place of `stdin`. */
  readonly lines?: AsyncIterable<string>;
  /** A terminal of this width on all streams, or on the two others where something is piped in. */
  readonly terminal?: number;
  /** What the person answers to a confirmation; without it such a question fails the test. */
  readonly answer?: boolean | (() => boolean | Promise<boolean>);
  /**
   * What the person answers to the questions of a wizard, in order: a text, or several of the choices by what is shown for
   * them. A refused answer leads to the next prompt. An unexpected prompt fails the test. Or a function that answers any prompt.
   */
  readonly answers?: readonly Answer[] | ((question: string, choices: readonly string[]) => Answer);
  readonly now?: () => number;
  /** The time, in milliseconds. The clock stops there. */
  readonly at?: number;
  /** The milliseconds by which the clock is ahead. */
  readonly clockOffset?: number;
  /** 0 by default: whatever is drawn is known. */
  readonly random?: () => number;
  /** Sleeps for the full time, and not 20 ms at most; a number limits the milliseconds. */
  readonly sleeps?: true | number;
  /** What a sleep of this many milliseconds waits for instead; undefined for a real sleep. */
  readonly sleepsUntil?: (ms: number) => Promise<void> | undefined;
  readonly signal?: AbortSignal;
  /** Is given what comes on stdout at once, and waited for; `closed` where the reader goes away with it. */
  readonly onStdout?: (text: string) => Promise<void> | 'closed' | undefined;
  /** Is given what comes on stderr at once. */
  readonly onStderr?: (text: string) => void;
  /** What the browser does with an address: what it returns is why there is none. Without it there is none. */
  readonly browser?: (url: URL) => string | undefined;
  /** Is given what presses keys at the terminal, once somebody waits for them. */
  readonly keys?: (press: (keys: string) => void) => void;
  /** What the person types where nothing is shown; without it such a question takes its answer from `answers`. */
  readonly hidden?: (question: string, withdrawn: AbortSignal | undefined) => Promise<string>;
  /** In this process: the test depends on something of it that no child has, such as an open file. */
  readonly here?: true;
  /** The directory for settings; one of its own by default. */
  readonly home?: string;
}

/** A text, or several of the choices. */
type Answer = string | readonly string[];

class Capture implements OutStream {
  readonly chunks: Buffer[] = [];
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly colorDepth: 0 | 1 | 2 | 3;
  closed = false;
  readonly #tell: RunOptions['onStdout'];

  constructor(columns: number | undefined, tell?: RunOptions['onStdout']) {
    this.#tell = tell;
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.colorDepth = columns === undefined ? 0 : 1;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.closed) return;
    this.chunks.push(Buffer.from(chunk as Uint8Array));
    const printed = this.#tell?.(Buffer.from(chunk as Uint8Array).toString());
    if (printed === 'closed') this.closed = true;
    else await printed;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

/** A character, or the escape sequence of an arrow or a function key. */
const KEY = /\u001b\[[\d;]*[A-Za-z~]|[\s\S]/gu;

function choose(choices: readonly Choice[], start: string): string {
  const choice = choices.find(({ name }) => name.startsWith(start));
  if (choice === undefined) throw new Error(`no choice ${start} among: ${choices.map(({ name }) => name).join(' | ')}`);
  return choice.value;
}

/** What a child process can be given. A test that replaces anything else runs in this process. */
const GIVEN_TO_CHILD = new Set(['env', 'stdin', 'home', 'random', 'sleeps', 'at', 'clockOffset']);

/** The bytes of an argument that Linux gives to a program, with the final zero. */
const MAX_ARGUMENT = 128 * 1024;

/** Runs a command line, in a child process where SVC_BINARY names an executable to be tested. */
export async function svc(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  if (EXECUTABLE === undefined) return runHere(argv, options);
  const replaced: string[] = [];
  for (const name in options) if (!GIVEN_TO_CHILD.has(name)) replaced.push(name); // also what they inherit
  if (argv.some((argument) => argument.length >= MAX_ARGUMENT)) replaced.push('a very long argument');
  countRun(replaced.sort().join(', ') || 'executable');
  return replaced.length > 0 ? runHere(argv, options) : runExecutable(EXECUTABLE, argv, options);
}

async function runExecutable(program: string, argv: readonly string[], options: RunOptions): Promise<Run> {
  const home = options.home ?? temporaryHome();
  const env: Record<string, string | undefined> = {
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    ...(options.clockOffset === undefined ? {} : clockOff(options.clockOffset)),
    ...(options.at === undefined ? {} : clockAt(options.at)),
    ...options.env,
  };
  // svc adds its name to this folder.
  const parent = join(home, 'xdg-state');
  env['XDG_STATE_HOME'] = parent;
  if (!existsSync(parent)) {
    mkdirSync(parent, { recursive: true });
    symlinkSync(join('..', 'state'), join(parent, 'svc'));
    mkdirSync(join(home, 'state'), { recursive: true });
  }
  const child = spawn(program, argv, { env });
  child.stdin.on('error', () => {}).end(options.stdin ?? '');
  const [stdout, stderr] = [new Capture(undefined), new Capture(undefined)];
  child.stdout.on('data', (chunk: Buffer) => void stdout.write(chunk));
  child.stderr.on('data', (chunk: Buffer) => void stderr.write(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === null) throw new Error(`svc ${argv.join(' ')} was ended by ${signal}: ${stderr.text}`);
  return runOf(code, stdout.text, stderr.text, env);
}

function runOf(code: number, stdout: string, stderr: string, env: Context['env']): Run {
  expectNoToken(env['SVC_TRADE_TOKEN'], stdout + stderr);
  const [line, server] = /^(server: .*)\n/m.exec(stderr) ?? [];
  const [undoLine, undo] = /^Undo: (.*)\n/m.exec(stderr) ?? [];
  const rest = [line, undoLine].reduce<string>(
    (text, one) => (one === undefined ? text : text.replace(one, '')),
    stderr,
  );
  return { code, stdout, stderr: rest, server, undo, asked: [], opened: [] };
}

async function runHere(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const stdout = new Capture(options.terminal, options.onStdout);
  const stderr = new Capture(options.terminal, (text) => {
    options.onStderr?.(text);
    return undefined;
  });
  const home = options.home ?? temporaryHome();
  const asked: string[] = [];
  const opened: string[] = [];
  const { at, clockOffset = 0 } = options;
  const { now = at === undefined ? () => Date.now() + clockOffset : () => at } = options;
  const context: Context = {
    stdin: standardInput(options),
    stdout,
    stderr,
    env: options.env ?? {},
    paths: { config: join(home, 'config'), state: join(home, 'state') },
    identity: () => 'tester@host',
    nodeMajor: Number.parseInt(process.versions.node, 10),
    pid: process.pid,
    self: [process.execPath, join(import.meta.dirname, '../../bin/svc.cjs')],
    now,
    random: options.random ?? (() => 0),
    sleep: (ms, signal) => sleep(ms, signal, options),
    signal: options.signal ?? new AbortController().signal,
    takeSignals: () => () => {},
    readFile: (file) => readSmallFile(file, 1 << 20),
    isReadableByOthers,
    prompter: prompter(options, asked),
    async openBrowser(url) {
      opened.push(url.href);
      return options.browser === undefined ? 'no browser is here' : options.browser(url);
    },
  };
  const code = await main(argv, context);
  return { ...runOf(code, stdout.text, stderr.text, context.env), asked, opened };
}

function standardInput({ stdin, lines, terminal, keys }: RunOptions): Context['stdin'] {
  return {
    isTTY: terminal !== undefined && stdin === undefined,
    async *chunks() {
      if (lines === undefined) yield Buffer.from((stdin ?? '') as Uint8Array);
      else for await (const line of lines) yield Buffer.from(line);
    },
    async *chunksUntil() {
      yield Buffer.from((stdin ?? '') as Uint8Array);
    },
    onKey(handler) {
      keys?.((pressed) => {
        for (const [key] of pressed.matchAll(KEY)) handler(key);
      });
      return () => {};
    },
  };
}

/** Shorter than svc wants, unless the test says otherwise. */
function sleep(ms: number, signal: AbortSignal | undefined, { sleeps = 20, sleepsUntil }: RunOptions): Promise<void> {
  return new Promise((done, fail) => {
    if (signal?.aborted) {
      fail(signal.reason);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const abort = (): void => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const end = (): void => {
      signal?.removeEventListener('abort', abort);
      done();
    };
    signal?.addEventListener('abort', abort);
    const event = sleepsUntil?.(ms);
    if (event === undefined) timer = setTimeout(end, sleeps === true ? ms : Math.min(ms, sleeps));
    else void event.then(end);
  });
}

/** A person at the prompts, whose questions go to `asked`. */
function prompter(options: RunOptions, asked: string[]): Context['prompter'] {
  const answers = typeof options.answers === 'function' ? options.answers : [...(options.answers ?? [])];
  const next = (question: string, choices: readonly Choice[] = []): Answer => {
    asked.push(question);
    const names = choices.map(({ name }) => name);
    const answer = typeof answers === 'function' ? answers(question, names) : answers.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  return {
    async confirm(question) {
      asked.push(question);
      if (options.answer === undefined) throw new Error(`nobody answers: ${question}`);
      return typeof options.answer === 'function' ? options.answer() : options.answer;
    },
    async text({ question, check, default: given = '' }) {
      for (;;) {
        const answer = String(next(question)) || given;
        const wrong = check?.(answer);
        if (wrong === undefined) return answer;
        asked.push(`! ${wrong}`);
        if (asked.length > 50) throw new Error(`nothing answers: ${asked.slice(-2).join('\n')}`);
      }
    },
    async secret(question, withdrawn) {
      if (options.hidden === undefined) return String(next(question));
      asked.push(question);
      return options.hidden(question, withdrawn);
    },
    async select(question, choices) {
      return choose(choices, String(next(question, choices)));
    },
    async search(question, find) {
      const typed = String(next(question));
      const choices = await find(typed, new AbortController().signal);
      const choice = choices.find(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
      if (choice === undefined)
        throw new Error(`no choice ${typed} among: ${choices.map(({ name }) => name).join(' | ')}`);
      return choice.value;
    },
    async checkbox(question, choices) {
      const answer = next(question, choices);
      return [answer].flat().map((name) => choose(choices, name));
    },
  };
}

/** The token gives access to an account: no run of any test may print it. */
function expectNoToken(token: string | undefined, printed: string): void {
  if (token !== undefined && token.length >= 16 && printed.includes(token)) throw new Error('svc printed the token');
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly http_status: number;
  /** Of an order whose outcome is unknown. */
  readonly journal_id: string;
  /** The ids of the rows that are alike at the gateway. */
  readonly candidates: string;
  readonly server_code: unknown;
}

/** The failure that `-o json` reports on standard error. */
export function failure({ stderr }: Pick<Run, 'stderr'>): Failure {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { error: Failure }).error;
}
