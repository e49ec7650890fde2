/** What webhook-secrets.json has: the signing secrets of endpoints. */
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { type StoredSecret, signingSecret } from './schemas.ts';
import { type SecretKey, type SecretStore, type SecretsFile, secretId } from './secret-store.ts';

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
    schema: signingSecret,
  };
}

export function listEndpoints(store: SecretStore): readonly Endpoint[] {
  return store.pairs('signing').map(([base_url, endpoint_id]) => ({ base_url: base_url || null, endpoint_id }));
}
