/** Filters table rows by symbol and account. */
import type { Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import type { Account } from '../schema.ts';
import { foldedSymbol, similarSymbol } from '../symbols.ts';

export const ROW_FLAGS = {
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'Filter by symbol' },
  account: { type: 'string', value: 'id|name', complete: 'accounts', help: 'Filter by account' },
  limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
} as const satisfies Flags;

interface Wanted {
  readonly symbol: string | undefined;
  readonly account: string | undefined;
}

interface TableRow {
  readonly currency?: string | undefined;
  readonly accountId?: string | undefined;
  readonly accountName?: string | undefined;
}

export interface RowFilter {
  /** Undefined for all accounts. */
  readonly account: Account | undefined;
  /** Throws if rows name no account: an empty list would look like an empty account. */
  apply<Row extends TableRow>(rows: readonly Row[]): readonly Row[];
}

/** A symbol may be written as `eurusd`; an account is looked up. */
export async function rowFilter({ symbol, account: name }: Wanted, open: TradingSession): Promise<RowFilter> {
  const { findAccount } = await import('../accounts.ts');
  const account = name === undefined ? undefined : findAccount(await knownAccounts(open), name);
  const isOfAccount = (row: TableRow): boolean => {
    if (account === undefined) return true;
    if (row.accountId !== undefined) return row.accountId === account.accountId;
    // Closed positions have the name alone, as seen on the public implementation.
    if (row.accountName !== undefined) return row.accountName === account.accountName;
    throw new SvcError(
      'bad_answer',
      `the gateway's rows do not name their account, so they cannot be filtered by ${account.accountId}`,
      {
        hint: 'omit --account to list all accounts',
      },
    );
  };
  return {
    account,
    apply: (rows) =>
      rows.filter(
        (row) =>
          isOfAccount(row) && (symbol === undefined || foldedSymbol(row.currency ?? '') === foldedSymbol(symbol)),
      ),
  };
}

/** A list whose empty text says if a filter left all rows out. */
export function listed<Row, List extends object>(
  { value, of, as }: { readonly value: readonly Row[]; readonly of: readonly TableRow[]; readonly as: List },
  { symbol, account, type }: Wanted & { readonly type?: string | undefined },
): { readonly value: readonly Row[]; readonly as: List } {
  if (of.length === 0 || value.length > 0) return { value, as };
  const filters = Object.entries({ type, symbol, account }).flatMap(([name, given]) =>
    given === undefined ? [] : [`--${name} ${given}`],
  );
  const symbols = of.map(({ currency = '' }) => currency);
  const similar = symbol === undefined ? undefined : similarSymbol(symbols, symbol);
  const question = similar === undefined ? '' : `; did you mean ${similar}?`;
  return { value, as: { ...as, empty: `${filters.join(' and ')}: no match (${of.length} without it)${question}` } };
}

/** Cached for a day, to save a counted call. */
export async function knownAccounts({ known, trading }: TradingSession): Promise<readonly Account[]> {
  const before = known.read('Account') as readonly Account[] | undefined;
  if (before !== undefined && before.length > 0) return before;
  const accounts = await trading.accounts();
  known.keep('Account', accounts);
  return accounts;
}
