import { fstatSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';

/** The capacity of a pipe: more may have to wait for the reader. */
const PIPE_BYTES = 65_536;
/** What an interrupted svc prints has to be written in this time. */
const AT_ONCE_MS = 20;

/**
 * Writes to the descriptor, which loads no stream. Output that may wait for a reader uses Node's stream: a direct write would block the process, and no signal
 * would end it.
 */
export function outStream(
  fd: 1 | 2,
  stream: () => NodeJS.WriteStream,
  signal: AbortSignal,
  forcedColumns: number | undefined,
): OutStream {
  let closed = false;
  let written = 0;
  let waiting: NodeJS.WriteStream | undefined;
  let inThread: Promise<unknown> | undefined;
  const terminal = isatty(fd);
  const broken = (error: unknown): SvcError | undefined => {
    closed = true;
    const { code, message } = error as NodeJS.ErrnoException;
    // Failures of standard error cannot be reported.
    if (fd === 2 || code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return undefined;
    const reason = message.replace(/^E\w+: |, write$/g, '');
    return new SvcError('file_unusable', `cannot write to standard output: ${reason}`, { cause: error });
  };
  let piped: boolean | undefined;
  const mayWait = (bytes: number): boolean => {
    if (waiting !== undefined || inThread !== undefined) return true;
    if (written + bytes <= PIPE_BYTES) return false;
    piped ??= isPipe(fd);
    return piped;
  };
  let unwritten = 0;
  /** Bun's own stream takes everything and keeps it in memory: a reader that does not read would go unnoticed. */
  const writeInThread = (bytes: Uint8Array): Promise<void> => {
    const before = inThread ?? Promise.resolve();
    const whole = new Promise<void>((done, fail) => {
      const interrupt = (): void => fail(signal.reason);
      if (!signal.aborted) signal.addEventListener('abort', interrupt, { once: true });
      else if (unwritten === 0) setTimeout(done, AT_ONCE_MS);
      else return fd === 2 ? done() : interrupt();
      unwritten += 1;
      const end = (error: Error | null): void => {
        unwritten -= 1;
        signal.removeEventListener('abort', interrupt);
        const failure = error ? broken(error) : undefined;
        if (failure === undefined) done();
        else fail(failure);
      };
      const next = (rest: Uint8Array): void =>
        write(fd, rest, (error, count) => {
          if (error?.code === 'EAGAIN') setTimeout(next, AT_ONCE_MS, rest);
          else if (error || count === rest.length) end(error);
          else next(rest.subarray(count));
        });
      before.then(() => next(bytes));
    });
    inThread = whole.catch(() => {});
    return whole;
  };
  const writeByStream = (bytes: Uint8Array): Promise<void> => {
    if (process.versions['bun'] !== undefined) return writeInThread(bytes);
    const open = waiting ?? stream().on('error', () => {});
    waiting = open;
    return new Promise((done, fail) => {
      // An interrupted svc does not wait for a reader. It prints only what it can write at once.
      if (signal.aborted) {
        if (open.writableLength === 0) open.write(bytes);
        return fd === 2 || open.writableLength === 0 ? done() : fail(signal.reason);
      }
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
      // A terminal without a size reports 0.
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
    restoring: (text) =>
      atExit(() => {
        try {
          writeSync(fd, text);
        } catch {
          // The terminal is gone.
        }
      }),
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

/** Whether reading or writing may have to wait for the process at the other end. */
export function isPipe(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}

/** The status of a process that a hangup ended. */
const HUNG_UP = 129;

/**
 * Runs `restore` when the process ends, unless what this returns is called before. A hangup would end it without that, so it
 * becomes an exit.
 */
export function atExit(restore: () => void): () => void {
  const hangUp = (): void => process.exit(HUNG_UP);
  process.once('exit', restore);
  process.once('SIGHUP', hangUp);
  return () => {
    process.off('exit', restore);
    process.off('SIGHUP', hangUp);
  };
}
