/** The polling loop behind every watch, every wait and lists that are read repeatedly. */
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Snapshot } from '../output/types.ts';

export interface PollOptions {
  readonly intervalMs: number;
  /** How long to poll; without it, until interrupted. */
  readonly waitMs?: number | undefined;
}

/** What a polling loop needs from the command's context. */
export interface PollContext extends Pick<Context, 'now' | 'sleep' | 'signal'> {
  notice(text: string): void;
}

/** The service became unreachable or reachable. */
export type Outage = NonNullable<Snapshot<unknown>['outage']>;

/** An outage as a line in a JSON stream. */
export interface OutageEvent extends Outage {
  readonly at: string;
}

export function outageEvent({ event, reason }: Outage, at: number): OutageEvent {
  return { event, at: new Date(at).toISOString(), ...(reason === undefined ? {} : { reason }) };
}

/** One read: a value, a retryable failure, or neither yet; with the outage it began or ended. */
export type Reading<T> = { readonly at: number; readonly outage?: Outage | undefined } & (
  | Attempt<T>
  | { readonly value?: undefined; readonly trouble?: undefined; readonly outage: Outage }
);
type Attempt<T> = { readonly at: number } & (
  | { readonly value: T; readonly trouble?: undefined }
  | { readonly value?: undefined; readonly trouble: SvcError }
);

/** A service slower than this counts as unreachable, unless it was as slow before. */
const PATIENCE_MS = 700;
/** The first retry interval for an unreachable service, so that its return is noticed at once. */
const RETRY_MS = 1000;
const QUICK_RETRIES = 60;
/** The longest interval between polls of a rate-limited service. */
const SLOWEST_MS = 60_000;

/**
 * Reads repeatedly, one read at a time, and yields each outcome with its time; the last read is at
 * the deadline, or the only one if there is no time. A retryable failure is reported once, yielded
 * as `trouble` and waited out; any other, or one at the deadline, ends the loop.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { intervalMs, waitMs }: PollOptions,
  ctx: PollContext,
): AsyncGenerator<Reading<T>, void, void> {
  const end = waitMs === undefined ? Number.POSITIVE_INFINITY : ctx.now() + waitMs;
  const hasTime = waitMs === undefined || waitMs > 0;
  let failures = 0;
  let isReachable = true;
  let patienceMs = PATIENCE_MS;
  for (;;) {
    ctx.signal.throwIfAborted();
    const began = performance.now();
    const outcome = attempt(read, ctx);
    if (isReachable && hasTime && (await isLate(outcome, patienceMs))) {
      isReachable = false;
      const reason = `no response within ${(patienceMs / 1000).toFixed(1)} s`;
      ctx.notice(`${reason}; waiting for the service`);
      yield { at: ctx.now(), outage: { event: 'unreachable', reason } };
    }
    const result = await outcome;
    const { at, trouble } = result;
    // At the deadline, the failure is more useful than "still waiting".
    if (trouble !== undefined && at >= end) throw trouble;
    if (trouble === undefined) patienceMs = Math.max(patienceMs, 2 * (performance.now() - began));
    const outage = reportOutage(trouble, { isReachable, failures }, ctx);
    isReachable = trouble === undefined;
    failures = isReachable ? 0 : failures + 1;
    yield { ...result, outage };
    if (at >= end) return;
    const pause = pauseAfter(trouble, failures, intervalMs);
    await ctx.sleep(Math.max(0, Math.min(pause, end - ctx.now())), ctx.signal);
  }
}

/** Reports what a read changed; the arguments tell how the service was before it. */
function reportOutage(
  trouble: SvcError | undefined,
  { isReachable, failures }: { readonly isReachable: boolean; readonly failures: number },
  ctx: PollContext,
): Outage | undefined {
  if (trouble !== undefined) {
    if (failures === 0) ctx.notice(`${trouble.message}; waiting for it`);
    return isReachable ? { event: 'unreachable', reason: trouble.message } : undefined;
  }
  if (isReachable) return undefined;
  ctx.notice('the service responds again');
  return { event: 'recovered' };
}

function pauseAfter(trouble: SvcError | undefined, failures: number, intervalMs: number): number {
  if (trouble?.code === 'limited')
    return Math.min(intervalMs * 2 ** Math.min(failures, 10), Math.max(intervalMs, SLOWEST_MS));
  return trouble !== undefined && failures <= QUICK_RETRIES ? Math.min(intervalMs, RETRY_MS) : intervalMs;
}

async function isLate(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  return Promise.race([work.then(() => false), late]).finally(() => clearTimeout(timer));
}

async function attempt<T>(read: () => Promise<T>, ctx: PollContext): Promise<Attempt<T>> {
  try {
    const value = await read();
    return { at: ctx.now(), value };
  } catch (trouble) {
    ctx.signal.throwIfAborted();
    if (!(trouble instanceof SvcError) || !trouble.retryable) throw trouble;
    return { at: ctx.now(), trouble };
  }
}
