/** Replaces a file completely, or not at all. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../errors.ts';
import type { Lock } from './lock.ts';
import { discard, errorCode, fileFailure, writeAll } from './own-file.ts';

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
  readonly lock: Lock;
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
export function replaceByStaged(path: string, lock: Lock): void {
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
