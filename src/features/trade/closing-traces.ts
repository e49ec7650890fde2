/** Evidence for a close whose response was lost: open positions, positions closed since, and open orders. */
import { SvcError } from '../../errors.ts';
import { exactSum } from '../../output/decimal.ts';
import type { LostOrder } from './order-candidates.ts';
import { orderText, positionText } from './order-text.ts';
import type { ClosedPosition, OpenPosition, Order } from './schema.ts';
import type { SeenTables } from './seen-tables.ts';
import { isSince, shownTime } from './table-time.ts';

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

/** `sentAt` is by the gateway's clock. */
export async function closingTraces(lost: LostClosing, sentAt: number, tables: SeenTables): Promise<ClosingTrace> {
  const { before, isOf } = lost;
  const trades = new Set((before ?? []).map(({ tradeId }) => tradeId));
  let isDone = false;
  let [closedK, openK] = [0, 0];
  let orderIds: readonly string[] = [];
  const texts = [
    await unlessLimited('open positions', async () => {
      const open = (await tables.model('OpenPosition')).filter(isOf);
      for (const { tradeId } of open) trades.add(tradeId);
      openK = amountOf(open);
      isDone ||= before !== undefined && openK < amountOf(before);
      return openText(lost, open);
    }),
    await unlessLimited('closed positions', async () => {
      const late = closedSince(lost, sentAt, await tables.model('ClosedPosition'));
      closedK = amountOf(late);
      isDone ||= late.length > 0;
      return late.length === 0 ? undefined : `closed in the last minutes: ${late.map(closedText).join(', ')}`;
    }),
    await unlessLimited('open orders', async () => {
      const orders = closingOrders(trades, await tables.model('Order'));
      orderIds = orders.map(({ orderId }) => orderId);
      return orders.length === 0 ? undefined : `open to close it: ${orders.map(orderText).join(', ')}`;
    }),
  ];
  const text = texts.filter((one) => one !== undefined).join('; ');
  return { text, isDone, closedK, openK, orderIds };
}

function openText({ of, before }: LostClosing, open: readonly OpenPosition[]): string {
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

function closedSince(
  { isOf }: LostClosing,
  sentAt: number,
  rows: readonly ClosedPosition[],
): readonly ClosedPosition[] {
  return rows.filter((row) => isOf(row) && isSince(row.closeTime, sentAt));
}

/** Orders that are about to close one of the trades. */
function closingOrders(trades: ReadonlySet<string>, orders: readonly Order[]): readonly Order[] {
  return orders.filter(({ isEntryOrder, tradeId = '' }) => isEntryOrder === false && trades.has(tradeId));
}

/** In thousands. */
export function amountOf(rows: readonly { readonly amountK?: number | undefined }[]): number {
  return exactSum(rows.map(({ amountK = 0 }) => amountK));
}

async function unlessLimited(what: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'limited') throw error;
    return `the ${what} could not be read: ${error.message}`;
  }
}
