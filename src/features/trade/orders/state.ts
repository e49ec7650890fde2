/**
 * The state of an order, by the tables (doc 3 §2, identifier rules). An order's row has a trade id
 * before anything is filled: only a position makes it real. The status may stay "executing".
 */
import { CANCELED } from '../order-text.ts';
import type { ClosedPosition, OpenPosition } from '../schema.ts';
import type { SeenOrder, SeenTables } from '../tables/seen-tables.ts';
import { parseTableTime, shownTime } from '../tables/table-time.ts';
import type { Side } from './rules.ts';

export interface AwaitedOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly symbol: string;
  readonly side: Side;
  /** What was sent, in thousands as in the tables. Decides if it is filled: rows may differ. */
  readonly amountK: number;
  /** The account can hold both sides of a symbol, so the order closes nothing. */
  readonly hedges?: boolean | undefined;
}

/** A request that closes trades by one or several orders, which its response may not name. */
export interface AwaitedClosing {
  readonly orderIds: readonly string[];
  /** Undefined if open trades were unreadable: then any close of account and symbol counts. */
  readonly tradeIds: readonly string[] | undefined;
  readonly accountId: string | undefined;
  /** Undefined for any. */
  readonly symbol: string | undefined;
  /** The total, in thousands; undefined if only the orders' rows know it. */
  readonly amountK: number | undefined;
  /** Milliseconds since 1970: earlier closes do not belong to it. */
  readonly sentAt: number;
}

export type Awaited = AwaitedOrder | AwaitedClosing;

/** A filled part of an order; null if the gateway does not say. */
export interface Fill {
  readonly trade_id: string;
  readonly amount_k: number | null;
  readonly rate: number | null;
  /** RFC 3339 in UTC. */
  readonly time: string | null;
}

export interface Fills {
  readonly trades: readonly Fill[];
  /** Closed by it, with the rate and time of the close. */
  readonly closed_trades: readonly Fill[];
}

export interface OrderState extends Fills {
  readonly filled: boolean;
  /** A part of it was filled. */
  readonly touched: boolean;
  /** It is no longer open. */
  readonly over: boolean;
  /** It was seen in the table; otherwise its end says nothing. */
  readonly seen: boolean;
  /** Positions that may be its, as no push has linked them to an order. */
  readonly unlinked: boolean;
  /** The number of its last status. */
  readonly status: number | undefined;
}

const TINY = 1e-9;

export function orderState(awaited: Awaited, tables: SeenTables): OrderState {
  return 'orderIds' in awaited ? closingState(awaited, tables) : openingState(awaited, tables);
}

function closingState(awaited: AwaitedClosing, tables: SeenTables): OrderState {
  const { orderIds, tradeIds, accountId, symbol, amountK, sentAt } = awaited;
  const known = orderIds.flatMap((id) => tables.order(id) ?? []);
  const own = new Set([...(tradeIds ?? []), ...known.flatMap((order) => [...order.tradeIds])]);
  // The table's times have no milliseconds; the order's time is by the same clock.
  const times = known.flatMap(({ row }) => parseTableTime(row.time) ?? []);
  const began = wholeSecond(Math.min(...(times.length === 0 ? [sentAt] : times)));
  const isMeant = (row: ClosedPosition): boolean =>
    (accountId === undefined || (row.accountId ?? accountId) === accountId) &&
    (symbol === undefined || row.currency === symbol);
  const isOurs = (row: ClosedPosition): boolean =>
    own.has(row.tradeId) || orderIds.includes(row.orderId ?? '') || (tradeIds === undefined && isMeant(row));
  const closed = tables
    .rows('ClosedPosition')
    .filter((row) => isOurs(row) && (parseTableTime(row.closeTime) ?? began) >= began);
  const over = orderIds.length > 0 && orderIds.every((id) => tables.isGone(id));
  const isKnown = over && known.length === orderIds.length && known.every(isWhole);
  const wanted = amountK ?? (isKnown ? known.reduce((sum, order) => sum + order.amountK, 0) : Number.POSITIVE_INFINITY);
  return {
    trades: [],
    closed_trades: closed.map((row) => fill(row, row.close, row.closeTime)),
    filled: total(closed) >= wanted - TINY,
    touched: closed.length > 0,
    over,
    seen: known.length > 0 || closed.length > 0,
    unlinked: false,
    // The status of one order says nothing about the others.
    status: orderIds.length === 1 ? known[0]?.row.status : undefined,
  };
}

