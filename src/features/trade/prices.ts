/** Prices as `svc trade quote` and `watch` show them. */
import type { Column } from '../../output/types.ts';
import { rateCell } from './columns.ts';
import type { Price } from './gateway/push.ts';
import type { Offer } from './schema.ts';
import { quoteOf } from './symbols.ts';
import { shownTime } from './tables/table-time.ts';

/** The number of digits of a symbol's rates, for tables. JSON does not have it. */
const PRECISION = Symbol('precision');

export interface PriceRow {
  readonly symbol: string;
  /** RFC 3339 in UTC; null if the gateway sent no time. */
  readonly time: string | null;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Of the session. */
  readonly high: number | null;
  readonly low: number | null;
  readonly [PRECISION]?: number | undefined;
}

export function offerPrice(offer: Offer): PriceRow {
  const { bid = null, ask = null } = quoteOf(offer);
  return {
    symbol: offer.currency,
    time: shownTime(offer.time) ?? null,
    bid,
    ask,
    high: offer.high ?? null,
    low: offer.low ?? null,
    [PRECISION]: offer.ratePrecision,
  };
}

/** `before` has what a tick may lack: the high and the low of the session. */
export function tickPrice(tick: Price, before: PriceRow): PriceRow {
  const { symbol, at, bid, ask, high = before.high, low = before.low } = tick;
  const time = at === undefined ? null : new Date(at).toISOString();
  return { ...before, symbol, time, bid, ask, high, low };
}

function rateColumn(name: 'bid' | 'ask' | 'high' | 'low'): Column<PriceRow> {
  return { name, cell: (row) => rateCell(row[name] ?? undefined, row[PRECISION]), align: 'right' };
}

export const PRICE_COLUMNS = {
  symbol: { name: 'symbol', cell: ({ symbol }) => symbol },
  bid: rateColumn('bid'),
  ask: rateColumn('ask'),
  high: rateColumn('high'),
  low: rateColumn('low'),
  time: { name: 'time', cell: ({ time }) => (time === null ? undefined : { time }) },
} as const satisfies Readonly<Record<string, Column<PriceRow>>>;
