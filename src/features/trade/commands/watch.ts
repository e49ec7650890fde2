import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput, Snapshot, WatchOutput } from '../../../output/types.ts';
import { amountCell } from '../amounts.ts';
import { ACCOUNT_LIST, ORDER_LIST, POSITION_LIST, priceColumns } from '../columns.ts';
import { readPush } from '../gateway/push.ts';
import type { Outage } from '../gateway/reconnecting.ts';
import type { SessionEvent } from '../gateway/session.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { sideOf } from '../order-text.ts';
import {
  type LiveModel,
  LivePrices,
  type LiveSource,
  livePrices,
  liveRows,
  type PriceRow,
} from '../tables/live-source.ts';
import { offersToShow, symbolsOf } from '../tables/lookups.ts';
import type { Traded } from '../totals.ts';

// biome-ignore lint/suspicious/noExplicitAny: each has rows of its own
type LiveOutput = WatchOutput<any>;

function tradedTitle(id: string, row: Traded): string {
  const { currency, isBuy } = row;
  return [id, currency, sideOf(isBuy), amountCell(row)].filter((part) => part !== undefined).join(' ');
}

const COMMON = { kind: 'watch', appends: true } as const;

const LIVE_TABLES: Readonly<Record<string, { readonly model: LiveModel; readonly output: LiveOutput }>> = {
  positions: {
    model: 'OpenPosition',
    output: {
      ...COMMON,
      list: POSITION_LIST,
      noun: 'position',
      title: (row) => tradedTitle(row.tradeId, row),
    },
  },
  orders: {
    model: 'Order',
    output: { ...COMMON, list: ORDER_LIST, noun: 'order', title: (row) => tradedTitle(row.orderId, row) },
  },
  accounts: {
    model: 'Account',
    output: { ...COMMON, list: ACCOUNT_LIST, noun: 'account', title: ({ accountId }) => accountId },
  },
};

function pricesOutput(prices = new LivePrices()): LiveOutput {
  const title = ({ symbol, bid, ask }: PriceRow): string => `${symbol} ${bid ?? '?'} ${ask ?? '?'}`;
  return { ...COMMON, list: priceList(prices), noun: 'price', title };
}

const SPARK_BARS = 40;

function priceList(prices: Pick<LivePrices, 'mids' | 'precision'>): ListOutput<PriceRow> {
  const { symbol, bid, ask, high, low, time } = priceColumns<PriceRow>((name) => prices.precision(name));
  const trend: Column<PriceRow> = {
    name: 'trend',
    cell: (row) => ({ spark: prices.mids(row.symbol), bars: SPARK_BARS }),
  };
  return {
    kind: 'list',
    columns: [symbol, bid, ask, trend, high, low, time],
    id: ({ symbol }) => symbol,
    empty: 'no prices',
  };
}

export const tradeWatch = listCommand({
  id: 'trade watch',
  summary: 'Follow positions, orders, accounts or prices live',
  description:
    'Reads the table once, then follows the pushes; nothing is polled. A terminal redraws the table (q or Ctrl-C ends it); a pipe gets one line per change. Changes within --interval are shown as one: svc trade stream prints each.',
  details:
    'Prices have a chart of the last 40 ticks. -o ndjson prints {"event":"added|changed|resolved","at","position|order|account|price"}, with every row of the first reading as added, and {"event":"unreachable","at","reason"} and {"event":"recovered","at"} for outages; {"event":"stale","at","reason"} if no price came for a minute although forex is traded, and recovered with the next one. After an outage the table is read again. If --until ends the watch while the gateway is unreachable, the exit status is 7. The requests, the rows beyond the interface document, and the actions U and D of pushes are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: {
    what: { help: 'positions, orders, accounts or prices', required: true },
    symbol: { help: 'Filter by symbol (default: all)', repeat: true },
  },
  flags: {
    interval: {
      type: 'duration',
      positive: true,
      default: '250ms',
      group: 'Follow options',
      help: 'Minimum refresh interval',
    },
    ...FEED_FLAGS,
  },
  examples: [
    { run: 'svc trade watch positions', why: 'Follow open positions and their profit' },
    { run: 'svc trade watch prices EUR/USD USD/JPY', why: 'Follow two prices' },
    { run: 'svc trade watch orders -o ndjson --until 5m', why: 'Follow orders in a script' },
  ],
  output: pricesOutput().list,
  outputOf: ({ what }) => (LIVE_TABLES[what]?.output ?? pricesOutput()).list,
  async run(input, ctx) {
    const { what, symbol } = input;
    const table = Object.hasOwn(LIVE_TABLES, what) ? LIVE_TABLES[what] : undefined;
    if (table === undefined && what !== 'prices') {
      const hint = `one of: ${Object.keys(LIVE_TABLES).join(', ')}, prices`;
      throw new SvcError('invalid_value', `cannot watch "${what}"`, { hint });
    }
    if (what === 'accounts' && symbol.length > 0) throw new SvcError('usage', 'accounts cannot be filtered by symbol');
    if (table !== undefined) {
      const openRows = async (open: TradingSession) =>
        liveRows(table.model, await symbolsOf(symbol, open), await offersToShow(open, ctx));
      return { value: watchSource(openRows, input, ctx), as: table.output };
    }
    const prices = new LivePrices();
    const openPrices = async (open: TradingSession) => {
      const all = symbol.length === 0 ? (await open.trading.model('Offer')).map(({ currency }) => currency) : symbol;
      return livePrices(prices, await symbolsOf(all, open));
    };
    return { value: watchSource(openPrices, input, ctx), as: pricesOutput(prices) };
  },
});

