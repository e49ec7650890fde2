/** Standard input, standard output and standard error. */
import { fstatSync, readSync, write, writeSync } from 'node:fs';
import type { NetConnectOpts, Socket, SocketConstructorOpts } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';

/** The capacity of a Linux pipe: more may have to wait for the reader. */
const PIPE_BYTES = 65_536;
/** What an interrupted svc prints has to be written in this time. */
const AT_ONCE_MS = 20;

/** Loads node:tty, which takes 3 ms, only for a device: no pipe and no file is a terminal. */
export function isTerminal(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice()) return false;
  } catch {
    return false; // closed
  }
  return process.getBuiltinModule('node:tty').isatty(fd);
}

/**
 * Writes to the descriptor, which loads no stream. Where a reader may be slow it uses Node's: a
 * direct write would block the process, and no signal would end it.
 */
export function outStream(
  fd: 1 | 2,
  stream: () => NodeJS.WriteStream,
  signal: AbortSignal,
  forcedColumns: number | undefined,
): OutStream {
  let terminal: boolean | undefined;
  const output: Output = {
    fd,
    stream,
    signal,
    closed: false,
    written: 0,
    waiting: 0,
    send: undefined,
    get isTTY() {
      terminal ??= isTerminal(fd);
      return terminal || forcedColumns !== undefined;
    },
    get columns() {
      // A terminal without a size reports 0.
      return forcedColumns ?? (this.isTTY ? stream().columns || undefined : undefined);
    },
    get rows() {
      return this.isTTY ? stream().rows || undefined : undefined;
    },
    onResize(handler) {
      if (!this.isTTY) return () => {};
      const terminalStream = stream().on('resize', handler);
      return () => {
        terminalStream.off('resize', handler);
      };
    },
    restoring(text, again) {
      const leave = (): void => {
        try {
          writeSync(fd, text);
        } catch {
          // The terminal is gone.
        }
      };
      return atExit(leave, again);
    },
    get colorDepth() {
      const bits = this.isTTY ? (stream().getColorDepth?.() ?? 1) : 1;
      if (bits >= 24) return 3;
      if (bits >= 8) return 2;
      return bits >= 4 ? 1 : 0;
    },
    async write(chunk) {
      let bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      while (bytes.length > 0 && !output.closed) {
        const mayWait = output.send !== undefined || (output.written + bytes.length > PIPE_BYTES && isPipe(fd));
        const count = mayWait ? undefined : writeAtOnce(output, bytes);
        if (count === undefined) return writeWaiting(output, bytes);
        bytes = bytes.subarray(count);
      }
    },
  };
  return output;
}

/** What is known while svc writes. */
interface Output extends OutStream {
  readonly fd: 1 | 2;
  readonly stream: () => NodeJS.WriteStream;
  readonly signal: AbortSignal;
  closed: boolean;
  /** Bytes that were written directly. */
  written: number;
  /** Writes that wait for the reader. */
  waiting: number;
  /** Set by the first write that waits: all later ones follow it. */
  send: Send | undefined;
}

/** Returns how many bytes were written; undefined if the reader has to read first. */
function writeAtOnce(output: Output, bytes: Uint8Array): number | undefined {
  try {
    const count = writeSync(output.fd, bytes);
    output.written += count;
    return count;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    const failure = closeBroken(output, error);
    if (failure !== undefined) throw failure;
    return 0;
  }
}

function writeWaiting(output: Output, bytes: Uint8Array): Promise<void> {
  const { fd, stream, signal } = output;
  output.send ??= process.versions['bun'] === undefined ? throughStream(stream()) : throughThread(fd);
  const { send } = output;
  return new Promise((done, fail) => {
    const interrupt = (): void => fail(signal.reason);
    // An interrupted svc does not wait for a reader. It prints only what it can write at once.
    const giveUp = fd === 2 ? done : interrupt;
    if (signal.aborted && output.waiting > 0) return giveUp();
    const timer = signal.aborted ? setTimeout(giveUp, AT_ONCE_MS) : undefined;
    signal.addEventListener('abort', interrupt, { once: true });
    output.waiting += 1;
    send(bytes, (error) => {
      output.waiting -= 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      const failure = error ? closeBroken(output, error) : undefined;
      if (failure === undefined) done();
      else fail(failure);
    });
  });
}

