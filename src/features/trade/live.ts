/** What can be watched, by the word that is typed, and how it is shown. */
import type { WatchOutput } from '../../output/types.ts';
import { ACCOUNT_LIST, ORDER_LIST, POSITION_LIST, sideWord } from './columns.ts';
import { LivePrices, type PriceRow } from './live-prices.ts';
import type { LiveModel } from './live-source.ts';
import { priceList } from './prices.ts';

// biome-ignore lint/suspicious/noExplicitAny: each has rows of its own
type LiveOutput = WatchOutput<any>;

interface Traded {
  readonly currency?: string;
  readonly isBuy?: boolean;
  readonly amountK?: number;
}

function tradedTitle(id: string, { currency, isBuy, amountK }: Traded): string {
  return [id, currency, sideWord(isBuy), amountK].filter((part) => part !== undefined).join(' ');
}

const COMMON = { kind: 'watch', appends: true } as const;

export const LIVE_TABLES: Readonly<Record<string, { readonly model: LiveModel; readonly output: LiveOutput }>> = {
  positions: {
    model: 'OpenPosition',
    output: {
      ...COMMON,
      list: POSITION_LIST,
      noun: 'position',
      title: (row) => tradedTitle(row.tradeId, row),
    },
  },
  orders: {
    model: 'Order',
    output: { ...COMMON, list: ORDER_LIST, noun: 'order', title: (row) => tradedTitle(row.orderId, row) },
  },
  accounts: {
    model: 'Account',
    output: { ...COMMON, list: ACCOUNT_LIST, noun: 'account', title: ({ accountId }) => accountId },
  },
};

/** `prices` are those that the trend is drawn of. */
export function pricesOutput(prices = new LivePrices()): LiveOutput {
  const title = ({ symbol, bid, ask }: PriceRow): string => `${symbol} ${bid ?? '?'} ${ask ?? '?'}`;
  return { ...COMMON, list: priceList(prices), noun: 'price', title };
}
