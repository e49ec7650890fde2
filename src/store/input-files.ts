/** Input that the user names: a file, a pipe, a device, or standard input. */
import { closeSync, fstatSync, openSync, promises, readSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { fileFailure } from './own-file.ts';

/** Large enough that hashing dominates the cost of a gigabyte. */
const PIECE = 1 << 20;
const PIECES_PER_TURN = 64;
/** More than any file that svc reads into memory needs. */
const LARGEST_WHOLE = 512 << 20;

/** Reads a file in chunks, directly: a stream costs a third more. `-` is standard input. */
export async function* inputChunks(path: string, { stdin, signal }: Pick<Context, 'stdin' | 'signal'>) {
  if (path === '-' && stdin.isTTY) {
    throw new SvcError('missing_value', 'standard input is a terminal, but a file is expected', {
      hint: 'pipe the file in, or name it',
    });
  }
  try {
    if (path === '-') yield* stdin.chunks();
    else yield* isPipeOrDevice(path) ? pipeChunks(path, signal) : readFileChunks(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fileFailure(`cannot read ${inputName(path)}`, error);
  }
}

function inputName(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** Not beyond its size at the start: a recording replayed to its own recorder would never end. */
async function* readFileChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    // Files of the kernel, such as those in /proc, have no size.
    let left = size > 0 ? size : Number.POSITIVE_INFINITY;
    const buffer = Buffer.allocUnsafe(PIECE);
    for (let piece = 1; left > 0; piece += 1) {
      const count = readSync(file, buffer, 0, Math.min(PIECE, left), null);
      if (count === 0) return;
      // A signal arrives only between two turns of the event loop.
      if (piece % PIECES_PER_TURN === 0) await setImmediate();
      signal.throwIfAborted();
      left -= count;
      yield buffer.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

export async function readInput(path: string, context: Pick<Context, 'stdin' | 'signal'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of inputChunks(path, context)) {
    size += piece.length;
    if (size > LARGEST_WHOLE) {
      throw new SvcError('file_unusable', `${inputName(path)} is larger than ${LARGEST_WHOLE >> 20} MiB`);
    }
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

function isPipeOrDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Reads in chunks; the next chunk overwrites the buffer. */
async function* pipeChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  // Of node:fs, which loads node:fs/promises at its first use.
  const file = await untilAborted(promises.open(path, 'r'), signal, closeLater);
  try {
    const buffer = Buffer.allocUnsafe(65_536);
    for (;;) {
      const { bytesRead } = await untilAborted(file.read(buffer, 0, buffer.length, null), signal);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeLater(file);
  }
}

/** Nothing waits for it: a blocked read keeps the file open. */
function closeLater(file: FileHandle): void {
  file.close().catch(() => {});
}

/** Rejects with the signal's reason at once. A later result goes to `late`. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal, late: (result: T) => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      work.then(late, () => {});
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
