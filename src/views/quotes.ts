/** How prices are shown. */
import type { Cell, ListOutput } from '../output/types.ts';
import type { Quote } from '../services/trading/quotes.ts';
import { rateText } from './trading.ts';

/** Rates with as many digits as the symbol has. */
export function quoteList(precision: (symbol: string) => number | undefined): ListOutput<Quote> {
  const rate = (symbol: string, value: number | null): Cell =>
    value === null ? undefined : rateText(value, precision(symbol));
  return {
    kind: 'list',
    columns: [
      { name: 'symbol', cell: ({ symbol }) => symbol },
      { name: 'bid', cell: ({ symbol, bid }) => rate(symbol, bid), align: 'right' },
      { name: 'ask', cell: ({ symbol, ask }) => rate(symbol, ask), align: 'right' },
      { name: 'high', cell: ({ symbol, high }) => rate(symbol, high), align: 'right' },
      { name: 'low', cell: ({ symbol, low }) => rate(symbol, low), align: 'right' },
      { name: 'time', cell: ({ time }) => (time === null ? undefined : { time }) },
      { name: 'source', cell: ({ source }) => (source === 'tick' ? source : { text: source, tone: 'warn' }) },
    ],
    id: ({ symbol }) => symbol,
    empty: 'no prices',
  };
}
