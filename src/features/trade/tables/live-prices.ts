/** The current prices of symbols, and their recent history. */

import type { Price } from '../gateway/push.ts';
import type { Offer } from '../schema.ts';
import { LiveTable } from './live-table.ts';

export interface PriceRow {
  readonly symbol: string;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Of the session. */
  readonly high: number | null;
  readonly low: number | null;
  /** RFC 3339 in UTC; null if the gateway sent no time. */
  readonly time: string | null;
}

const UNKNOWN: PriceRow = { symbol: '', bid: null, ask: null, high: null, low: null, time: null };
const MOST_MIDS = 40;

export class LivePrices {
  readonly table = new LiveTable<PriceRow>((record) => ({ ...UNKNOWN, ...record }));
  readonly #mids = new Map<string, number[]>();
  readonly #precisions = new Map<string, number>();

  /** The offers of these symbols. */
  replace(offers: readonly Offer[], symbols: readonly string[]): void {
    const wanted = offers.filter(({ currency }) => symbols.includes(currency));
    for (const { currency, ratePrecision } of wanted) {
      if (ratePrecision !== undefined) this.#precisions.set(currency, ratePrecision);
    }
    this.table.replace(
      wanted.map(({ currency: symbol, sell: bid = null, buy: ask = null, high = null, low = null, time = null }) => [
        symbol,
        { symbol, bid, ask, high, low, time },
      ]),
    );
  }

  tick({ symbol, bid, ask, high, low, at }: Price): void {
    const mids = this.#mids.get(symbol) ?? [];
    this.#mids.set(symbol, mids);
    mids.push((bid + ask) / 2);
    if (mids.length > MOST_MIDS) mids.shift();
    this.table.set(symbol, {
      symbol,
      bid,
      ask,
      ...(high === undefined ? {} : { high }),
      ...(low === undefined ? {} : { low }),
      ...(at === undefined ? {} : { time: new Date(at).toISOString() }),
    });
  }

  /** The midpoints of the last ticks. */
  mids(symbol: string): readonly number[] {
    return this.#mids.get(symbol) ?? [];
  }

  /** The number of digits of its rates, if known. */
  precision(symbol: string): number | undefined {
    return this.#precisions.get(symbol);
  }
}
