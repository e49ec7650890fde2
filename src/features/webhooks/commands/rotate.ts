import { recordCommand } from '../../../cli/command.ts';
import { LASTING_SINK_FLAGS } from '../../../cli/secret-sink.ts';
import { createdRow } from '../created-subscription.ts';
import { openSecretSink } from '../kept-secrets.ts';
import { ROTATED_RECORD } from '../rotated-subscription.ts';
import { checkSubscriptionId, eventsOf, findSubscription } from '../subscription.ts';
import { unbrokenCreate } from '../unbroken-create.ts';

export const webhooksRotate = recordCommand({
  id: 'webhooks rotate',
  summary: 'Give a receiver a new secret, without a gap',
  description:
    'The service cannot change a secret: a second subscription of the same address and events is created, tested, and only when its test event is delivered the old one is deleted. Meanwhile the receiver gets events twice, and has to accept both secrets. It needs a free place of the quota. Where the test is not delivered both stay.',
  effect: 'destroy',
  service: 'webhooks',
  args: {
    id: { help: 'The subscription, or enough of the beginning of its id', required: true, complete: 'subscriptions' },
  },
  flags: {
    wait: { type: 'duration', positive: true, default: '90s', help: 'How long the test may take' },
    'keep-old': { type: 'boolean', help: 'Do not delete the old one' },
    ...LASTING_SINK_FLAGS,
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc webhooks rotate ep_1 --store', why: 'Keep the new secret for --endpoint' },
    { run: 'svc webhooks rotate ep_1 --secret-file new.txt --wait 10m', why: 'Time to give it to the receiver' },
  ],
  output: ROTATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const { openRecordings } = await import('../client.ts');
    const { checkQuota, createSubscription } = await import('../creating.ts');
    const { finishRotation } = await import('../rotation.ts');
    const { signal, unbroken } = unbrokenCreate(ctx);
    const recordings = openRecordings({ ...ctx.target, signal });
    const all = await recordings.subscriptions();
    const old = findSubscription(all, input.id);
    checkQuota(all, ctx);
    const sink = await openSecretSink(input, ctx);
    let kept = false;
    try {
      if (!input.keepOld) {
        await ctx.confirm(`Replace ${old.id} (${old.url}) by a new subscription, and delete it once that one works?`);
      }
      const created = await createSubscription({ url: old.url, events: [...eventsOf(old)] }, recordings, {
        dryRun: ctx.dryRun,
        allowDuplicate: true,
        recover: false,
        unbroken,
        notice: ctx.notice,
        keep: async (secret, id) => {
          await sink.keep(secret, id);
          kept = true;
        },
      });
      const row = createdRow(created, sink);
      const finished = await finishRotation({ old, row, ...input }, recordings, ctx);
      return { value: { ...row, replaced: old.id, ...finished } };
    } finally {
      if (!kept) sink.abandon();
    }
  },
});
