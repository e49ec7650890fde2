/** The one loop behind every watch and every wait: an interval, a deadline, patience with a service that is away for a while. */
import { SvcError } from '../errors.ts';
import type { RunContext } from './command.ts';

export interface PollOptions {
  readonly intervalMs: number;
  /** How long to go on; without it until interrupted. */
  readonly waitMs?: number | undefined;
}

/** A service that stays away is asked less and less often, but at least this often. */
const SLOWEST_MS = 60_000;

/**
 * Reads again and again, one read at a time, and gives each value with the time it was read. Ends when the next read would come
 * after the deadline; at least one read is made. A failure that may pass (`retryable`) is told once, waited out, and counts
 * as no value; any other ends the loop.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { intervalMs, waitMs }: PollOptions,
  ctx: Pick<RunContext, 'now' | 'sleep' | 'signal' | 'notice'>,
): AsyncGenerator<{ readonly value: T; readonly at: number }, void, void> {
  const end = waitMs === undefined ? Number.POSITIVE_INFINITY : ctx.now() + waitMs;
  let failures = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    try {
      const value = await read();
      if (failures > 0) ctx.notice('the service answers again');
      failures = 0;
      yield { value, at: ctx.now() };
    } catch (error) {
      if (!(error instanceof SvcError) || !error.retryable) throw error;
      // The last chance is gone: the failure is more use than "still waiting".
      if (ctx.now() >= end) throw error;
      if (failures === 0) ctx.notice(`${error.message}; waiting for it`);
      failures++;
    }
    const pause = Math.min(intervalMs * 2 ** Math.min(failures, 10), Math.max(intervalMs, SLOWEST_MS));
    const left = end - ctx.now();
    if (left <= 0) return;
    await ctx.sleep(Math.min(pause, left), ctx.signal);
  }
}
