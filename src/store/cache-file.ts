/** Writing of a file that may be lost at any time. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './own-file.ts';

/**
 * Under a name of its own first, so that whoever reads it meanwhile, as a <Tab> does, has the old file or the new. What cannot be
 * written is not.
 */
export function replaceCache(path: string, text: string, pid: number): void {
  const draft = `${path}.${pid}`;
  try {
    makeFolder(dirname(path));
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch {
    // It is made anew when it is wanted again.
  }
}
