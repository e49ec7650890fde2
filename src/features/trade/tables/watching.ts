/** Follows tables or prices: one snapshot, then the pushes, and another snapshot after a gap. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Trading } from '../client.ts';
import { ConnectionState } from '../gateway/connection-state.ts';
import { type Push, readPush } from '../gateway/push.ts';
import type { Session } from '../gateway/session.ts';
import type { Wanted } from '../gateway/subscription.ts';
import { type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { type Pace, type Shown, watchChanges } from './watch-changes.ts';

/** How often the age of the connection is redrawn. */
export const AGE_MS = 1_000;
/** The longest that a timer can wait. */
export const NEVER_MS = 2 ** 31 - 1;

/** What can be watched: it starts with a snapshot and applies the pushes. */
export interface Watched {
  readonly wanted: Wanted;
  /** Replaces all rows. */
  snapshot(trading: Trading): Promise<void>;
  /** False for a record of an unexpected form. */
  take(push: Push): boolean;
}

export interface Moment {
  readonly at: number;
  readonly state: ConnectionState;
  readonly session: Session;
}

interface Watching<Source extends Watched, Shot> {
  readonly sourceOf: (open: TradingSession) => Promise<Source>;
  /** The source is undefined until its first snapshot was read. */
  readonly shotOf: (source: Source | undefined, moment: Moment) => Shot;
  readonly until: string | undefined;
  readonly pace: Pace;
  readonly reconnect: boolean;
}

/** A shot after each change, no faster than the pace, and at each outage. Throws if the gateway is unreachable at the end. */
export async function* watching<Source extends Watched, Shot>(
  { sourceOf, shotOf, until: untilText, pace, reconnect }: Watching<Source, Shot>,
  ctx: RunContext,
): AsyncGenerator<Shot, void, void> {
  const until = parseUntil(untilText);
  const feed = await openFeed(ctx, { reconnect });
  const { session } = feed;
  const state = new ConnectionState(ctx.now());
  const timed = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  try {
    let source: Source | undefined;
    const begin = async (): Promise<void> => {
      await session.connect();
      const found = await sourceOf(feed);
      await feed.subscription.begin(found.wanted);
      timed();
      await found.snapshot(feed.trading);
      source = found;
    };
    for await (const outage of feed.outagesDuring(begin)) {
      timed();
      state.outage(outage);
      yield shotOf(undefined, { at: ctx.now(), state, session });
    }
    if (source !== undefined) {
      const begun = source;
      yield* watchChanges(
        (shown) => follow(begun, feed, { ...shown, state, pushes: until.pushes }, ctx).finally(() => state.end()),
        (at) => shotOf(begun, { at, state, session }),
        pace,
        ctx,
      );
    }
    ctx.signal.throwIfAborted();
    feed.checkReachable();
  } finally {
    await feed.end();
  }
}

interface Following extends Shown {
  readonly state: ConnectionState;
  readonly pushes: number;
}

/** Applies the pushes until the feed ends. */
async function follow(
  source: Watched,
  feed: Feed,
  { state, pushes, changed, show }: Following,
  ctx: RunContext,
): Promise<void> {
  let left = pushes;
  let isOdd = false;
  for await (const event of feed.events) {
    if (event.kind === 'closed') throw event.error;
    if (event.kind === 'unreachable' || event.kind === 'recovered') {
      state.outage(event);
      await show();
      continue;
    }
    if (event.kind === 'gap') {
      state.gap(event);
      if (await feed.subscription.restored()) {
        for await (const outage of feed.outagesDuring(() => renew(source, feed, state, ctx))) {
          state.outage(outage);
          await show();
        }
      }
      changed();
      continue;
    }
    state.pushed(event.at);
    const push = readPush(event.name, event.payload);
    if (push !== undefined && source.take(push)) changed();
    else if (!isOdd) {
      isOdd = true;
      ctx.notice(`${feed.session.hide(event.name)}: skipped a push of an unexpected form`);
    }
    if (push !== undefined && --left === 0) return;
  }
}

/** A connection that is lost again meanwhile causes another gap. */
async function renew(source: Watched, { trading }: Feed, state: ConnectionState, ctx: RunContext): Promise<void> {
  try {
    await source.snapshot(trading);
    state.stale = undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    state.stale = `out of date since the gap: ${error.message}`;
    ctx.notice(state.stale);
  }
}
