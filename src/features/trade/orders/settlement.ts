/** Finds the outcome of a request from the tables: after a lost response, and for `journal settle`. */

import { orderRate, orderText } from '../order-text.ts';
import type { Account, ClosedPosition, Offer, OpenPosition } from '../schema.ts';
import type { SeenBefore, SeenTables } from '../tables/seen-tables.ts';
import {
  isFound,
  type LostOrder,
  mayBeClosedBy,
  type OrderCandidate,
  type OtherOrder,
  orderCandidates,
} from './candidates.ts';
import {
  amountOf,
  type ClosingTrace,
  closingTraces,
  type LostClosing,
  otherSide,
  unreadTexts,
} from './closing-traces.ts';
import { thousands } from './preview.ts';
import { isGrouped } from './rows.ts';

/** A request may be executed this long after it was sent: until then it is not absent. */
export const IN_FLIGHT_MS = 10_000;

export interface Settlement {
  readonly outcome: 'filled' | 'open' | 'done' | 'absent' | 'unknown';
  /** A sentence. */
  readonly evidence: string;
  readonly orderIds?: readonly string[];
  readonly tradeIds?: readonly string[];
  /** Orders and positions that may belong to it. Undefined for a request that creates none. */
  readonly candidates?: readonly OrderCandidate[];
  /** Only positions closed since then would show it. */
  readonly needsClosed?: boolean;
  /** The search can stop. */
  readonly isDone: boolean;
  /** The tables may show more after this time. */
  readonly waitMs?: number | undefined;
}

export interface JournaledRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, unknown>>;
}

export interface SettlingContext {
  readonly tables: SeenTables;
  /** By the gateway's clock. */
  readonly sentAt: number;
  /** Without identical ones whose outcome is unknown. */
  readonly others: readonly OtherOrder[];
  readonly offers: readonly Offer[];
  readonly accounts: readonly Account[];
  /** Open positions before it was sent; undefined if they could not be read. */
  readonly before?: readonly OpenPosition[] | undefined;
  /** Ids of orders and positions seen before it was sent. */
  readonly earlier?: SeenBefore;
  /** How many identical requests have an unknown outcome, including this one: each has a share of what fits. */
  readonly equals?: number;
  /** The caller follows an order that is found until it is filled. */
  readonly follows?: boolean;
}

const TINY = 1e-9;

type Fields = Readonly<Record<string, string | undefined>>;

export function settle({ path, form }: JournaledRequest, context: SettlingContext): Settlement {
  const fields = Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const lost = lostOrders(fields, context);
  if (lost.length > 0) return settledOrders(lost, context);
  const { trade_id: tradeId = '', account_id: account, forSymbol, symbol } = fields;
  switch (path.replace(/\/+$/, '')) {
    case '/trading/close_trade':
      return settledClosing(`trade ${tradeId}`, (row) => row.tradeId === tradeId, context);
    case '/trading/close_all_for_symbol': {
      const isOf = (row: OpenPosition | ClosedPosition): boolean =>
        (row.accountId ?? account) === account && (forSymbol !== 'true' || row.currency === symbol);
      const of = `${forSymbol === 'true' ? symbol : 'all positions'} of account ${account}`;
      return settledClosing(of, isOf, context);
    }
    case '/trading/delete_order':
    case '/trading/change_order':
      return settledChange(path.includes('delete'), fields, context);
    case '/trading/change_order_stop_limit':
      return { ...settledChange(false, fields, context), outcome: 'unknown' };
    case '/trading/change_trade_stop_limit':
      return exitsOf(tradeId, context);
    case '/trading/add_to_oco':
    case '/trading/remove_from_oco':
    case '/trading/edit_oco':
      return groupsOf(fields, context);
    default: {
      const evidence = 'no table shows whether this request was executed';
      return { outcome: 'unknown', evidence, isDone: true };
    }
  }
}

