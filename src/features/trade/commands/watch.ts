import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput, Snapshot, WatchOutput } from '../../../output/types.ts';
import { ACCOUNT_LIST, ORDER_LIST, POSITION_LIST, priceColumns, sideWord } from '../columns.ts';
import type { ConnectionState } from '../connection-state.ts';
import { LivePrices, type PriceRow } from '../live-prices.ts';
import type { LiveModel, LiveSource } from '../live-source.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../trading-feed.ts';
import { knownOffers } from '../trading-offers.ts';
import type { TradingOptions, TradingSession } from '../trading-session.ts';
import { symbolsOf } from '../trading-tables.ts';
import { type Shown, watchChanges } from '../watch-changes.ts';

/** How often the connection age in the footer is redrawn. */
const AGE_MS = 1_000;
const NEVER_MS = 2 ** 31 - 1;

interface Input extends TradingOptions {
  readonly what: string;
  readonly symbol: readonly string[];
  readonly interval: number;
  readonly until: string | undefined;
}

type Source = LiveSource<unknown>;

// biome-ignore lint/suspicious/noExplicitAny: each has rows of its own
type LiveOutput = WatchOutput<any>;

interface Traded {
  readonly currency?: string;
  readonly isBuy?: boolean;
  readonly amountK?: number;
}

function tradedTitle(id: string, { currency, isBuy, amountK }: Traded): string {
  return [id, currency, sideWord(isBuy), amountK].filter((part) => part !== undefined).join(' ');
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
    'Prices have a chart of the last 40 ticks. -o ndjson prints {"event":"added|changed|resolved","at","position|order|account|price"}, with every row of the first reading as added, and {"event":"unreachable","at","reason"} and {"event":"recovered","at"} for outages. After an outage the table is read again. If --until ends the watch while the gateway is unreachable, the exit status is 7. The requests, the rows beyond the interface document, and the actions U and D of pushes are as seen on the public implementation.',
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
      formerly: ['every'],
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
    const { livePrices, liveRows } = await import('../live-source.ts');
    if (table !== undefined) {
      const source = async (open: TradingSession) => liveRows(table.model, await symbolsOf(symbol, open));
      return { value: watched(source, input, ctx), as: table.output };
    }
    const { LivePrices } = await import('../live-prices.ts');
    const prices = new LivePrices();
    const source = async (open: TradingSession) => {
      const all = symbol.length === 0 ? (await knownOffers(open)).map(({ currency }) => currency) : symbol;
      return livePrices(prices, await symbolsOf(all, open));
    };
    return { value: watched(source, input, ctx), as: pricesOutput(prices) };
  },
});

async function* watched(
  sourceOf: (open: TradingSession) => Promise<Source>,
  input: Input,
  ctx: RunContext,
): AsyncGenerator<Snapshot<unknown>, void, void> {
  const { ConnectionState } = await import('../connection-state.ts');
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, input);
  const isDrawn = ctx.wants.terminal && ctx.wants.table;
  const state = new ConnectionState(ctx.now());
  const timed = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  const connection = (at: number) => ({
    footer: state.text(feed.session.transport, at),
    error: state.trouble,
    outage: state.takeOutage(),
  });
  try {
    let source: Source | undefined;
    const begin = async (): Promise<void> => {
      await feed.session.connect();
      const found = await sourceOf(feed);
      await feed.subscription.begin(found.wanted);
      timed();
      await found.snapshot(feed.trading);
      source = found;
    };
    for await (const outage of feed.outagesDuring(begin)) {
      timed();
      state.outage(outage);
      const at = ctx.now();
      yield { at, rows: [], changes: [], ...connection(at) };
    }
    if (source !== undefined) {
      const begun = source;
      yield* watchChanges(
        (shown) => follow(begun, feed, { ...shown, state, pushes: until.pushes }, ctx).finally(() => state.end()),
        (at) => ({ ...begun.changes(), ...connection(at) }),
        { everyMs: input.interval, restMs: isDrawn ? AGE_MS : NEVER_MS },
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
  source: Source,
  feed: Feed,
  { state, pushes, changed, show }: Following,
  ctx: RunContext,
): Promise<void> {
  const { readPush } = await import('../push.ts');
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
async function renew(source: Source, { trading }: Feed, state: ConnectionState, ctx: RunContext): Promise<void> {
  try {
    await source.snapshot(trading);
    state.stale = undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    state.stale = `out of date since the gap: ${error.message}`;
    ctx.notice(state.stale);
  }
}
