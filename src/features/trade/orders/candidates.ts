/** Finds what may be an order whose response was lost: orders have no client id to search for. */

import type { OrderOutcome } from '../../../store/order-journal.ts';
import { opensNothing, orderRate } from '../order-text.ts';
import type { ClosedPosition, OpenPosition, Order } from '../schema.ts';
import type { SeenBefore } from '../tables/seen-tables.ts';
import { isSince, tableTime } from '../tables/table-time.ts';
import { sideField } from './forms.ts';
import { isAmount, ownTrades, type Rival, type Trade } from './own-trades.ts';
import type { Side } from './rules.ts';

export interface LostOrder {
  readonly accountId: string;
  readonly symbol: string;
  readonly side: Side;
  /** In thousands, as the tables count. */
  readonly amountK: number;
  /** As in its form: lots or contracts. */
  readonly amount?: number | undefined;
  /** Of an entry order; undefined at market. */
  readonly rate?: number | undefined;
  /** Otherwise the order may have closed positions first. */
  readonly hedges?: boolean | undefined;
}

export interface OrderCandidate {
  readonly kind: 'order' | 'position';
  readonly id: string;
  readonly amountK: number | undefined;
  /** It belongs to an identical accepted order: there are no more such positions than orders. */
  readonly isTaken: boolean;
  /** `order 390285837 (buy 5K EUR/USD, 2026-11-20T12:00:01.000Z)`. */
  readonly text: string;
}

/** Another order that the journal has. */
export interface OtherOrder {
  /** By the gateway's clock. */
  readonly at: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly outcome: OrderOutcome;
  readonly order_ids: readonly string[];
  readonly trade_ids: readonly string[];
}

export interface SeenRows {
  /** Ids of orders and positions that existed before the request was sent. */
  readonly earlier?: SeenBefore | undefined;
  /** Including those that ended since. */
  readonly orders: readonly Order[];
  readonly positions: readonly OpenPosition[];
  readonly closed: readonly ClosedPosition[];
  /** The order that opened a trade, if a row of the order has named the trade. */
  openedBy(tradeId: string): string | undefined;
}

/** Orders that follow one another faster than this may have opened each other's trades, as far as times tell. */
const APART_MS = 5_000;
const TINY = 1e-9;

/**
 * Candidates of the same account, symbol, side, kind, rate and amount that are not older than the request; parts count together. Excluded are those seen
 * before, accepted orders, and what belongs to other orders. `equals`: how many identical orders are lost, including this one.
 */
