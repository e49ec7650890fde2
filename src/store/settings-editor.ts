/** Changes settings.json under its lock, based on its current content, completely or not at all. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { type Lock, type LockContext, withLock } from './lock.ts';
import { discard, fileFailure, realTarget, replaceByStaged, stagedPath, writeAtomic } from './own-file.ts';
import { readSettingsBytes, readSettingsFile, type SettingsDocument, settingsPath } from './settings.ts';

/** Preserves everything that `change` preserves, including unknown keys. Returns the document of before. */
export async function changeSettings(
  paths: Paths,
  context: LockContext,
  change: (document: SettingsDocument) => SettingsDocument,
): Promise<SettingsDocument> {
  return withSettingsLock(paths, context, async (path, lock) => {
    const { document } = readSettingsFile(path);
    await replaceByConf(path, lock, change(document));
    return document;
  });
}

/** `next` replaces `expected` (undefined: no file), valid or not. False if the file has changed. */
export async function replaceSettings(
  paths: Paths,
  context: LockContext,
  { expected, next }: { readonly expected: Uint8Array | undefined; readonly next: Uint8Array },
): Promise<boolean> {
  return withSettingsLock(paths, context, (path, lock) => {
    const current = readSettingsBytes(path)?.bytes;
    const same =
      current === undefined || expected === undefined ? current === expected : Buffer.compare(current, expected) === 0;
    if (same) writeAtomic(path, next, { lock });
    return same;
  });
}

function withSettingsLock<T>(
  paths: Paths,
  context: LockContext,
  body: (path: string, lock: Lock) => T | Promise<T>,
): Promise<T> {
  const path = realTarget(settingsPath(paths));
  return withLock(`${path}.lock`, context, (lock) => body(path, lock));
}

/**
 * conf writes a file beside settings.json, as it may leave half of it (full disk, SNAP is set). The
 * file is read back, then replaces settings.json. Only changes load conf, which takes long.
 */
async function replaceByConf(path: string, lock: Lock, next: SettingsDocument): Promise<void> {
  const staged = stagedPath(path);
  const { default: Conf } = await import('conf');
  lock.check();
  removeStaged(path);
  try {
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
    replaceByStaged(path, lock);
  } catch (error) {
    removeStaged(path);
    throw fileFailure(`cannot write ${path}`, error);
  }
}

function settingsText(document: SettingsDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Also removes temporary files that conf left in a killed process. The caller holds the lock. */
function removeStaged(path: string): void {
  const staged = basename(stagedPath(path));
  for (const name of readdirSync(dirname(path))) {
    if (name === staged || name.startsWith(`${staged}.tmp-`)) discard(join(dirname(path), name));
  }
}
