/** Where the tests keep the files of whom svc runs for. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** More than all of them together take at any time. */
const BYTES = 48 * 2 ** 20;

/** In memory where that is to be had: svc waits for the disk whenever it writes, which is thousands of times here. */
export const SCRATCH = isLargeEnough(MEMORY) ? MEMORY : tmpdir();

function isLargeEnough(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= BYTES;
  } catch {
    return false;
  }
}
