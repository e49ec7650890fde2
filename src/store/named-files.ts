/** New files that the user names: written as a whole, over others only with --force. */
import { accessSync, constants, linkSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