/** How often the age of the connection is redrawn. */
const AGE_MS = 1_000;
/** The longest that a timer can wait. */
const NEVER_MS = 2 ** 31 - 1;

interface WatchInput {
  readonly until: string | undefined;
  /** The minimum time between two snapshots. */
  readonly interval: number;
  readonly reconnect: boolean;
}

/** A snapshot after each change, no faster than the interval, and at each outage. Throws if the gateway is unreachable at the end. */
export async function* watchSource(
  openSource: (open: TradingSession) => Promise<LiveSource<unknown>>,
  { until: untilText, interval, reconnect }: WatchInput,
  ctx: RunContext,
): AsyncGenerator<Snapshot<unknown>, void, void> {
  const until = parseUntil(untilText);
  const feed = await openFeed(ctx, { reconnect });
  const { session } = feed;
  const state = new ConnectionState(ctx.now());
  const startTimer = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  let source: LiveSource<unknown> | undefined;
  const snapshot = (): Snapshot<unknown> => {
    const at = ctx.now();
    return {
      at,
      ...(source?.changes() ?? { rows: [], changes: [] }),
      footer: state.text(session.transport, at),
      error: state.trouble,
      outage: state.takeOutage(),
    };
  };
  try {
    const begin = async (): Promise<void> => {
      await session.connect();
      const opened = await openSource(feed.open);
      await feed.subscription.begin(opened.wanted);
      startTimer();
      await opened.snapshot(feed.open.trading);
      source = opened;
    };
    for await (const outage of feed.outagesDuring(begin)) {
      startTimer();
      state.outage(outage);
      yield snapshot();
    }
    if (source !== undefined) {
      const begun = source;
      void feed.reportSilence(begun.wanted);
      const pace = { everyMs: interval, restMs: ctx.wants.terminal && ctx.wants.table ? AGE_MS : NEVER_MS };
      yield* watchChanges(
        (shown) => follow(begun, feed, { ...shown, state, pushes: until.pushes }, ctx).finally(() => state.end()),
        snapshot,
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

interface Shown {
  /** The next snapshot shows the change. */
  changed(): void;
  /** Takes a snapshot at once; resolves when it was printed. */
  show(): Promise<void>;
}

interface Following extends Shown {
  readonly state: ConnectionState;
  readonly pushes: number;
}

/** Applies the pushes until the feed ends. */
async function follow(
  source: LiveSource<unknown>,
  feed: Feed,
  { state, pushes, changed, show }: Following,
  ctx: RunContext,
): Promise<void> {
  let left = pushes;
  let isOdd = false;
  for await (const event of feed.events) {
    if (event.kind !== 'push') {
      await followConnection(event, source, feed, { state, changed, show }, ctx);
      continue;
    }
    const push = readPush(event.name, event.payload);
    if (push !== undefined && source.take(push)) changed();
    else if (!isOdd) {
      isOdd = true;
      ctx.notice(`${feed.session.hide(event.name)}: skipped a push of an unexpected form`);
    }
    if (push !== undefined && --left === 0) return;
  }
}

async function followConnection(
  event: Exclude<SessionEvent, { readonly kind: 'push' }>,
  source: LiveSource<unknown>,
  feed: Feed,
  { state, changed, show }: Omit<Following, 'pushes'>,
  ctx: RunContext,
): Promise<void> {
  if (event.kind === 'closed') throw event.error;
  if (event.kind !== 'gap') {
    state.outage(event);
    await show();
    return;
  }
  state.gap(event);
  if (await feed.subscription.restored()) {
    for await (const outage of feed.outagesDuring(() => renew(source, feed, state, ctx))) {
      state.outage(outage);
      await show();
    }
  }
  changed();
}

/** A connection that is lost again meanwhile causes another gap. */
async function renew(
  source: LiveSource<unknown>,
  { open }: Feed,
  state: ConnectionState,
  ctx: RunContext,
): Promise<void> {
  try {
    await source.snapshot(open.trading);
    state.stale = undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    state.stale = `out of date since the gap: ${error.message}`;
    ctx.notice(state.stale);
  }
}

interface Pace {
  /** The minimum time between two snapshots. */
  readonly everyMs: number;
  /** The time between snapshots if nothing changes. */
  readonly restMs: number;
}

/** `follow` calls back at each change and settles at the end; the last snapshot, or its failure, comes after that. */
async function* watchChanges(
  follow: (shown: Shown) => Promise<void>,
  snapshot: () => Snapshot<unknown>,
  { everyMs, restMs }: Pace,
  ctx: Pick<RunContext, 'now' | 'sleep'>,
): AsyncGenerator<Snapshot<unknown>, void, void> {
  let isOver = false;
  let isNew = false;
  let waiting: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** End the pause before the next snapshot, and the pause until something changes. */
  let [hurry, ring] = [new AbortController(), new AbortController()];
  const pause = async (ms: number, { signal }: AbortController): Promise<void> => {
    if (!signal.aborted) await ctx.sleep(ms, signal).catch(() => {});
  };
  const changed = (): void => {
    isNew = true;
    ring.abort();
  };
  const showNow = (): void => {
    changed();
    hurry.abort();
  };
  const show = (): Promise<void> =>
    new Promise((resolve) => {
      waiting = resolve;
      showNow();
    });
  follow({ changed, show })
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => {
      isOver = true;
      showNow();
    });
  for (;;) {
    const isLast = isOver;
    const shown = waiting;
    waiting = undefined;
    isNew = false;
    [hurry, ring] = [new AbortController(), new AbortController()];
    yield snapshot();
    shown?.();
    if (isLast) {
      if (failure !== undefined) throw failure.error;
      return;
    }
    await pause(everyMs, hurry);
    if (!isNew) await pause(restMs, ring);
  }
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The state of the connection, in a line for a person. */
class ConnectionState {
  #since: number;
  #gaps = 0;
  #last: Gap | undefined;
  /** Why the gateway cannot be reached. */
  trouble: string | undefined;
  /** Why the rows may be outdated although the gateway can be reached. */
  stale: string | undefined;
  #silence: string | undefined;
  /** Not shown yet. */
  #outage: Outage | undefined;
  #transport: string | undefined;
  #isOver = false;

  constructor(now: number) {
    this.#since = now;
  }

  outage(outage: Outage): void {
    this.#outage = outage;
    if (outage.kind === 'recovered' && this.trouble !== undefined) this.#since = outage.at;
    this.trouble = outage.kind === 'unreachable' ? outage.reason : undefined;
    this.#silence = outage.kind === 'stale' ? outage.reason : undefined;
  }

  /** Once. */
  takeOutage() {
    const outage = this.#outage;
    this.#outage = undefined;
    if (outage === undefined) return undefined;
    return outage.kind === 'recovered' ? { event: outage.kind } : { event: outage.kind, reason: outage.reason };
  }

  /** The feed has ended, and the connection with it. */
  end(): void {
    this.#isOver = true;
  }

  gap(gap: Gap): void {
    this.#gaps++;
    this.#last = gap;
    this.#since = gap.to;
  }

  /** `websocket for 2m 10s; 1 gap, the last of 3s at 16:02:11Z` */
  text(transport: string | undefined, now: number): string {
    this.#transport = transport ?? (this.#isOver ? this.#transport : undefined);
    const isConnected = this.#transport !== undefined && this.trouble === undefined;
    const gap = this.#last;
    return [
      isConnected
        ? `${this.#transport} for ${ageText(now - this.#since)}`
        : `no connection${this.#isOver ? '' : ': reconnecting'}`,
      gap === undefined
        ? 'no gaps'
        : `${this.#gaps === 1 ? '1 gap' : `${this.#gaps} gaps, the last`} of ${ageText(gap.to - gap.from)} at ${new Date(gap.from).toISOString().slice(11, 19)}Z`,
      ...[this.stale, this.#silence].filter((text) => text !== undefined),
      ...(this.#isOver ? ['ended'] : []),
    ].join('; ');
  }
}

/** `2m 10s` */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
