/** How prices are shown that change. */
import type { Cell, ListOutput } from '../../output/types.ts';
import { rateText } from './columns.ts';
import type { LivePrices, PriceRow } from './live-prices.ts';

const SPARK_BARS = 40;

/** With a line of how each came to be. */
export function priceList(prices: Pick<LivePrices, 'mids' | 'precision'>): ListOutput<PriceRow> {
  const rate = (symbol: string, value: number | null): Cell =>
    value === null ? undefined : rateText(value, prices.precision(symbol));
  return {
    kind: 'list',
    columns: [
      { name: 'symbol', cell: ({ symbol }) => symbol },
      { name: 'bid', cell: ({ symbol, bid }) => rate(symbol, bid), align: 'right' },
      { name: 'ask', cell: ({ symbol, ask }) => rate(symbol, ask), align: 'right' },
      { name: 'trend', cell: ({ symbol }) => ({ spark: prices.mids(symbol), bars: SPARK_BARS }) },
      { name: 'high', cell: ({ symbol, high }) => rate(symbol, high), align: 'right' },
      { name: 'low', cell: ({ symbol, low }) => rate(symbol, low), align: 'right' },
      { name: 'time', cell: ({ time }) => (time === null ? undefined : { time }) },
    ],
    id: ({ symbol }) => symbol,
    empty: 'no prices',
  };
}
