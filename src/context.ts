/** Everything `svc` takes from outside itself: the types, and at the end the one function that reads the process. */
import { once } from 'node:events';
import { existsSync, fstatSync, readSync, writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { SvcError } from './errors.ts';

export interface OutStream {
  /** The terminal's state, false for a pipe or a file. */
  readonly isTTY: boolean;
  /** The terminal's width, where it is a terminal. */
  readonly columns: number | undefined;
  /** The terminal's height, where it is a terminal and known. */
  readonly rows?: number | undefined;
  /** Calls back whenever the terminal's size has changed, until what it returns is called. */
  onResize?(handler: () => void): () => void;
  /** The number of colours the terminal can show as chalk's level: 0 none, 1 sixteen, 2 256, 3 all. */
  readonly colorDepth: 0 | 1 | 2 | 3;
  /**
   * Writes everything, waiting where the reader is slow; an interruption ends the waiting. A reader that went away is no error:
   * later writes are dropped. Rejects where standard output cannot be written, as on a full disk.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /** True once the reader went away: what produces more can stop. */
  readonly closed: boolean;
}

export interface InStream {
  readonly isTTY: boolean;
  /** All that is piped in. A piece is overwritten by the next. An interruption ends the waiting. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The same until nobody wants more of it: input that never ends does not keep the process alive then. */
  chunksUntil(over: AbortSignal): AsyncIterable<Uint8Array>;
  /** Where it is a terminal: each key as it is pressed, unseen, until what this returns is called. Ctrl-C stays what it is. */
  onKey?(handler: (key: string) => void): () => void;
}

export interface Choice {
  /** What is answered. */
  readonly value: string;
  /** What is shown for it. */
  readonly name: string;
}

export interface TextQuestion {
  readonly question: string;
  /** The answer of whoever just presses Enter; an empty one unless told. */
  readonly default?: string;
  /** What is wrong with an answer, which is then asked for again; undefined where it is good. */
  readonly check?: (answer: string) => string | undefined;
}

/** Asks a person at the terminal; only ever called when stdin and stderr are terminals. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
  text(question: TextQuestion): Promise<string>;
  /** What is typed is not shown. Where the question is withdrawn nobody waits for the answer any more, and it rejects. */
  secret(question: string, withdrawn?: AbortSignal): Promise<string>;
  /** One of them. */
  select(question: string, choices: readonly Choice[]): Promise<string>;
  /** At least one of them. */
  checkbox(question: string, choices: readonly Choice[]): Promise<readonly string[]>;
}

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Paths {
  /** settings.json, credentials.json, webhook-secrets.json */
  readonly config: string;
  /** locks and counters */
  readonly state: string;
  /** completion values; may be deleted at any time */
  readonly cache: string;
}

export interface Context {
  readonly stdin: InStream;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: Paths;
  /** `user@host`, the default author of silences. */
  readonly identity: string;
  readonly pid: number;
  /** Of Node.js: 20. */
  readonly nodeMajor: number;
  /** The command line that starts this very `svc`, for commands that run commands. */
  readonly self: readonly [command: string, ...args: string[]];
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted with a `SvcError` (`interrupted`, `terminated`) by SIGINT and SIGTERM. The second of them ends the process. */
  readonly signal: AbortSignal;
  /**
   * Until what it returns is called, these signals go to `handler` alone: for a command that runs another one. `shared` tells
   * that they come from the terminal, which sends its own to every process there: the other command has it already.
   */
  takeSignals(handler: (name: EndSignal, shared: boolean) => void): () => void;
  readonly prompter: Prompter;
  /**
   * Hands an http or https address to the person's browser. Resolves with why there is none, which may become known only later,
   * or with undefined where the address was handed over; never rejects.
   */
  openBrowser(url: URL): Promise<string | undefined>;
}