/** Returns what to report, if anything. */
function closeBroken(output: Output, error: unknown): SvcError | undefined {
  output.closed = true;
  const { code, message } = error as NodeJS.ErrnoException;
  // Failures of standard error cannot be reported.
  if (output.fd === 2 || code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return undefined;
  const reason = message.replace(/^E\w+: |, write$/g, '');
  return new SvcError('file_unusable', `cannot write to standard output: ${reason}`, { cause: error });
}

/** Calls `ended` when the bytes are written. Bytes that are handed over later are written later. */
type Send = (bytes: Uint8Array, ended: (error?: Error | null) => void) => void;

function throughStream(stream: NodeJS.WriteStream): Send {
  stream.on('error', () => {});
  return (bytes, ended) => void stream.write(bytes, ended);
}

/** For bun, whose stream takes everything into memory: nobody would notice a stopped reader. */
function throughThread(fd: number): Send {
  let last = Promise.resolve();
  const writeAll = (bytes: Uint8Array): Promise<Error | null> =>
    new Promise((done) => {
      const next = (rest: Uint8Array): void =>
        write(fd, rest, (error, count) => {
          if (error?.code === 'EAGAIN') setTimeout(next, AT_ONCE_MS, rest);
          else if (error || count === rest.length) done(error);
          else next(rest.subarray(count));
        });
      next(bytes);
    });
  return (bytes, ended) => {
    last = last.then(() => writeAll(bytes)).then(ended);
  };
}

/** Whether reading or writing may have to wait for the process at the other end. */
export function isPipe(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}

/** The status of a process that a hangup ended. */
const HUNG_UP = 129;

/**
 * Runs `restore` when the process ends or is suspended, and `again` when it continues, until the
 * result is called. A hangup would end it without that, so it becomes an exit.
 */
function atExit(restore: () => void, again: () => void): () => void {
  const hangUp = (): void => process.exit(HUNG_UP);
  const suspend = (): void => {
    restore();
    queueMicrotask(again);
    // All others have to restore the terminal before.
    if (process.listeners('SIGTSTP').at(-1) === suspend) stopProcess();
  };
  process.once('exit', restore).once('SIGHUP', hangUp).on('SIGTSTP', suspend);
  return () => void process.off('exit', restore).off('SIGHUP', hangUp).off('SIGTSTP', suspend);
}

/** Returns when the process continues, or at once where no shell could continue it. */
function stopProcess(): void {
  const handlers = process.listeners('SIGTSTP');
  process.removeAllListeners('SIGTSTP');
  process.kill(process.pid, 'SIGTSTP');
  for (const handler of handlers) process.on('SIGTSTP', handler);
}

/** From its descriptor, but with Node's stream where a signal must end a wait for a writer. */
export async function* stdinChunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (isPipe(0)) {
    yield* stdinUntil(signal);
    signal.throwIfAborted();
    return;
  }
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let piece = 1, count = readSync(0, buffer); count > 0; piece += 1, count = readSync(0, buffer)) {
    // A device may never end, and a signal arrives only between two turns of the event loop.
    if (piece % 64 === 0) await setImmediate();
    signal.throwIfAborted();
    yield buffer.subarray(0, count);
  }
}

/** Can be canceled while it waits, unlike a read of the descriptor. */
export async function* stdinUntil(over: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (over.aborted) return;
  // bun, which runs the executables, does not read into a buffer of the caller.
  const buffered = isPipe(0) && process.versions['bun'] === undefined;
  const stream = buffered ? await pipedInput() : { source: process.stdin, chunks: process.stdin };
  const giveUp = (): void => void stream.source.destroy();
  over.addEventListener('abort', giveUp, { once: true });
  if (over.aborted) giveUp(); // while the pipe was opened
  try {
    for await (const chunk of stream.chunks) yield chunk as Uint8Array;
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    over.removeEventListener('abort', giveUp);
    giveUp();
  }
}

/**
 * Reads a pipe through one buffer, which the next chunk overwrites. Node's stream allocates one per
 * chunk: for a gigabyte, a quarter more time and twice the memory.
 */
async function pipedInput(): Promise<{ readonly source: Socket; readonly chunks: AsyncIterable<Uint8Array> }> {
  const { Socket } = await import('node:net');
  const buffer = Buffer.allocUnsafeSlow(PIPE_BYTES);
  let count = 0;
  let over = false;
  let failure: Error | undefined;
  let wake = (): void => {};
  const callback = (read: number): false => {
    count = read;
    wake();
    return false; // no more until it is asked for
  };
  const end = (): void => {
    over = true;
    wake();
  };
  const options: SocketConstructorOpts & Pick<NetConnectOpts, 'onread'> = {
    fd: 0,
    readable: true,
    writable: false,
    onread: { buffer, callback },
  };
  const source = new Socket(options);
  source.on('end', end).on('close', end);
  source.on('error', (error) => {
    failure = error;
  });
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      if (count === 0 && !over) {
        await new Promise<void>((come) => {
          wake = come;
        });
      }
      if (count === 0) break;
      yield buffer.subarray(0, count);
      count = 0;
      source.resume();
    }
    if (failure !== undefined) throw failure;
  }
  return { source, chunks: chunks() };
}

export const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/** A character, or the sequence of an arrow or a function key. */
const KEYS = /\u001b(?:[[O][0-9;?]*[ -/]*[@-~]|[^\u001b[O])|[\s\S]/gu;
/** The beginning of a sequence, whose rest may still be on its way. */
const CUT_SHORT = /\u001b(?:[[O][0-9;?]*)?$/;
/** A key that begins as sequences do, Escape, is one if nothing follows in this time. */
const REST_MS = 50;

export function takeKeys(handler: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const give = (text: string): void => {
    for (const [key] of text.matchAll(KEYS)) {
      if (key !== CTRL_Z) handler(key);
      // As the terminal would: also to a program that started svc and waits for it.
      else if (process.platform !== 'win32') process.kill(0, 'SIGTSTP');
    }
  };
  const flush = (): void => {
    const text = pending;
    pending = '';
    give(text);
  };
  const read = (chunk: Buffer): void => {
    clearTimeout(timer);
    const text = pending + decoder.write(chunk);
    pending = CUT_SHORT.exec(text)?.[0] ?? '';
    give(text.slice(0, text.length - pending.length));
    if (pending !== '') timer = setTimeout(flush, REST_MS);
  };
  const ignore = (): void => {}; // a closed terminal: its hangup ends the process
  const restore = (): void => void stdin.setRawMode(false);
  const forget = atExit(restore, () => void stdin.setRawMode(true));
  stdin.setRawMode(true).on('data', read).on('error', ignore);
  return () => {
    clearTimeout(timer);
    forget();
    restore();
    stdin.off('data', read).off('error', ignore).pause();
  };
}
