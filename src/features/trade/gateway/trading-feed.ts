/** A session that follows pushes. It unsubscribes before it ends, also on Ctrl-C. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { RunContext } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { parseDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { marketHours } from '../market-hours.ts';
import { isPair } from '../symbols.ts';
import type { Outage } from './reconnecting.ts';
import type { Session, SessionEvent } from './session.ts';
import type { Subscription, Wanted } from './subscription.ts';
import { openTradingSession, type TradingSession } from './trading-session.ts';

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

const UNSUBSCRIBING_MS = 1_000;
/** So long without a push is unusual while prices move. */
const SILENCE_MS = 60_000;

/** Connects with the first request. The caller ends it. */
export async function openFeed(ctx: RunContext, { reconnect }: { readonly reconnect: boolean }): Promise<Feed> {
  const { Subscription } = await import('./subscription.ts');
  // An interruption unsubscribes first, and then ends the life of the session.
  const life = new AbortController();
  const { signal } = life;
  const open = await openTradingSession(
    { ...ctx, signal, target: { ...ctx.target, signal } },
    { reconnect, awaitGateway: reconnect },
  );
  const subscription = new Subscription(open.session, open.trading);
  return new TradingFeed(open, subscription, { reconnect, life }, ctx);
}

export type Feed = Pick<TradingFeed, keyof TradingFeed>;

interface FeedOptions {
  readonly reconnect: boolean;
  readonly life: AbortController;
}

class TradingFeed {
  readonly open: TradingSession;
  readonly session: Session;
  readonly subscription: Subscription;
  /** End when `end` is called, and reject when the command is interrupted. */
  readonly events: AsyncIterable<SessionEvent>;
  readonly #options: FeedOptions;
  readonly #ctx: RunContext;
  readonly #over = new AbortController();
  #ending: Promise<void> | undefined;
  #isTimed = false;
  /** Outages so far while work was done. */
  #reported = 0;

  constructor(open: TradingSession, subscription: Subscription, options: FeedOptions, ctx: RunContext) {
    this.open = open;
    this.session = open.session;
    this.subscription = subscription;
    this.events = open.session.events();
    this.#options = options;
    this.#ctx = ctx;
    ctx.signal.addEventListener('abort', this.#interrupt, { once: true });
    if (ctx.signal.aborted) this.#interrupt();
  }

  /** Does work between events and yields the outages meanwhile. After a lost connection the work is repeated; other failures throw. */
  async *outagesDuring(work: () => Promise<void>): AsyncGenerator<Outage, void, void> {
    const outages = new AsyncQueue<Outage>();
    const restore = this.session.divertOutages((event) => {
      this.#reported += 1;
      outages.push(event);
    });
    void this.#persist(work)
      .catch((error: unknown) => {
        if (this.#over.signal.aborted) return;
        const missed = this.#unreported(error);
        if (missed !== undefined) outages.push(missed);
        outages.end(error);
      })
      .finally(() => {
        restore();
        outages.end();
      });
    yield* outages;
  }

  async #persist(work: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = this.#reported;
      try {
        return await work();
      } catch (error) {
        // The feed was ended meanwhile.
        if (this.#over.signal.aborted) return;
        const wasLost = this.#reported > before;
        if (!wasLost || !this.#options.reconnect || !isOfConnection(error)) throw error;
        await this.session.connect();
      }
    }
  }

  /** The outage that a failure is, if the session has not reported it. */
  #unreported(error: unknown): Outage | undefined {
    if (!(error instanceof SvcError) || error.exit !== UNAVAILABLE || this.session.outage !== undefined)
      return undefined;
    return { kind: 'unreachable', at: this.#ctx.now(), reason: this.session.hide(error.message), error };
  }

  /** Ends the feed after this time. Only the first call counts. */
  endAfter(ms: number): void {
    if (!this.#isTimed)
      void this.#ctx.sleep(ms, this.#over.signal).then(
        () => this.end(),
        () => {},
      );
    this.#isTimed = true;
  }

  /** Reports prices that stop although forex is traded, until the feed ends. Tables without prices may be silent for long. */
  async reportSilence({ models, symbols }: Wanted): Promise<void> {
    if (!models.includes('Offer') && !symbols.some(isPair)) return;
    const { now, sleep } = this.#ctx;
    let wait = SILENCE_MS;
    while (!this.#over.signal.aborted) {
      await sleep(wait, this.#over.signal).catch(() => {});
      const at = now();
      wait = (this.session.pushedAt ?? at) + SILENCE_MS - at;
      if (wait > 0) continue;
      wait = SILENCE_MS;
      const isOpen = [at - SILENCE_MS, at].every((time) => marketHours(time).state === 'open');
      if (isOpen && !this.#over.signal.aborted)
        this.session.reportSilence('no push came for a minute although forex is traded now');
    }
  }

  /** Throws if the gateway is unreachable: a count or time that ends then has missed pushes. */
  checkReachable(): void {
    const { outage } = this.session;
    if (outage === undefined) return;
    const reason = this.session.hide(outage.message);
    throw new SvcError('connection_lost', `the gateway was unreachable at the end: ${reason}`, { cause: outage });
  }

  /** Unsubscribes and closes the session. Never rejects. */
  end(): Promise<void> {
    this.#ending ??= this.#leave();
    return this.#ending;
  }

  readonly #interrupt = (): void => void this.end();

  async #leave(): Promise<void> {
    const { signal, sleep } = this.#ctx;
    this.#over.abort();
    const enough = new AbortController();
    const late = sleep(UNSUBSCRIBING_MS, enough.signal).catch(() => {});
    await Promise.race([this.subscription.end(), late]);
    enough.abort();
    signal.removeEventListener('abort', this.#interrupt);
    if (signal.aborted) this.#options.life.abort(signal.reason);
    await this.session.close();
  }
}

/** After a lost connection the gateway answers 401, if at all. */
function isOfConnection(error: unknown): boolean {
  return error instanceof SvcError && (error.exit === UNAVAILABLE || error.code === 'unauthorized');
}
