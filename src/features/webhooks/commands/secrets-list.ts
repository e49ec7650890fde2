import { listCommand } from '../../../cli/command.ts';
import { SECRET_COLUMNS } from '../columns.ts';
import { readSecrets, toShownSecret } from '../stored-secrets.ts';

export const webhooksSecretsList = listCommand({
  id: 'webhooks secrets list',
  summary: 'List endpoints whose signing secret svc stores',
  description:
    'The secrets are in webhook-secrets.json beside the settings, readable only by you, or in the credential helper that credentials.helper names. The fingerprint identifies a secret; only svc webhooks secrets export prints one.',
  effect: 'read',
  exits: ['partly_done'],
  examples: [{ run: 'svc webhooks secrets list', why: 'Which secrets are stored' }],
  output: {
    kind: 'list',
    columns: SECRET_COLUMNS,
    id: (secret) => secret.endpoint_id,
    empty: 'no secrets are stored; svc webhooks secrets import adds one',
  },
  async run(_input, ctx) {
    const { secrets, failures } = await readSecrets(ctx);
    for (const { message } of failures) ctx.warn(message);
    return { value: secrets.map(toShownSecret), code: failures.length > 0 ? 'partly_done' : undefined };
  },
});
