/** Following a test event to its end, for every command that sends one. */
import type { RunContext } from '../../cli/command.ts';
import { poll } from '../../cli/poll.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import type { Recordings } from './client.ts';
import { idArgument } from './subscription.ts';
import { isFinal, judgeTest, lookForTest, type TestResult } from './test-delivery.ts';

export interface TestWait {
  readonly waitMs: number;
  readonly pollMs: number;
}

/** What is known of it at its end, or when the time is over. */
export async function waitForTest(
  id: string,
  eventId: string,
  { waitMs, pollMs }: TestWait,
  recordings: Recordings,
  ctx: RunContext,
): Promise<TestResult> {
  const began = ctx.now();
  let latest = judgeTest(id, eventId, { item: undefined, subscription: undefined }, 0);
  try {
    const looks = poll(() => lookForTest(id, eventId, recordings), { intervalMs: pollMs, waitMs }, ctx);
    for await (const { at, value, outage } of looks) {
      await ctx.reportOutage(outage);
      if (value === undefined) continue;
      latest = judgeTest(id, eventId, value, at - began);
      if (isFinal(latest)) return latest;
    }
    return latest;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    if (code === 'interrupted' || code === 'terminated') throw new SvcError(code, `${message}; ${eventId} is queued`);
    throw new SvcError('outcome_unknown', `${eventId} is queued, but waiting for it failed: ${message}`, {
      hint: `see: svc webhooks deliveries ${idArgument(id)}`,
      cause: error,
      ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
    });
  }
}

export function testCode({ outcome }: TestResult): ErrorCode | undefined {
  if (outcome === 'failed' || outcome === 'skipped') return 'delivery_failed';
  return outcome === 'pending' || outcome === 'not-dispatched' ? 'still_pending' : undefined;
}
