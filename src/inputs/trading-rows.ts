/** Which rows of a table are wanted: of one symbol, of one account. */
import type { Flags } from '../cli/flags.ts';
import type { Account } from '../services/trading/schema.ts';
import type { TradingSession } from './trading-session.ts';

export const ROW_FLAGS = {
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'Only those of this symbol' },
  account: { type: 'string', value: 'id|name', complete: 'accounts', help: 'Only those of this account' },
  limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
} as const satisfies Flags;

interface Wanted {
  readonly symbol: string | undefined;
  readonly account: string | undefined;
}

interface TableRow {
  readonly currency?: string | undefined;
  readonly accountId?: string | undefined;
}

/** A symbol may be written as `eurusd`; an account is looked up. */
export async function rowFilter(
  { symbol, account }: Wanted,
  open: TradingSession,
): Promise<(row: TableRow) => boolean> {
  const { foldedSymbol } = await import('../services/trading/symbols.ts');
  const { findAccount } = await import('../services/trading/accounts.ts');
  const accountId = account === undefined ? undefined : findAccount(await knownAccounts(open), account).accountId;
  return (row) =>
    (symbol === undefined || foldedSymbol(row.currency ?? '') === foldedSymbol(symbol)) &&
    (accountId === undefined || row.accountId === accountId);
}

/** Those of the last day, so that no counted call is spent. */
export async function knownAccounts({ known, trading }: TradingSession): Promise<readonly Account[]> {
  const before = known.read('Account') as readonly Account[] | undefined;
  if (before !== undefined && before.length > 0) return before;
  const accounts = await trading.accounts();
  known.keep('Account', accounts);
  return accounts;
}