/** The orders that a form asks for: none, one, or two for an OCO pair. */
function lostOrders(
  fields: Fields,
  { offers, accounts }: Pick<SettlingContext, 'offers' | 'accounts'>,
): readonly LostOrder[] {
  return ['', '2'].flatMap((suffix) => {
    const { account_id: accountId, symbol, amount, order_type: type } = fields;
    const [isBuy, rate] = [fields[`is_buy${suffix}`], Number(fields[`rate${suffix}`] ?? 0)];
    if (accountId === undefined || symbol === undefined || isBuy === undefined || !(Number(amount) > 0)) return [];
    const offer = offers.find(({ currency }) => currency === symbol);
    const hedging = accounts.find((account) => account.accountId === accountId)?.hedging;
    return {
      accountId,
      symbol,
      side: isBuy === 'true' ? 'buy' : 'sell',
      amountK: offer === undefined ? Number(amount) : thousands(Number(amount), offer),
      amount: Number(amount),
      rate: type === 'AtMarket' || type === 'MarketRange' || rate === 0 ? undefined : rate,
      hedges: hedging === undefined ? undefined : hedging === 'Y',
    } as const;
  });
}

function settledOrders(lost: readonly LostOrder[], context: SettlingContext): Settlement {
  const { tables, sentAt, others, equals = 1, earlier, follows } = context;
  const closed = tables.everyRow('ClosedPosition');
  const open = tables.rows('OpenPosition');
  const listed = new Set([...open, ...closed].map(({ tradeId }) => tradeId));
  // A snapshot may be older than a push.
  const positions = [...open, ...tables.everyRow('OpenPosition').filter(({ tradeId }) => !listed.has(tradeId))];
  const rows = { earlier, orders: tables.everyRow('Order'), positions, closed, openedBy: tables.openedBy };
  const byOrder = lost.map((order) => orderCandidates(order, sentAt, rows, others, equals));
  const fitting = byOrder.flat();
  // Both of a pair may be of the same side.
  const candidates = [...new Map(fitting.map((one) => [`${one.kind} ${one.id}`, one])).values()];
  const found = candidates.filter(({ isTaken }) => !isTaken);
  const trace = offsetBy(lost, context);
  const isDone = trace?.isDone === true || lost.every((order, index) => isFound(order, byOrder[index] ?? [], follows));
  const about = { candidates, isDone };
  const seen = (trace === undefined ? unreadTexts(tables) : [trace.text]).map((text) => `${text}; `).join('');
  const wanted = lost.reduce((all, { amountK }) => all + amountK, 0);
  const kinds = (['order', 'position'] as const).map((kind) => found.filter((one) => one.kind === kind));
  if (kinds.some((one) => amountOf(one) > wanted * equals + TINY)) {
    return {
      ...about,
      outcome: 'unknown',
      evidence: `${seen}more matches than requested; this may be it: ${textOf(found)}`,
    };
  }
  const [orders = [], filled = []] = kinds.map((one) => firstOf(one, wanted));
  const ids = { orderIds: idsOf(orders), tradeIds: idsOf(filled) };
  const evidence = `${seen}this may be it: ${textOf([...orders, ...filled])}`;
  if (orders.length > 0) return { ...about, outcome: 'open', evidence, ...ids };
  if (filled.length > 0) return { ...about, outcome: 'filled', evidence, ...ids };
  // An order that was accepted may have ended without a fill.
  if (candidates.length > 0) return { ...about, outcome: 'unknown', evidence: `${seen}${textOf(candidates)}` };
  // Without hedging an order may only close what is on the other side. Something else may have closed it, too.
  if (trace !== undefined && trace.closedK > 0) {
    const isAlone = equals === 1 && !lost.some((order) => mayBeClosedBy(others, order, sentAt));
    const isAll = isAlone && Math.abs(trace.closedK - wanted) < TINY;
    return { ...about, outcome: isAll ? 'filled' : 'unknown', evidence: trace.text };
  }
  return { ...about, outcome: 'absent', evidence: `${seen}no match at the gateway now` };
}

