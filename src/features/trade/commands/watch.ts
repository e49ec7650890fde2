import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput, WatchOutput } from '../../../output/types.ts';
import { ACCOUNT_LIST, ORDER_LIST, POSITION_LIST, priceColumns, sideWord } from '../columns.ts';
import { FEED_FLAGS } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { type LiveModel, LivePrices, livePrices, liveRows, type PriceRow } from '../tables/live-source.ts';
import { knownOffers } from '../tables/trading-offers.ts';
import { symbolsOf } from '../tables/trading-tables.ts';
import { watchSource } from '../tables/watching.ts';
import type { Traded } from '../totals.ts';

// biome-ignore lint/suspicious/noExplicitAny: each has rows of its own
type LiveOutput = WatchOutput<any>;

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
      const openRows = async (open: TradingSession) => liveRows(table.model, await symbolsOf(symbol, open));
      return { value: watchSource(openRows, input, ctx), as: table.output };
    }
    const prices = new LivePrices();
    const openPrices = async (open: TradingSession) => {
      const all = symbol.length === 0 ? (await knownOffers(open)).map(({ currency }) => currency) : symbol;
      return livePrices(prices, await symbolsOf(all, open));
    };
    return { value: watchSource(openPrices, input, ctx), as: pricesOutput(prices) };
  },
});
