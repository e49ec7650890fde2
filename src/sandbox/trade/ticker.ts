/** What every tick of the market pushes. */
import type { Book } from './book.ts';
import { INSTRUMENTS } from './instruments.ts';
import type { Market } from './market.ts';
import type { Outbox } from './outbox.ts';
import type { PriceWatch } from './price-watch.ts';
import { accountRow, offerRow, summaryRow, tradeMoves } from './table-rows.ts';
import type { TradingTrap } from './traps.ts';

export interface TickerOptions {
  readonly book: Book;
  readonly market: Market;
  readonly watch: PriceWatch;
  readonly outbox: Outbox;
  readonly traps: ReadonlySet<TradingTrap>;
}

export function tick({ book, watch, market, outbox, traps }: TickerOptions): void {
  if (traps.has('market-closed')) return;
  market.tick();
  watch.look();
  if (traps.has('non-json-push')) outbox.rubbish();
  for (const instrument of INSTRUMENTS) {
    const { bid, ask, high, low, at } = market.quote(instrument);
    outbox.price(instrument.symbol, { Updated: at, Rates: [bid, ask, high, low], Symbol: instrument.symbol });
  }
  if (outbox.wants('Offer')) {
    for (const instrument of book.offered) {
      const { t, offerId, time, sell, buy, high, low } = offerRow(instrument, market);
      outbox.row('Offer', { t, offerId, time, sell, buy, high, low, action: 'U' });
    }
  }
  const trades = [...book.trades.values()];
  // an update may come without the word for it
  for (const trade of outbox.wants('OpenPosition') ? trades : []) {
    outbox.row('OpenPosition', { t: 1, tradeId: trade.tradeId, ...tradeMoves(trade, market) });
  }
  for (const account of outbox.wants('Account') ? book.accounts : []) {
    if (!trades.some((trade) => trade.account === account)) continue;
    const { t, accountId, equity, usableMargin, usableMarginPerc, dayPL, grossPL } = accountRow(
      account,
      trades,
      market,
    );
    outbox.row('Account', { t, accountId, equity, usableMargin, usableMarginPerc, dayPL, grossPL, action: 'U' });
  }
  for (const instrument of outbox.wants('Summary') ? INSTRUMENTS : []) {
    if (!trades.some((trade) => trade.instrument === instrument)) continue;
    const { t, offerId, plBuy, plSell, grossPL, netPL } = summaryRow(instrument, trades, market);
    outbox.row('Summary', { t, offerId, plBuy, plSell, grossPL, netPL, action: 'U' });
  }
}
