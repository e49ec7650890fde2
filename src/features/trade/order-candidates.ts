/** Finds what may be an order whose response was lost: orders have no client id to search for. */
import { sideField } from './order-forms.ts';
import type { Side } from './order-rules.ts';
import { orderRate } from './order-text.ts';
import type { ClosedPosition, OpenPosition, Order } from './schema.ts';
import type { SeenBefore } from './seen-tables.ts';
import { tableTime } from './table-time.ts';

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
  /** What cannot be filled at once is canceled. */
  readonly fillsPartly?: boolean | undefined;
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

/** An order whose id the journal has. */
export interface AcceptedOrder {
  readonly at: string;
  readonly form: Readonly<Record<string, unknown>>;
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
}

/** The gateway's clock is measured to the second, and some of its times have no fractions. */
const CLOCK_SLACK_MS = 2_000;
const TINY = 1e-9;

/** `sentAt` is by the gateway's clock. A time that cannot be read rules nothing out. */
export function isSince(time: string | undefined, sentAt: number): boolean {
  return (tableTime(time) ?? sentAt) >= sentAt - CLOCK_SLACK_MS;
}

/** Attached stops and limits, closing orders and margin calls (see `order-text.ts`). */
const OPENS_NOTHING = /^(?:ST?|L|C[MR]?|M)$/;

export function opensNothing({ type = '' }: Pick<Order, 'type'>): boolean {
  return OPENS_NOTHING.test(type);
}

/**
 * Candidates of the same account, symbol, side, kind, rate and amount that are not older than the request; parts count together. Excluded are those seen
 * before, accepted orders, and their positions if a row links them.
 */
export function orderCandidates(
  lost: LostOrder,
  sentAt: number,
  { orders, positions, closed, earlier = new Set() }: SeenRows,
  accepted: readonly AcceptedOrder[] = [],
): readonly OrderCandidate[] {
  const known = new Set(accepted.flatMap(({ order_ids, trade_ids }) => [...order_ids, ...trade_ids]));
  const isKnown = (id: string): boolean => known.has(id) || earlier.has(id);
  const isOf = (row: Order | OpenPosition | ClosedPosition): boolean =>
    (row.accountId === undefined || row.accountId === lost.accountId) &&
    row.currency === lost.symbol &&
    row.isBuy === (lost.side === 'buy');
  const ours = orders.filter(
    (row) => isOf(row) && isSince(row.time, sentAt) && isOfKind(row, lost) && !isKnown(row.orderId),
  );
  const orderOf = new Map(orders.map(({ orderId, tradeId }) => [tradeId, orderId]));
  // An update may be all that was seen of an ended order, and it may lack the symbol and the account.
  const described = new Set(orders.filter(({ currency }) => currency !== undefined).map(({ orderId }) => orderId));
  const ofSide = tradesOf(positions.filter(isOf), closed.filter(isOf));
  const orderIdOf = (row: Trade): string | undefined => row.orderId ?? orderOf.get(row.tradeId);
  const trades = ofSide.filter((row) => {
    if (!isSince(row.time, sentAt) || isKnown(row.tradeId)) return false;
    const orderId = orderIdOf(row);
    if (orderId !== undefined && isKnown(orderId)) return false;
    if (orderId !== undefined && described.has(orderId)) return ours.some((order) => order.orderId === orderId);
    return lost.rate === undefined || isRate(row, row.open, lost.rate);
  });
  const isWhole = (amountK: number | undefined): boolean =>
    amountK === undefined || wholeAmounts(lost, sentAt, closed).some((whole) => Math.abs(whole - amountK) < TINY);
  const total = trades.reduce((sum, { amountK = 0 }) => sum + amountK, 0);
  const wholeOrders = ours.filter(({ amountK }) => isWhole(amountK));
  const wholeTrades = trades.filter(({ amountK }) => isWhole(amountK));
  // An order's row shows the unfilled amount.
  const rest = ours.filter(({ amountK = 0 }) => total > 0 && isWhole(amountK + total));
  const parts = wholeTrades.length === 0 && (isWhole(total) || rest.length > 0) ? trades : [];
  // Among trades of other orders, parts of this one may be hidden.
  const isHidden = wholeOrders.length + wholeTrades.length + rest.length + parts.length === 0;
  const hidden = isHidden ? possibleParts(trades, wholeAmounts(lost, sentAt, closed), lost) : [];
  const tied = new Set(ofSide.map(orderIdOf));
  const equals = accepted.filter(
    (order) => isEqual(order, lost, sentAt) && !order.order_ids.some((id) => tied.has(id)),
  );
  const shared = ofSide.filter(
    (row) => isWhole(row.amountK) && orderIdOf(row) === undefined && !known.has(row.tradeId),
  );
  // Of a larger order that no row shows as a whole, each trade may be a part.
  const isPart = accepted.some(
    (order) =>
      isAlike(order, lost, sentAt) &&
      amountRatio(order, lost) > 1 + TINY &&
      !order.order_ids.some((id) => tied.has(id)) &&
      !trades.some(({ amountK = 0 }) => Math.abs(amountK - lost.amountK * amountRatio(order, lost)) < TINY),
  );
  const isTaken = (row: Trade): boolean =>
    isPart ||
    ownersOf(
      equals,
      shared.filter((one) => one !== row),
    ) < ownersOf(equals, shared);
  const position = (row: Trade, taken: boolean): OrderCandidate => {
    const ids = equals.filter(({ at }) => isSince(row.time, Date.parse(at))).flatMap(({ order_ids }) => order_ids);
    return candidate('position', row.tradeId, row, lost, ids, taken);
  };
  return [
    ...(wholeOrders.length > 0 ? wholeOrders : rest).map((row) => candidate('order', row.orderId, row, lost)),
    ...wholeTrades.map((row) => position(row, isTaken(row))),
    ...parts.map((row) => position(row, equals.length > 0)),
    ...hidden.map((row) => position(row, true)),
  ];
}

