/** A session that follows pushes. It unsubscribes before it ends, also on Ctrl-C. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { RunContext } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { parseDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { Outage } from './session-types.ts';
import { openTradingSession } from './trading-session.ts';

export const FEED_FLAGS = {
  until: {
    type: 'string',
    value: 'n|duration',
    check: (text) => void parseUntil(text),
    group: 'Follow options',
    help: 'End after this many pushes or this time (100, 5m)',
  },
  reconnect: {
    type: 'boolean',
    default: true,
    group: 'Follow options',
    help: 'End when the connection is lost',
  },
} as const satisfies Flags;

/** The longest that a timer can wait. */
const LONGEST_MS = 24 * 24 * 60 * 60 * 1000;

export interface Until {
  readonly pushes: number;
  readonly ms: number | undefined;
}

export function parseUntil(text: string | undefined): Until {
  if (text === undefined) return { pushes: Number.POSITIVE_INFINITY, ms: undefined };
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return { pushes: Number(text), ms: undefined };
  if (/^\d+$/.test(text)) throw new SvcError('invalid_value', `--until: ${text} is not a number of pushes`);
  const ms = parseDuration(text);
  if (ms === 0 || ms > LONGEST_MS) throw new SvcError('invalid_value', '--until: the time must be from 1ms to 24d');
  return { pushes: Number.POSITIVE_INFINITY, ms };
}

/** The exit status when a service cannot be reached. */
export const UNAVAILABLE = 7;

export type Feed = Awaited<ReturnType<typeof openFeed>>;

const UNSUBSCRIBING_MS = 1_000;

export async function openFeed(ctx: RunContext, { reconnect }: { readonly reconnect: boolean }) {
  const { Subscription } = await import('./subscription.ts');
  // An interruption unsubscribes first.
  const life = new AbortController();
  const { signal } = life;
  const open = await openTradingSession(
    { ...ctx, signal, target: { ...ctx.target, signal } },
    { reconnect, awaitGateway: reconnect },
  );
  const { session, trading } = open;
  const subscription = new Subscription(session, trading);
  const over = new AbortController();
  let ending: Promise<void> | undefined;
  let isTimed = false;
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
    /** End when `end` is called, and reject when the command is interrupted. */
    events: session.events(),
    /** Does work between events and yields the outages meanwhile. After a lost connection the work is repeated; other failures throw. */
    async *outagesDuring(work: () => Promise<void>): AsyncGenerator<Outage, void, void> {
      const outages = new AsyncQueue<Outage>();
      let wasLost = false;
      const back = session.divertOutages((event) => {
        wasLost = true;
        outages.push(event);
      });
      const persist = async (): Promise<void> => {
        for (;;) {
          wasLost = false;
          try {
            return await work();
          } catch (error) {
            // The feed was ended meanwhile.
            if (over.signal.aborted) return;
            if (!wasLost || !reconnect || !isOfConnection(error)) throw error;
            await session.connect();
          }
        }
      };
      const fail = (error: unknown): void => {
        if (over.signal.aborted) return;
        if (error instanceof SvcError && error.exit === UNAVAILABLE && session.outage === undefined) {
          outages.push({ kind: 'unreachable', at: ctx.now(), reason: session.hide(error.message), error });
        }
        outages.end(error);
      };
      void persist()
        .catch(fail)
        .finally(() => {
          back();
          outages.end();
        });
      yield* outages;
    },
    /** Ends the feed after this time. Only the first call counts. */
    endAfter(ms: number): void {
      if (!isTimed) void ctx.sleep(ms, over.signal).then(end, () => {});
      isTimed = true;
    },
    /** Throws if the gateway is unreachable: a count or time that ends then has missed pushes. */
    checkReachable(): void {
      const { outage } = session;
      if (outage === undefined) return;
      const reason = session.hide(outage.message);
      throw new SvcError('connection_lost', `the gateway was unreachable at the end: ${reason}`, { cause: outage });
    },
    /** Unsubscribes and closes the session. Never rejects. */
    end,
  };
}

/** After a lost connection the gateway answers 401, if at all. */
function isOfConnection(error: unknown): boolean {
  return error instanceof SvcError && (error.exit === UNAVAILABLE || error.code === 'unauthorized');
}
