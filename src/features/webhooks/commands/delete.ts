import { bulk, bulkAnswer } from '../../../cli/bulk.ts';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import type { ListOutput, Tone } from '../../../output/types.ts';
import { openRecordings, type Recordings } from '../api.ts';
import type { Subscription } from '../schema.ts';
import { forgetSecret } from '../stored-secrets.ts';
import {
  checkSubscriptionId,
  DISABLED,
  describeSubscription,
  findSubscription,
  quotaText,
} from '../subscriptions/subscription.ts';
import { deleteSubscription, isGone } from '../subscriptions/updating.ts';

interface DeletionRow {
  readonly id: string;
  readonly result: 'deleted' | 'already-gone' | 'not-found' | 'error';
  readonly url: string | null;
  /** svc had its secret stored, and deleted it as well. */
  readonly secret_deleted: boolean;
  readonly message: string | null;
}

const RESULT_TONES: Readonly<Record<DeletionRow['result'], Tone>> = {
  deleted: 'good',
  'already-gone': 'dim',
  'not-found': 'bad',
  error: 'bad',
};

const DELETION_LIST: ListOutput<DeletionRow> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'result', cell: ({ result }) => ({ text: result, tone: RESULT_TONES[result] }) },
    { name: 'url', cell: ({ url }) => url, shrinks: true },
    { name: 'secret', cell: ({ secret_deleted: deleted }) => (deleted ? 'stored secret deleted' : undefined) },
    { name: 'message', cell: ({ message }) => message, shrinks: true },
  ],
  id: ({ id }) => id,
  empty: 'no matching subscriptions: nothing was sent',
};

interface Deletion {
  /** The service's id, or what was typed if there is none. */
  readonly id: string;
  readonly subscription?: Subscription;
  readonly error?: SvcError;
}

export const webhooksDelete = listCommand({
  id: 'webhooks delete',
  aliases: ['rm'],
  summary: 'Delete subscriptions',
  description:
    'Deliveries stop, and the subscription no longer counts against the quota. If one deletion fails, svc continues with the others. svc also deletes the stored secret of a subscription that is gone.',
  effect: 'destroy',
  service: 'webhooks',
  args: {
    id: { help: 'Ids, or unique prefixes of ids', repeat: true, complete: 'subscriptions', promptUnless: ['disabled'] },
  },
  flags: {
    disabled: { type: 'boolean', help: 'Delete all disabled subscriptions' },
    'ignore-missing': { type: 'boolean', help: 'Do not fail if a subscription does not exist' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc webhooks delete ep_1', why: 'Delete one' },
    { run: 'svc webhooks delete --disabled', why: 'Delete all disabled ones' },
  ],
  output: DELETION_LIST,
  async run({ id: ids, disabled, ignoreMissing }, ctx) {
    if (disabled && ids.length > 0) throw new SvcError('usage', 'ids and --disabled cannot be combined');
    if (!disabled && ids.length === 0) {
      throw new SvcError('missing_value', '<id> is missing', { hint: 'svc webhooks list shows them' });
    }
    for (const id of ids) checkSubscriptionId(id);
    const recordings = openRecordings(ctx.target);
    const all = await recordings.subscriptions();
    const deletions = disabled
      ? all.filter(({ status }) => status === DISABLED).map((one): Deletion => ({ id: one.id, subscription: one }))
      : [...new Map(ids.map((id) => resolve(id, all)).map((one) => [one.id, one])).values()];
    const confirmed = await confirmDeletion(deletions, all, ctx);
    const outcome = await bulk(deletions, 1, async (deletion): Promise<DeletionRow | Plan> => {
      try {
        return await deleteOne(deletion, recordings, confirmed, ctx);
      } catch (failure) {
        if (!ignoreMissing || !(failure instanceof SvcError) || failure.code !== 'not_found') throw failure;
        const { id, subscription } = deletion;
        return { id, result: 'not-found', url: subscription?.url ?? null, secret_deleted: false, message: null };
      }
    });
    return bulkAnswer(outcome, ({ id, subscription }, { code, message }): DeletionRow => {
      const result = code === 'not_found' ? 'not-found' : 'error';
      return { id, result, url: subscription?.url ?? null, secret_deleted: false, message };
    });
  },
});

function resolve(typed: string, all: readonly Subscription[]): Deletion {
  try {
    const subscription = findSubscription(all, typed);
    return { id: subscription.id, subscription };
  } catch (error) {
    if (error instanceof SvcError) return { id: typed, error };
    throw error;
  }
}

/** Undefined if none of the subscriptions exists: nothing is deleted. */
async function confirmDeletion(
  deletions: readonly Deletion[],
  all: readonly Subscription[],
  ctx: RunContext,
): Promise<Confirmed | undefined> {
  const found = deletions.flatMap(({ subscription }) => subscription ?? []);
  if (found.length === 0) return undefined;
  if (ctx.interactive && !ctx.yes && !ctx.dryRun) {
    for (const one of found) ctx.notice(describeSubscription(one));
    ctx.notice(quotaText(all));
  }
  const ids = found.map(({ id }) => id).join(', ');
  return ctx.confirm(
    `Delete ${found.length === 1 ? `subscription ${ids}` : `${found.length} subscriptions (${ids})`}?`,
  );
}

async function deleteOne(
  { id, subscription, error }: Deletion,
  recordings: Recordings,
  confirmed: Confirmed | undefined,
  ctx: RunContext,
): Promise<DeletionRow | Plan> {
  if (error !== undefined || confirmed === undefined) throw error;
  const result = await deleteSubscription(id, recordings, () => recordings.delete(id, confirmed));
  if (result instanceof Plan) return result;
  const secret_deleted = isGone(result, ctx) && (await forgetSecret(id, ctx));
  return { id, result, url: subscription?.url ?? null, secret_deleted, message: null };
}