const MOST_SUMS = 10_000;

/** Trades of which some add up to one of the amounts; empty if none do. */
function possibleParts(trades: readonly Trade[], wholes: readonly number[], lost: LostOrder): readonly Trade[] {
  const most = Math.max(...wholes) + TINY;
  const smaller = trades.filter(({ amountK }) => amountK !== undefined && amountK < most);
  if (lost.fillsPartly) return smaller;
  const sums = new Set([0]);
  for (const { amountK = 0 } of smaller) {
    for (const sum of [...sums]) if (sum + amountK < most) sums.add(Number((sum + amountK).toFixed(6)));
    // Too many to tell.
    if (sums.size > MOST_SUMS) return smaller;
  }
  return wholes.some((whole) => [...sums].some((sum) => Math.abs(sum - whole) < 1e-6)) ? smaller : [];
}

/** The candidates show the outcome; a market order is done only when it has a position. */
export function isFound(lost: LostOrder, candidates: readonly OrderCandidate[]): boolean {
  return candidates.some(({ kind, isTaken }) => !isTaken && (kind === 'position' || lost.rate !== undefined));
}

function isOfKind({ isEntryOrder, type = '', isBuy, buy, sell, ratePrecision }: Order, { rate }: LostOrder): boolean {
  if (OPENS_NOTHING.test(type)) return false;
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

interface Trade extends Pick<OpenPosition, 'tradeId' | 'orderId' | 'amountK' | 'open' | 'ratePrecision'> {
  readonly time: string | undefined;
}

/** A trade may already be closed, fully or in part. */
function tradesOf(positions: readonly OpenPosition[], closed: readonly ClosedPosition[]): readonly Trade[] {
  const trades = new Map<string, Trade>();
  for (const row of [...positions, ...closed.map((one) => ({ ...one, time: one.openTime }))]) {
    const before = trades.get(row.tradeId);
    const amountK = before === undefined ? row.amountK : (before.amountK ?? 0) + (row.amountK ?? 0);
    trades.set(row.tradeId, { ...row, time: row.time, amountK });
  }
  return [...trades.values()];
}

/** Accepted at about the same time or later, with no known position. */
function isEqual(order: AcceptedOrder, lost: LostOrder, sentAt: number): boolean {
  return isAlike(order, lost, sentAt) && (lost.amount === undefined || amountRatio(order, lost) === 1);
}

function amountRatio({ form }: AcceptedOrder, { amount }: LostOrder): number {
  return Number(form['amount']) / (amount ?? Number.NaN);
}

/** The same with any amount. */
function isAlike({ at, form, order_ids, trade_ids }: AcceptedOrder, lost: LostOrder, sentAt: number): boolean {
  const { account_id, symbol, is_buy, order_type, rate } = form;
  const isAtMarket = order_type === 'AtMarket' || order_type === 'MarketRange';
  return (
    Date.parse(at) >= sentAt - CLOCK_SLACK_MS &&
    order_ids.length > 0 &&
    trade_ids.length === 0 &&
    account_id === lost.accountId &&
    symbol === lost.symbol &&
    is_buy === sideField(lost.side) &&
    (isAtMarket ? lost.rate === undefined : Number(rate) === lost.rate)
  );
}

/** How many of the orders can have a position of their own. The latest have the fewest choices. */
function ownersOf(orders: readonly AcceptedOrder[], trades: readonly Trade[]): number {
  const left = [...trades];
  const times = orders.map(({ at }) => Date.parse(at)).sort((one, other) => other - one);
  return times.filter((at) => {
    const index = left.findIndex(({ time }) => isSince(time, at));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  }).length;
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