function openingState(awaited: AwaitedOrder, tables: SeenTables): OrderState {
  const { orderId, amountK } = awaited;
  const order = tables.order(orderId);
  const isOurs = (row: OpenPosition | ClosedPosition): boolean =>
    row.orderId === orderId || order?.tradeIds.has(row.tradeId) === true;
  const ours = tables.rows('ClosedPosition').filter(isOurs);
  const closed = order !== undefined && awaited.hedges === false ? withOffsets(ours, order, awaited, tables) : ours;
  const opened = [...tables.opened.values()].filter(isOurs);
  // A trade may be opened and stopped out before it is seen open.
  const atOnce = ours.filter((row) => !tables.opened.has(row.tradeId));
  let trades = [
    ...opened.map((row) => fill(row, row.open, row.time)),
    ...atOnce.map((row) => fill(row, row.open, row.openTime)),
  ];
  const over = tables.isGone(orderId);
  let sum = total(closed.filter((row) => !ours.includes(row))) + total([...opened, ...atOnce]);
  if (over && order !== undefined && trades.length === 0 && closed.length === 0) {
    trades = [...order.executed].map(([tradeId, executedK]) => executedFill(tradeId, executedK, order, awaited));
    sum = [...order.executed.values()].reduce((all, executedK) => all + executedK, 0);
  }
  return {
    trades,
    closed_trades: closed.map((row) => fill(row, row.close, row.closeTime)),
    filled: sum >= amountK - TINY,
    touched: trades.length > 0 || closed.length > 0,
    over,
    seen: order !== undefined,
    unlinked: order !== undefined && hasUnlinked(order, awaited, tables),
    status: order?.row.status,
  };
}

/** Only after a gap, or for an order without any link, can a link be missing. */
function hasUnlinked(order: SeenOrder, { accountId, symbol, side }: AwaitedOrder, tables: SeenTables): boolean {
  if (order.tradeIds.size > 0 && !tables.hasGap) return false;
  const began = wholeSecond(parseTableTime(order.row.time) ?? 0);
  const mayBeIts = (row: OpenPosition | ClosedPosition, time: string | undefined): boolean =>
    (row.accountId ?? accountId) === accountId &&
    row.currency === symbol &&
    row.isBuy === (side === 'buy') &&
    (row.orderId ?? tables.openedBy(row.tradeId)) === undefined &&
    (parseTableTime(time) ?? began) >= began;
  return (
    tables.rows('OpenPosition').some((row) => mayBeIts(row, row.time)) ||
    tables.rows('ClosedPosition').some((row) => mayBeIts(row, row.openTime))
  );
}

/** Its rows can only have the whole amount: something is known, and nothing was canceled. */
function isWhole({ row, amountK }: SeenOrder): boolean {
  return amountK > 0 && row.status !== CANCELED;
}

/** Without hedging an order closes opposite positions, and no row says which order closed them. */
function withOffsets(
  ours: readonly ClosedPosition[],
  order: SeenOrder,
  { accountId, symbol, side }: AwaitedOrder,
  tables: SeenTables,
): readonly ClosedPosition[] {
  const began = parseTableTime(order.row.time);
  const isOffset = (row: ClosedPosition): boolean => {
    if (row.currency !== symbol || row.isBuy !== (side === 'sell')) return false;
    if ((row.accountId ?? accountId) !== accountId) return false;
    const ended = parseTableTime(row.closeTime);
    return began === undefined || ended === undefined || ended >= wholeSecond(began);
  };
  return tables.rows('ClosedPosition').filter((row) => isOffset(row) || ours.includes(row));
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

function fill(
  { tradeId, amountK }: OpenPosition | ClosedPosition,
  rate: number | undefined,
  time: string | undefined,
): Fill {
  return { trade_id: tradeId, amount_k: amountK ?? null, rate: rate ?? null, time: shownTime(time) || null };
}

/** Without a position push. The row has the rate, or 0; of several, each may have the rest. */
function executedFill(
  tradeId: string,
  executedK: number,
  { row, executed }: SeenOrder,
  { side, amountK }: AwaitedOrder,
): Fill {
  const isOwn = executed.size === 1 && executedK > 0 && executedK <= amountK;
  return { trade_id: tradeId, amount_k: isOwn ? executedK : null, rate: row[side] || null, time: null };
}

function total(rows: readonly (OpenPosition | ClosedPosition)[]): number {
  return rows.reduce((sum, { amountK = 0 }) => sum + amountK, 0);
}
