import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { SecretStore, withSecrets } from '../../../store/secret-store.ts';
import { signingSecretKey, webhookSecretsFile } from '../../../store/webhook-secrets.ts';
import { SECRET_RECORD } from '../columns.ts';
import type { SigningSecret } from '../signature.ts';
import { fromFile, fromVariable, SECRET_SOURCE_FLAGS, type SecretSources, secretOf } from '../signing-secrets.ts';
import { isSameStored, readServiceAddress, serviceOf, toShownSecret, tryReadSecret } from '../stored-secrets.ts';

export const webhooksSecretsImport = recordCommand({
  id: 'webhooks secrets import',
  summary: 'Store the signing secret of an endpoint',
  description:
    'Reads the secret from the given option, from a pipe, or from a hidden prompt. svc stores it for the service at webhooks.url, or for none if no address is configured. --endpoint of other commands then uses it.',
  details:
    '--endpoint also finds a secret that is stored for no service, or for another one, as long as only one service has an endpoint with that id.',
  effect: 'write',
  args: { id: { help: 'Id of the endpoint', required: true, complete: 'subscriptions' } },
  flags: SECRET_SOURCE_FLAGS,
  exits: ['guarded'],
  examples: [
    { run: 'svc webhooks secrets import ep_1 --secret-file key.txt', why: 'From a file' },
    { run: 'svc webhooks secrets import ep_1', why: 'From a hidden prompt' },
  ],
  output: SECRET_RECORD,
  async run(input, ctx) {
    const { id } = input;
    checkId(id);
    const secret = await readSecret(input, ctx);
    ctx.secrets.add(secret.key.reveal());
    const base_url = readServiceAddress(ctx);
    const stored_at = new Date(ctx.now()).toISOString();
    const next = { base_url, endpoint_id: id, secret: secret.key.reveal(), stored_at };
    const shown = toShownSecret(next);
    const stored = new SecretStore(webhookSecretsFile(ctx.paths), ctx);
    const before = await tryReadSecret(stored, next);
    if (before !== undefined && !isSameStored(before, next)) {
      const what =
        before === 'unreadable' ? 'the secret, which cannot be read,' : `secret ${toShownSecret(before).fingerprint}`;
      await ctx.confirm(`Replace ${what} of ${id} (${serviceOf(next)}) with ${shown.fingerprint}?`);
    }
    if (ctx.dryRun) return { value: shown, footer: 'nothing was changed' };
    await withSecrets(webhookSecretsFile(ctx.paths), ctx, async (store) => {
      const now = await tryReadSecret(store, next);
      if (!isSameStored(now, before) && !isSameStored(now, next)) {
        throw new SvcError('guarded', `another process stored a different secret for ${id} in the meantime`, {
          hint: 'see: svc webhooks secrets list',
        });
      }
      await store.set(signingSecretKey(next), next);
    });
    return { value: shown, undo: before === undefined ? [['webhooks', 'secrets', 'delete', id]] : undefined };
  },
});

function checkId(id: string): void {
  if (/^[\x21-\x7e]{1,256}$/.test(id)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(id)} is not an endpoint id`, {
    hint: 'ids are printable ASCII without spaces, such as ep_1',
  });
}

async function readSecret(input: SecretSources, ctx: RunContext): Promise<SigningSecret> {
  const fromFiles = input.secretFile.map((path) => fromFile(path, ctx));
  const [named, ...others] = [...fromFiles, ...input.secretEnv.map((name) => fromVariable(name, ctx.env))];
  if (others.length > 0) throw new SvcError('usage', `an endpoint has one secret, and ${others.length + 1} were given`);
  if (named !== undefined) return named;
  if (!ctx.stdin.isTTY) return secretOf(await ctx.readInput('-'), 'standard input');
  if (!ctx.interactive) {
    throw new SvcError('missing_value', 'no signing secret', {
      hint: 'pipe it in, or pass --secret-file <file> or --secret-env <name>',
    });
  }
  return secretOf(Buffer.from(await ctx.prompter.secret('Signing secret:')), 'the typed text');
}
