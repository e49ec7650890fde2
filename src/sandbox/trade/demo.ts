/** A small, believable state: two accounts, one of which hedges; trades; an order that waits. */
import type { Account, Book, Trade } from './book.ts';
import { type Instrument, inThousands, requireInstrument, round, roundRate } from './instruments.ts';
import type { Market } from './market.ts';
import type { Exchange } from './matching-engine.ts';
import { profitOf } from './table-rows.ts';
import { dayStart, HOUR_MS, isTradingDay, MINUTE_MS, weekStart } from './trading-days.ts';

const HIDDEN = ['USD/CHF', 'AUD/USD'];

/** Without the sample data these accounts are all. */
export function seedAccounts({ accounts, hidden }: Book): readonly [hedging: Account, netting: Account] {
  const [dayBalance, less] = [50_000, 20_000];
  const own: readonly [Account, Account] = [
    { id: '654061', name: '00654061', hedging: 'Y', step: 1, dayBalance, balance: dayBalance },
    { id: '654062', name: '00654062', hedging: '0', step: 10, dayBalance: less, balance: less },
  ];
  accounts.push(...own);
  for (const symbol of HIDDEN) hidden.add(requireInstrument(symbol));
  return own;
}

export function seedDemo({ book, market, now }: Exchange): void {
  const [hedging, netting] = seedAccounts(book);
  const open = (account: Account, symbol: string, isBuy: boolean, amount: number, hoursAgo: number): Trade => {
    const instrument = requireInstrument(symbol);
    const time = tradedAt(now(), hoursAgo);
    const rate = priceAt(market, instrument, isBuy, time);
    return book.addTrade({ account, instrument, isBuy, amountK: inThousands(instrument, amount), open: rate }, time);
  };
  const close = (trade: Trade, hoursAgo: number): void => {
    const closeTime = tradedAt(now(), hoursAgo);
    const rate = priceAt(market, trade.instrument, !trade.isBuy, closeTime);
    const commission = round(trade.commission * 2, 2);
    book.trades.delete(trade.tradeId);
    book.closed.push({ ...trade, commission, close: rate, closeTime, grossPL: profitOf(trade, rate) });
  };
  close(open(hedging, 'EUR/USD', true, 20, 70), 52);
  close(open(hedging, 'USD/JPY', false, 10, 47), 31);
  close(open(netting, 'GBP/USD', true, 10, 30), 26);
  open(hedging, 'EUR/USD', true, 10, 29);
  open(hedging, 'USD/JPY', false, 5, 22);
  open(hedging, 'XAU/USD', true, 2, 7);
  open(netting, 'GBP/USD', false, 10, 5);
  const instrument = requireInstrument('EUR/USD');
  const below = (pips: number) => roundRate(instrument, market.rate(instrument, true) - pips * instrument.pip);
  const entry = { account: hedging, instrument, isBuy: true, amountK: 10, type: 'LE', timeInForce: 'GTC' };
  const exits = { stop: { rate: below(100), trail: 0 }, limit: { rate: below(-20), trail: 0 } };
  book.addOrder({ ...entry, rate: below(60), ...exits }, tradedAt(now(), 3));
}

/** So many hours ago, or late on the Friday before. */
function tradedAt(now: number, hoursAgo: number): number {
  const time = now - hoursAgo * HOUR_MS;
  const day = dayStart(time);
  return isTradingDay(day) ? time : weekStart(day) - hoursAgo * 4 * MINUTE_MS;
}

function priceAt(market: Market, instrument: Instrument, isBuy: boolean, ms: number): number {
  return roundRate(instrument, market.priceAt(instrument, ms) + (isBuy ? instrument.spread * instrument.pip : 0));
}
