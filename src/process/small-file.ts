import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Reads a file that the user named, whatever kind it is. Opening a pipe waits for its writer and blocks the process; `deaf` then
 * runs it without svc's own handlers, so that a signal ends the process at once. Rejects more than `limit` bytes with EFBIG.
 */
export function readSmallFile(
  file: string | number,
  limit: number,
  deaf: <T>(work: () => T) => T = (work) => work(),
): Buffer {
  const stats = typeof file === 'number' ? fstatSync(file) : statSync(file);
  return stats.isFile() ? readUpTo(file, limit) : deaf(() => readUpTo(file, limit));
}

/**
 * Whether it is the user's own file, and its mode lets others read it. Nothing is wrong with a pipe, with a file that another user
 * provides, such as a mounted secret, or on Windows, which has no modes.
 */
export function isReadableByOthers(path: string): boolean {
  if (process.platform === 'win32' || /^\/(?:dev\/(?:fd\/|std)|proc\/)/.test(path)) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o044) !== 0;
}

function readUpTo(file: string | number, limit: number): Buffer {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(limit + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0) return Buffer.from(buffer.subarray(0, length));
      length += count;
    }
  } finally {
    if (descriptor !== file) closeSync(descriptor);
  }
  throw Object.assign(new Error(`EFBIG: larger than ${limit} bytes, read`), { code: 'EFBIG' });
}
