/** Opening of svc's own files: a pipe or a device in the place of one is refused, and never waited for. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errorCode } from './file-failure.ts';

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_TRUNC, O_NONBLOCK = 0 } = constants;

const FLAGS = {
  r: O_RDONLY,
  'r+': O_RDWR,
  'a+': O_RDWR | O_APPEND | O_CREAT,
  w: O_RDWR | O_CREAT,
  wx: O_RDWR | O_CREAT | O_EXCL | O_TRUNC,
} as const;

/** Descriptor of a regular file; EFTYPE for anything else. `w` does not empty it: the caller does, once it is known to be one. */
export function openOwnFile(path: string, flags: keyof typeof FLAGS, mode = 0o600): number {
  let file: number | undefined;
  try {
    file = openSync(path, FLAGS[flags] | O_NONBLOCK, mode);
    if (fstatSync(file).isFile()) return file;
  } catch (error) {
    // A socket cannot be opened, and a directory not for writing.
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
