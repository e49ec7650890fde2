/** The rows of doc 3 §2 as they are told; those of the tables that it does not show as seen on the public implementation. */
import { dollars, type Instrument, amountK as inThousands, rounded } from './instruments.ts';
import type { Market } from './market.ts';
import { type Account, type ClosedTrade, isEntry, type Order, type Trade } from './records.ts';

export type TableRow = Readonly<Record<string, unknown>>;

/** `MMddyyyyHHmmssSSS`. */
export function digits17(ms: number): string {
  const [, year, month, day, rest = ''] = /^(\d+)-(\d+)-(\d+)T(.*)Z$/.exec(new Date(ms).toISOString()) ?? [];
  return `${month}${day}${year}${rest.replaceAll(/[:.]/g, '')}`;
}

/** Without the milliseconds. */
export function digits14(ms: number): string {
  return digits17(ms).slice(0, 14);
}

const cents = (value: number): number => rounded(value, 2);

export function offerRow(instrument: Instrument, market: Market): TableRow {
  const { bid, ask, high, low, at } = market.quote(instrument);
  const { offerId, symbol, type, digits, pip, spread, margin, maxQuantity } = instrument;
  const worth = inThousands(instrument, 1) * 1000 * dollars(instrument, bid);
  return {
    t: 0,
    ratePrecision: digits,
    offerId,
    rollB: -rounded(spread / 2, 3),
    rollS: rounded(spread / 4, 3),
    fractionDigits: digits,
    pip,
    defaultSortOrder: offerId * 100,
    currency: symbol,
    instrumentType: type,
    valueDate: '',
    time: new Date(at).toISOString(),
    sell: bid,
    buy: ask,
    sellTradable: true,
    buyTradable: true,
    high,
    low,
    volume: 1,
    pipFraction: 0.1,
    spread,
    mmr: cents(worth * bid * margin),
    emr: cents(worth * bid * margin),
    lmr: cents(worth * bid * margin),
    minQuantity: 1,
    maxQuantity,
    instrBaseUnitSize: 1,
    pipCost: rounded(worth * pip, 5),
  };
}

/** What it would be closed at. */
export function closingRate({ instrument, isBuy }: Pick<Trade, 'instrument' | 'isBuy'>, market: Market): number {
  const { bid, ask } = market.quote(instrument);
  return isBuy ? bid : ask;
}

/** In the account's currency. */
export function profit({ instrument, isBuy, open }: ClosedTrade['trade'], amountK: number, close: number): number {
  return (isBuy ? close - open : open - close) * amountK * 1000 * dollars(instrument, close);
}

function inPips({ instrument, isBuy, open }: ClosedTrade['trade'], close: number): number {
  return rounded((isBuy ? close - open : open - close) / instrument.pip, 1);
}

export function marginOf({ instrument, amountK }: Pick<Trade, 'instrument' | 'amountK'>, market: Market): number {
  const { bid } = market.quote(instrument);
  return amountK * 1000 * bid * dollars(instrument, bid) * instrument.margin;
}

/** What moves with the price. */
export function tradeMoves(trade: Trade, market: Market): TableRow {
  const close = closingRate(trade, market);
  return { close, grossPL: cents(profit(trade, trade.amountK, close)), visiblePL: inPips(trade, close) };
}

export function tradeRow(trade: Trade, market: Market): TableRow {
  const { account, instrument, isBuy, amountK, open, stop, limit } = trade;
  return {
    t: 1,
    ratePrecision: instrument.digits,
    tradeId: trade.tradeId,
    accountName: account.name,
    accountId: account.id,
    roll: trade.roll,
    com: trade.commission,
    open,
    valueDate: '',
    ...tradeMoves(trade, market),
    isDisabled: false,
    currency: instrument.symbol,
    isBuy,
    amountK,
    currencyPoint: cents(amountK * 1000 * instrument.pip * dollars(instrument, open)),
    time: digits14(trade.time),
    usedMargin: cents(marginOf(trade, market)),
    stop: stop?.rate ?? 0,
    stopMove: stop?.trail ?? 0,
    limit: limit?.rate ?? 0,
  };
}

export function closedRow({ trade, amountK, commission, close, closeTime, grossPL }: ClosedTrade): TableRow {
  const { account, instrument, isBuy, open } = trade;
  return {
    t: 2,
    ratePrecision: instrument.digits,
    tradeId: trade.tradeId,
    // no id, as in the public samples
    accountName: account.name,
    roll: trade.roll,
    com: commission,
    open,
    valueDate: '',
    grossPL: cents(grossPL),
    close,
    visiblePL: inPips(trade, close),
    currency: instrument.symbol,
    isBuy,
    amountK,
    currencyPoint: cents(amountK * 1000 * instrument.pip * dollars(instrument, open)),
    openTime: digits14(trade.time),
    closeTime: digits14(closeTime),
  };
}

