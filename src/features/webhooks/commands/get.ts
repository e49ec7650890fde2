import { recordCommand } from '../../../cli/command.ts';
import { openRecordings } from '../api.ts';
import { SUBSCRIPTION_COLUMNS } from '../columns.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { storedSecret, toShownSecret } from '../stored-secrets.ts';
import {
  changeUrlCommand,
  checkSubscriptionId,
  DISABLED,
  describeEventsLeft,
  eventsLeft,
  findSubscription,
  type ShownSubscription,
  toShownSubscription,
} from '../subscriptions/subscription.ts';

interface Detailed extends ShownSubscription {
  /** Null if svc stores no secret for it. */
  readonly secret_fingerprint: string | null;
  /** How many more failed events disable it. */
  readonly events_left: number;
}

export const webhooksGet = recordCommand({
  id: 'webhooks get',
  summary: 'Show one subscription',
  description: 'The service cannot return a single subscription, so svc reads the list.',
  details:
    'JSON adds status_text, secret_fingerprint (null if svc stores no secret for it) and events_left (how many more failed events disable it).',
  effect: 'read',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  examples: [{ run: 'svc webhooks get ep_1', why: 'By its id' }],
  output: {
    kind: 'record',
    columns: [
      ...SUBSCRIPTION_COLUMNS.map(({ wide: _, ...column }) => column),
      {
        name: 'secret',
        cell: ({ secret_fingerprint: known }: Detailed) =>
          known === null ? 'not stored' : `stored (sha256 fp ${known})`,
      },
      { name: 'note', cell: noteOf },
    ],
    id: ({ id }) => id,
  },
  async run({ id }, ctx) {
    checkSubscriptionId(id);
    const found = findSubscription(await openRecordings(ctx.target).subscriptions(), id);
    const stored = await storedSecret(found.id, ctx);
    const value: Detailed = {
      ...toShownSubscription(found),
      secret_fingerprint: stored === undefined ? null : toShownSecret(stored).fingerprint,
      events_left: eventsLeft(found),
    };
    return { value };
  },
});

function noteOf(subscription: Detailed): string | undefined {
  const { status, consecutive_failures: fails = 0, id } = subscription;
  if (status === DISABLED) return `disabled; only a new url enables it: ${changeUrlCommand(id)}`;
  return fails === 0 ? undefined : describeEventsLeft(subscription);
}
