/** Changes webhook-secrets.json: under its lock, from what it holds at that moment, as a whole or not at all. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Paths } from '../context.ts';
import { realTarget, writeAtomic } from './atomic-write.ts';
import { fileFailure } from './file-failure.ts';
import { type LockContext, withLock } from './lock.ts';
import { setAside } from './set-aside.ts';
import {
  BrokenSecretsFile,
  readWebhookSecrets,
  type SecretsFile,
  type StoredSecret,
  webhookSecretsPath,
} from './webhook-secrets.ts';

/**
 * Puts what `change` makes of the secrets in their place; what it throws leaves all as it was. A broken file is set aside first,
 * and the list is empty then. Returns what the user must be told.
 */
export async function changeWebhookSecrets(
  paths: Paths,
  context: LockContext,
  change: (secrets: readonly StoredSecret[]) => readonly StoredSecret[],
): Promise<readonly string[]> {
  const path = realTarget(webhookSecretsPath(paths));
  return withLock(`${path}.lock`, context, () => {
    const { document, warnings } = readOrSetAside(path, context.now());
    const secrets = change(document.secrets);
    if (secrets !== document.secrets) writeAtomic(path, `${JSON.stringify({ ...document, secrets }, null, 2)}\n`);
    return warnings;
  });
}

/** What one more secret, and the lock for it, take at most. */
const ROOM = 16 * 1024;

/**
 * Takes the room on the disk that the next change needs, where a change must not fail for want of it. Until what it returns is
 * called: right before that change. The file has no name, so that nothing is left of it however this process ends.
 */
export function holdRoom(paths: Paths, pid: number): () => void {
  const path = realTarget(webhookSecretsPath(paths));
  const room = `${path}.${pid}.room`;
  let file: number | undefined;
  const giveBack = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  try {
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    // A process of the same number may have been killed between the next two lines.
    rmSync(room, { force: true });
    file = openSync(room, 'wx', 0o600);
    rmSync(room);
    writeFileSync(file, Buffer.alloc(size + ROOM, ' '));
    fsyncSync(file);
  } catch (error) {
    giveBack();
    throw fileFailure(`cannot write ${path}`, error);
  }
  return giveBack;
}

/** The secrets as a change would find them: those of a broken file are none. */
export function currentWebhookSecrets(paths: Paths): readonly StoredSecret[] {
  try {
    return readWebhookSecrets(webhookSecretsPath(paths)).document.secrets;
  } catch (error) {
    if (error instanceof BrokenSecretsFile) return [];
    throw error;
  }
}

function readOrSetAside(path: string, now: number): SecretsFile {
  try {
    return readWebhookSecrets(path);
  } catch (error) {
    if (!(error instanceof BrokenSecretsFile)) throw error;
    const aside = setAside(path, now);
    return { document: { version: 1, secrets: [] }, warnings: [`${error.message}: it was set aside as ${aside}`] };
  }
}
