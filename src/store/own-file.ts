/** svc's own files and folders: how they are opened and created, and the messages if that fails. */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
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

/** The target of a symbolic link, so that the link stays and all its names share one lock. */
export function realTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw fileFailure(`cannot use ${path}`, error);
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new SvcError('file_unusable', `${path} is a symbolic link to a file that does not exist`, {
      hint: 'remove the link, or create the file it points to',
    });
  }
  return path;
}

/** Where the next content is written until it is complete: `<path>.new`. */
export function stagedPath(path: string): string {
  return `${path}.new`;
}

/** The open staged file of this process. Its inode is not used again while it is open. */
export type Reserved = number;

/** For a file that several processes share: its lock, and the space reserved for it. */
interface Shared {
  /** `check` throws if another process took the lock over. */
  readonly lock: { check(): void };
  readonly reserved?: Reserved | undefined;
}

/**
 * Writes a file of mode 0600; readers see old or new content, even after a crash. Removes what a
 * dead process staged. If the lock was lost, nothing is written or removed.
 */
export function writeAtomic(
  path: string,
  content: string | Uint8Array,
  { lock, reserved }: Partial<Shared> = {},
): void {
  const staged = stagedPath(path);
  let file = reserved;
  try {
    lock?.check();
    if (file === undefined || !isAt(file, staged)) {
      if (file !== undefined) closeSync(file);
      file = undefined;
      file = createStaged(path);
    }
    fill(file, content);
    lock?.check();
    if (!isAt(file, staged)) throw new SvcError('file_unusable', `another process writes ${path}`);
    renameSync(staged, path);
    syncDirectory(dirname(path));
  } catch (error) {
    if (file !== undefined && isAt(file, staged)) discard(staged);
    throw fileFailure(`cannot write ${path}`, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Takes disk space in the staged file, until `writeAtomic` or `giveBack` gets it. */
export function reserve(path: string, bytes: number): Reserved {
  let file: number | undefined;
  try {
    file = createStaged(path);
    fill(file, ' '.repeat(bytes));
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    discard(stagedPath(path));
    throw fileFailure(`cannot write ${path}`, error);
  }
}

/** Removes the staged file of this process, but not that of another one that took over the lock. */
export function giveBack(path: string, reserved: Reserved): void {
  if (isAt(reserved, stagedPath(path))) discard(stagedPath(path));
  closeSync(reserved);
}

/** Whether this path still names the open file. */
function isAt(file: number, path: string): boolean {
  const { ino, dev } = fstatSync(file);
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === ino && found.dev === dev;
}

/** Renames a staged file that a library wrote into place. */
export function replaceByStaged(path: string, lock: Shared['lock']): void {
  const staged = stagedPath(path);
  const file = openSync(staged, 'r+');
  try {
    fchmodSync(file, 0o600);
    keepOwner(file, statSync(path, { throwIfNoEntry: false }));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  lock.check();
  renameSync(staged, path);
  syncDirectory(dirname(path));
}

function createStaged(path: string): number {
  const staged = stagedPath(path);
  const previous = statSync(path, { throwIfNoEntry: false });
  // Root could replace /dev/null.
  if (previous?.isFile() === false) throw new SvcError('file_unusable', `${path} is not a regular file`);
  rmSync(staged, { force: true });
  // Exclusive creation follows no symbolic link.
  const file = openSync(staged, 'wx', 0o600);
  try {
    fchmodSync(file, 0o600);
    keepOwner(file, previous);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Writes everything: a disk that fills up is an error here, not a shorter file. */
function fill(file: number, content: string | Uint8Array): void {
  const bytes = Buffer.from(content as string);
  writeAll(file, bytes, 0);
  ftruncateSync(file, bytes.length);
  fsyncSync(file);
}

/** `sudo svc …` must not change the owner of a user's file. */
function keepOwner(file: number, previous: Stats | undefined): void {
  if (previous === undefined) return;
  try {
    fchownSync(file, previous.uid, previous.gid);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
}

/** Makes the rename durable if the platform can. */
export function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EACCES', 'EISDIR'].includes(errorCode(error) ?? '')) throw error;
  }
}
