import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput } from '../../../output/types.ts';
import { priceCell, priceColumns } from '../columns.ts';
import { type Price, readPush } from '../gateway/push.ts';
import type { SessionEvent } from '../gateway/session.ts';
import { UNAVAILABLE } from '../gateway/trading-feed.ts';
import { openTradingSession, SYMBOL_ARGUMENT, type TradingSession } from '../gateway/trading-session.ts';
import type { Offer } from '../schema.ts';
import type { OutageLine } from '../stream-event.ts';
import { quoteOf } from '../symbols.ts';

interface Quote {
  readonly symbol: string;
  /** RFC 3339 in UTC; null if the gateway sent no time. */
  readonly time: string | null;
  readonly bid: number;
  readonly ask: number;
  readonly high: number | null;
  readonly low: number | null;
  /** A pushed tick, or the last price of the table Offer. */
  readonly source: 'tick' | 'snapshot';
}

/** Rates have the symbol's number of digits. `live`: a table prints each row when it arrives. */
function quoteList(
  precision: (symbol: string) => number | undefined,
  { live = false }: { readonly live?: boolean } = {},
): ListOutput<Quote> {
  const { symbol, bid, ask, high, low, time } = priceColumns<Quote>(precision);
  const source: Column<Quote> = {
    name: 'source',
    cell: (row) => (row.source === 'tick' ? row.source : { text: row.source, tone: 'warn' }),
  };
  return {
    kind: 'list',
    columns: [symbol, bid, ask, high, low, time, source],
    ...(live && {
      live: (row) => [
        row.time === null ? undefined : { text: row.time.slice(11), tone: 'dim' },
        row.symbol,
        priceCell(row.bid, precision(row.symbol)),
        priceCell(row.ask, precision(row.symbol)),
        ...(row.source === 'tick' ? [] : [{ text: row.source, tone: 'warn' } as const]),
      ],
    }),
    id: ({ symbol }) => symbol,
    empty: 'no prices',
  };
}

