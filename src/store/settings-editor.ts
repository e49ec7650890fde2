/** Changes settings.json: under its lock, from what it holds at that moment, as a whole or not at all. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { discard, realTarget, replaceByStaged, stagedPath, writeAtomic } from './atomic-write.ts';
import { type LockContext, withLock } from './lock.ts';
import { fileFailure } from './own-file.ts';
import { readSettingsBytes, readSettingsFile, type SettingsDocument, settingsPath } from './settings-file.ts';

/** Keeps whatever `change` keeps, keys that svc does not know included. */
export async function changeSettings(
  paths: Paths,
  context: LockContext,
  change: (document: SettingsDocument) => SettingsDocument,
): Promise<void> {
  await withSettingsLock(paths, context, (path) => replaceByConf(path, change(readSettingsFile(path).document)));
}

/**
 * Puts `next` in the place of a file that still holds `expected` (undefined: there is none), which may be broken; false where
 * it holds something else by now.
 */
export async function replaceSettings(
  paths: Paths,
  context: LockContext,
  { expected, next }: { readonly expected: Uint8Array | undefined; readonly next: Uint8Array },
): Promise<boolean> {
  return withSettingsLock(paths, context, (path) => {
    const current = readSettingsBytes(path)?.bytes;
    const same =
      current === undefined || expected === undefined ? current === expected : Buffer.compare(current, expected) === 0;
    if (same) writeAtomic(path, next);
    return same;
  });
}

function withSettingsLock<T>(paths: Paths, context: LockContext, body: (path: string) => T | Promise<T>): Promise<T> {
  const path = realTarget(settingsPath(paths));
  return withLock(`${path}.lock`, context, () => body(path));
}

/**
 * conf writes the next settings beside the file: on a full disk it may leave half a file, and where SNAP is set it writes in place. What
 * it wrote is read back and then takes the file's place. Loading conf takes longer than all the rest, so only a change loads it.
 */
async function replaceByConf(path: string, next: SettingsDocument): Promise<void> {
  const staged = stagedPath(path);
  removeStaged(path);
  try {
    const { default: Conf } = await import('conf');
    const store = new Conf<SettingsDocument>({
      cwd: dirname(staged),
      configName: basename(staged),
      fileExtension: '',
      projectSuffix: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: settingsText,
    });
    store.store = next;
    if (readFileSync(staged, 'utf8') !== settingsText(next)) {
      throw new SvcError('file_unusable', `cannot write ${path}: the file was not written completely`);
    }
    replaceByStaged(path);
  } catch (error) {
    removeStaged(path);
    throw fileFailure(`cannot write ${path}`, error);
  }
}

function settingsText(document: SettingsDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** With the temporary files of conf, which a process that was killed leaves behind. The caller holds the lock. */
function removeStaged(path: string): void {
  const staged = basename(stagedPath(path));
  for (const name of readdirSync(dirname(path))) {
    if (name === staged || name.startsWith(`${staged}.tmp-`)) discard(join(dirname(path), name));
  }
}
