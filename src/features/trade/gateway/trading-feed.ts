/** A session that follows pushes. It unsubscribes before it ends, also on Ctrl-C. */
import type { RunContext } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { parseDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import { openTrading, type Trading } from '../client.ts';
import { marketHours } from '../market-hours.ts';
import type { ModelName } from '../models.ts';
import { isPair } from '../symbols.ts';
import type { Session, SessionEvent } from './session.ts';
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

const UNSUBSCRIBING_MS = 1_000;
/** So long without a push is unusual while prices move. */
const SILENCE_MS = 60_000;

/** What a feed subscribes to, in this order. */
export interface Wanted {
  readonly models: readonly ModelName[];
  readonly symbols: readonly string[];
}

interface FeedOptions {
  readonly reconnect: boolean;
  /** How long the feed lasts from `startTimer` on. Undefined for ever. */
  readonly ms: number | undefined;
}

/** The caller ends the feed. */
export async function openFeed(ctx: RunContext, { reconnect, ms }: FeedOptions): Promise<Feed> {
  // An interruption unsubscribes first, and then ends the life of the session.
  const life = new AbortController();
  const { signal } = life;
  const open = await openTradingSession(
    { ...ctx, signal, target: { ...ctx.target, signal } },
    { reconnect, awaitGateway: reconnect },
  );
  return new TradingFeed(open, life, ms, ctx);
}

export type Feed = Pick<TradingFeed, keyof TradingFeed>;

class TradingFeed {
  readonly open: TradingSession;
  readonly session: Session;
  /** Once it is done. */
  subscribed: Wanted | undefined;
  readonly #life: AbortController;
  readonly #ms: number | undefined;
  readonly #ctx: RunContext;
  readonly #over = new AbortController();
  #wanted: Wanted = { models: [], symbols: [] };
  #reconnects = 0;
  #restored: Promise<void> = Promise.resolve();
  #timer: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(open: TradingSession, life: AbortController, ms: number | undefined, ctx: RunContext) {
    this.open = open;
    this.session = open.session;
    this.#life = life;
    this.#ms = ms;
    this.#ctx = ctx;
    this.session.onReconnect((again) => {
      this.#reconnects += 1;
      this.#restored = subscribe(this.#wanted, openTrading(again));
      return this.#restored;
    });
    ctx.signal.addEventListener('abort', this.#interrupt, { once: true });
    if (ctx.signal.aborted) this.#interrupt();
  }

  /** Aborted at the end. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Connects. */
  events(): AsyncIterable<SessionEvent> {
    const events = this.session.events();
    // A failure is an event.
    void this.session.connect().catch(() => {});
    return events;
  }

  /** Undefined if the connection is lost meanwhile or cannot serve them: the events say so. */
  async attempt<T>(requests: () => Promise<T>): Promise<T | undefined> {
    const before = this.#reconnects;
    const done = this.#restored.then(requests);
    try {
      return await Promise.race([done, this.session.untilLost().then(() => undefined)]);
    } catch (error) {
      const isLost = !this.session.isConnected || this.#reconnects !== before;
      if (isLost && isOfConnection(error)) return undefined;
      if (!(error instanceof SvcError) || !error.isUnavailable) throw error;
      this.session.giveUp(error);
      return undefined;
    } finally {
      // After a loss nobody waits for them.
      done.catch(() => {});
    }
  }

  /** Once per feed: later connections keep the subscriptions. May be repeated after a failure. */
  async subscribe(wanted: Wanted): Promise<void> {
    // Before the response: if the connection is lost meanwhile, the subscriptions must be restored.
    this.#wanted = wanted;
    await subscribe(wanted, this.open.trading);
    this.subscribed = wanted;
    void this.#reportSilence(wanted);
  }

  /** Only the first call counts. */
  startTimer(): void {
    if (this.#ms === undefined) return;
    this.#timer ??= this.#ctx.sleep(this.#ms, this.#over.signal).then(
      () => this.end(),
      () => {},
    );
  }

  /** Reports prices that stop while forex is traded. Tables without prices may be silent long. */
  async #reportSilence({ models, symbols }: Wanted): Promise<void> {
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
    await Promise.race([this.#unsubscribe(), late]);
    enough.abort();
    signal.removeEventListener('abort', this.#interrupt);
    if (signal.aborted) this.#life.abort(signal.reason);
    await this.session.close();
  }

  /** The gateway may have ended the subscriptions already: what it responds does not matter. */
  async #unsubscribe(): Promise<void> {
    const { trading } = this.open;
    const { models, symbols } = this.#wanted;
    for (const model of models) if (this.session.isConnected) await trading.unsubscribeModel(model).catch(() => {});
    for (const symbol of symbols) if (this.session.isConnected) await trading.unsubscribePrices(symbol).catch(() => {});
  }
}

async function subscribe({ models, symbols }: Wanted, trading: Trading): Promise<void> {
  for (const model of models) await trading.subscribeModel(model);
  for (const symbol of symbols) await trading.subscribePrices(symbol);
}

/** After a lost connection the gateway answers 401, if at all. */
function isOfConnection(error: unknown): boolean {
  return error instanceof SvcError && (error.isUnavailable || error.code === 'unauthorized');
}
