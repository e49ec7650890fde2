/** Changes webhook-secrets.json: under its lock, from what it holds at that moment, as a whole or not at all. */
import type { Paths } from '../context.ts';
import { realTarget, writeAtomic } from './atomic-write.ts';
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
