/** The only context that is the running process: everything from outside comes through here. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { posix, win32 } from 'node:path';
import timers from 'node:timers/promises';
import type { Context, Paths, Prompter } from '../context.ts';
import { interruptionOf } from '../errors.ts';
import { CTRL_C, isTerminal, outStream, stdinChunks, stdinUntil, takeKeys } from './streams.ts';

const SMALL_FILE = 1 << 20;

export function processContext(): Context {
  // Node would pass rejections to the first of them. bun, which runs the executables, does not.
  process.on('uncaughtException', exitAfterBug).on('unhandledRejection', exitAfterBug);
  // Node 22 and later warn on stderr if both are set. An empty one counts as unset.
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR !== undefined && FORCE_COLOR !== undefined) delete process.env[NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR'];
  const { signal, stop, takeSignals } = handleSignals();
  const columns = Math.max(0, Number.parseInt(process.env['SVC_FORCE_TTY'] ?? '', 10)) || undefined;
  return {
    stdin: {
      get isTTY() {
        return isTerminal(0);
      },
      chunks: () => stdinChunks(signal),
      chunksUntil: stdinUntil,
      onKey: (handler) => takeKeys((key) => (key === CTRL_C ? stop('SIGINT') : handler(key))),
    },
    stdout: outStream(1, () => process.stdout, signal, columns),
    stderr: outStream(2, () => process.stderr, signal, undefined),
    env: process.env,
    paths: resolvePaths(process.env, process.platform, findHome()),
    identity: () => `${userName()}@${hostname()}`,
    pid: process.pid,
    nodeMajor: Number.parseInt(process.versions.node, 10),
    // Only the executables run on bun: the running program is the executable, not a script.
    self: process.versions['bun'] === undefined ? [process.execPath, process.argv[1] ?? ''] : [process.execPath],
    now: Date.now,
    random: Math.random,
    sleep,
    signal,
    takeSignals,
    readFile(file) {
      const stats = typeof file === 'number' ? fstatSync(file) : statSync(file);
      if (stats.isFile()) return readSmallFile(file, SMALL_FILE);
      // Opening a pipe blocks until its writer comes: without these handlers, a signal ends it.
      process.off('SIGINT', stop).off('SIGTERM', stop);
      try {
        return readSmallFile(file, SMALL_FILE);
      } finally {
        process.on('SIGINT', stop).on('SIGTERM', stop);
      }
    },
    isReadableByOthers,
    prompter: process.env['TERM'] === 'dumb' ? undefined : prompter(signal),
    openBrowser: async (url) => (await import('./browser.ts')).openBrowser(url),
  };
}

/** How signals end this process, or go to a command that runs another program. */
function handleSignals() {
  const stopped = new AbortController();
  const { signal } = stopped;
  let taker: Parameters<Context['takeSignals']>[0] | undefined;
  // If one of the streams is a terminal. Its Ctrl-C cannot be distinguished from kill -INT.
  let atTerminal = false;
  const hangUp = () => taker?.('SIGHUP', atTerminal);
  const stop = (name: 'SIGINT' | 'SIGTERM') => {
    if (taker !== undefined) {
      taker(name, name === 'SIGINT' && atTerminal);
      return;
    }
    const reason = interruptionOf(name);
    // After the second signal, the person does not want to wait for a clean end.
    if (signal.aborted) process.exit(reason.exit);
    stopped.abort(reason);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const takeSignals: Context['takeSignals'] = (handler) => {
    const before = taker;
    taker = handler;
    if (before === undefined) {
      atTerminal = isTerminal(0) || isTerminal(1) || isTerminal(2);
      // Without a listener, closing the terminal ends the process: right for other commands.
      process.on('SIGHUP', hangUp);
    }
    return () => {
      taker = before;
      if (before === undefined) process.removeListener('SIGHUP', hangUp);
    };
  };
  return { signal, stop, takeSignals };
}

/** The last resort: no stack trace, no source and no remote text. */
function exitAfterBug(error: unknown): never {
  const name = error instanceof Error && /^\w{1,40}$/.test(error.name) ? error.name : 'unknown error';
  try {
    writeSync(2, `svc: a bug in svc: ${name}\n`);
  } catch {
    // The status says it.
  }
  process.exit(70);
}

/** Containers often use a uid without an entry in the password file. */
function userName(): string {
  try {
    // bun, which runs the executables, takes the name from the environment, or says `unknown`.
    return (process.versions['bun'] && passwordEntry(process.geteuid?.())) || userInfo().username;
  } catch {
    return process.env['USER'] || 'unknown';
  }
}

/** The name of a uid in the password file. */
function passwordEntry(uid: number | undefined): string | undefined {
  if (uid === undefined || !existsSync('/etc/passwd')) return undefined;
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n');
  return entries.map((entry) => entry.split(':')).find(([, , id]) => id === String(uid))?.[0];
}

/** Empty if neither the environment nor the password file has one. An empty `HOME` is none. */
function findHome(): string {
  try {
    return homedir() || userInfo().homedir;
  } catch {
    return '';
  }
}

/** A timer of more milliseconds would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Rejects with the reason of the signal. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    let left = ms;
    do {
      await timers.setTimeout(Math.min(left, LONGEST_TIMER), undefined, { signal });
      left -= LONGEST_TIMER;
    } while (left > 0);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * True only for a regular file of the user. Not for pipes, files of other users, such as mounted
 * secrets, and Windows, which has no modes.
 */
export function isReadableByOthers(path: string): boolean {
  if (process.platform === 'win32' || /^\/(?:dev\/(?:fd\/|std)|proc\/)/.test(path)) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o044) !== 0;
}

