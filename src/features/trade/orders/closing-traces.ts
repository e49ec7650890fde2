/** Evidence for a close whose response was lost: open positions, positions closed since, and open orders. */
import { exactSum } from '../../../output/decimal.ts';
import { orderText, positionText } from '../order-text.ts';
import type { ClosedPosition, OpenPosition } from '../schema.ts';
import type { SeenModel, SeenTables } from '../tables/seen-tables.ts';
import { isSince, shownTime } from '../tables/table-time.ts';
import type { LostOrder } from './candidates.ts';

export interface ClosingTrace {
  /** A sentence. */
  readonly text: string;
  readonly isDone: boolean;
  /** In thousands: closed since it was sent, and open now. */
  readonly closedK: number;
  readonly openK: number;
  /** Orders that are about to close it. */
  readonly orderIds: readonly string[];
}

export interface LostClosing {
  /** `trade 170162801`, `the buys of EUR/USD`. */
  readonly of: string;
  /** Whether a row is part of what was to be closed: in a non-hedging account more than the one trade. */
  isOf(row: OpenPosition | ClosedPosition): boolean;
  /** Before it was sent; undefined if it could not be read. */
  readonly before: readonly OpenPosition[] | undefined;
}

/** What an order may have closed in a non-hedging account: any trade of the other side. */
export function otherSide(
  { accountId, symbol, side }: Pick<LostOrder, 'accountId' | 'symbol' | 'side'>,
  rows: readonly OpenPosition[] | undefined,
): LostClosing {
  const isOf = (row: OpenPosition | ClosedPosition): boolean =>
    (row.accountId ?? accountId) === accountId && row.currency === symbol && row.isBuy === (side === 'sell');
  const of = `the ${symbol} ${side === 'sell' ? 'buys' : 'sells'} of account ${accountId}`;
  return { of, isOf, before: rows?.filter(isOf) };
}

/** `sentAt` is by the gateway's clock. Tables that could not be read show nothing. */
export function closingTraces({ of, before, isOf }: LostClosing, sentAt: number, tables: SeenTables): ClosingTrace {
  const rows = <N extends SeenModel>(name: N) => (tables.unread.has(name) ? [] : tables.rows(name));
  const open = rows('OpenPosition').filter(isOf);
  const closed = rows('ClosedPosition').filter((row) => isOf(row) && isSince(row.closeTime, sentAt));
  const trades = new Set([...(before ?? []), ...open].map(({ tradeId }) => tradeId));
  // Orders that are about to close one of the trades.
  const orders = rows('Order').filter(
    ({ isEntryOrder, tradeId = '' }) => isEntryOrder === false && trades.has(tradeId),
  );
  const isOpenKnown = !tables.unread.has('OpenPosition');
  const openK = amountOf(open);
  const texts = [
    isOpenKnown ? openText({ of, before }, open) : [],
    closed.length === 0 ? [] : `closed in the last minutes: ${closed.map(closedText).join(', ')}`,
    orders.length === 0 ? [] : `open to close it: ${orders.map(orderText).join(', ')}`,
  ];
  return {
    text: [...unreadTexts(tables), ...texts.flat()].join('; '),
    isDone: closed.length > 0 || (isOpenKnown && before !== undefined && openK < amountOf(before)),
    closedK: amountOf(closed),
    openK,
    orderIds: orders.map(({ orderId }) => orderId),
  };
}

export function unreadTexts({ unread }: SeenTables): readonly string[] {
  return [...unread].map(([name, { message }]) => `the table ${name} could not be read: ${message}`);
}

function openText({ of, before }: Omit<LostClosing, 'isOf'>, open: readonly OpenPosition[]): string {
  const [now, then] = [amountOf(open), before === undefined ? undefined : amountOf(before)];
  if (open.length === 0) return `${of}: nothing open ${then === undefined ? 'now' : 'any more'}`;
  const rows = open.map(positionText).join(', ');
  if (then === undefined) return `${of}: open now ${rows}; the earlier amount is unknown`;
  if (now < then) return `${of}: open now ${rows}, ${exactSum([then, -now])}K less than the ${then}K before`;
  return `${of}: still open as before: ${rows}; it may be about to close`;
}

function closedText({ tradeId, amountK, close, closeTime }: ClosedPosition): string {
  return `trade ${tradeId} ${amountK ?? '?'}K @ ${close ?? '?'} (${shownTime(closeTime) ?? 'time unknown'})`;
}

/** In thousands. */
export function amountOf(rows: readonly { readonly amountK?: number | undefined }[]): number {
  return exactSum(rows.map(({ amountK = 0 }) => amountK));
}
