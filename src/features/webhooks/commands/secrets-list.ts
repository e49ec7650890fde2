import { listCommand } from '../../../cli/command.ts';
import { SECRET_COLUMNS } from '../columns.ts';
import { shownSecret, storedSecrets } from '../stored-secrets.ts';

export const webhooksSecretsList = listCommand({
  id: 'webhooks secrets list',
  summary: 'List the endpoints whose signing secrets svc keeps',
  description:
    'The secrets are in webhook-secrets.json beside the settings, which only you can read. The fingerprint tells one from another; the secret itself is printed by "export" only.',
  effect: 'read',
  examples: [{ run: 'svc webhooks secrets list', why: 'Which secrets there are' }],
  output: {
    kind: 'list',
    columns: SECRET_COLUMNS,
    id: (secret) => secret.endpoint_id,
    empty: 'no secret is stored; svc webhooks secrets import adds one',
  },
  run: async (_input, ctx) => ({ value: (await storedSecrets(ctx)).map(shownSecret) }),
});
