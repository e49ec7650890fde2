/** Whether a trade is open, and how much of it: what a close must know before it is sent. */
import { SvcError } from '../../../errors.ts';
import type { OpenPosition } from '../schema.ts';
import type { OppositeOrder } from './exposure.ts';
import { missingIds, type OrderTables } from './order-tables.ts';

export function notOpen(ids: readonly string[]): SvcError {
  return missingIds('open trade', ids, 'it may be closed: svc trade positions, svc trade positions --closed');
}

/** Its current row. Throws if it is not open, or if that cannot be read. */
export async function readOpenTrade(id: string, tables: OrderTables): Promise<OpenPosition> {
  const rows = await tables.rows('OpenPosition');
  const row = rows?.find(({ tradeId }) => tradeId === id);
  if (row !== undefined) return row;
  if (rows !== undefined) throw notOpen([id]);
  throw new SvcError(
    tables.unreadCode,
    `cannot check whether trade ${id} is still open; if it is not, the opposite order would open a position; nothing was sent`,
    {
      hint: 'close the symbol instead, which never opens a position: --symbol <symbol>',
    },
  );
}

/** `whole` is undefined if it could not be read. */
export function checkTradeAmount(id: string, amount: number, whole: number | undefined): void {
  if (whole === undefined || amount <= whole) return;
  throw new SvcError('guarded', `trade ${id} has only ${whole}, not ${amount}; nothing was sent`);
}

/** If the trade is gone by now, the opposite order would open a position. */
export async function checkStillOpen({ tradeId, amount }: OppositeOrder, tables: OrderTables): Promise<void> {
  const now = await tables.amountOf(await readOpenTrade(tradeId, tables));
  checkTradeAmount(tradeId, amount, now ?? 0);
}
