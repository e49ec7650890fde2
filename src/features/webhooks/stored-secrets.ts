/** The stored signing secrets, by endpoint. */
import type { RunContext } from '../../cli/command.ts';
import { openSink, type SecretSink, type SinkInput } from '../../cli/secret-sink.ts';
import { SvcError } from '../../errors.ts';
import { parseBaseUrl } from '../../http/address.ts';
import { Secret } from '../../http/redact.ts';
import { shellWord } from '../../output/escape.ts';
import type { VaultContext } from '../../store/sealed-records.ts';
import {
  changeWebhookSecrets,
  openWebhookSecret,
  readWebhookSecrets,
  reserveSpace,
  type StoredSecret,
} from '../../store/webhook-secrets.ts';
import { fingerprint } from './signature.ts';

type Where = Pick<RunContext, 'paths' | 'settings' | 'notice'> & VaultContext;

/** The configured address of the service in its one spelling, or null. Throws `invalid_value`. */
export function storedUnder({ settings }: Pick<RunContext, 'settings'>): string | null {
  const address = settings.get('webhooks.url');
  return address === undefined ? null : parseBaseUrl(address, { strip: BASE_PATH }).href.replace(/\/$/, '');
}

/** Those in a credential helper are not opened yet. */
async function storedSecrets({ paths, notice }: Pick<Where, 'paths' | 'notice'>): Promise<readonly StoredSecret[]> {
  const { secrets, warnings } = await readWebhookSecrets(paths);
  for (const warning of warnings) notice(warning);
  return secrets;
}

/** With the secrets themselves. */
export async function openedSecrets(ctx: Omit<Where, 'settings'> & VaultContext): Promise<readonly StoredSecret[]> {
  const opened: StoredSecret[] = [];
  for (const stored of await storedSecrets(ctx)) opened.push(await openWebhookSecret(stored, ctx));
  return opened;
}

/**
 * The secret of an endpoint: that of the configured service, else the only one. Exit 2 if several other services have the endpoint. It must be in the chosen
 * store, or `anywhere`.
 */
export async function storedSecret(id: string, ctx: Where, anywhere = false): Promise<StoredSecret | undefined> {
  const found = (await storedSecrets(ctx)).filter(({ endpoint_id }) => endpoint_id === id);
  const [first] = found;
  if (found.length <= 1) return first && openWebhookSecret(first, ctx, anywhere);
  const address = storedUnder(ctx);
  const own = found.find(({ base_url }) => base_url === address);
  if (own !== undefined) return openWebhookSecret(own, ctx, anywhere);
  throw new SvcError('invalid_value', `several services have an endpoint ${id}: ${found.map(serviceOf).join(', ')}`, {
    hint: 'set SVC_WEBHOOKS_URL to the address of one of them',
  });
}

/** Whether the secret of this endpoint of the configured service is stored; not if the file cannot be read. */
export async function isStored(id: string, ctx: Pick<RunContext, 'paths' | 'settings'>): Promise<boolean> {
  const address = storedUnder(ctx);
  try {
    const stored = await storedSecrets({ paths: ctx.paths, notice: () => {} });
    return stored.some(({ base_url, endpoint_id }) => base_url === address && endpoint_id === id);
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** Deletes the stored secret of a subscription that the service no longer has. Whether there was one. */
export async function forgetSecret(id: string, ctx: Where & Pick<RunContext, 'dryRun'>): Promise<boolean> {
  if (ctx.dryRun || !(await isStored(id, ctx))) return false;
  const address = storedUnder(ctx);
  try {
    const warnings = await changeWebhookSecrets(ctx.paths, ctx, (secrets) =>
      secrets.filter(({ base_url, endpoint_id }) => base_url !== address || endpoint_id !== id),
    );
    for (const warning of warnings) ctx.notice(warning);
    return true;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const command = `svc webhooks secrets delete ${shellWord(id)}`;
    ctx.notice(`warning: the stored secret of ${id} could not be deleted: ${error.message}; try ${command}`);
    return false;
  }
}

/** A stored secret without the secret. */
export interface ShownSecret {
  readonly endpoint_id: string;
  readonly base_url: string | null;
  readonly fingerprint: string;
  readonly stored_at: string;
}

export function shownSecret({ endpoint_id, base_url, secret, stored_at }: StoredSecret): ShownSecret {
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
  const base_url = storedUnder(ctx);
  // Fails early if the folder or the file cannot be used.
  for (const warning of await changeWebhookSecrets(ctx.paths, ctx, (secrets) => secrets)) ctx.notice(warning);
  const giveBack = reserveSpace(ctx.paths, ctx.pid);
  return {
    shows: false,
    where: 'stored',
    abandon: giveBack,
    async keep(secret, id) {
      giveBack();
      const stored = {
        base_url,
        endpoint_id: id,
        secret: secret.reveal(),
        stored_at: new Date(ctx.now()).toISOString(),
      };
      await changeWebhookSecrets(ctx.paths, ctx, (secrets) => [
        ...secrets.filter((one) => one.base_url !== base_url || one.endpoint_id !== id),
        stored,
      ]);
    },
  };
}

const BASE_PATH = '/v1';
