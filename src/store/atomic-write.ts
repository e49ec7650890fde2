/** Replaces a file completely, or not at all. */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../errors.ts';
import { errorCode, fileFailure, writeAll } from './own-file.ts';

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

/**
 * Writes a file of mode 0600. A reader sees the old content or the new, even after a crash. The caller holds the file's lock, so an existing staged file was
 * left by a process that died, and is removed.
 */
export function writeAtomic(path: string, content: string | Uint8Array): void {
  const staged = stagedPath(path);
  try {
    const previous = statSync(path, { throwIfNoEntry: false });
    // Root could replace /dev/null.
    if (previous?.isFile() === false) throw new SvcError('file_unusable', `${path} is not a regular file`);
    rmSync(staged, { force: true });
    writeDurably(staged, content, previous);
    renameSync(staged, path);
    syncDirectory(dirname(path));
  } catch (error) {
    discard(staged);
    throw fileFailure(`cannot write ${path}`, error);
  }
}

/** Renames a staged file of another process into place. The caller holds the file's lock. */
export function replaceByStaged(path: string): void {
  const staged = stagedPath(path);
  const file = openSync(staged, 'r+');
  try {
    fchmodSync(file, 0o600);
    keepOwner(file, statSync(path, { throwIfNoEntry: false }));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(staged, path);
  syncDirectory(dirname(path));
}

/** Removes a file that must not exist afterwards. */
export function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw fileFailure(`cannot remove ${path}`, error);
  }
}

/** Removes a file that may stay. If the disk refuses that, too, the earlier failure is the one to report. */
export function discard(path: string): void {
  try {
    unlinkSync(path); // rmSync checks more, and each order takes a lock
  } catch {
    // it is not there, or the next writer tries again
  }
}

function writeDurably(path: string, content: string | Uint8Array, previous: Stats | undefined): void {
  // Exclusive creation follows no symbolic link.
  const file = openSync(path, 'wx', 0o600);
  try {
    fchmodSync(file, 0o600);
    keepOwner(file, previous);
    // Writes everything: a disk that fills up is an error here, not a shorter file.
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** `sudo svc …` must not change the owner of a user's file. */
export function keepOwner(file: number, previous: Stats | undefined): void {
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

/** For a file whose lock the caller holds, and whose earlier staged content it has promoted or removed. */
export class StagedFile {
  readonly #path: string;
  #file: number | undefined;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reserves this many bytes with spaces. Trailing spaces do not change a JSON text, and spaces alone are not JSON, so they are never promoted. */
  reserve(bytes: number): void {
    if (this.#file !== undefined) return;
    this.#guarded(() => {
      // Exclusive creation follows no symbolic link.
      const file = openSync(stagedPath(this.#path), 'wx', 0o600);
      this.#file = file;
      fchmodSync(file, 0o600);
      keepOwner(file, statSync(this.#path, { throwIfNoEntry: false }));
      writeAll(file, Buffer.alloc(bytes, ' '), 0);
      fsyncSync(file);
    });
  }

  commit(content: string): void {
    this.write(content);
    this.promote();
  }

  /**
   * Once written, the content survives any failure: it stays staged, possibly with trailing spaces, and the next owner of the lock promotes it.
   */
  write(content: string): void {
    const bytes = Buffer.from(content);
    this.reserve(bytes.length);
    const file = this.#file as number;
    this.#guarded(() => {
      try {
        writeAll(file, bytes, 0);
      } catch {
        // A disk fault may pass, and the content cannot be obtained again.
        writeAll(file, bytes, 0);
      }
    });
    this.#length = bytes.length;
  }

  /** Renames what was written into place. */
  promote(): void {
    try {
      const file = this.#file as number;
      ftruncateSync(file, this.#length);
      fsyncSync(file);
      this.#close();
      renameSync(stagedPath(this.#path), this.#path);
      syncDirectory(dirname(this.#path));
    } catch (error) {
      this.#close();
      throw fileFailure(`cannot write ${this.#path}`, error);
    }
  }

  /** Removes what was reserved or written, and not promoted. */
  release(): void {
    if (this.#file === undefined) return;
    this.#close();
    discard(stagedPath(this.#path));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.release();
      throw fileFailure(`cannot write ${this.#path}`, error);
    }
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Promotes what a process staged before it died if `isNewer` accepts its text, and removes it otherwise. The caller holds the lock. True if it was promoted.
 */
export async function promoteStaged(path: string, isNewer: (text: string) => Promise<boolean>): Promise<boolean> {
  const staged = stagedPath(path);
  try {
    if (lstatSync(staged, { throwIfNoEntry: false }) === undefined) return false;
    const text = ownText(staged);
    if (text === undefined || !(await isNewer(text))) {
      rmSync(staged, { force: true });
      return false;
    }
    renameSync(staged, path);
    syncDirectory(dirname(path));
    return true;
  } catch (error) {
    throw fileFailure(`cannot write ${path}`, error);
  }
}

/** Undefined for anything that `reserve` cannot have made: a link, a pipe, a file that others may read or write. */
function ownText(staged: string): string | undefined {
  if (!lstatSync(staged).isFile()) return undefined;
  const file = openSync(staged, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (constants.O_NOFOLLOW !== undefined && (fstatSync(file).mode & 0o077) !== 0) return undefined;
    fsyncSync(file);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
