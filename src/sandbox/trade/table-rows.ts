/** The rows of doc 3 §2; tables that it does not show follow the public implementation. */
import { type Account, type ClosedTrade, isEntry, type Order, type Trade } from './book.ts';
import { type Instrument, inDollars, inThousands, round } from './instruments.ts';
import type { Market } from './market.ts';
import type { TableRow } from './outbox.ts';

/** `MMddyyyyHHmmssSSS`. */
function toDigits17(ms: number): string {
  const [, year, month, day, rest = ''] = /^(\d+)-(\d+)-(\d+)T(.*)Z$/.exec(new Date(ms).toISOString()) ?? [];
  return `${month}${day}${year}${rest.replaceAll(/[:.]/g, '')}`;
}

/** Without the milliseconds. */
function toDigits14(ms: number): string {
  return toDigits17(ms).slice(0, 14);
}

const roundCents = (value: number): number => round(value, 2);

export function offerRow(instrument: Instrument, market: Market, isTradable: boolean): TableRow {
  const { bid, ask, high, low, at } = market.quote(instrument);
  const { offerId, symbol, type, digits, pip, margin, maxQuantity } = instrument;
  const spread = round((ask - bid) / pip, 1);
  const worth = inThousands(instrument, 1) * 1000 * inDollars(instrument, bid);
  return {
    t: 0,
    ratePrecision: digits,
    offerId,
    rollB: -round(spread / 2, 3),
    rollS: round(spread / 4, 3),
    pip,
    currency: symbol,
    instrumentType: type,
    time: new Date(at).toISOString(),
    sell: bid,
    buy: ask,
    sellTradable: isTradable,
    buyTradable: isTradable,
    high,
    low,
    pipFraction: 0.1,
    spread,
    mmr: roundCents(worth * bid * margin),
    minQuantity: 1,
    maxQuantity,
    instrBaseUnitSize: 1,
    pipCost: round(worth * pip, 5),
  };
}

export function closingRateOf({ instrument, isBuy }: Trade, market: Market): number {
  return market.rate(instrument, !isBuy);
}

/** In the account's currency. */
export function profitOf({ instrument, isBuy, open, amountK }: Trade, close: number): number {
  return (isBuy ? close - open : open - close) * amountK * 1000 * inDollars(instrument, close);
}

function openProfitOf(trade: Trade, market: Market): number {
  return profitOf(trade, closingRateOf(trade, market));
}

