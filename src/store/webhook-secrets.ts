/** What webhook-secrets.json has: the signing secrets of endpoints. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { fileFailure, realTarget } from './own-file.ts';
import type { StoredSecret } from './schemas.ts';
import { pairsOf, type SecretKey, type SecretStore, type SecretsFile, secretId } from './secret-store.ts';

export type { StoredSecret };

/** `base_url` is null where no address was configured. */
export type Endpoint = Pick<StoredSecret, 'base_url' | 'endpoint_id'>;

export function webhookSecretsPath(paths: Paths): string {
  return join(paths.config, 'webhook-secrets.json');
}

export function webhookSecretsFile(paths: Paths): SecretsFile {
  return { path: webhookSecretsPath(paths), remedy: 'import the secrets again: svc webhooks secrets import' };
}

export function signingSecretKey({ base_url, endpoint_id }: Endpoint): SecretKey<StoredSecret> {
  return {
    id: secretId('signing', base_url ?? '', endpoint_id),
    name: `the signing secret of ${endpoint_id}`,
    remedy: 'import it again: svc webhooks secrets import, or: svc webhooks rotate',
    fields: { base_url, endpoint_id },
    schema: async () => (await import('./schemas.ts')).signingSecret,
  };
}

export async function listEndpoints(store: SecretStore): Promise<readonly Endpoint[]> {
  const pairs = await pairsOf(store, 'signing');
  return pairs.map(([base_url, endpoint_id]) => ({ base_url: base_url || null, endpoint_id }));
}

/** The maximum size of one more secret and the lock for it. */
const RESERVED_BYTES = 16 * 1024;

/**
 * Reserves disk space for the next write, which must not fail for lack of it. Call what this returns
 * right before that write. The file has no name, so it disappears however this process ends.
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
    // A process with the same pid may have been killed between the two lines that follow.
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
