/** How the gateway's tables are shown. */
import { fixedText } from '../../output/decimal.ts';
import type { Amount, Cell, Column, ListOutput } from '../../output/types.ts';
import { hedgingText, marginCallText } from './accounts.ts';
import { orderRate, orderStateText, orderTypeText, sideOf, type Traded } from './order-text.ts';
import type { Account, ClosedPosition, Offer, OpenPosition, Order } from './schema.ts';
import { instrumentText, orderAmount } from './symbols.ts';
import { shownTime } from './tables/table-time.ts';

export function rateCell(rate: number | undefined, precision: number | undefined): Cell {
  return rate === undefined ? undefined : fixed(rate, precision);
}

/** With this number of decimals where people read it. */
function fixed(amount: number, decimals: number | undefined): Amount {
  return { amount, text: decimals === undefined ? String(amount) : fixedText(amount, decimals) };
}

/** 0 means none in the tables. */
function setRate(rate: number | undefined, precision: number | undefined): Cell {
  return rate === 0 ? undefined : rateCell(rate, precision);
}

/** How the stop trails: doc 3 §4 for 1; its place in tables is from the public implementation. */
function trailCell({ stopMove = '0' }: Pick<Order, 'stopMove'>): Cell {
  if (stopMove === '0' || stopMove === '') return undefined;
  return stopMove === '1' ? 'dynamic' : `steps of ${stopMove}`;
}

/** An order whose rate is unknown yet has only the distance of its stop in pips. */
function exitCell(rate: number | undefined, pips: number | undefined, precision: number | undefined): Cell {
  return setRate(rate, precision) ?? (pips ? `${pips} pips` : undefined);
}

export function moneyCell(amount: number | undefined): Cell {
  return profitCell(amount, 2);
}

/** A profit is green and a loss is red; the sign says the same without colors. */
function profitCell(amount: number | undefined, decimals?: number): Cell {
  if (amount === undefined) return undefined;
  const cell = fixed(amount, decimals);
  return Number(cell.text) === 0 ? cell : { ...cell, tone: amount < 0 ? 'bad' : 'good' };
}

function timeCell(text: string | undefined): Cell {
  const time = shownTime(text);
  return time === undefined || time === '' ? undefined : { time };
}

const WARNING = /^[WAYQ]$/;

export const ACCOUNT_LIST: ListOutput<Account> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ accountId }) => accountId },
    { name: 'name', cell: ({ accountName }) => accountName },
    { name: 'balance', cell: ({ balance }) => rateCell(balance, 2), align: 'right' },
    { name: 'equity', cell: ({ equity }) => rateCell(equity, 2), align: 'right' },
    { name: 'gross-pl', cell: ({ grossPL }) => moneyCell(grossPL), align: 'right', vital: true },
    { name: 'day-pl', cell: ({ dayPL }) => moneyCell(dayPL), align: 'right', wide: true },
    { name: 'usable-margin', cell: ({ usableMargin }) => rateCell(usableMargin, 2), align: 'right' },
    { name: 'margin-call', cell: marginCallCell },
    { name: 'hedging', cell: ({ hedging }) => hedgingText(hedging) },
  ],
  id: ({ accountId }) => accountId,
  empty: 'the token has no account',
};

function marginCallCell({ mc }: Account): Cell {
  const text = marginCallText(mc);
  return text !== undefined && WARNING.test(mc ?? '') ? { text, tone: 'bad' } : text;
}

/** The amount of a row as `--amount` takes it, where the offer of its symbol says what that is. */
const ORDER_AMOUNT = Symbol('amount');

/** With the amounts that tables show. JSON has the rows of the gateway as they are. */
export function withAmounts<Row extends Traded>(rows: readonly Row[], offers: readonly Offer[]): readonly Row[] {
  const bySymbol = new Map(offers.map((offer) => [offer.currency, offer]));
  return rows.map((row) => ({ ...row, [ORDER_AMOUNT]: orderAmount(row, bySymbol.get(row.currency ?? '')) }));
}

/** Thousands with a K if the kind of the symbol is unknown. */
export function amountCell(
  row: Traded & { readonly [ORDER_AMOUNT]?: number | undefined },
): number | string | undefined {
  return row[ORDER_AMOUNT] ?? (row.amountK === undefined ? undefined : `${row.amountK}K`);
}

interface TradedRow extends Traded {
  readonly accountId?: string | undefined;
  readonly accountName?: string | undefined;
}

const TRADED: readonly Column<TradedRow>[] = [
  { name: 'symbol', cell: ({ currency }) => currency },
  { name: 'side', cell: ({ isBuy }) => sideOf(isBuy) },
  { name: 'amount', cell: amountCell, align: 'right' },
];
const ACCOUNT: Column<TradedRow> = { name: 'account', cell: ({ accountId }) => accountId };

const OPENED: readonly Column<OpenPosition | ClosedPosition>[] = [
  { name: 'trade-id', cell: ({ tradeId }) => tradeId },
  ...TRADED,
  { name: 'open', cell: ({ open, ratePrecision }) => rateCell(open, ratePrecision), align: 'right' },
  { name: 'close', cell: ({ close, ratePrecision }) => setRate(close, ratePrecision), align: 'right' },
];

