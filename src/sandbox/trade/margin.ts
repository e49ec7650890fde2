/** Margin calls: what becomes of an account whose equity no longer covers its margin. */
import type { Account, Book, Trade } from './book.ts';
import type { Market } from './market.ts';
import type { Outbox } from './outbox.ts';
import { accountRow } from './table-rows.ts';

interface Exchange {
  readonly book: Book;
  readonly market: Market;
  readonly outbox: Outbox;
}

/** Below the margin, an account is warned and cannot open positions; below half of it, everything is closed. */
function marginState(account: Account, { book, market }: Exchange): Account['mc'] {
  const row = accountRow(account, [...book.trades.values()], market);
  if (row['usdMr'] === 0) return 'N';
  if (Number(row['usableMargin3']) <= 0) return 'Y';
  return Number(row['usableMargin']) <= 0 ? 'W' : 'N';
}

/** Call this after each tick; `close` closes one trade. */
export function checkMargins(exchange: Exchange, close: (trade: Trade) => void): void {
  const { book, market, outbox } = exchange;
  const trades = [...book.trades.values()];
  for (const account of book.accounts) {
    const state = marginState(account, exchange);
    const isOver = account.mc === 'Y' && trades.some((trade) => trade.account === account);
    // Liquidation ends when nothing is open, even if the prices come back.
    if (state !== account.mc && !isOver) {
      account.mc = state;
      outbox.row('Account', { ...accountRow(account, trades, market), action: 'U' });
    }
    if (account.mc !== 'Y') continue;
    const closing = new Set([...book.orders.values()].map(({ closes }) => closes));
    for (const trade of trades) if (trade.account === account && !closing.has(trade.tradeId)) close(trade);
  }
}
