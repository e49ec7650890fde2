/** The files and pipes a command reads. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';

/** Large enough that a gigabyte costs hashing and little else. */
const PIECE = 1 << 20;

/** A file piece by piece, read directly: a stream costs a third more. `-` is standard input. */
export async function* inputChunks(path: string, { stdin, signal }: Pick<Context, 'stdin' | 'signal'>) {
  if (path === '-') {
    if (stdin.isTTY) {
      throw new SvcError('missing_value', 'standard input is a terminal, and a file was to be read from it', {
        hint: 'pipe the file in, or name it',
      });
    }
    try {
      yield* stdin.chunks();
    } catch (error) {
      signal.throwIfAborted();
      throw unreadable('standard input', error);
    }
    return;
  }
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    yield* fileChunks(file, signal);
  } catch (error) {
    throw error instanceof SvcError ? error : unreadable(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What is appended meanwhile is not read: a recording that is replayed to its own recorder would never end. */
function* fileChunks(file: number, signal: AbortSignal): Generator<Uint8Array> {
  const facts = fstatSync(file);
  // Pipes, devices and what the kernel makes up have no size.
  let left = facts.isFile() && facts.size > 0 ? facts.size : Number.POSITIVE_INFINITY;
  const buffer = Buffer.allocUnsafe(PIECE);
  while (left > 0) {
    const count = readSync(file, buffer, 0, Math.min(PIECE, left), null);
    if (count === 0) return;
    signal.throwIfAborted();
    left -= count;
    yield buffer.subarray(0, count);
  }
}

function unreadable(what: string, error: unknown): SvcError {
  const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new SvcError('file_unusable', `cannot read ${what}: ${why}`, { cause: error });
}
