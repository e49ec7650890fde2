/** Files that the user names: written as a whole, over others only with --force; and pipes. */
import { accessSync, constants, linkSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { SvcError } from '../errors.ts';
import { errorCode, fileFailure } from './own-file.ts';

export interface NewFile {
  /** The option that messages name: `--svg`. */
  readonly option: string;
  readonly path: string;
  /** An existing file may be replaced. */
  readonly force: boolean;
}

/** By the end of the name in `--out`. Throws at once for another or a folder without access. */
export function outFormat<Format>(path: string, formats: Readonly<Record<string, Format>>, hint: string): Format {
  const format = formats[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new SvcError('invalid_value', `--out: ${path} does not end in a known format`, { hint });
  }
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw fileFailure(`--out: cannot write to ${dirname(path)}`, error);
  }
  return format;
}

/** Called before any work. Throws if the file exists. */
export function checkNewFile({ option, path, force }: NewFile): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new SvcError('file_unusable', `${option}: ${path} is a directory`);
  if (there !== undefined && !force) throw taken(option, path);
  // Root would replace even /dev/null with a file.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new SvcError('file_unusable', `${option}: ${path} is not a regular file`, {
      hint: `${option} - prints to standard output`,
    });
  }
}

/** Readable for everybody, as far as the user's umask allows. */
export function writeNewFile(file: NewFile, content: string, pid: number): void {
  checkNewFile(file);
  const { option, path, force } = file;
  const staged = `${path}.${pid}.new`;
  try {
    writeFileSync(staged, content, { flag: 'wx' });
    if (force) renameSync(staged, path);
    else linkSync(staged, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw taken(option, path);
    throw fileFailure(`${option}: cannot write ${path}`, error);
  } finally {
    rmSync(staged, { force: true });
  }
}

function taken(option: string, path: string): SvcError {
  return new SvcError('file_unusable', `${option}: ${path} already exists`, {
    hint: 'use another name, or pass --force',
  });
}

/** A pipe, a socket or a device: written to directly, and never replaced. */
export function isPipeOrDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Reads in chunks; the next chunk overwrites the buffer. */
export async function* pipeChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const file = await untilAborted(open(path, 'r'), signal, closeLater);
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
