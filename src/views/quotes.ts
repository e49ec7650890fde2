/** How prices are shown. */
import type { ListOutput } from '../output/types.ts';
import type { Quote } from '../services/trading/quotes.ts';

export const QUOTE_LIST: ListOutput<Quote> = {
  kind: 'list',
  columns: [
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'bid', cell: ({ bid }) => bid, align: 'right' },
    { name: 'ask', cell: ({ ask }) => ask, align: 'right' },
    { name: 'high', cell: ({ high }) => high, align: 'right' },
    { name: 'low', cell: ({ low }) => low, align: 'right' },
    { name: 'time', cell: ({ time }) => (time === null ? undefined : { time }) },
    { name: 'source', cell: ({ source }) => (source === 'tick' ? source : { text: source, tone: 'warn' }) },
  ],
  id: ({ symbol }) => symbol,
  empty: 'no prices',
};