function toPips({ instrument, isBuy, open }: Trade, close: number): number {
  return round((isBuy ? close - open : open - close) / instrument.pip, 1);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function tradeFields({ tradeId, account, instrument, isBuy, open, amountK, commission }: Trade) {
  return {
    ratePrecision: instrument.digits,
    tradeId,
    accountName: account.name,
    roll: 0,
    com: commission,
    open,
    currency: instrument.symbol,
    isBuy,
    amountK,
    currencyPoint: roundCents(amountK * 1000 * instrument.pip * inDollars(instrument, open)),
  };
}

export function marginOf({ instrument, amountK }: Pick<Trade, 'instrument' | 'amountK'>, market: Market): number {
  const { bid } = market.quote(instrument);
  return amountK * 1000 * bid * inDollars(instrument, bid) * instrument.margin;
}

export function tradeRow(trade: Trade, market: Market): TableRow {
  const close = closingRateOf(trade, market);
  return {
    t: 1,
    ...tradeFields(trade),
    accountId: trade.account.id,
    close,
    grossPL: roundCents(openProfitOf(trade, market)),
    visiblePL: toPips(trade, close),
    time: toDigits14(trade.time),
    usedMargin: roundCents(marginOf(trade, market)),
    stop: trade.stop?.rate ?? 0,
    stopMove: trade.stop?.trail ?? 0,
    limit: trade.limit?.rate ?? 0,
  };
}

/** Without the account's id, like the public samples. */
export function closedRow(trade: ClosedTrade): TableRow {
  return {
    t: 2,
    ...tradeFields(trade),
    grossPL: roundCents(trade.grossPL),
    close: trade.close,
    visiblePL: toPips(trade, trade.close),
    openTime: toDigits14(trade.time),
    closeTime: toDigits14(trade.closeTime),
  };
}

export function orderRow(order: Order): TableRow {
  const { account, instrument, isBuy, rate, stop, limit, type } = order;
  const distance = (exit: Order['stop']): number =>
    exit === undefined || rate === 0 ? 0 : round(((isBuy ? 1 : -1) * (exit.rate - rate)) / instrument.pip, 1);
  return {
    t: 3,
    ratePrecision: instrument.digits,
    orderId: order.orderId,
    tradeId: order.tradeId,
    time: toDigits17(order.time),
    accountName: account.name,
    accountId: account.id,
    timeInForce: order.timeInForce,
    expireDate: order.expires === undefined ? '' : toDigits14(order.expires),
    currency: instrument.symbol,
    isBuy,
    buy: isBuy ? rate : 0,
    sell: isBuy ? 0 : rate,
    type,
    status: order.status,
    amountK: order.amountK,
    currencyPoint: roundCents(order.amountK * 1000 * instrument.pip),
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

/** In the account's currency; `used` is the margin of its open trades. */
export function fundsOf(account: Account, trades: readonly Trade[], market: Market) {
  const own = trades.filter((trade) => trade.account === account);
  const grossPL = sum(own, (trade) => openProfitOf(trade, market));
  const used = sum(own, (trade) => marginOf(trade, market));
  return { grossPL, used, equity: account.balance + grossPL };
}

export function accountRow(account: Account, trades: readonly Trade[], market: Market): TableRow {
  const { grossPL, used, equity } = fundsOf(account, trades, market);
  return {
    t: 6,
    ratePrecision: 0,
    accountId: account.id,
    balance: roundCents(account.balance),
    usdMr: roundCents(used),
    mc: 'N',
    accountName: account.name,
    hedging: account.hedging,
    usableMarginPerc: round(((equity - used) / equity) * 100, 5),
    equity: round(equity, 5),
    usableMargin: round(equity - used, 5),
    dayPL: round(equity - account.dayBalance, 5),
    grossPL: round(grossPL, 5),
  };
}

/** All accounts together: the sandbox has one trader. */
export function summaryRow(instrument: Instrument, trades: readonly Trade[], market: Market): TableRow {
  const own = trades.filter((trade) => trade.instrument === instrument);
  const [buy, sell] = [sideOf(own, true, market), sideOf(own, false, market)];
  const cost = sum(own, ({ commission }) => commission);
  return {
    t: 5,
    ratePrecision: instrument.digits,
    offerId: instrument.offerId,
    currency: instrument.symbol,
    plSell: sell.pl,
    amountKSell: sell.amount,
    avgSell: sell.average,
    plBuy: buy.pl,
    amountKBuy: buy.amount,
    avgBuy: buy.average,
    amountK: round(buy.amount - sell.amount, 3),
    grossPL: roundCents(buy.pl + sell.pl),
    netPL: roundCents(buy.pl + sell.pl - cost),
  };
}

function sideOf(trades: readonly Trade[], isBuy: boolean, market: Market) {
  const own = trades.filter((trade) => trade.isBuy === isBuy);
  const amount = sum(own, ({ amountK }) => amountK);
  const weighted = sum(own, ({ amountK, open }) => amountK * open);
  const pl = roundCents(sum(own, (trade) => openProfitOf(trade, market)));
  return { amount, average: amount === 0 ? 0 : round(weighted / amount, 5), pl };
}

/** The last row of a table, with the sums of some fields. */
export function totalRow(rows: readonly TableRow[], t: number, ...fields: readonly string[]): TableRow {
  const sums = fields.map((name) => [name, roundCents(sum(rows, (row) => Number(row[name])))]);
  return { t, ratePrecision: 0, accountId: '', isTotal: true, ...Object.fromEntries(sums) };
}