/** A file of any kind that the user named. Throws EFBIG for more than `limit` bytes. */
export function readSmallFile(file: string | number, limit: number): Buffer {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(limit + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0) return Buffer.from(buffer.subarray(0, length));
      length += count;
    }
  } finally {
    if (descriptor !== file) closeSync(descriptor);
  }
  throw Object.assign(new Error(`EFBIG: larger than ${limit} bytes, read`), { code: 'EFBIG' });
}

/**
 * The XDG directories, or `%APPDATA%` and `%LOCALAPPDATA%` on Windows; `SVC_CONFIG_DIR` as given
 * for the configuration. A relative XDG variable is ignored, as its specification requires, and a
 * home that is not absolute is the root: no file is found by accident in the working directory.
 */
export function resolvePaths(env: Context['env'], platform: string, home: string): Paths {
  const path = platform === 'win32' ? win32 : posix;
  const base = path.isAbsolute(home) ? home : path.parse(path.resolve('/')).root;
  const folderOf = (variable: string, ...otherwise: string[]): string => {
    const value = env[variable];
    return value !== undefined && path.isAbsolute(value) ? value : path.join(base, ...otherwise);
  };
  const chosen = env['SVC_CONFIG_DIR'] ? path.resolve(env['SVC_CONFIG_DIR']) : undefined;
  if (platform === 'win32') {
    const local = folderOf('LOCALAPPDATA', 'AppData', 'Local');
    const config = chosen ?? path.join(folderOf('APPDATA', 'AppData', 'Roaming'), 'svc');
    return { config, state: path.join(local, 'svc', 'state') };
  }
  return {
    config: chosen ?? path.join(folderOf('XDG_CONFIG_HOME', '.config'), 'svc'),
    state: path.join(folderOf('XDG_STATE_HOME', '.local', 'state'), 'svc'),
  };
}

/** How many choices are shown at a time. */
const PAGE = 12;

type Prompts = typeof import('@inquirer/prompts');
type PromptContext = NonNullable<Parameters<Prompts['confirm']>[1]>;

/** Asks on standard error, so that what is printed stays data. */
function prompter(signal: AbortSignal): Prompter {
  const ask = async <T>(
    show: (prompts: Prompts, context: PromptContext) => Promise<T>,
    ended: AbortSignal = signal,
  ): Promise<T> => {
    const { stdin: input, stderr: output } = process;
    const continued = new AbortController();
    const context = { input, output, signal: AbortSignal.any([ended, continued.signal]), clearPromptOnDone: false };
    // After Ctrl-Z, the library reads no more keys and draws nothing: the question is asked again.
    const goOn = (): void => continued.abort();
    // Of a question without an answer nothing stays on the screen. The library reads this when the question ends.
    const clear = (): void => {
      context.clearPromptOnDone = true;
    };
    const onKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined): void => {
      if (key?.ctrl && (key.name === 'c' || key.name === 'd')) clear();
    };
    input.on('keypress', onKey);
    signal.addEventListener('abort', clear, { once: true });
    process.on('SIGCONT', goOn);
    try {
      return await show(await import('@inquirer/prompts'), context);
    } catch (error) {
      signal.throwIfAborted();
      if (continued.signal.aborted && !ended.aborted) return await ask(show, ended);
      // Ctrl-C at a prompt is a key, not a signal, and ends the command all the same.
      if (error instanceof Error && error.name === 'ExitPromptError') throw interruptionOf('SIGINT');
      throw error;
    } finally {
      process.off('SIGCONT', goOn);
      input.off('keypress', onKey);
      signal.removeEventListener('abort', clear);
    }
  };
  return {
    confirm: (message) => ask((prompts, context) => prompts.confirm({ message, default: false }, context)),
    text: ({ question: message, check, ...rest }) =>
      ask((prompts, context) =>
        prompts.input({ message, validate: (text) => check?.(text) ?? true, ...rest }, context),
      ),
    secret: (message, withdrawn) =>
      ask(
        (prompts, context) => prompts.password({ message, mask: false, toggleMask: false }, context),
        withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn]),
      ),
    select: (message, choices) =>
      ask((prompts, context) => prompts.select({ message, choices, pageSize: PAGE, loop: false }, context)),
    search: (message, find) =>
      ask((prompts, context) =>
        prompts.search(
          { message, pageSize: PAGE, source: async (typed, { signal: changed }) => await find(typed ?? '', changed) },
          context,
        ),
      ),
    checkbox: (message, choices) =>
      ask((prompts, context) =>
        prompts.checkbox({ message, choices, required: true, pageSize: PAGE, loop: false }, context),
      ),
  };
}
