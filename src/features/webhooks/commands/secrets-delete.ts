import { recordCommand } from '../../../cli/command.ts';
import { isSameSecret } from '../../../store/sealed-records.ts';
import { changeWebhookSecrets } from '../../../store/webhook-secrets.ts';
import { SECRET_RECORD } from '../columns.ts';
import { notStored, serviceOf, shownSecret, storedSecret } from '../stored-secrets.ts';

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
    const stored = await storedSecret(id, ctx, true);
    if (stored === undefined) throw notStored(id);
    const shown = shownSecret(stored);
    await ctx.confirm(`Delete the secret ${shown.fingerprint} of ${id} (${serviceOf(stored)})?`);
    if (ctx.dryRun) return { value: shown, footer: 'nothing was changed' };
    await changeWebhookSecrets(ctx.paths, ctx, (secrets) => {
      const others = secrets.filter(
        (one) => one.base_url !== stored.base_url || one.endpoint_id !== id || !isSameSecret(one, stored, 'secret'),
      );
      // Someone else deleted or replaced it in the meantime: the confirmed secret no longer exists.
      if (others.length === secrets.length) throw notStored(id);
      return others;
    });
    return { value: shown };
  },
});
