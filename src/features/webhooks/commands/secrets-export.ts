import { textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { RawBytes } from '../../../output/types.ts';
import { notStored, storedSecret } from '../stored-secrets.ts';

export const webhooksSecretsExport = textCommand({
  id: 'webhooks secrets export',
  summary: 'Print a signing secret, for a receiver',
  description: 'For a pipe or a file. On a terminal, where the secret would stay visible, it needs --force.',
  effect: 'read',
  args: { id: { help: 'Id of the endpoint', required: true, complete: 'subscriptions' } },
  flags: { force: { type: 'boolean', help: 'Print it on a terminal' } },
  exits: ['not_found'],
  examples: [{ run: 'svc webhooks secrets export ep_1 > key.txt', why: 'Write it to a file for the receiver' }],
  output: { kind: 'text' },
  async run({ id, force }, ctx) {
    if (ctx.wants.terminal && !force) {
      throw new SvcError('usage', 'the secret would stay on the screen', {
        hint: 'redirect it into a file or a pipe, or pass --force',
      });
    }
    const stored = await storedSecret(id, ctx);
    if (stored === undefined) throw notStored(id);
    return { value: ctx.wants.table ? new RawBytes(Buffer.from(`${stored.secret}\n`)) : stored.secret };
  },
});
