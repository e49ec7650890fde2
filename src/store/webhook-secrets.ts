/** webhook-secrets.json: the signing secrets of endpoints, changed under a lock, based on the current content. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { realTarget, writeAtomic } from './atomic-write.ts';
import { type LockContext, withLock } from './lock.ts';
import { fileFailure } from './own-file.ts';
import type { SecretsDocument, StoredSecret } from './schemas.ts';
import { readSecretFile, setAside } from './secret-file.ts';

export type { StoredSecret };

export interface StoredSecrets {
  readonly secrets: readonly StoredSecret[];
  readonly warnings: readonly string[];
}

const EMPTY: SecretsDocument = { version: 1, secrets: [] };

export function webhookSecretsPath(paths: Paths): string {
  return join(paths.config, 'webhook-secrets.json');
}

const read = (path: string) => readSecretFile(path, async () => (await import('./schemas.ts')).webhookSecrets);

/** A missing file counts as empty. A corrupt one is an error, or empty if it is about to be replaced. */
export async function readWebhookSecrets(paths: Paths, { replacing = false } = {}): Promise<StoredSecrets> {
  const path = webhookSecretsPath(paths);
  const { document = EMPTY, warnings, corrupt } = await read(path);
  if (corrupt === undefined || replacing) return { secrets: document.secrets, warnings };
  throw new SvcError('file_unusable', `${path} cannot be used: ${corrupt}`, {
    hint: 'restore it, or import the secrets again: svc then moves the file aside and does not overwrite it',
  });
}

/**
 * Replaces the secrets with the result of `change`; if it throws, the file is unchanged. A corrupt file is first moved aside and counts as empty. Returns
 * warnings for the user.
 */
export async function changeWebhookSecrets(
  paths: Paths,
  context: LockContext,
  change: (secrets: readonly StoredSecret[]) => readonly StoredSecret[],
): Promise<readonly string[]> {
  const path = realTarget(webhookSecretsPath(paths));
  return withLock(`${path}.lock`, context, async () => {
    const { document = EMPTY, warnings, corrupt } = await read(path);
    const aside = corrupt === undefined ? undefined : setAside(path, context.now());
    const secrets = change(document.secrets);
    if (secrets !== document.secrets) writeAtomic(path, `${JSON.stringify({ ...document, secrets }, null, 2)}\n`);
    return aside === undefined
      ? warnings
      : [...warnings, `${path} could not be used: ${corrupt}; svc moved it to ${aside}`];
  });
}

/** The maximum size of one more secret and the lock for it. */
const RESERVED_BYTES = 16 * 1024;

/**
 * Reserves the disk space for the next change, which must not fail for lack of it, until the returned function is called right before that change. The file has
 * no name, so it disappears however this process ends.
 */
export function reserveSpace(paths: Paths, pid: number): () => void {
  const path = realTarget(webhookSecretsPath(paths));
  const reserved = `${path}.${pid}.reserved`;
  let file: number | undefined;
  const giveBack = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  try {
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    // A killed process with the same number may have left it between the next two lines.
    rmSync(reserved, { force: true });
    file = openSync(reserved, 'wx', 0o600);
    rmSync(reserved);
    writeFileSync(file, Buffer.alloc(size + RESERVED_BYTES, ' '));
    fsyncSync(file);
  } catch (error) {
    giveBack();
    throw fileFailure(`cannot write ${path}`, error);
  }
  return giveBack;
}
