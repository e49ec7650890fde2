import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { LASTING_SINK_FLAGS } from '../../../cli/secret-sink.ts';
import { formatDuration } from '../../../duration.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { answered, type Confirmed, Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openRecordings, type Recordings } from '../api.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import type { Subscription } from '../schema.ts';
import { forgetSecret, openSecretSink } from '../stored-secrets.ts';
import {
  type CreatedRow,
  checkQuota,
  createdRow,
  createSubscription,
  deferInterruptions,
} from '../subscriptions/creating.ts';
import { checkSubscriptionId, findSubscription, requireEvents, requireUrl } from '../subscriptions/subscription.ts';
import { queueTest, type TestResult, testWarning, waitForTest } from '../subscriptions/test-delivery.ts';
import { deleteSubscription, isGone } from '../subscriptions/updating.ts';

interface RotatedRow extends CreatedRow {
  readonly replaced: string;
  /** svc had the old secret stored, and deleted it as well. */
  readonly replaced_secret_deleted: boolean;
  readonly test: TestResult;
}

const secretText = (row: RotatedRow): string => `${row.secret_stored} (sha256 fp ${row.secret_fingerprint})`;
const oldText = ({ replaced, replaced_secret_deleted: forgotten }: RotatedRow): string =>
  `${replaced} deleted${forgotten ? ', and its stored secret' : ''}`;

const ROTATED_RECORD: RecordOutput<RotatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'secret', cell: secretText },
    { name: 'test', cell: ({ test }) => test.text },
    { name: 'replaced', cell: oldText },
  ],
  id: ({ id }) => id,
  line: (row) =>
    `rotated ${row.replaced} → ${row.id}  secret: ${secretText(row)}  test ${row.test.text}  ${oldText(row)}`,
};

export const webhooksRotate = recordCommand({
  id: 'webhooks rotate',
  summary: 'Replace the signing secret without a gap',
  description:
    'The service cannot change a secret. svc creates a second subscription with the same URL and events, sends it a test event, and deletes the old subscription once that event is delivered. Until then the receiver gets each event twice and must accept both secrets.',
  details:
    'It needs a free place in the quota. If the test event is not delivered, both subscriptions remain. With the old subscription, svc deletes its stored secret.',
  effect: 'destroy',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: {
    wait: { type: 'duration', positive: true, default: '90s', help: 'How long to wait for the test event' },
    ...LASTING_SINK_FLAGS,
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc webhooks rotate ep_1 --store', why: 'Store the new secret for --endpoint' },
    { run: 'svc webhooks rotate ep_1 --secret-file new.txt --wait 10m', why: 'Leave time to configure the receiver' },
  ],
  output: ROTATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const { signal, runToEnd } = deferInterruptions(ctx);
    const recordings = openRecordings({ ...ctx.target, signal });
    const all = await recordings.subscriptions();
    const old = findSubscription(all, input.id);
    const url = requireUrl(old);
    const events = requireEvents(old);
    checkQuota(all, ctx);
    const sink = await openSecretSink(input, ctx);
    try {
      const question = `Replace ${old.id} (${url}) with a new subscription, and delete it once the new one works?`;
      const confirmed = await ctx.confirm(question);
      const created = await createSubscription({ url, events }, recordings, {
        dryRun: ctx.dryRun,
        allowDuplicate: true,
        runToEnd,
        notice: ctx.notice,
        keep: sink.keep,
      });
      if (created instanceof Plan) return { value: created };
      const row = createdRow(created, sink);
      // From here on two subscriptions exist, and any failure says so.
      const state = `${row.id} was created (secret ${row.secret_stored}, sha256 fp ${row.secret_fingerprint})`;
      ctx.notice(`${state}: until ${old.id} is deleted, the receiver must accept both secrets`);
      const next = { id: row.id, state };
      const test = await testNewSubscription(next, old, input.wait, recordings, ctx);
      const replaced_secret_deleted = await deleteOld(next, old, confirmed, recordings, ctx);
      return { value: { ...row, replaced: old.id, test, replaced_secret_deleted } };
    } finally {
      sink.abandon?.();
    }
  },
});

/** What the two steps say of the new subscription if they fail. */
interface Created {
  readonly id: string;
  /** `ep_9 was created (secret stored, sha256 fp 12ab)` */
  readonly state: string;
}

/** Returns once the test event is delivered. */
async function testNewSubscription(
  { id, state }: Created,
  old: Subscription,
  wait: number,
  recordings: Recordings,
  ctx: RunContext,
): Promise<TestResult> {
  const hint = `svc webhooks test ${shellWord(id)} --wait ${formatDuration(wait)} && svc webhooks delete ${shellWord(old.id)}`;
  const unfinished = (code: ErrorCode, why: string, cause?: SvcError): SvcError =>
    new SvcError(code, `${state}, and ${old.id} was not deleted: ${why}`, { hint, cause });
  const warning = testWarning({ ...old, id });
  if (warning !== undefined) ctx.notice(warning);
  let test: TestResult;
  try {
    const eventId = answered(await queueTest(id, recordings));
    test = await waitForTest(id, eventId, wait, recordings, ctx);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw unfinished(codeOf(error), error.message, error);
  }
  if (test.outcome === 'delivered') return test;
  const code = test.outcome === 'failed' || test.outcome === 'skipped' ? 'not_as_asked' : 'still_pending';
  throw unfinished(code, `its test event was not delivered: ${test.text}`);
}

/** Whether its stored secret is deleted as well. */
async function deleteOld(
  { state }: Created,
  old: Subscription,
  confirmed: Confirmed,
  recordings: Recordings,
  ctx: RunContext,
): Promise<boolean> {
  try {
    const result = await deleteSubscription(old.id, recordings, () => recordings.delete(old.id, confirmed));
    return isGone(result, ctx) && (await forgetSecret(old.id, ctx));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const message = `${state} and works, but ${old.id} could not be deleted: ${error.message}`;
    const hint = `svc webhooks delete ${shellWord(old.id)}`;
    throw new SvcError(codeOf(error), message, { hint, sent: error.sent, cause: error });
  }
}

function codeOf(error: SvcError): ErrorCode {
  return error.endedBySignal ? error.code : 'not_as_asked';
}
