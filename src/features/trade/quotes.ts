/** Prices as they come, until there are enough of them. */
import { type Price, readPush } from './push.ts';
import type { SessionEvent } from './session-types.ts';

export interface Quote {
  readonly symbol: string;
  /** RFC 3339 in UTC; null where the gateway told no time. */
  readonly time: string | null;
  readonly bid: number;
  readonly ask: number;
  /** Of the session. */
  readonly high: number | null;
  readonly low: number | null;
  /** `tick` was pushed, `snapshot` is the last one that the table Offer knows. */
  readonly source: 'tick' | 'snapshot';
}

/** So many of each symbol; ends when all are there, or with the events. Those of other symbols are left out. */
export async function* firstQuotes(
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
    yield quoteOf(push);
    if (left > 1) missing.set(push.symbol, left - 1);
    else missing.delete(push.symbol);
    if (missing.size === 0) return;
  }
}

function quoteOf({ symbol, at, bid, ask, high, low }: Price): Quote {
  const time = at === undefined ? null : new Date(at).toISOString();
  return { symbol, time, bid, ask, high: high ?? null, low: low ?? null, source: 'tick' };
}
