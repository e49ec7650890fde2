/** What at the gateway tells whether a closing was done whose answer was lost: what is open, what was closed since, which orders stand. */
import { SvcError } from '../../errors.ts';
import { isSince, type LostOrder } from './order-candidates.ts';
import { orderText, positionText } from './order-text.ts';
import type { ClosedPosition, OpenPosition, Order } from './schema.ts';
import type { SeenTables } from './seen-tables.ts';
import { shownTime } from './table-time.ts';

/** What is seen of a request that closes something. */
export interface ClosingTrace {
  /** A sentence. */
  readonly text: string;
  /** It was carried out. */
  readonly isDone: boolean;
  /** In thousands: what was closed since it was sent, and what is open now. */
  readonly closedK: number;
  readonly openK: number;
  /** Of orders that are about to close it. */
  readonly orderIds: readonly string[];
}

export interface LostClosing {
  /** `trade 170162801`, `the buys of EUR/USD`. */
  readonly of: string;
  /** Whether a row is of what was to be closed. Where an account does not hedge, that is more than the one trade. */
  isOf(row: OpenPosition | ClosedPosition): boolean;
  /** As it was seen before it was sent; undefined where it could not be seen. */
  readonly before: readonly OpenPosition[] | undefined;
}

/** What an order may have closed in an account that does not hedge: any trade of the other side. */
export function otherSide(
  { accountId, symbol, side }: Pick<LostOrder, 'accountId' | 'symbol' | 'side'>,
  rows: readonly OpenPosition[] | undefined,
): LostClosing {
  const isOf = (row: OpenPosition | ClosedPosition): boolean =>
    (row.accountId ?? accountId) === accountId && row.currency === symbol && row.isBuy === (side === 'sell');
  const of = `what account ${accountId} has ${side === 'sell' ? 'bought' : 'sold'} of ${symbol}`;
  return { of, isOf, before: rows?.filter(isOf) };
}

/** What a cap on calls hides is told. `sentAt` is by the gateway's clock. */
export async function closingTraces(lost: LostClosing, sentAt: number, tables: SeenTables): Promise<ClosingTrace> {
  const { before, isOf } = lost;
  const trades = new Set((before ?? []).map(({ tradeId }) => tradeId));
  let isDone = false;
  let [closedK, openK] = [0, 0];
  let orderIds: readonly string[] = [];
  const texts = [
    await looked('what is open', async () => {
      const open = (await tables.model('OpenPosition')).filter(isOf);
      for (const { tradeId } of open) trades.add(tradeId);
      openK = amountOf(open);
      isDone ||= before !== undefined && openK < amountOf(before);
      return openText(lost, open);
    }),
    await looked('what was closed', async () => {
      const late = closedSince(lost, sentAt, await tables.model('ClosedPosition'));
      closedK = amountOf(late);
      isDone ||= late.length > 0;
      return late.length === 0 ? undefined : `closed in the last minutes: ${late.map(closedText).join(', ')}`;
    }),
    await looked('which orders stand', async () => {
      const orders = closingOrders(trades, await tables.model('Order'));
      orderIds = orders.map(({ orderId }) => orderId);
      return orders.length === 0 ? undefined : `what closes it stands as ${orders.map(orderText).join(', ')}`;
    }),
  ];
  const text = texts.filter((one) => one !== undefined).join('; ');
  return { text, isDone, closedK, openK, orderIds };
}

function openText({ of, before }: LostClosing, open: readonly OpenPosition[]): string {
  const [now, then] = [amountOf(open), before === undefined ? undefined : amountOf(before)];
  if (open.length === 0) return `of ${of} nothing is open ${then === undefined ? 'now' : 'any more'}`;
  const rows = open.map(positionText).join(', ');
  if (then === undefined) return `of ${of} ${rows} is open now, and how much was is not known`;
  if (now < then)
    return `of ${of} ${rows} is open now, and ${then}K was before: ${Number((then - now).toFixed(6))}K less`;
  return `of ${of} all is open as before: ${rows}; it may be about to close`;
}

function closedText({ tradeId, amountK, close, closeTime }: ClosedPosition): string {
  return `trade ${tradeId} ${amountK ?? '?'}K @ ${close ?? '?'} (${shownTime(closeTime) ?? 'at a time that is not told'})`;
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
  return rows.reduce((all, { amountK = 0 }) => all + amountK, 0);
}

async function looked(what: string, look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'limited') throw error;
    return `${what} could not be looked at: ${error.message}`;
  }
}
