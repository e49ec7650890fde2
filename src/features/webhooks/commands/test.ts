import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { RecordOutput, Tone } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { changeUrlCommand, checkSubscriptionId, DISABLED, findSubscription } from '../subscriptions/subscription.ts';
import {
  queueTest,
  type TestOutcome,
  type TestResult,
  testCode,
  testWarning,
  waitForTest,
} from '../subscriptions/test-delivery.ts';

const OUTCOME_TONES: Readonly<Record<TestOutcome, Tone>> = {
  queued: 'strong',
  delivered: 'good',
  failed: 'bad',
  skipped: 'bad',
  pending: 'warn',
  'not-dispatched': 'warn',
};

const TEST_RECORD: RecordOutput<TestResult> = {
  kind: 'record',
  columns: [
    { name: 'event', cell: (test) => test.event_id },
    { name: 'endpoint', cell: (test) => test.endpoint_id },
    { name: 'outcome', cell: ({ outcome }) => ({ text: outcome, tone: OUTCOME_TONES[outcome] }) },
    { name: 'detail', cell: ({ text }) => text },
  ],
  id: (test) => test.event_id,
  line: ({ outcome, text }) => ({ text, tone: OUTCOME_TONES[outcome] }),
};

export const webhooksTest = recordCommand({
  id: 'webhooks test',
  summary: 'Send a test event and check its delivery',
  description:
    'Queued does not mean delivered. With --wait, svc polls the delivery log and exits 0 when the event is delivered, 1 when it failed or was skipped, and 9 on timeout.',
  details:
    'A wait of 90s covers the first attempt and the first retry; all five retries take about 51 minutes.\nJSON: endpoint_id, event_id, outcome (queued, delivered, failed, skipped, pending, not-dispatched), text, delivery (the log item, or null), waited_ms.',
  effect: 'write',
  service: 'webhooks',
  streams: ({ wait }) => wait !== undefined,
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: {
    wait: { type: 'duration', positive: true, help: 'How long to wait for the delivery' },
  },
  exits: ['delivery_failed', 'still_pending'],
  examples: [
    { run: 'svc webhooks test ep_1 --wait 90s', why: 'Wait until it is delivered' },
    { run: 'svc webhooks test ep_1', why: 'Queue it, and check later' },
  ],
  output: TEST_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const recordings = openRecordings(ctx.target);
    const subscription = findSubscription(await recordings.subscriptions(), input.id);
    const { id } = subscription;
    if (subscription.status === DISABLED) {
      throw new SvcError('guarded', `${id} is disabled`, {
        hint: `enable it with ${changeUrlCommand(id)}`,
      });
    }
    const doubt = testWarning(subscription);
    if (doubt !== undefined) ctx.notice(doubt);
    const eventId = await queueTest(id, recordings);
    if (eventId instanceof Plan) return { value: eventId };
    if (input.wait === undefined) {
      const text = `queued ${eventId} (not delivered yet)`;
      const value: TestResult = {
        endpoint_id: id,
        event_id: eventId,
        outcome: 'queued',
        text,
        delivery: null,
        waited_ms: 0,
      };
      return { value };
    }
    ctx.notice(`queued ${eventId}`);
    const value = await waitForTest(id, eventId, input.wait, recordings, ctx);
    return { value, code: testCode(value) };
  },
});
