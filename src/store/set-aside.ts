/** A file of ours that cannot be used is kept beside its place: a person may still need what is in it. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileFailure } from './file-failure.ts';

/** How many of them are kept. */
const MOST_SET_ASIDE = 3;

/** Returns its new path. The caller holds the file's lock. */
export function setAside(path: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, '');
  let aside = `${path}.corrupt-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.corrupt-${stamp}-${n}`;
  try {
    renameSync(path, aside);
    const all = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.corrupt-`));
    for (const name of all.sort().slice(0, -MOST_SET_ASIDE)) rmSync(join(dirname(path), name), { force: true });
  } catch (error) {
    throw fileFailure(`cannot set ${path} aside`, error);
  }
  return aside;
}