export function orderRow(order: Order): TableRow {
  const { account, instrument, isBuy, rate, stop, limit, type } = order;
  const distance = (exit: Order['stop']): number =>
    exit === undefined || rate === 0 ? 0 : rounded(((isBuy ? 1 : -1) * (exit.rate - rate)) / instrument.pip, 1);
  return {
    t: 3,
    ratePrecision: instrument.digits,
    orderId: order.orderId,
    tradeId: order.tradeId,
    time: digits17(order.time),
    accountName: account.name,
    accountId: account.id,
    timeInForce: order.timeInForce,
    expireDate: order.expires === undefined ? '' : digits14(order.expires),
    currency: instrument.symbol,
    isBuy,
    buy: isBuy ? rate : 0,
    sell: isBuy ? 0 : rate,
    type,
    status: order.status,
    amountK: order.amountK,
    currencyPoint: cents(order.amountK * 1000 * instrument.pip),
    stopMove: stop?.trail ?? 0,
    stop: distance(stop),
    stopRate: stop?.rate ?? 0,
    limit: distance(limit),
    limitRate: limit?.rate ?? 0,
    isEntryOrder: isEntry(order),
    ocoBulkId: order.ocoBulkId,
    isNetQuantity: false,
    isLimitOrder: type.startsWith('L'),
    isStopOrder: type.startsWith('S'),
    isELSOrder: stop !== undefined || limit !== undefined,
    stopPegBaseType: -1,
    limitPegBaseType: -1,
    range: order.range,
  };
}

export function accountRow(account: Account, trades: readonly Trade[], market: Market): TableRow {
  const own = trades.filter((trade) => trade.account === account);
  const grossPL = own.reduce((sum, trade) => sum + profit(trade, trade.amountK, closingRate(trade, market)), 0);
  const used = own.reduce((sum, trade) => sum + marginOf(trade, market), 0);
  const equity = account.balance + grossPL;
  return {
    t: 6,
    ratePrecision: 0,
    accountId: account.id,
    balance: cents(account.balance),
    usdMr: cents(used),
    mc: 'N',
    accountName: account.name,
    usdMr3: cents(used / 2),
    hedging: account.hedging,
    usableMargin3: rounded(equity - used / 2, 5),
    usableMarginPerc: rounded(((equity - used) / equity) * 100, 5),
    usableMargin3Perc: rounded(((equity - used / 2) / equity) * 100, 5),
    equity: rounded(equity, 5),
    usableMargin: rounded(equity - used, 5),
    dayPL: rounded(equity - account.dayBalance, 5),
    grossPL: rounded(grossPL, 5),
  };
}

/** All accounts together: the sandbox has one trader. */
export function summaryRow(instrument: Instrument, trades: readonly Trade[], market: Market): TableRow {
  const own = trades.filter((trade) => trade.instrument === instrument);
  const side = (isBuy: boolean) => {
    const same = own.filter((trade) => trade.isBuy === isBuy);
    const amount = same.reduce((sum, { amountK }) => sum + amountK, 0);
    const weighed = same.reduce((sum, { amountK, open }) => sum + amountK * open, 0);
    return {
      amount,
      average: amount === 0 ? 0 : rounded(weighed / amount, instrument.digits),
      pl: cents(same.reduce((sum, trade) => sum + profit(trade, trade.amountK, closingRate(trade, market)), 0)),
      margin: cents(same.reduce((sum, trade) => sum + marginOf(trade, market), 0)),
    };
  };
  const [buy, sell] = [side(true), side(false)];
  const { bid, ask } = market.quote(instrument);
  const cost = own.reduce((sum, { commission, roll }) => sum + commission - roll, 0);
  const net = rounded(buy.amount - sell.amount, 3);
  return {
    t: 5,
    ratePrecision: instrument.digits,
    offerId: instrument.offerId,
    currency: instrument.symbol,
    plSell: sell.pl,
    amountKSell: sell.amount,
    avgSell: sell.average,
    closeBuy: buy.amount === 0 ? 0 : bid,
    closeSell: sell.amount === 0 ? 0 : ask,
    avgBuy: buy.average,
    amountKBuy: buy.amount,
    rollSum: 0,
    usedMarginSell: sell.margin,
    usedMarginBuy: buy.margin,
    isSellDisabled: sell.amount === 0,
    isBuyDisabled: buy.amount === 0,
    plBuy: buy.pl,
    amountK: net,
    currencyPoint: cents(net * 1000 * instrument.pip),
    grossPL: cents(buy.pl + sell.pl),
    netPL: cents(buy.pl + sell.pl - cost),
    netStop: 0,
    netStopMove: 0,
    netLimit: 0,
  };
}

/** The last row of a table, which is none of its own. */
export function totalRow(t: number, rows: readonly TableRow[], summed: readonly string[]): TableRow {
  const sums = summed.map((name) => [name, cents(rows.reduce((sum, row) => sum + Number(row[name]), 0))]);
  return { t, ratePrecision: 0, accountId: '', isTotal: true, ...Object.fromEntries(sums) };
}
