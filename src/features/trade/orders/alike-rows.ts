/**
 * Rows that may belong to a request whose response was lost. An order has no id of the client's to
 * search for, so svc lists what is alike, and the user decides what belongs to the request.
 */
import type { RunContext } from '../../../cli/command.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { type TradingSession, withTrading } from '../gateway/trading-session.ts';
import { orderRate, sideOf } from '../order-text.ts';
import type { ClosedPosition, ModelRows, Order } from '../schema.ts';
import { parseTableTime, shownTime } from '../tables/table-time.ts';
import { isUnread } from './order-tables.ts';

/** The gateway's clock is measured to the second, and some of its times have no fractions. */
const CLOCK_MARGIN_MS = 10_000;
/** An error names so many rows at most. */
const MOST_IN_ERROR = 10;

export type AlikeRow = ReturnType<typeof alikeRow>;

type TradingRows = Awaited<ReturnType<typeof readAllRows>>;

/** Reads orders and positions in a session of its own: another may be lost with the response. */
export function readTradingRows(ctx: RunContext): Promise<TradingRows> {
  return withTrading(ctx, readAllRows, { forOrder: true });
}

async function readAllRows({ session, trading }: TradingSession) {
  // Sentences about tables that could not be read.
  const unread: string[] = [];
  const read = async <N extends keyof ModelRows>(name: N): Promise<readonly ModelRows[N][]> => {
    try {
      const rows = await trading.model(name);
      const { length } = rows.omitted;
      if (length > 0) unread.push(`${length} of the rows of the table ${name} cannot be read`);
      return rows;
    } catch (error) {
      if (!isUnread(error)) throw error;
      unread.push(`the table ${name} could not be read: ${error.message}`);
      return [];
    }
  };
  const orders = await read('Order');
  const positions = await read('OpenPosition');
  const closed = await read('ClosedPosition');
  return { orders, positions, closed, unread, clockSkewMs: session.clockSkewMs };
}

type Form = JournalEntry['form'];
type Row = Pick<Order, 'accountId' | 'currency' | 'isBuy' | 'amountK'> & {
  readonly orderId?: string | undefined;
  readonly tradeId?: string | undefined;
};

/** Newest first. A row that lacks a field or a readable time is not left out. */
export function findAlikeRows(
  { form, at, clock_skew }: Pick<JournalEntry, 'form' | 'at' | 'clock_skew'>,
  { orders, positions, closed, clockSkewMs }: TradingRows,
): readonly AlikeRow[] {
  const skew = clock_skew ?? clockSkewMs;
  const since = skew === undefined ? 0 : Date.parse(at) + skew - CLOCK_MARGIN_MS;
  const isSince = (time: string | undefined): boolean => (parseTableTime(time) ?? since) >= since;
  const closesAll = form['forSymbol'] !== undefined;
  const isSame = (row: Row): boolean => isOfMarket(row, form) && isOfSide(row, form['is_buy']);
  // An account that does not hedge closes the other side first.
  const other = form['is_buy'] === 'true' ? 'false' : 'true';
  const isClosedBy = (row: ClosedPosition): boolean => {
    if (closesAll) return isSame(row);
    return (isOfMarket(row, form) && isOfSide(row, other)) || (isSame(row) && isSince(row.openTime));
  };
  return [
    ...orders
      .filter((row) => isNamed(row, form) ?? (isSame(row) && isSince(row.time)))
      .map((row) => alikeRow('order', row.orderId, row, orderRate(row), row.time)),
    ...positions
      .filter((row) => isNamed(row, form) ?? (isSame(row) && (closesAll || isSince(row.time))))
      .map((row) => alikeRow('open position', row.tradeId, row, row.open, row.time)),
    ...closed
      .filter((row) => isNamed(row, form) ?? (isSince(row.closeTime) && isClosedBy(row)))
      .map((row) => alikeRow('closed position', row.tradeId, row, row.open, row.closeTime)),
  ].sort((one, another) => newness(another) - newness(one));
}

/** Whether the form names the row's trade or order; undefined if it names neither. */
function isNamed(row: Row, { trade_id, order_id }: Form): boolean | undefined {
  if (trade_id !== undefined) return row.tradeId === trade_id;
  return order_id === undefined ? undefined : row.orderId === order_id;
}

/** Of the same account and symbol. */
function isOfMarket(row: Row, { account_id, symbol = '' }: Form): boolean {
  const isOfAccount = account_id === undefined || (row.accountId ?? account_id) === account_id;
  return isOfAccount && (symbol === '' || (row.currency ?? symbol) === symbol);
}

function isOfSide(row: Row, isBuy: Form[string]): boolean {
  return isBuy === undefined || row.isBuy === undefined || String(row.isBuy) === isBuy;
}

function alikeRow(
  kind: 'order' | 'open position' | 'closed position',
  id: string,
  { currency, isBuy, amountK }: Row,
  rate: number | undefined,
  time: string | undefined,
) {
  return {
    kind,
    // Of the order, or of the trade.
    id,
    symbol: currency ?? null,
    side: sideOf(isBuy) ?? null,
    // In thousands, as the tables count.
    amount_k: amountK ?? null,
    rate: rate ?? null,
    // When it was made, or for a closed position when it was closed.
    time: shownTime(time) || null,
  };
}

function newness({ time }: AlikeRow): number {
  return (time === null ? undefined : parseTableTime(time)) ?? Number.MAX_SAFE_INTEGER;
}

/** `order 390285837 (buy 5K EUR/USD at 1.15, 2026-11-20T12:00:01.000Z)`. */
export function alikeText({ kind, id, side, amount_k, symbol, rate, time }: AlikeRow): string {
  const at = rate === null ? '' : ` at ${rate}`;
  const when = time === null ? '' : `, ${kind === 'closed position' ? 'closed ' : ''}${time}`;
  return `${kind} ${id} (${side ?? '?'} ${amount_k ?? '?'}K ${symbol ?? '?'}${at}${when})`;
}

/** For an error: what is alike now, and what could not be read. */
export function alikeSentence(rows: readonly AlikeRow[], unread: readonly string[]): string {
  const named = rows.slice(0, MOST_IN_ERROR).map(alikeText).join('; ');
  const more = rows.length > MOST_IN_ERROR ? `; and ${rows.length - MOST_IN_ERROR} more` : '';
  const found = rows.length === 0 ? 'nothing alike is at the gateway now' : `alike at the gateway: ${named}${more}`;
  return [found, ...unread].join('; ');
}
