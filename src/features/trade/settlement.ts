/** What the tables show of a request in the journal whose outcome is unknown. */
import {
  amountOf,
  closedSince,
  closingOrders,
  closingTraces,
  type LostClosing,
  otherSide,
  type Trace,
} from './closing-traces.ts';
import {
  type AcceptedOrder,
  type LostOrder,
  type OrderCandidate,
  orderCandidates,
  type SeenRows,
} from './order-candidates.ts';
import { thousands } from './order-preview.ts';
import { orderRate, orderText } from './order-words.ts';
import type { Account, ClosedPosition, Offer, OpenPosition } from './schema.ts';
import type { SeenTables } from './seen-tables.ts';

export interface Settlement {
  readonly outcome: 'filled' | 'open' | 'done' | 'absent' | 'unknown';
  /** A sentence. */
  readonly evidence: string;
  readonly orderIds?: readonly string[];
  readonly tradeIds?: readonly string[];
}

export interface JournaledRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, unknown>>;
}

export interface SettlingContext {
  readonly tables: SeenTables;
  /** By the gateway's clock, both. */
  readonly sentAt: number;
  readonly now: number;
  readonly accepted: readonly AcceptedOrder[];
  /** How many requests like it have an unknown outcome, this one among them: each has its own share of what fits. */
  readonly equals: number;
  readonly offers: readonly Offer[];
  readonly accounts: readonly Account[];
}

/** A request may be under way for so long. */
const UNDER_WAY_MS = 10_000;
const TINY = 1e-9;

export async function settle({ path, form }: JournaledRequest, context: SettlingContext): Promise<Settlement> {
  const fields = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]));
  const settled = await settlementOf(path.replace(/\/+$/, ''), fields, context);
  const unread = [...context.tables.unread.values()].map(({ message }) => message);
  if (settled.outcome !== 'absent') return settled;
  if (unread.length > 0) return { outcome: 'unknown', evidence: `not all tables could be read: ${unread.join('; ')}` };
  if (context.now - context.sentAt >= UNDER_WAY_MS) return settled;
  const evidence = `${settled.evidence}, but it was sent less than ${UNDER_WAY_MS / 1000} s ago: settle it again later`;
  return { outcome: 'unknown', evidence };
}

type Fields = Readonly<Record<string, string | undefined>>;

async function settlementOf(path: string, fields: Fields, context: SettlingContext): Promise<Settlement> {
  const lost = lostOrders(fields, context.offers, context.accounts);
  if (lost.length > 0) return settledOrders(lost, context);
  switch (path) {
    case '/trading/close_trade': {
      const { trade_id: id = '' } = fields;
      return settledClosing({ of: `trade ${id}`, isOf: ({ tradeId }) => tradeId === id, before: undefined }, context);
    }
    case '/trading/close_all_for_symbol': {
      const { account_id: account, forSymbol, symbol } = fields;
      const isOf = (row: OpenPosition | ClosedPosition): boolean =>
        (row.accountId ?? account) === account && (forSymbol !== 'true' || row.currency === symbol);
      const of = `${forSymbol === 'true' ? `the ${symbol} that` : 'what'} account ${account} has`;
      return settledClosing({ of, isOf, before: undefined }, context);
    }
    case '/trading/delete_order':
    case '/trading/change_order':
      return settledChange(path, fields, context);
    default:
      return {
        outcome: 'unknown',
        evidence:
          'no table shows whether this request was carried out: compare svc trade orders and svc trade positions',
      };
  }
}

