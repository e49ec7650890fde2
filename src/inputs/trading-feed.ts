/** A session that is listened to until there is enough: it takes its subscriptions back before it ends, also by Ctrl-C. */
import type { RunContext } from '../cli/command.ts';
import { parseDuration } from '../cli/duration.ts';
import type { Flags } from '../cli/flags.ts';
import { SvcError } from '../errors.ts';
import type { SessionEvent } from '../services/trading/session-types.ts';
import type { Subscription } from '../services/trading/subscription.ts';
import { openTradingSession, SESSION_FLAGS, type SessionWish, type TradingSession } from './trading-session.ts';

export const FEED_FLAGS = {
  until: {
    type: 'string',
    value: 'n|duration',
    check: (text) => void parseUntil(text),
    help: 'End after so many pushes (100), or after this time (5m)',
  },
  reconnect: { type: 'boolean', default: true, help: 'End where the connection is lost, instead of connecting again' },
  ...SESSION_FLAGS,
} as const satisfies Flags;

/** What a timer can wait for. */
const LONGEST_MS = 24 * 24 * 60 * 60 * 1000;

export interface Until {
  readonly pushes: number;
  /** Undefined for as long as it takes. */
  readonly ms: number | undefined;
}

export function parseUntil(text: string | undefined): Until {
  if (text === undefined) return { pushes: Number.POSITIVE_INFINITY, ms: undefined };
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return { pushes: Number(text), ms: undefined };
  if (/^\d+$/.test(text)) throw new SvcError('invalid_value', `--until: ${text} is no number of pushes`);
  const ms = parseDuration(text);
  if (ms === 0 || ms > LONGEST_MS) throw new SvcError('invalid_value', '--until: a time is from 1ms to 24d');
  return { pushes: Number.POSITIVE_INFINITY, ms };
}

export interface Feed extends TradingSession {
  readonly subscription: Subscription;
  /** Of the session. They end when `end` is called, and reject where the command is interrupted. */
  readonly events: AsyncIterable<SessionEvent>;
  /** Ends it after so long. */
  endAfter(ms: number): void;
  /** Takes the subscriptions back and leaves. Never rejects. */
  end(): Promise<void>;
}

/** How long the gateway may take to take subscriptions back. */
const UNSUBSCRIBING_MS = 1_000;

export async function openFeed(ctx: RunContext, wish: SessionWish): Promise<Feed> {
  const { Subscription } = await import('../services/trading/subscription.ts');
  // Whoever interrupts is waited for: what was subscribed to is taken back first.
  const life = new AbortController();
  const { signal } = life;
  const open = await openTradingSession({ ...ctx, signal, target: { ...ctx.target, signal } }, wish);
  const { session, trading } = open;
  const subscription = new Subscription(session, trading);
  const over = new AbortController();
  let ending: Promise<void> | undefined;
  const leave = async (): Promise<void> => {
    over.abort();
    const enough = new AbortController();
    const late = ctx.sleep(UNSUBSCRIBING_MS, enough.signal).catch(() => {});
    await Promise.race([subscription.end(), late]);
    enough.abort();
    ctx.signal.removeEventListener('abort', interrupt);
    if (ctx.signal.aborted) life.abort(ctx.signal.reason);
    await session.close();
  };
  const end = (): Promise<void> => {
    ending ??= leave();
    return ending;
  };
  const interrupt = (): void => void end();
  ctx.signal.addEventListener('abort', interrupt, { once: true });
  if (ctx.signal.aborted) interrupt();
  return {
    ...open,
    subscription,
    events: session.events(),
    endAfter: (ms) => void ctx.sleep(ms, over.signal).then(end, () => {}),
    end,
  };
}
