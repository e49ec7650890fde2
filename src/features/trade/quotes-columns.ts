/** How prices are shown. */
import type { Cell, ListOutput } from '../../output/types.ts';
import { rateText } from './columns.ts';
import type { Quote } from './quotes.ts';

/** Rates with as many digits as the symbol has. `live`: a table prints each as it comes. */
export function quoteList(
  precision: (symbol: string) => number | undefined,
  { live = false }: { readonly live?: boolean } = {},
): ListOutput<Quote> {
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
    ...(live && {
      live: ({ time, symbol, bid, ask, source }) => [
        time === null ? undefined : { text: time.slice(11), tone: 'dim' },
        symbol,
        rate(symbol, bid),
        rate(symbol, ask),
        ...(source === 'tick' ? [] : [{ text: source, tone: 'warn' } as const]),
      ],
    }),
    id: ({ symbol }) => symbol,
    empty: 'no prices',
  };
}
