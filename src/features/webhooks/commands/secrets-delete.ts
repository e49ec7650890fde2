import { recordCommand } from '../../../cli/command.ts';
import { SecretStore, withSecrets } from '../../../store/secret-store.ts';
import { signingSecretKey, webhookSecretsFile } from '../../../store/webhook-secrets.ts';
import { SECRET_RECORD } from '../columns.ts';
import { findEndpoint, isSameStored, notStored, serviceOf, toShownSecret, tryReadSecret } from '../stored-secrets.ts';

export const webhooksSecretsDelete = recordCommand({
  id: 'webhooks secrets delete',
  summary: 'Delete a stored signing secret',
  description: 'The service shows a secret only once. Without another copy, you can no longer verify its deliveries.',
  effect: 'destroy',
  args: { id: { help: 'Id of the endpoint', required: true, complete: 'subscriptions' } },
  exits: ['not_found'],
  examples: [{ run: 'svc webhooks secrets delete ep_1', why: 'A secret that is not needed any more' }],
  output: SECRET_RECORD,
  async run({ id }, ctx) {
    const endpoint = findEndpoint(id, ctx);
    if (endpoint === undefined) throw notStored(id);
    const stored = await tryReadSecret(new SecretStore(webhookSecretsFile(ctx.paths), ctx), endpoint);
    if (stored === undefined) throw notStored(id);
    const isRead = stored !== 'unreadable';
    const shown = isRead ? toShownSecret(stored) : { ...endpoint, fingerprint: null, stored_at: null };
    const what = isRead ? `the secret ${shown.fingerprint}` : 'the secret, which cannot be read,';
    await ctx.confirm(`Delete ${what} of ${id} (${serviceOf(endpoint)})?`);
    if (ctx.dryRun) return { value: shown, footer: 'nothing was changed' };
    await withSecrets(webhookSecretsFile(ctx.paths), ctx, async (store) => {
      // Another process may have deleted or replaced the confirmed secret.
      if (!isSameStored(await tryReadSecret(store, endpoint), stored)) throw notStored(id);
      await store.delete(signingSecretKey(endpoint));
    });
    return { value: shown };
  },
});
