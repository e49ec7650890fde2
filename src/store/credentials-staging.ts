/**
 * The next content of a file whose content cannot be had twice. Its room is taken before the content exists: a disk that is full, or a
 * folder that cannot be written, is found out while nothing is lost. Complete and not yet renamed, it is what `promoteStaged` brings
 * into place after a crash.
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

/** Of a file whose lock the caller holds, and whose earlier staged content it has promoted or removed. */
export class StagedFile {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes this many bytes. Blanks behind a JSON text change nothing, and blanks alone are none: it is never promoted so. */
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

  /**
   * Puts the content in the file's place. Once it is written, no failure takes it away: it stays staged, with blanks behind it at
   * worst, and the next owner of the lock brings it into place.
   */
  commit(content: string): void {
    const bytes = Buffer.from(content);
    this.reserve(bytes.length);
    const file = this.#file as number;
    this.#guarded(() => {
      try {
        writeAll(file, bytes);
      } catch {
        // A fault of a disk may pass, and what is to be written cannot be had twice.
        writeAll(file, bytes);
      }
    });
    try {
      ftruncateSync(file, bytes.length);
      fsyncSync(file);
      this.#close();
      renameSync(stagedPath(this.#path), this.#path);
      syncDirectory(dirname(this.#path));
    } catch (error) {
      this.#close();
      throw fileFailure(`cannot write ${this.#path}`, error);
    }
  }

  /** Gives the room back where nothing was committed. */
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

/** From the beginning, and all of it: a disk that fills up half-way is an error here, not a shorter file. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}

/**
 * Brings what a process staged before it died into place where `isNewer` says so of its text, and removes it else. The caller holds the
 * lock. True where it was promoted.
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

/** Undefined for what `reserve` cannot have made: a link, a pipe, a file that others may read or write. */
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