export const tradeQuote = listCommand({
  id: 'trade quote',
  suggestFor: ['price', 'prices'],
  summary: 'Show the current price of symbols',
  description:
    'Waits for the next tick of each symbol. If none comes in time, as at a weekend, the last known price is shown and the exit status is 9. With --count, each tick is printed when it arrives.',
  details:
    'svc subscribes to the symbols, takes the next ticks and unsubscribes. If fewer ticks come than --count asks for, the exit status is 9. If the connection is lost, -o ndjson prints {"event":"unreachable","at","reason"}, and the exit status is 7. The subscription request and the form of a tick are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: { ...SYMBOL_ARGUMENT, repeat: true },
  },
  flags: {
    count: { type: 'integer', value: 'n', min: 1, default: 1, help: 'Number of ticks per symbol' },
    wait: { type: 'duration', positive: true, default: '10s', help: 'How long to wait for the ticks' },
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc trade quote EUR/USD', why: 'Show one price' },
    { run: 'svc trade quote EUR/USD USD/JPY -o json --fields symbol,bid,ask', why: 'Print two prices for a script' },
  ],
  output: quoteList(() => undefined),
  async run(input, ctx) {
    const seen = new Map<string, number>();
    const offers = new Map<string, Offer>();
    const as = quoteList((symbol) => offers.get(symbol)?.ratePrecision, { live: input.count > 1 });
    const shown = new Set<string>();
    const quotes = quoted(input, { seen, offers, shown }, ctx);
    const late = () => [...seen].filter(([, count]) => count < input.count);
    return {
      // A table that is printed later says how old the tick is then.
      value: ctx.wants.table && input.count === 1 ? await collected(quotes) : quotes,
      as,
      footer: () => (late().length === 0 ? undefined : missing(late(), shown)),
      code: () => (late().length === 0 ? undefined : 'still_pending'),
    };
  },
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface Input {
  readonly symbol: readonly string[];
  readonly count: number;
  readonly wait: number;
}

interface Findings {
  /** Ticks so far, by symbol. */
  readonly seen: Map<string, number>;
  readonly offers: Map<string, Offer>;
  /** Of these only the last known price was shown. */
  readonly shown: Set<string>;
}

async function* quoted(
  input: Input,
  { seen, offers, shown }: Findings,
  ctx: RunContext,
): AsyncGenerator<Quote | OutageLine, void, void> {
  const { findSymbol } = await import('../symbols.ts');
  const open = await openTradingSession(ctx, {});
  const { session } = open;
  try {
    const found = await open.trading.model('Offer');
    const names = found.map(({ currency }) => currency);
    const symbols = input.symbol.map((symbol) => findSymbol(names, symbol));
    for (const offer of found) offers.set(offer.currency, offer);
    for (const symbol of symbols) seen.set(symbol, 0);
    for await (const quote of ticks([...seen.keys()], input, open, ctx)) {
      seen.set(quote.symbol, (seen.get(quote.symbol) ?? 0) + 1);
      yield quote;
    }
    const silent = [...seen].flatMap(([symbol, count]) => (count === 0 ? [symbol] : []));
    for (const quote of silent.length > 0 ? await snapshots(silent, open) : []) {
      shown.add(quote.symbol);
      yield quote;
    }
  } catch (error) {
    const isOutage = error instanceof SvcError && (error.exit === UNAVAILABLE || session.outage !== undefined);
    if (isOutage && ctx.wants.events && !ctx.signal.aborted) {
      yield { event: 'unreachable', at: new Date(ctx.now()).toISOString(), reason: session.hide(error.message) };
    }
    throw error;
  } finally {
    await session.close();
  }
}

function missing(late: readonly (readonly [symbol: string, count: number])[], shown: ReadonlySet<string>): string {
  const none = late.flatMap(([symbol, count]) => (count === 0 ? [symbol] : []));
  const silent = none.filter((symbol) => shown.has(symbol));
  const unknown = none.filter((symbol) => !shown.has(symbol));
  const some = late.flatMap(([symbol, count]) => (count === 0 ? [] : [symbol]));
  return [
    ...(silent.length === 0 ? [] : [`no tick of ${silent.join(', ')} in time; showing the last known price`]),
    ...(unknown.length === 0 ? [] : [`no tick of ${unknown.join(', ')} in time, and no known price`]),
    ...(some.length === 0 ? [] : [`fewer ticks of ${some.join(', ')} than requested`]),
  ].join('\n');
}

async function* ticks(
  symbols: readonly string[],
  { count, wait }: Pick<Input, 'count' | 'wait'>,
  { session, trading }: TradingSession,
  ctx: RunContext,
): AsyncGenerator<Quote, void, void> {
  const coming = firstQuotes(session.events(), symbols, count);
  for (const symbol of symbols) await trading.subscribePrices(symbol);
  const over = new AbortController();
  const late = ctx.sleep(wait, AbortSignal.any([ctx.signal, over.signal])).then(
    () => undefined,
    () => undefined,
  );
  try {
    for (;;) {
      const next = await Promise.race([coming.next(), late]);
      ctx.signal.throwIfAborted();
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    over.abort();
    for (const symbol of symbols) await trading.unsubscribePrices(symbol).catch(noticeOf(ctx));
  }
}

/** A failure is no error here: the session is about to end, and its subscriptions with it. */
function noticeOf(ctx: RunContext): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(error.message);
  };
}

async function snapshots(symbols: readonly string[], { trading }: TradingSession): Promise<readonly Quote[]> {
  const { shownTime } = await import('../tables/table-time.ts');
  const offers = await trading.model('Offer');
  return offers.flatMap(({ currency: symbol, high = null, low = null, ...offer }) => {
    const { bid, ask } = quoteOf(offer);
    if (!symbols.includes(symbol) || bid === undefined || ask === undefined) return [];
    return [{ symbol, time: shownTime(offer.time) ?? null, bid, ask, high, low, source: 'snapshot' as const }];
  });
}

/** Yields `count` ticks of each symbol. Ends early with the events. */
async function* firstQuotes(
  events: AsyncIterable<SessionEvent>,
  symbols: readonly string[],
  count: number,
): AsyncGenerator<Quote, void, void> {
  const missing = new Map(symbols.map((symbol) => [symbol, count]));
  for await (const event of events) {
    if (event.kind === 'closed') throw event.error;
    if (event.kind !== 'push') continue;
    const push = readPush(event.name, event.payload);
    if (push?.kind !== 'price') continue;
    const left = missing.get(push.symbol);
    if (left === undefined) continue;
    yield tickQuote(push);
    if (left > 1) missing.set(push.symbol, left - 1);
    else missing.delete(push.symbol);
    if (missing.size === 0) return;
  }
}

function tickQuote({ symbol, at, bid, ask, high, low }: Price): Quote {
  const time = at === undefined ? null : new Date(at).toISOString();
  return { symbol, time, bid, ask, high: high ?? null, low: low ?? null, source: 'tick' };
}