/** What a market order may have closed in a non-hedging account. */
function offsetBy(lost: readonly LostOrder[], context: SettlingContext): ClosingTrace | undefined {
  const [order] = lost;
  if (order === undefined || order.hedges === true || order.rate !== undefined) return undefined;
  return closingTraces(otherSide(order, context.before), context.sentAt, context.tables);
}

function settledClosing(
  of: string,
  isOf: LostClosing['isOf'],
  { before, sentAt, tables }: SettlingContext,
): Settlement {
  const trace = closingTraces({ of, isOf, before: before?.filter(isOf) }, sentAt, tables);
  const { text: evidence, isDone, orderIds, openK } = trace;
  if (orderIds.length > 0) return { outcome: 'open', evidence, orderIds, isDone };
  const needsClosed = before === undefined;
  return { outcome: isDone ? 'filled' : openK > 0 ? 'absent' : 'unknown', evidence, isDone, needsClosed };
}

function settledChange(isCancel: boolean, fields: Fields, { tables, offers }: SettlingContext): Settlement {
  const { order_id: id, rate, amount } = fields;
  if (tables.unread.has('Order')) return unreadable(tables);
  const row = tables.rows('Order').find(({ orderId }) => orderId === id);
  if (row === undefined) {
    const evidence = `order ${id} is no longer open: it was canceled or filled`;
    return { outcome: isCancel ? 'done' : 'unknown', evidence, isDone: true };
  }
  const evidence = `it is now ${orderText(row)}`;
  const offer = offers.find(({ currency }) => currency === row.currency);
  const amountK = offer === undefined ? Number(amount) : thousands(Number(amount), offer);
  const isDone = !isCancel && orderRate(row) === Number(rate) && row.amountK === amountK;
  return { outcome: isDone ? 'done' : 'absent', evidence, isDone };
}

function exitsOf(id: string, { tables }: SettlingContext): Settlement {
  if (tables.unread.has('OpenPosition')) return unreadable(tables);
  const row = tables.rows('OpenPosition').find(({ tradeId }) => tradeId === id);
  if (row === undefined) return { outcome: 'unknown', evidence: `trade ${id} is no longer open`, isDone: true };
  const { stop, limit } = row;
  const evidence = `trade ${id} now has ${stop ? `stop ${stop}` : 'no stop'} and ${limit ? `limit ${limit}` : 'no limit'}`;
  return { outcome: 'unknown', evidence, isDone: false };
}

function groupsOf({ orderIds, addOrderIds, removeOrderIds }: Fields, { tables }: SettlingContext): Settlement {
  if (tables.unread.has('Order')) return unreadable(tables);
  const ids = [orderIds, addOrderIds, removeOrderIds].flatMap((list) => list?.split(',') ?? []);
  const texts = ids.map((id) => {
    const row = tables.rows('Order').find(({ orderId }) => orderId === id);
    if (row === undefined) return `order ${id} is no longer open`;
    return isGrouped(row) ? `order ${id} is now in group ${row.ocoBulkId}` : `order ${id} is now in no group`;
  });
  return { outcome: 'unknown', evidence: texts.join(', '), isDone: false };
}

function unreadable(tables: SeenTables): Settlement {
  return { outcome: 'unknown', evidence: unreadTexts(tables).join('; '), isDone: false };
}

/** As many as make up the amount. */
function firstOf(candidates: readonly OrderCandidate[], amountK: number): readonly OrderCandidate[] {
  let sum = 0;
  return candidates.filter((one) => {
    const isNeeded = sum < amountK - TINY;
    sum += one.amountK ?? 0;
    return isNeeded;
  });
}

function textOf(candidates: readonly OrderCandidate[]): string {
  return candidates.map(({ text }) => text).join('; ');
}

function idsOf(candidates: readonly OrderCandidate[]): readonly string[] {
  return candidates.map(({ id }) => id);
}