export function orderCandidates(
  lost: LostOrder,
  sentAt: number,
  { orders, positions, closed, openedBy, earlier = new Set() }: SeenRows,
  others: readonly OtherOrder[] = [],
  equals = 1,
): readonly OrderCandidate[] {
  const known = new Set(others.flatMap(({ order_ids, trade_ids }) => [...order_ids, ...trade_ids]));
  const isKnown = (id: string): boolean => known.has(id) || earlier.has(id);
  const isOf = (row: Order | OpenPosition | ClosedPosition): boolean =>
    (row.accountId === undefined || row.accountId === lost.accountId) &&
    row.currency === lost.symbol &&
    row.isBuy === (lost.side === 'buy');
  const ours = orders.filter(
    (row) => isOf(row) && isSince(row.time, sentAt) && isOfKind(row, lost) && !isKnown(row.orderId),
  );
  // An update may be all that was seen of an ended order, and it may lack the symbol and the account.
  const described = new Set(
    orders.filter((row) => !opensNothing(row) && row.currency !== undefined).map(({ orderId }) => orderId),
  );
  const ofSide = tradesOf(positions.filter(isOf), closed.filter(isOf), lost.amountK);
  const orderIdOf = (row: Trade): string | undefined => row.orderId ?? openedBy(row.tradeId);
  const tied = new Set(ofSide.map(orderIdOf));
  const rivals = rivalsOf(lost, sentAt, others).filter(({ ids }) => !ids.some((id) => tied.has(id)));
  const oldest = Math.min(sentAt, ...rivals.map(({ at }) => at));
  const trades = ofSide.filter((row) => {
    if (!isSince(row.time, oldest) || known.has(row.tradeId)) return false;
    const orderId = orderIdOf(row);
    if (orderId !== undefined && isKnown(orderId)) return false;
    return orderId === undefined || !described.has(orderId) || ours.some((order) => order.orderId === orderId);
  });
  const wholes = wholeAmounts(lost, sentAt, closed);
  const isWhole = (amountK: number): boolean => wholes.some((whole) => isAmount(amountK, whole));
  const most = Math.max(...wholes) + TINY;
  const isRecent = (row: Trade): boolean => isSince(row.time, sentAt) && !earlier.has(row.tradeId);
  const total = trades.filter(isRecent).reduce((sum, { amountK }) => sum + amountK, 0);
  const wholeOrders = ours.filter(({ amountK }) => amountK === undefined || isWhole(amountK));
  // An order's row shows the unfilled amount.
  const rest = ours.filter(({ amountK = 0 }) => total > 0 && isWhole(amountK + total));
  const standing = wholeOrders.length > 0 ? wholeOrders : rest;
  const rate = (row: Trade): boolean => lost.rate === undefined || isRate(row, row.open, lost.rate);
  const puzzle = {
    wholes: rest.length > 0 ? [total] : wholes,
    isOwn: (row: Trade) => isRecent(row) && row.amountK <= most && rate(row),
    isForeign: (row: Trade) => !isRecent(row) || row.amountK > most,
  };
  const position = (row: Trade, isTaken: boolean): OrderCandidate =>
    candidate('position', row.tradeId, row, lost, equalsOf(row, rivals, lost), isTaken);
  const own = ownTrades(trades, rivals, equals, puzzle);
  const found = [
    ...standing.map((row) => candidate('order', row.orderId, row, lost)),
    ...(own?.trades ?? []).map((row) => position(row, own?.isDisputed === true)),
  ];
  const isOfRival = ({ amountK = 0, time }: Order): boolean =>
    rivals.some((one) => !one.isAccepted && isAmount(one.amountK, amountK) && isSince(time, one.at));
  const left = ours.filter((row) => (row.amountK ?? 0) <= most && !isOfRival(row));
  if (found.length > 0 || (own !== undefined && left.length === 0)) return found;
  const whole = trades.filter((row) => puzzle.isOwn(row) && isWhole(row.amountK));
  if (whole.length > 0)
    return whole.map((row) =>
      position(
        row,
        rivals.some(({ isAccepted }) => isAccepted),
      ),
    );
  // Parts of it may be among these: a market order is canceled when nobody offers the rest, and an entry order is filled at the next price.
  return [
    ...left.map((row) => candidate('order', row.orderId, row, lost, [], true)),
    ...trades.filter((row) => !puzzle.isForeign(row)).map((row) => position(row, true)),
  ];
}

/** The candidates show the outcome. Unless the order is then followed, a market order is done only when it has a position. */
export function isFound({ rate }: LostOrder, candidates: readonly OrderCandidate[], follows = false): boolean {
  return candidates.some(({ kind, isTaken }) => !isTaken && (kind === 'position' || rate !== undefined || follows));
}

function isOfKind(row: Order, { rate }: LostOrder): boolean {
  const { isEntryOrder, isBuy, buy, sell, ratePrecision } = row;
  if (opensNothing(row)) return false;
  if (rate === undefined) return isEntryOrder !== true;
  return isEntryOrder !== false && isRate({ ratePrecision }, orderRate({ isBuy, buy, sell }), rate);
}

function isRate({ ratePrecision = 5 }: Pick<Order, 'ratePrecision'>, seen: number | undefined, rate: number): boolean {
  return seen === undefined || Math.abs(seen - rate) < 0.5 * 10 ** -ratePrecision + TINY;
}

