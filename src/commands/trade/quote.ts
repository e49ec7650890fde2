import { listCommand, type RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { keepOffers, knownOffers } from '../../inputs/trading-offers.ts';
import { openTradingSession, SESSION_FLAGS, type TradingSession } from '../../inputs/trading-session.ts';
import type { Quote } from '../../services/trading/quotes.ts';
import { quoteList } from '../../views/quotes.ts';

export const tradeQuote = listCommand({
  id: 'trade quote',
  summary: 'Show the price of symbols now, as the next tick brings it',
  description:
    'Subscribes, takes the next ticks, and unsubscribes. Where no tick comes in time, as on a weekend, the last price of the table Offer is shown as a snapshot; there, and where fewer come than --count asks for, the exit status is 9. What is sent to subscribe, and what a tick holds, is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols', repeat: true },
  },
  flags: {
    count: { type: 'integer', value: 'n', min: 1, default: 1, help: 'Ticks of each symbol' },
    wait: { type: 'duration', positive: true, default: '10s', help: 'How long to wait for them' },
    ...SESSION_FLAGS,
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc trade quote EUR/USD', why: 'One price' },
    { run: 'svc trade quote EUR/USD USD/JPY -o json --fields symbol,bid,ask', why: 'Two, for a script' },
  ],
  output: quoteList(() => undefined),
  async run(input, ctx) {
    const { findSymbol } = await import('../../services/trading/symbols.ts');
    const open = await openTradingSession(ctx, input);
    try {
      const offers = await knownOffers(open);
      const offered = offers.map(({ currency }) => currency);
      const symbols = [...new Set(input.symbol.map((symbol) => findSymbol(offered, symbol)))];
      const quotes = await ticks(symbols, input, open, ctx);
      const as = quoteList((symbol) => offers.find(({ currency }) => currency === symbol)?.ratePrecision);
      const ticksOf = (symbol: string) => quotes.filter((quote) => quote.symbol === symbol).length;
      const late = symbols.filter((symbol) => ticksOf(symbol) < input.count);
      if (late.length === 0) return { value: quotes, as };
      const silent = late.filter((symbol) => ticksOf(symbol) === 0);
      const last = silent.length === 0 ? [] : await snapshots(silent, open);
      return { value: [...quotes, ...last], as, footer: missing(late, silent), code: 'still_pending' };
    } finally {
      await open.session.close();
    }
  },
});

function missing(late: readonly string[], silent: readonly string[]): string {
  const some = late.filter((symbol) => !silent.includes(symbol));
  return [
    ...(silent.length === 0 ? [] : [`no tick of ${silent.join(', ')} in time: the last known price is shown`]),
    ...(some.length === 0 ? [] : [`not all ticks of ${some.join(', ')} in time`]),
  ].join('\n');
}

async function ticks(
  symbols: readonly string[],
  { count, wait }: { readonly count: number; readonly wait: number },
  { session, trading }: TradingSession,
  ctx: RunContext,
): Promise<readonly Quote[]> {
  const { firstQuotes } = await import('../../services/trading/quotes.ts');
  const coming = firstQuotes(session.events(), symbols, count);
  for (const symbol of symbols) await trading.subscribePrices(symbol);
  const over = new AbortController();
  const late = ctx.sleep(wait, AbortSignal.any([ctx.signal, over.signal])).then(
    () => undefined,
    () => undefined,
  );
  const quotes: Quote[] = [];
  try {
    for (;;) {
      const next = await Promise.race([coming.next(), late]);
      ctx.signal.throwIfAborted();
      if (next === undefined || next.done) return quotes;
      quotes.push(next.value);
    }
  } finally {
    over.abort();
    for (const symbol of symbols) await trading.unsubscribePrices(symbol).catch(onlyTold(ctx));
  }
}

/** The session ends in a moment, and its subscriptions with it. */
function onlyTold(ctx: RunContext): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(error.message);
  };
}

async function snapshots(symbols: readonly string[], { trading, known }: TradingSession): Promise<readonly Quote[]> {
  const { shownTime } = await import('../../services/trading/table-time.ts');
  const offers = await trading.model('Offer');
  keepOffers(known, offers);
  return offers.flatMap(({ currency, sell, buy, high = null, low = null, time }) =>
    symbols.includes(currency) && sell !== undefined && buy !== undefined
      ? [
          {
            symbol: currency,
            time: shownTime(time) ?? null,
            bid: sell,
            ask: buy,
            high,
            low,
            source: 'snapshot' as const,
          },
        ]
      : [],
  );
}
