/** svc's own files and folders: how they are opened and created, and the messages if that fails. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../errors.ts';

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_TRUNC, O_NONBLOCK = 0 } = constants;

const FLAGS = {
  r: O_RDONLY,
  'r+': O_RDWR,
  'a+': O_RDWR | O_APPEND | O_CREAT,
  w: O_RDWR | O_CREAT,
  wx: O_RDWR | O_CREAT | O_EXCL | O_TRUNC,
} as const;

/**
 * A regular file; EFTYPE for anything else: a pipe or a device is refused, never waited for. `w`
 * does not truncate: the caller does, once it is known to be a file.
 */
export function openOwnFile(path: string, flags: keyof typeof FLAGS, mode = 0o600): number {
  let file: number | undefined;
  try {
    file = openSync(path, FLAGS[flags] | O_NONBLOCK, mode);
    if (fstatSync(file).isFile()) return file;
  } catch (error) {
    // A socket cannot be opened, nor a directory for writing.
    if (!['ENXIO', 'EISDIR'].includes(errorCode(error) ?? '')) throw error;
  }
  if (file !== undefined) closeSync(file);
  throw Object.assign(new Error('EFTYPE: not a regular file, open'), { code: 'EFTYPE' });
}

export function readOwnFile(path: string): Buffer {
  const file = openOwnFile(path, 'r');
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Like `mkdir -p -m 700`. Node's never returns where no folder can be made, as in `/proc`. */
export function makeFolder(path: string): void {
  try {
    make(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    make(path);
  }
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes from a position of the file on; null is where the file is. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  }
}

const TAIL_BYTES = 64 * 1024;

/** The offset after the last line feed. */
export function endOfLastLine(file: number, size: number): number {
  const buffer = Buffer.alloc(TAIL_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - buffer.length);
    const count = readSync(file, buffer, 0, end - start, start);
    const at = buffer.subarray(0, count).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

/** The 3 of `/dev/fd/3`, as of a shell's `<(…)`. Not every kind can be opened by its name. */
export function descriptorOf(path: string): number | undefined {
  const [, digits] = /^\/dev\/fd\/(\d{1,9})$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The code of a system error: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A system error as a user can act on it: `cannot write /a/b: no space left on device`. */
export function fileFailure(what: string, error: unknown, hint?: string): SvcError {
  if (error instanceof SvcError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // Node's form is "ENOSPC: no space left on device, write '/a/b'".
  const usual = /^E[A-Z0-9]+: (.+?)(?:, \w+.*)?$/s.exec(text)?.[1] ?? text;
  const reason = errorCode(error) === 'EISDIR' ? 'it is a directory' : usual;
  return new SvcError('file_unusable', `${what}: ${reason}`, { cause: error, hint });
}

/** Removes a file that may stay. If that fails, too, the earlier failure is the one to report. */
export function discard(path: string): void {
  try {
    unlinkSync(path); // rmSync checks more, and each order takes a lock
  } catch {
    // it is not there, or the next writer tries again
  }
}