export const POSITION_LIST: ListOutput<OpenPosition> = {
  kind: 'list',
  columns: [
    ...OPENED,
    { name: 'stop', cell: ({ stop, ratePrecision }) => setRate(stop, ratePrecision), align: 'right' },
    { name: 'limit', cell: ({ limit, ratePrecision }) => setRate(limit, ratePrecision), align: 'right' },
    { name: 'trail', cell: trailCell },
    { name: 'pips', cell: ({ visiblePL }) => profitCell(visiblePL), align: 'right', wide: true },
    { name: 'gross-pl', cell: ({ grossPL }) => moneyCell(grossPL), align: 'right', vital: true },
    { name: 'opened', cell: ({ time }) => timeCell(time) },
    ACCOUNT,
  ],
  id: ({ tradeId }) => tradeId,
  empty: 'no open positions',
};

export const CLOSED_LIST: ListOutput<ClosedPosition> = {
  kind: 'list',
  columns: [
    ...OPENED,
    { name: 'gross-pl', cell: ({ grossPL }) => moneyCell(grossPL), align: 'right', vital: true },
    { name: 'opened', cell: ({ openTime }) => timeCell(openTime), wide: true },
    { name: 'closed', cell: ({ closeTime }) => timeCell(closeTime) },
    { ...ACCOUNT, cell: ({ accountId, accountName }) => accountId ?? accountName },
  ],
  id: ({ tradeId }) => tradeId,
  empty: 'no closed positions',
};

export const ORDER_COLUMNS: readonly Column<Order>[] = [
  { name: 'order-id', cell: ({ orderId }) => orderId },
  ...TRADED,
  { name: 'type', cell: ({ type }) => orderTypeText(type) },
  { name: 'rate', cell: (order) => rateCell(orderRate(order), order.ratePrecision), align: 'right' },
  {
    name: 'stop',
    cell: ({ stopRate, stop, ratePrecision }) => exitCell(stopRate, stop, ratePrecision),
    align: 'right',
  },
  {
    name: 'limit',
    cell: ({ limitRate, limit, ratePrecision }) => exitCell(limitRate, limit, ratePrecision),
    align: 'right',
  },
  { name: 'trail', cell: trailCell },
  { name: 'tif', cell: ({ timeInForce }) => timeInForce },
  { name: 'state', cell: ({ status }) => orderStateText(status), vital: true },
  { name: 'expires', cell: ({ expireDate }) => timeCell(expireDate), wide: true },
  { name: 'oco', cell: ({ ocoBulkId }) => (ocoBulkId === '0' ? undefined : ocoBulkId), wide: true },
  { name: 'time', cell: ({ time }) => timeCell(time) },
  ACCOUNT,
];

export const ORDER_LIST: ListOutput<Order> = {
  kind: 'list',
  columns: ORDER_COLUMNS,
  id: ({ orderId }) => orderId,
  empty: 'no orders',
};

export const OFFER_COLUMNS: readonly Column<Offer>[] = [
  { name: 'symbol', cell: ({ currency }) => currency },
  { name: 'bid', cell: ({ sell, ratePrecision }) => setRate(sell, ratePrecision), align: 'right' },
  { name: 'ask', cell: ({ buy, ratePrecision }) => setRate(buy, ratePrecision), align: 'right' },
  { name: 'spread', cell: ({ spread }) => spread, align: 'right' },
  { name: 'high', cell: ({ high, ratePrecision }) => rateCell(high, ratePrecision), align: 'right', wide: true },
  { name: 'low', cell: ({ low, ratePrecision }) => rateCell(low, ratePrecision), align: 'right', wide: true },
  { name: 'tradable', cell: tradableCell },
  { name: 'type', cell: ({ instrumentType }) => instrumentText(instrumentType) },
  { name: 'offer-id', cell: ({ offerId }) => offerId, wide: true },
  { name: 'pip', cell: ({ pip }) => pip, align: 'right', wide: true },
  { name: 'updated', cell: ({ time }) => timeCell(time) },
];

export const OFFER_LIST: ListOutput<Offer> = {
  kind: 'list',
  columns: OFFER_COLUMNS,
  id: ({ currency }) => currency,
  empty: 'no offers',
};

/** A table that does not say does not count as yes. */
function tradableCell({ buyTradable: buy, sellTradable: sell }: Offer): Cell {
  if (buy === undefined && sell === undefined) return undefined;
  if (buy && sell) return 'yes';
  if (buy) return { text: 'buy only', tone: 'warn' };
  return { text: sell ? 'sell only' : 'no', tone: 'warn' };
}

interface Entry {
  readonly outcome: string;
  readonly form: Readonly<Record<string, unknown>>;
}

const GOOD: ReadonlySet<string> = new Set(['accepted', 'filled', 'done']);

export function outcomeCell({ outcome }: Pick<Entry, 'outcome'>): Cell {
  if (outcome === 'unknown') return { text: outcome, tone: 'bad' };
  return { text: outcome, tone: GOOD.has(outcome) ? 'good' : 'warn' };
}

export function formCell({ form }: Pick<Entry, 'form'>): string {
  return Object.entries(form)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
