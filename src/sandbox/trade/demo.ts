/** A small, believable state: two accounts, of which one hedges; trades that win and lose; an order that waits. */
import type { Book } from './book.ts';
import { amountK, INSTRUMENTS, type Instrument, rounded } from './instruments.ts';
import type { Market } from './market.ts';
import { COMMISSION } from './matching-engine.ts';
import { curvePrice } from './price-curve.ts';
import { type Account, type Trade, WAITING } from './records.ts';
import { profit } from './table-rows.ts';
import { dayStart, HOUR_MS, isTradingDay, MINUTE_MS, weekStart } from './trading-days.ts';

const HEDGING: Omit<Account, 'balance'> = {
  id: '654061',
  name: '00654061',
  hedging: 'Y',
  step: 1,
  dayBalance: 50_000,
};
const NETTING: Omit<Account, 'balance'> = {
  id: '654062',
  name: '00654062',
  hedging: '0',
  step: 10,
  dayBalance: 20_000,
};
const HIDDEN = ['USD/CHF', 'AUD/USD'];

/** Without it there are the accounts alone. */
export function seedAccounts(book: Book): { readonly hedging: Account; readonly netting: Account } {
  const hedging = { ...HEDGING, balance: HEDGING.dayBalance };
  const netting = { ...NETTING, balance: NETTING.dayBalance };
  book.accounts.push(hedging, netting);
  for (const instrument of INSTRUMENTS) if (HIDDEN.includes(instrument.symbol)) book.hidden.add(instrument);
  return { hedging, netting };
}

export function seedDemo(book: Book, market: Market, now: number): void {
  const { hedging, netting } = seedAccounts(book);
  const trade = (account: Account, symbol: string, isBuy: boolean, amount: number, hoursAgo: number): Trade => {
    const instrument = named(symbol);
    const time = tradedAt(now, hoursAgo);
    const thousands = amountK(instrument, amount);
    return {
      tradeId: book.newTradeId(),
      account,
      instrument,
      isBuy,
      amountK: thousands,
      open: priceAt(instrument, isBuy, time),
      time,
      commission: rounded(thousands * COMMISSION, 2),
      roll: rounded(-hoursAgo / 100, 2),
      stop: undefined,
      limit: undefined,
      trailedFrom: 0,
    };
  };
  const closed = (
    account: Account,
    symbol: string,
    isBuy: boolean,
    amount: number,
    [from, to]: [number, number],
  ): void => {
    const made = trade(account, symbol, isBuy, amount, from);
    const closeTime = tradedAt(now, to);
    const close = priceAt(made.instrument, !isBuy, closeTime);
    book.closed.push({
      trade: made,
      amountK: made.amountK,
      commission: rounded(made.commission * 2, 2),
      close,
      closeTime,
      grossPL: profit(made, made.amountK, close),
    });
  };
  closed(hedging, 'EUR/USD', true, 20, [70, 52]);
  closed(hedging, 'USD/JPY', false, 10, [47, 31]);
  closed(netting, 'GBP/USD', true, 10, [30, 26]);
  for (const made of [
    trade(hedging, 'EUR/USD', true, 10, 29),
    trade(hedging, 'USD/JPY', false, 5, 22),
    trade(hedging, 'XAU/USD', true, 2, 7),
    trade(netting, 'GBP/USD', false, 10, 5),
  ]) {
    book.trades.set(made.tradeId, made);
  }
  const instrument = named('EUR/USD');
  const { ask } = market.quote(instrument);
  const rate = rounded(ask - 60 * instrument.pip, instrument.digits);
  const orderId = book.newOrderId();
  book.orders.set(orderId, {
    orderId,
    tradeId: book.newTradeId(),
    account: hedging,
    instrument,
    isBuy: true,
    type: 'LE',
    status: WAITING,
    timeInForce: 'GTC',
    expires: undefined,
    time: tradedAt(now, 3),
    amountK: 10,
    rate,
    range: 0,
    stop: { rate: rounded(rate - 40 * instrument.pip, instrument.digits), trail: 0 },
    limit: { rate: rounded(rate + 80 * instrument.pip, instrument.digits), trail: 0 },
    trail: 0,
    trailedFrom: 0,
    ocoBulkId: 0,
    closes: undefined,
  });
}

/** So many hours ago, or late on the Friday before. */
function tradedAt(now: number, hoursAgo: number): number {
  const time = now - hoursAgo * HOUR_MS;
  const day = dayStart(time);
  return isTradingDay(day) ? time : weekStart(day) - hoursAgo * 4 * MINUTE_MS;
}

function named(symbol: string): Instrument {
  const instrument = INSTRUMENTS.find((one) => one.symbol === symbol);
  if (instrument === undefined) throw new Error(`no instrument ${symbol}`);
  return instrument;
}

function priceAt(instrument: Instrument, isBuy: boolean, ms: number): number {
  const { digits, pip, spread } = instrument;
  return rounded(curvePrice(instrument, ms) + (isBuy ? spread * pip : 0), digits);
}
