/** Changes settings.json: under its lock, from what it holds at that moment, as a whole or not at all. */
import { basename, dirname } from 'node:path';
import type { Paths } from '../context.ts';
import { realTarget, writeAtomic } from './atomic-write.ts';
import { type LockContext, withLock } from './lock.ts';
import { errorCode, fileFailure } from './own-file.ts';
import {
  parseSettings,
  readSettingsBytes,
  readSettingsFile,
  type SettingsDocument,
  settingsPath,
} from './settings-file.ts';

/** Keeps whatever `change` keeps, keys that svc does not know included. */
export async function changeSettings(
  paths: Paths,
  context: LockContext,
  change: (document: SettingsDocument) => SettingsDocument,
): Promise<void> {
  await withSettingsLock(paths, context, async (path) => {
    readSettingsFile(path); // says what is wrong with a file that cannot be used, where conf would not
    try {
      const store = await openStore(path);
      store.store = change(store.store);
    } catch (error) {
      if (errorCode(error) === undefined) throw error; // of no file
      throw fileFailure(`cannot write ${path}`, error);
    }
  });
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
 * conf, but for its writing: its own leaves half a file on a full disk, and writes in place where SNAP is set. Loading it
 * takes longer than all the rest, so only a change does.
 */
async function openStore(path: string): Promise<{ store: SettingsDocument }> {
  const { default: Conf } = await import('conf');
  const store = new Conf<SettingsDocument>({
    cwd: dirname(path),
    configName: basename(path),
    fileExtension: '',
    projectSuffix: '',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseSettings(Buffer.from(text), path),
  });
  const write = (document: SettingsDocument): void => writeAtomic(path, `${JSON.stringify(document, null, 2)}\n`);
  Object.defineProperty(store, '_write', { value: write });
  return store;
}
