/** The files and pipes a command reads. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isPipeOrDevice, pipeChunks } from '../store/pipes.ts';

/** Large enough that a gigabyte costs hashing and little else. */
const PIECE = 1 << 20;
const PIECES_PER_TURN = 64;
/** More than any file that is read whole needs to be. */
const LARGEST_WHOLE = 512 << 20;

/** A file piece by piece, read directly: a stream costs a third more. `-` is standard input. */
export async function* inputChunks(path: string, { stdin, signal }: Pick<Context, 'stdin' | 'signal'>) {
  if (path === '-' && stdin.isTTY) {
    throw new SvcError('missing_value', 'standard input is a terminal, and a file was to be read from it', {
      hint: 'pipe the file in, or name it',
    });
  }
  try {
    if (path === '-') yield* stdin.chunks();
    else yield* isPipeOrDevice(path) ? pipeChunks(path, signal) : fileChunks(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) throw error;
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new SvcError('file_unusable', `cannot read ${inputName(path)}: ${why}`, { cause: error });
  }
}

function inputName(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** What is appended meanwhile is not read: a recording that is replayed to its own recorder would never end. */
async function* fileChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    // What the kernel makes up has no size.
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

/** The same as one piece. */
export async function wholeInput(path: string, context: Pick<Context, 'stdin' | 'signal'>): Promise<Buffer> {
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