/** Without hedging the order first closes the other side, and opens only the rest. */
function wholeAmounts(lost: LostOrder, sentAt: number, closed: readonly ClosedPosition[]): readonly number[] {
  if (lost.hedges === true) return [lost.amountK];
  const offset = closed
    .filter(
      ({ accountId = lost.accountId, currency, isBuy, closeTime }) =>
        accountId === lost.accountId &&
        currency === lost.symbol &&
        isBuy === (lost.side === 'sell') &&
        isSince(closeTime, sentAt),
    )
    .reduce((sum, { amountK = 0 }) => sum + amountK, 0);
  return [lost.amountK, lost.amountK - offset].filter((amount) => amount > 0);
}

/** A trade may already be closed, fully or in part. Without an amount it counts as the whole order. */
function tradesOf(
  positions: readonly OpenPosition[],
  closed: readonly ClosedPosition[],
  whole: number,
): readonly Trade[] {
  const trades = new Map<string, Trade>();
  for (const row of [...positions, ...closed.map((one) => ({ ...one, time: one.openTime }))]) {
    const { tradeId, time, amountK = whole } = row;
    trades.set(tradeId, { ...row, time, amountK: amountK + (trades.get(tradeId)?.amountK ?? 0) });
  }
  return [...trades.values()];
}

/** Other orders for the same that may have opened something since, as far as the journal knows. */
function rivalsOf(lost: LostOrder, sentAt: number, others: readonly OtherOrder[]): readonly Rival[] {
  const alike = others
    .filter((order) => isAlike(order, lost))
    .map(({ at, form, order_ids: ids }) => ({
      ...{ at: Date.parse(at), ids, isAccepted: ids.length > 0, rate: Number(form['rate']) },
      amountK: lost.amountK * (Number(form['amount']) / (lost.amount ?? lost.amountK)),
    }))
    .sort((one, other) => other.at - one.at);
  let since = sentAt;
  return alike.filter(({ at, rate }) => {
    // An equal entry order may be filled at any time.
    if (at < since - APART_MS) return lost.rate !== undefined && rate === lost.rate;
    since = Math.min(since, at);
    return true;
  });
}

/** Whether another order, or a close, may have closed what the lost one would have closed. */
export function mayBeClosedBy(others: readonly OtherOrder[], lost: LostOrder, sentAt: number): boolean {
  const isClose = ({ form, at, outcome }: OtherOrder): boolean =>
    (form['trade_id'] ?? form['forSymbol']) !== undefined &&
    ['accepted', 'unknown', 'filled', 'open'].includes(outcome) &&
    Date.parse(at) >= sentAt - APART_MS;
  return rivalsOf(lost, sentAt, others).length > 0 || others.some(isClose);
}

function isAlike({ form, outcome, order_ids, trade_ids }: OtherOrder, lost: LostOrder): boolean {
  const { account_id, symbol, is_buy, order_type } = form;
  const isAtMarket = order_type === 'AtMarket' || order_type === 'MarketRange';
  return (
    (order_ids.length > 0 || outcome === 'unknown') &&
    trade_ids.length === 0 &&
    account_id === lost.accountId &&
    symbol === lost.symbol &&
    is_buy === sideField(lost.side) &&
    (isAtMarket || lost.rate !== undefined)
  );
}

/** The orders of the same amount that may have opened it. */
function equalsOf({ time }: Trade, rivals: readonly Rival[], { amountK }: LostOrder): readonly string[] {
  return rivals.flatMap((one) => (isAmount(one.amountK, amountK) && isSince(time, one.at) ? one.ids : []));
}

function candidate(
  kind: OrderCandidate['kind'],
  id: string,
  { amountK, time }: Pick<Order, 'amountK' | 'time'>,
  { side, symbol }: LostOrder,
  equals: readonly string[] = [],
  isTaken = false,
): OrderCandidate {
  const at = tableTime(time);
  const when = at === undefined ? '' : `, ${new Date(at).toISOString()}`;
  const name = kind === 'order' ? 'order' : 'position with trade id';
  const or = equals.length === 0 ? '' : `, unless it belongs to order ${equals.join(' or ')}, which has the same terms`;
  return { kind, id, amountK, isTaken, text: `${name} ${id} (${side} ${amountK ?? '?'}K ${symbol}${when})${or}` };
}
