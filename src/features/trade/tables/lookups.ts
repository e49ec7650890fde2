/** Looks up symbols, accounts and tables by the names on a command line. */
import type { RunContext } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { findAccount } from '../accounts.ts';
import type { Wanted } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { isModelName, MODEL_NAMES, type ModelName } from '../models.ts';
import type { Account, Offer } from '../schema.ts';
import { findSymbol, foldedSymbol, similarSymbol } from '../symbols.ts';

/** For the amounts that a table shows; none if they are not needed or cannot be read. */
export async function offersToShow(open: TradingSession, { wants, signal }: RunContext): Promise<readonly Offer[]> {
  if (wants.document || wants.events || !(wants.table || wants.fields)) return [];
  try {
    return await open.trading.model('Offer');
  } catch (error) {
    if (!(error instanceof SvcError) || signal.aborted) throw error;
    return [];
  }
}

export const ROW_FLAGS = {
  symbol: { type: 'string', value: 'symbol', help: 'Filter by symbol' },
  account: { type: 'string', value: 'id|name', help: 'Filter by account' },
  limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
} as const satisfies Flags;

interface RowQuery {
  readonly symbol: string | undefined;
  readonly account: string | undefined;
}

interface TableRow {
  readonly currency?: string | undefined;
  readonly accountId?: string | undefined;
  readonly accountName?: string | undefined;
}

type RowFilter = <Row extends TableRow>(rows: readonly Row[]) => readonly Row[];

/**
 * A symbol may be written as `eurusd`. The filter throws if rows name no account, because an empty
 * list would look like an empty account.
 */
export async function rowFilter({ symbol, account: name }: RowQuery, open: TradingSession): Promise<RowFilter> {
  const account = name === undefined ? undefined : findAccount(await open.trading.accounts(), name);
  const isWanted = (row: TableRow): boolean =>
    (account === undefined || (isOfAccount(row, account) ?? refuseUnnamed(account))) &&
    (symbol === undefined || foldedSymbol(row.currency ?? '') === foldedSymbol(symbol));
  return (rows) => rows.filter(isWanted);
}

/** Undefined if the row names none. Closed positions have the name alone, as seen on the public implementation. */
export function isOfAccount({ accountId, accountName }: TableRow, account: Account): boolean | undefined {
  if (accountId !== undefined) return accountId === account.accountId;
  return accountName === undefined ? undefined : accountName === account.accountName;
}

function refuseUnnamed({ accountId }: Account): never {
  const message = `the gateway's rows do not name their account, so they cannot be filtered by ${accountId}`;
  throw new SvcError('bad_answer', message, { hint: 'omit --account to list all accounts' });
}

/** A list whose empty text says if a filter left all rows out. */
export function listed<Row, List extends object>(
  { value, of, as }: { readonly value: readonly Row[]; readonly of: readonly TableRow[]; readonly as: List },
  { symbol, account, type }: RowQuery & { readonly type?: string | undefined },
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

/** Without duplicates. Anything but a table's exact name is a symbol, looked up in the offers. */
export async function wantedOf(names: readonly string[], open: TradingSession): Promise<Wanted> {
  const models = [...new Set(names.filter(isModelName))];
  const others = names.filter((name) => !isModelName(name));
  try {
    return { models, symbols: await symbolsOf(others, open) };
  } catch (error) {
    const meant = MODEL_NAMES.find((model) => others.some((name) => isNearly(name, model)));
    if (meant === undefined || !(error instanceof SvcError) || error.code !== 'not_found') throw error;
    throw new SvcError('not_found', error.message, { hint: `the table is written ${meant}` });
  }
}

/** `orders`, `open-position` */
function isNearly(name: string, model: ModelName): boolean {
  return name.replace(/[-_ ]|s$/gi, '').toLowerCase() === model.replace(/s$/, '').toLowerCase();
}

/** As the gateway writes them. */
export async function symbolsOf(names: readonly string[], open: TradingSession): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const offers = await open.trading.model('Offer');
  const offered = offers.map(({ currency }) => currency);
  return [...new Set(names.map((name) => findSymbol(offered, name)))];
}
