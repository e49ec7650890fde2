/** What at the gateway tells whether a closing was done whose answer was lost: what is open, what was closed since, which orders stand. */
import { SvcError } from '../../errors.ts';
import type { Trading } from './client.ts';
import type { LostOrder } from './order-candidates.ts';
import { orderText, positionText } from './order-words.ts';
import type { ClosedPosition, OpenPosition, Order } from './schema.ts';
import { shownTime, tableTime } from './table-time.ts';

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

/** Clocks differ: what is shown in vain does less harm than what is left out. */
const CLOCK_SLACK_MS = 120_000;

/** As a sentence. What a cap on calls hides is told. */
export async function closingTraces(lost: LostClosing, sentAt: number, trading: Trading): Promise<string> {
  const { before = [], isOf } = lost;
  const trades = new Set(before.map(({ tradeId }) => tradeId));
  const texts = [
    await looked('what is open', async () => {
      const open = (await trading.model('OpenPosition')).filter(isOf);
      for (const { tradeId } of open) trades.add(tradeId);
      return openText(lost, open);
    }),
    await looked('what was closed', async () => {
      const since = sentAt - CLOCK_SLACK_MS;
      // A time that cannot be read rules nothing out.
      const late = (await trading.model('ClosedPosition')).filter(
        (row) => isOf(row) && (tableTime(row.closeTime) ?? since) >= since,
      );
      return late.length === 0 ? undefined : `closed in the last minutes: ${late.map(closedText).join(', ')}`;
    }),
    await looked('which orders stand', async () => {
      const isClosing = ({ isEntryOrder, tradeId = '' }: Order) => isEntryOrder === false && trades.has(tradeId);
      const orders = (await trading.model('Order')).filter(isClosing);
      return orders.length === 0 ? undefined : `what closes it stands as ${orders.map(orderText).join(', ')}`;
    }),
  ];
  return texts.filter((text) => text !== undefined).join('; ');
}

function openText({ of, before }: LostClosing, open: readonly OpenPosition[]): string {
  const [now, then] = [sum(open), before === undefined ? undefined : sum(before)];
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

function sum(rows: readonly OpenPosition[]): number {
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
