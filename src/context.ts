/** Everything `svc` takes from outside itself: the types, and at the end the one function that reads the process. */
import { writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { SvcError } from './errors.ts';

export interface OutStream {
  /** The terminal's state, false for a pipe or a file. */
  readonly isTTY: boolean;
  /** The terminal's width, where it is a terminal. */
  readonly columns: number | undefined;
  /** The number of colours the terminal can show as chalk's level: 0 none, 1 sixteen, 2 256, 3 all. */
  readonly colorDepth: 0 | 1 | 2 | 3;
  /** Writes everything, waiting where the reader is slow. A reader that went away is no error: later writes are dropped. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** True once the reader went away: what produces more can stop. */
  readonly closed: boolean;
}

export interface InStream {
  readonly isTTY: boolean;
  /** The raw stream: read to its end by commands that take `-`, handed to the prompter. */
  readonly stream: NodeJS.ReadableStream;
}

/** Asks a person at the terminal; only ever called when stdin and stderr are terminals. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
}

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
  /** The command line that starts this very `svc`, for commands that run commands. */
  readonly self: readonly [command: string, ...args: string[]];
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted with a `SvcError` (`interrupted`, `terminated`) by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly prompter: Prompter;
}

/** The context of a real process. `resolve` makes the paths of the environment. */
export function processContext(resolve: (env: Context['env'], platform: string, home: string) => Paths): Context {
  const stopped = new AbortController();
  const stop = (code: 'interrupted' | 'terminated', status: number) => () => {
    // The second time a person does not want to wait for a clean end.
    if (stopped.signal.aborted) process.exit(status);
    stopped.abort(new SvcError(code, code));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  const forced = Number(process.env['SVC_FORCE_TTY'] || Number.NaN);
  return {
    stdin: {
      get isTTY() {
        return isatty(0);
      },
      get stream() {
        return process.stdin;
      },
    },
    stdout: outStream(1, () => process.stdout, Number.isInteger(forced) && forced > 0 ? forced : undefined),
    stderr: outStream(2, () => process.stderr, undefined),
    env: process.env,
    paths: resolve(process.env, process.platform, homedir()),
    get identity() {
      return `${userName()}@${hostname()}`;
    },
    pid: process.pid,
    self: [process.execPath, process.argv[1] ?? ''],
    now: Date.now,
    random: Math.random,
    sleep,
    signal: stopped.signal,
    prompter: {
      confirm: async (message) =>
        (await import('@inquirer/prompts')).confirm({ message, default: false }, promptContext(stopped.signal)),
    },
  };
}

const promptContext = (signal: AbortSignal) => ({ input: process.stdin, output: process.stderr, signal });

/** A uid without an entry in the password file, as containers have it, is no reason to fail. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] || 'unknown';
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
 * Writes straight to the descriptor, which needs no stream to be loaded. A pipe that is full for now (EAGAIN) hands the rest to
 * Node's stream, which waits. A reader that went away (EPIPE) is no error.
 */
function outStream(fd: 1 | 2, stream: () => NodeJS.WriteStream, forcedColumns: number | undefined): OutStream {
  let closed = false;
  let waiting: NodeJS.WriteStream | undefined;
  const terminal = isatty(fd);
  const writeByStream = (bytes: Uint8Array): Promise<void> => {
    if (waiting === undefined) {
      waiting = stream();
      waiting.on('error', () => {
        closed = true;
      });
    }
    const open = waiting;
    return new Promise((done) => {
      open.write(bytes, () => done());
    });
  };
  return {
    isTTY: terminal || forcedColumns !== undefined,
    get columns() {
      return forcedColumns ?? (terminal ? stream().columns : undefined);
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
        if (waiting !== undefined) return writeByStream(bytes);
        try {
          bytes = bytes.subarray(writeSync(fd, bytes));
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === 'EAGAIN') return writeByStream(bytes);
          if (code !== 'EPIPE') throw error;
          closed = true;
        }
      }
    },
  };
}