/** The context of a real process. `resolve` makes the paths of the environment. */
export function processContext(resolve: (env: Context['env'], platform: string, home: string) => Paths): Context {
  const stopped = new AbortController();
  const { signal } = stopped;
  let taker: ((name: EndSignal, shared: boolean) => void) | undefined;
  // Where one of the streams is the terminal's. Nothing tells its Ctrl-C from a kill -INT.
  let atTerminal = false;
  const hangUp = () => taker?.('SIGHUP', atTerminal);
  const stop = (name: 'SIGINT' | 'SIGTERM') => {
    if (taker !== undefined) {
      taker(name, name === 'SIGINT' && atTerminal);
      return;
    }
    const reason =
      name === 'SIGINT' ? new SvcError('interrupted', 'interrupted') : new SvcError('terminated', 'terminated');
    // The second time a person does not want to wait for a clean end.
    if (signal.aborted) process.exit(reason.exit);
    stopped.abort(reason);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  leaveColorsToUs();
  const forced = Number(process.env['SVC_FORCE_TTY'] || Number.NaN);
  return {
    stdin: {
      get isTTY() {
        return isatty(0);
      },
      chunks: () => stdinChunks(signal),
      chunksUntil: stdinUntil,
      onKey: (handler) => takeKeys((key) => (key === CTRL_C ? stop('SIGINT') : handler(key))),
    },
    stdout: outStream(1, () => process.stdout, signal, Number.isInteger(forced) && forced > 0 ? forced : undefined),
    stderr: outStream(2, () => process.stderr, signal, undefined),
    env: process.env,
    paths: resolve(process.env, process.platform, home()),
    get identity() {
      return `${userName()}@${hostname()}`;
    },
    pid: process.pid,
    nodeMajor: Number.parseInt(process.versions.node, 10),
    // The standalone executable runs no script.
    self: process.argv[1] === process.execPath ? [process.execPath] : [process.execPath, process.argv[1] ?? ''],
    now: Date.now,
    random: Math.random,
    sleep,
    signal,
    takeSignals: (handler) => {
      const before = taker;
      taker = handler;
      if (before === undefined) {
        atTerminal = isatty(0) || isatty(1) || isatty(2);
        // Without a listener the end of a terminal ends this process at once, which is right for all others.
        process.on('SIGHUP', hangUp);
      }
      return () => {
        taker = before;
        if (before === undefined) process.removeListener('SIGHUP', hangUp);
      };
    },
    prompter: prompter(signal),
    openBrowser,
  };
}

async function openBrowser(url: URL): Promise<string | undefined> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only web addresses are opened';
  // A container of an editor names the program that opens it outside.
  const contained = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  if (contained && !process.env['BROWSER']) return 'svc runs in a container';
  try {
    const { default: open } = await import('open');
    const child = await open(url.href);
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    // It has started, and only now says that there is no browser.
    return code === 0 ? undefined : `the program that opens it ended with status ${code}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'there is no program that opens it' : message;
  }
}

function prompter(signal: AbortSignal): Prompter {
  const streams = () => ({ input: process.stdin, output: process.stderr, signal });
  const ask = async <T>(show: (prompts: typeof import('@inquirer/prompts')) => Promise<T>): Promise<T> => {
    try {
      return await show(await import('@inquirer/prompts'));
    } catch (error) {
      signal.throwIfAborted();
      // Ctrl-C at a prompt is a key, not a signal, and ends the command all the same.
      if (error instanceof Error && error.name === 'ExitPromptError') throw new SvcError('interrupted', 'interrupted');
      throw error;
    }
  };
  return {
    confirm: (message) => ask((prompts) => prompts.confirm({ message, default: false }, streams())),
    text: ({ question, check, ...rest }) =>
      ask((prompts) =>
        prompts.input({ message: question, validate: (text) => check?.(text) ?? true, ...rest }, streams()),
      ),
    secret: (message, withdrawn) =>
      ask((prompts) => {
        const { signal: ended, ...rest } = streams();
        const over = withdrawn === undefined ? ended : AbortSignal.any([ended, withdrawn]);
        return prompts.password({ message, mask: false, toggleMask: false }, { ...rest, signal: over });
      }),
    select: (message, choices) =>
      ask((prompts) => prompts.select({ message, choices, pageSize: PAGE, loop: false }, streams())),
    checkbox: (message, choices) =>
      ask((prompts) => prompts.checkbox({ message, choices, required: true, pageSize: PAGE, loop: false }, streams())),
  };
}

/** How many choices are shown at a time. */
const PAGE = 12;

/** A uid without an entry in the password file, as containers have it, is no reason to fail. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] || 'unknown';
  }
}

/** Empty where neither the environment nor the password file knows one. */
function home(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    if (signal?.aborted) {
      fail(signal.reason);
      return;
    }
    const aborted = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      done();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/**
 * A file straight from its descriptor. Only what may have to wait for a writer goes to Node's stream: a direct read would block the
 * process, and no signal would end it.
 */
async function* stdinChunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (isPipe(0)) {
    yield* stdinUntil(signal);
    signal.throwIfAborted();
    return;
  }
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let count = readSync(0, buffer); count > 0; count = readSync(0, buffer)) yield buffer.subarray(0, count);
}

/** By Node's stream, which can be given up while it waits: a read of the descriptor cannot. */
async function* stdinUntil(over: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const { stdin } = process;
  const giveUp = (): void => void stdin.destroy();
  if (over.aborted) return;
  over.addEventListener('abort', giveUp, { once: true });
  try {
    for await (const chunk of stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    over.removeEventListener('abort', giveUp);
  }
}

const CTRL_C = '\u0003';

function takeKeys(handler: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const read = (chunk: Buffer): void => {
    for (const key of chunk.toString()) handler(key);
  };
  stdin.setRawMode(true).on('data', read);
  return () => {
    stdin.off('data', read).setRawMode(false).pause();
  };
}

/** What a pipe holds: more of it may have to wait for the reader. */
const PIPE_BYTES = 65_536;

/**
 * Writes straight to the descriptor, which needs no stream to be loaded. What may have to wait for a reader goes to Node's stream:
 * a direct write would block the process, and no signal would end it.
 */
function outStream(
  fd: 1 | 2,
  stream: () => NodeJS.WriteStream,
  signal: AbortSignal,
  forcedColumns: number | undefined,
): OutStream {
  let closed = false;
  let written = 0;
  let waiting: NodeJS.WriteStream | undefined;
  const terminal = isatty(fd);
  const broken = (error: unknown): SvcError | undefined => {
    closed = true;
    const { code, message } = error as NodeJS.ErrnoException;
    // Of standard error nobody can be told.
    if (fd === 2 || code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return undefined;
    const reason = message.replace(/^E\w+: |, write$/g, '');
    return new SvcError('file_unusable', `cannot write to standard output: ${reason}`, { cause: error });
  };
  let piped: boolean | undefined;
  const mayWait = (bytes: number): boolean => {
    if (waiting !== undefined) return true;
    if (written + bytes <= PIPE_BYTES) return false;
    piped ??= isPipe(fd);
    return piped;
  };
  const writeByStream = (bytes: Uint8Array): Promise<void> => {
    const open = waiting ?? stream().on('error', () => {});
    waiting = open;
    return new Promise((done, fail) => {
      // Whoever interrupted does not wait for a reader; what is said about it is said only if it can be at once.
      if (signal.aborted) return fd === 2 ? done() : fail(signal.reason);
      const interrupt = (): void => fail(signal.reason);
      signal.addEventListener('abort', interrupt, { once: true });
      open.write(bytes, (error) => {
        signal.removeEventListener('abort', interrupt);
        const failure = error ? broken(error) : undefined;
        if (failure === undefined) done();
        else fail(failure);
      });
    });
  };
  return {
    isTTY: terminal || forcedColumns !== undefined,
    get columns() {
      // A terminal that nobody has told its size says 0.
      return forcedColumns ?? (terminal ? stream().columns || undefined : undefined);
    },
    get rows() {
      return terminal ? stream().rows : undefined;
    },
    onResize(handler) {
      if (!terminal) return () => {};
      const terminalStream = stream().on('resize', handler);
      return () => {
        terminalStream.off('resize', handler);
      };
    },
    get colorDepth() {
      if (!terminal) return 0;
      const bits = stream().getColorDepth();
      return bits >= 24 ? 3 : bits >= 8 ? 2 : bits >= 4 ? 1 : 0;
    },
    get closed() {
      return closed;
    },
    async write(chunk) {
      let bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      while (bytes.length > 0 && !closed) {
        if (mayWait(bytes.length)) return writeByStream(bytes);
        try {
          const count = writeSync(fd, bytes);
          written += count;
          bytes = bytes.subarray(count);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return writeByStream(bytes);
          const failure = broken(error);
          if (failure !== undefined) throw failure;
        }
      }
    },
  };
}

function isPipe(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}

/** Node 22 and later warn on stderr where NO_COLOR and FORCE_COLOR are both set; svc has a rule for that. */
function leaveColorsToUs(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (!warning.message.includes("'NO_COLOR'")) for (const print of printers) print(warning);
  });
}
