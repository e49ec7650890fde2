/** The second half of a rotation: the new subscription is there and its secret kept, the old one must not go too early. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Recordings } from './client.ts';
import { deleteSubscription } from './deleting.ts';
import type { Subscription } from './schema.ts';
import { idArgument } from './subscription.ts';
import { queueTest, type TestResult, testWarning } from './test-delivery.ts';
import { waitForTest } from './test-wait.ts';

export interface Rotation {
  readonly old: Subscription;
  readonly row: { readonly id: string; readonly secret_kept: string; readonly secret_fingerprint: string };
  readonly wait: number;
  readonly keepOld: boolean;
}

export interface Finished {
  readonly test: TestResult;
  /** Whether the old one is gone. */
  readonly replaced_deleted: boolean;
}

const POLL_MS = 2_000;

/** Whatever fails from here on, two subscriptions are there: the failure says so. */
export async function finishRotation(
  { old, row: { id, secret_kept: where, secret_fingerprint: fp }, wait, keepOld }: Rotation,
  recordings: Recordings,
  ctx: RunContext,
): Promise<Finished> {
  const state = `${id} was created (secret ${where}, sha256 fp ${fp})`;
  const next = `svc webhooks test ${idArgument(id)} --wait 90s && svc webhooks delete ${idArgument(old.id)}`;
  const stop = (code: 'not_as_asked' | 'still_pending' | 'interrupted' | 'terminated', why: string, cause?: SvcError) =>
    new SvcError(code, `${state}, and ${old.id} is still there: ${why}`, { hint: next, cause });
  ctx.notice(`${state}: until ${old.id} is deleted the receiver has to accept both secrets`);
  const doubt = testWarning({ ...old, id });
  if (doubt !== undefined) ctx.notice(doubt);
  let test: TestResult;
  try {
    const eventId = await queueTest(id, recordings);
    test = await waitForTest(id, eventId, { waitMs: wait, pollMs: POLL_MS }, recordings, ctx);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    throw stop(code === 'interrupted' || code === 'terminated' ? code : 'not_as_asked', message, error);
  }
  if (test.outcome !== 'delivered') {
    const code = test.outcome === 'failed' || test.outcome === 'skipped' ? 'not_as_asked' : 'still_pending';
    throw stop(code, `its test event is not delivered: ${test.text}`);
  }
  if (keepOld) return { test, replaced_deleted: false };
  await deleteSubscription(old.id, recordings).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
    throw new SvcError('not_as_asked', `${state} and works, but ${old.id} could not be deleted: ${error.message}`, {
      hint: `svc webhooks delete ${idArgument(old.id)}`,
      cause: error,
    });
  });
  return { test, replaced_deleted: true };
}
