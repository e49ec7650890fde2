/**
 * Stages content that exists only once. Disk space is reserved before the content exists, so that a full disk or an unwritable folder is found while nothing is
 * lost. `promoteStaged` renames complete content into place after a crash.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { discard, keepOwner, stagedPath, syncDirectory } from './atomic-write.ts';
import { fileFailure } from './own-file.ts';

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
      writeAll(file, Buffer.alloc(bytes, ' '));
      fsyncSync(file);
    });
  }

  /** Replaces the file with the content. */
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
        writeAll(file, bytes);
      } catch {
        // A disk fault may pass, and the content cannot be obtained again.
        writeAll(file, bytes);
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

/** Writes everything from the beginning: a disk that fills up is an error here, not a shorter file. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
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