/** The orders that a form asks for, where it asks for any: those of a pair are two. */
export function lostOrders(
  fields: Fields,
  offers: readonly Offer[],
  accounts: readonly Account[] = [],
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

async function settledOrders(lost: readonly LostOrder[], context: SettlingContext): Promise<Settlement> {
  const { tables, sentAt, accepted, equals } = context;
  const rows: SeenRows = {
    orders: tables.rows('Order'),
    positions: tables.rows('OpenPosition'),
    closed: tables.rows('ClosedPosition'),
  };
  const fitting = lost.flatMap((order) => orderCandidates(order, sentAt, rows, accepted));
  const found = fitting.filter(({ isTaken }) => !isTaken);
  const wanted = lost.reduce((all, { amountK }) => all + amountK, 0);
  const kinds = (['order', 'position'] as const).map((kind) => found.filter((one) => one.kind === kind));
  if (kinds.some((one) => amountOf(one) > wanted * equals + TINY)) {
    return { outcome: 'unknown', evidence: `more fits than was asked for: ${textOf(found)}` };
  }
  const [orders = [], positions = []] = kinds.map((one) => firstOf(one, wanted));
  const ids = { orderIds: idsOf(orders), tradeIds: idsOf(positions) };
  const evidence = textOf([...orders, ...positions]);
  if (orders.length > 0) return { outcome: 'open', evidence, ...ids };
  if (positions.length > 0) return { outcome: 'filled', evidence, ...ids };
  // An order that was accepted may have ended without a fill.
  if (fitting.length > 0) return { outcome: 'unknown', evidence: textOf(fitting) };
  const [order] = lost;
  const offset = order === undefined || order.hedges === true ? undefined : await offsetBy(order, context);
  return offset ?? { outcome: 'absent', evidence: 'no order, open position or closed position fits' };
}

/** Without hedging an order may only close what is on the other side. */
async function offsetBy(order: LostOrder, context: SettlingContext): Promise<Settlement | undefined> {
  const closing = otherSide(order, undefined);
  const { closedK, text } = await tracesOf(closing, context);
  return Math.abs(closedK - order.amountK) < TINY ? { outcome: 'filled', evidence: text } : undefined;
}

async function settledClosing(lost: LostClosing, context: SettlingContext): Promise<Settlement> {
  const { text, isDone, waits, openK } = await tracesOf(lost, context);
  if (waits.length > 0) return { outcome: 'open', evidence: text, orderIds: waits };
  if (isDone) return { outcome: 'filled', evidence: text };
  return { outcome: openK > 0 ? 'absent' : 'unknown', evidence: text };
}

interface Closed extends Trace {
  readonly closedK: number;
  readonly openK: number;
  /** Orders that are about to close it. */
  readonly waits: readonly string[];
}

async function tracesOf(lost: LostClosing, { tables, sentAt }: SettlingContext): Promise<Closed> {
  const trace = await closingTraces(lost, sentAt, tables);
  const open = tables.rows('OpenPosition').filter(lost.isOf);
  const closed = closedSince(lost, sentAt, tables.rows('ClosedPosition'));
  const waits = closingOrders(new Set(open.map(({ tradeId }) => tradeId)), tables.rows('Order'));
  const ids = waits.map(({ orderId }) => orderId);
  return { ...trace, closedK: amountOf(closed), openK: amountOf(open), waits: ids };
}

function settledChange(path: string, { order_id: id, rate, amount }: Fields, context: SettlingContext): Settlement {
  const unread = context.tables.unread.get('Order');
  if (unread !== undefined) return { outcome: 'unknown', evidence: `the orders could not be read: ${unread.message}` };
  const row = context.tables.rows('Order').find(({ orderId }) => orderId === id);
  const isCancel = path === '/trading/delete_order';
  if (row === undefined) {
    const evidence = `order ${id} is not in the table of orders: it was canceled or filled`;
    return { outcome: isCancel ? 'done' : 'unknown', evidence };
  }
  const evidence = `it is there as ${orderText(row)}`;
  if (isCancel) return { outcome: 'absent', evidence };
  const offer = context.offers.find(({ currency }) => currency === row.currency);
  const amountK = offer === undefined ? Number(amount) : thousands(Number(amount), offer);
  const isChanged = orderRate(row) === Number(rate) && row.amountK === amountK;
  return { outcome: isChanged ? 'done' : 'absent', evidence };
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
