/** The stored signing secrets, by endpoint. */
import type { RunContext } from '../../cli/command.ts';
import { openSink, type SecretSink, type SinkInput } from '../../cli/secret-sink.ts';
import { SvcError } from '../../errors.ts';
import { parseBaseUrl } from '../../http/address.ts';
import { Secret } from '../../http/redact.ts';
import { shellWord } from '../../output/escape.ts';
import { type SecretContext, SecretStore, withSecrets } from '../../store/secret-store.ts';
import {
  type Endpoint,
  listEndpoints,
  type StoredSecret,
  signingSecretKey,
  webhookSecretsFile,
} from '../../store/webhook-secrets.ts';
import { fingerprint } from './signature.ts';

type Where = Pick<RunContext, 'paths' | 'settings'> & SecretContext;

const BASE_PATH = '/v1';

/** The configured address of the service in its one spelling, or null. Throws `invalid_value`. */
export function readServiceAddress({ settings }: Pick<RunContext, 'settings'>): string | null {
  const address = settings.get('webhooks.url');
  return address === undefined ? null : parseBaseUrl(address, { strip: BASE_PATH }).href.replace(/\/$/, '');
}

interface ReadSecrets {
  readonly secrets: readonly StoredSecret[];
  /** Why others could not be read. */
  readonly failures: readonly SvcError[];
}

/** All of them, wherever they are. */
export async function readSecrets(ctx: Pick<RunContext, 'paths'> & SecretContext): Promise<ReadSecrets> {
  const store = new SecretStore(webhookSecretsFile(ctx.paths), ctx);
  const secrets: StoredSecret[] = [];
  const failures: SvcError[] = [];
  for (const endpoint of listEndpoints(store)) {
    try {
      const stored = await store.find(signingSecretKey(endpoint));
      if (stored !== undefined) secrets.push(stored);
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      failures.push(error);
    }
  }
  return { secrets, failures };
}

/** `unreadable` if the helper fails or the entry is damaged. Undefined for an unreadable file. */
export async function tryReadSecret(
  store: SecretStore,
  endpoint: Endpoint,
): Promise<StoredSecret | 'unreadable' | undefined> {
  const key = signingSecretKey(endpoint);
  try {
    if (!store.list().includes(key.id)) return undefined;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'file_unusable') return undefined;
    throw error;
  }
  try {
    return await store.find(key);
  } catch (error) {
    if (error instanceof SvcError) return 'unreadable';
    throw error;
  }
}

/** Whether both are the same secret, or both cannot be read. */
export function isSameStored(
  one: StoredSecret | 'unreadable' | undefined,
  other: StoredSecret | 'unreadable' | undefined,
): boolean {
  return typeof one === 'object' && typeof other === 'object' ? one.secret === other.secret : one === other;
}

/** An endpoint's secret: the configured service's, else the only one. Exit 2 if there are more. */
export async function storedSecret(id: string, ctx: Where): Promise<StoredSecret | undefined> {
  const endpoint = findEndpoint(id, ctx);
  return endpoint && new SecretStore(webhookSecretsFile(ctx.paths), ctx).get(signingSecretKey(endpoint));
}

/** Which service's endpoint a command means by this id. Undefined if no secret is stored for it. */
export function findEndpoint(id: string, ctx: Where): Endpoint | undefined {
  const all = listEndpoints(new SecretStore(webhookSecretsFile(ctx.paths), ctx));
  const found = all.filter(({ endpoint_id }) => endpoint_id === id);
  if (found.length <= 1) return found[0];
  const address = readServiceAddress(ctx);
  const own = found.find(({ base_url }) => base_url === address);
  if (own !== undefined) return own;
  throw new SvcError('invalid_value', `several services have an endpoint ${id}: ${found.map(serviceOf).join(', ')}`, {
    hint: 'set SVC_WEBHOOKS_URL to the address of one of them',
  });
}

/** Whether this endpoint's secret of the configured service is stored, in a readable file. */
function isStored(id: string, ctx: Where): boolean {
  const address = readServiceAddress(ctx);
  try {
    const stored = listEndpoints(new SecretStore(webhookSecretsFile(ctx.paths), ctx));
    return stored.some(({ base_url, endpoint_id }) => base_url === address && endpoint_id === id);
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** Deletes the secret of a subscription that the service no longer has. Whether there was one. */
export async function forgetSecret(id: string, ctx: Where & Pick<RunContext, 'dryRun' | 'notice'>): Promise<boolean> {
  if (ctx.dryRun || !isStored(id, ctx)) return false;
  const key = signingSecretKey({ base_url: readServiceAddress(ctx), endpoint_id: id });
  try {
    return await withSecrets(webhookSecretsFile(ctx.paths), ctx, (store) => store.delete(key));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const command = `svc webhooks secrets delete ${shellWord(id)}`;
    ctx.notice(`warning: the stored secret of ${id} could not be deleted: ${error.message}; try ${command}`);
    return false;
  }
}

/** A stored secret without the secret. Null if it cannot be read. */
export interface ShownSecret {
  readonly endpoint_id: string;
  readonly base_url: string | null;
  readonly fingerprint: string | null;
  readonly stored_at: string | null;
}

export function toShownSecret({ endpoint_id, base_url, secret, stored_at }: StoredSecret): ShownSecret {
  const key = new Secret(secret);
  return { endpoint_id, base_url, fingerprint: fingerprint({ key, source: endpoint_id }), stored_at };
}

export function notStored(id: string): SvcError {
  return new SvcError('not_found', `no secret is stored for endpoint ${JSON.stringify(id)}`, {
    hint: 'see: svc webhooks secrets list',
  });
}

export function serviceOf({ base_url }: Pick<StoredSecret, 'base_url'>): string {
  return base_url ?? 'no service';
}

/** Exit 2 if no destination is given, or it cannot be written. */
export async function openSecretSink(input: SinkInput, ctx: RunContext): Promise<SecretSink> {
  return openSink(input, ctx) ?? (await storeSink(ctx));
}

async function storeSink(ctx: RunContext): Promise<SecretSink> {
  const base_url = readServiceAddress(ctx);
  // Fails early if the disk is full, or the file or the credential helper cannot be used.
  await withSecrets(webhookSecretsFile(ctx.paths), ctx, (store) => store.reserve());
  return {
    shows: false,
    where: 'stored',
    async keep(secret, id) {
      const stored_at = new Date(ctx.now()).toISOString();
      const stored = { base_url, endpoint_id: id, secret: secret.reveal(), stored_at };
      await withSecrets(webhookSecretsFile(ctx.paths), ctx, (store) => store.set(signingSecretKey(stored), stored));
    },
  };
}
