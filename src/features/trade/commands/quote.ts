import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Column } from '../../../output/types.ts';
import { readPush } from '../gateway/push.ts';
import { type Feed, openFeed } from '../gateway/trading-feed.ts';
import { SYMBOL_ARGUMENT } from '../gateway/trading-session.ts';
import { offerPrice, PRICE_COLUMNS, type PriceRow, tickPrice } from '../prices.ts';
import { findOffer } from '../symbols.ts';

interface Quote extends PriceRow {
  /** A pushed tick, or the last price of the table Offer. */
  readonly source: 'tick' | 'snapshot';
}

const { symbol, bid, ask, high, low, time } = PRICE_COLUMNS;
const SOURCE: Column<Quote> = {
  name: 'source',
  cell: (row) => (row.source === 'tick' ? row.source : { text: row.source, tone: 'warn' }),
};

export const tradeQuote = listCommand({
  id: 'trade quote',
  suggestFor: ['price', 'prices'],
  summary: 'Show the current price of symbols',
  description:
    'Waits for the next tick of each symbol. If none comes in time, as at a weekend, the last known price is shown and the exit status is 9. svc trade stream prints every tick.',
  details:
    'svc subscribes to the symbols, takes the next ticks and unsubscribes. If the connection is lost, -o ndjson prints {"event":"unreachable","at","reason"}, and the exit status is 7. The subscription request and the form of a tick are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: { ...SYMBOL_ARGUMENT, repeat: true },
  },
  flags: {
    wait: { type: 'duration', positive: true, default: '10s', help: 'How long to wait for the ticks' },
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc trade quote EUR/USD', why: 'Show one price' },
    { run: 'svc trade quote EUR/USD USD/JPY -o json --fields symbol,bid,ask', why: 'Print two prices for a script' },
  ],
  output: {
    kind: 'list',
    columns: [symbol, bid, ask, high, low, time, SOURCE],
    id: (row) => row.symbol,
    empty: 'no prices',
  },
  async run(input, ctx) {
    const quotes = await readQuotes(input, ctx);
    const silent = quotes.filter(({ source }) => source === 'snapshot');
    if (silent.length === 0) return { value: quotes };
    const known = quotes.filter(({ bid, ask }) => bid !== null && ask !== null);
    return { value: known, footer: () => describeSilent(silent), code: 'still_pending' };
  },
});

interface QuoteInput {
  readonly symbol: readonly string[];
  readonly wait: number;
}

/** The next tick of each symbol, in their order; the last known price if none comes in time. */
async function readQuotes({ symbol: names, wait }: QuoteInput, ctx: RunContext): Promise<readonly Quote[]> {
  const feed = await openFeed(ctx, { reconnect: false, ms: wait });
  const quotes = new Map<string, Quote>();
  try {
    for await (const event of feed.events()) {
      if (event.kind === 'closed') throw event.error;
      if (event.kind === 'unreachable') await ctx.reportOutage({ event: event.kind, reason: event.reason });
      if (event.kind === 'connected') {
        const known = await feed.attempt(() => subscribeTo(names, feed));
        for (const quote of known ?? []) quotes.set(quote.symbol, quote);
        feed.startTimer();
      }
      if (event.kind === 'push' && takeTick(event, quotes) && isComplete(quotes)) break;
    }
    return [...quotes.values()];
  } finally {
    await feed.end();
  }
}

/** False unless it is the first tick of a symbol. */
function takeTick({ name, payload }: { readonly name: string; readonly payload: string }, quotes: Map<string, Quote>) {
  const push = readPush(name, payload);
  if (push?.kind !== 'price') return false;
  const before = quotes.get(push.symbol);
  if (before?.source !== 'snapshot') return false;
  quotes.set(push.symbol, { ...tickPrice(push, before), source: 'tick' });
  return true;
}

function isComplete(quotes: ReadonlyMap<string, Quote>): boolean {
  return [...quotes.values()].every(({ source }) => source === 'tick');
}

/** Returns the last known prices. */
async function subscribeTo(names: readonly string[], feed: Feed): Promise<readonly Quote[]> {
  const all = await feed.open.trading.model('Offer');
  const offers = [...new Set(names.map((name) => findOffer(all, name)))];
  await feed.subscribe({ models: [], symbols: offers.map(({ currency }) => currency) });
  return offers.map((offer) => ({ ...offerPrice(offer), source: 'snapshot' }));
}

function describeSilent(silent: readonly Quote[]): string {
  return silent
    .map(({ symbol, bid }) => `no tick of ${symbol} in time${bid === null ? ', and no known price' : ''}`)
    .join('\n');
}
