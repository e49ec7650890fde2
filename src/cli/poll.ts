/** The one loop behind every watch and every wait: an interval, a deadline, patience with a service that is away for a while. */
import { SvcError } from '../errors.ts';
import type { RunContext } from './command.ts';

export interface PollOptions {
  /** Asked again before each pause where it is a function. */
  readonly intervalMs: number | (() => number);
  /** How long to go on; without it until interrupted. */
  readonly waitMs?: number | undefined;
}

/** What one read brought: a value, or a failure that may pass. */
export type Reading<T> =
  | { readonly at: number; readonly value: T; readonly trouble?: undefined }
  | { readonly at: number; readonly value?: undefined; readonly trouble: SvcError };

/** A service that stays away is asked less and less often, but at least this often. */
const SLOWEST_MS = 60_000;

/**
 * Reads again and again, one read at a time, and gives each outcome with the time it was there. Ends after the read that is made at
 * the deadline; at least one is made, and only one where there is no time to wait. A failure that may pass (`retryable`) is told once, given as `trouble` and waited out;
 * any other, and one at the deadline, ends the loop.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { intervalMs, waitMs }: PollOptions,
  ctx: Pick<RunContext, 'now' | 'sleep' | 'signal' | 'notice'>,
): AsyncGenerator<Reading<T>, void, void> {
  const end = waitMs === undefined ? Number.POSITIVE_INFINITY : ctx.now() + waitMs;
  let failures = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const reading = await attempt(read, ctx);
    const { at, trouble } = reading;
    // The last chance is gone: the failure is more use than "still waiting".
    if (trouble !== undefined && at >= end) throw trouble;
    if (trouble === undefined && failures > 0) ctx.notice('the service answers again');
    if (trouble !== undefined && failures === 0) ctx.notice(`${trouble.message}; waiting for it`);
    failures = trouble === undefined ? 0 : failures + 1;
    yield reading;
    const usual = typeof intervalMs === 'number' ? intervalMs : intervalMs();
    const pause = Math.min(usual * 2 ** Math.min(failures, 10), Math.max(usual, SLOWEST_MS));
    if (at >= end) return;
    await ctx.sleep(Math.max(0, Math.min(pause, end - ctx.now())), ctx.signal);
  }
}

async function attempt<T>(read: () => Promise<T>, ctx: Pick<RunContext, 'now' | 'signal'>): Promise<Reading<T>> {
  try {
    const value = await read();
    return { at: ctx.now(), value };
  } catch (trouble) {
    ctx.signal.throwIfAborted();
    if (!(trouble instanceof SvcError) || !trouble.retryable) throw trouble;
    return { at: ctx.now(), trouble };
  }
}
