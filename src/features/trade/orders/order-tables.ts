/**
 * The tables that a command checks before it changes something. Each is read once; the first read
 * connects. An unreadable table never blocks a close or a cancel: svc says what it did not check.
 */
import type { RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { accountChoice, findAccount } from '../accounts.ts';
import { openTradingSession, type TradingSession } from '../gateway/trading-session.ts';
import type { TableRows } from '../models.ts';
import type { Account, ModelRows, Offer, OpenPosition, Order } from '../schema.ts';
import { findOffer, orderAmount } from '../symbols.ts';

/** Of tables that cannot be read although the gateway is reached and takes the token. */
const UNREAD: ReadonlySet<ErrorCode> = new Set([
  'limited',
  'server_error',
  'bad_answer',
  'wrong_shape',
  'answer_too_large',
  'refused',
  'timeout',
  'wrong_path',
]);

export function isUnread(error: unknown): error is SvcError {
  return error instanceof SvcError && UNREAD.has(error.code);
}

type Table = 'OpenPosition' | 'Order';

/** Always closes its session. `reconnects`: the command waits for what becomes of its order. */
export async function withOrderTables<T>(
  ctx: RunContext,
  reconnects: boolean,
  work: (tables: OrderTables) => Promise<T>,
): Promise<T> {
  const tables = new OrderTables(ctx, reconnects);
  try {
    return await work(tables);
  } finally {
    await tables.close();
  }
}

export class OrderTables {
  readonly #ctx: RunContext;
  readonly #reconnects: boolean;
  readonly #rows = new Map<Table, TableRows<unknown> | undefined>();
  #offers: TableRows<Offer> | undefined;
  #accounts: TableRows<Account> | undefined;
  #open: Promise<TradingSession> | undefined;
  /** The account that was chosen at the terminal. */
  #chosen: string | undefined;
  /** Why the last table that could not be read could not. */
  unreadCode: ErrorCode = 'limited';

  constructor(ctx: RunContext, reconnects: boolean) {
    this.#ctx = ctx;
    this.#reconnects = reconnects;
  }

  open(): Promise<TradingSession> {
    this.#open ??= openTradingSession(this.#ctx, { reconnect: this.#reconnects, forOrder: true });
    return this.#open;
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    this.#open = undefined;
    await open?.session.close();
  }

  /** Tables are read again on their next use. */
  invalidate(): void {
    this.#rows.clear();
    this.#offers = undefined;
    this.#accounts = undefined;
  }

  /** By id or name; at a terminal, one of several accounts is chosen, once. */
  async account(wanted: string | undefined): Promise<Account> {
    this.#accounts ??= await (await this.open()).trading.accounts();
    const accounts = this.#accounts;
    try {
      return findAccount(accounts, wanted ?? this.#chosen);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'missing_value' || !this.#ctx.interactive) throw error;
      const { tellCommand } = await import('../../../cli/wizard.ts');
      this.#chosen = await this.#ctx.prompter.select('Account:', accounts.map(accountChoice));
      tellCommand(this.#ctx, ['--account', this.#chosen]);
      return findAccount(accounts, this.#chosen);
    }
  }

  /** For a change that no missing check may prevent: the account as given if a lookup fails. */
  async accountOrGiven(wanted: string | undefined): Promise<Account> {
    try {
      return await this.account(wanted);
    } catch (error) {
      if (!isUnread(error)) throw error;
      if (wanted === undefined) {
        const hint = 'pass --account <id>, which needs no reading';
        throw new SvcError(error.code, `${error.message}; nothing was sent`, { hint, cause: error });
      }
      this.#ctx.notice(`${error.message}: account ${wanted} is used as given, without checks`);
      return { accountId: wanted };
    }
  }

  /** With the price of the first lookup. */
  async offer(wanted: string): Promise<Offer> {
    return findOffer(await this.offers(), wanted);
  }

  async offers(): Promise<TableRows<Offer>> {
    this.#offers ??= await (await this.open()).trading.model('Offer');
    return this.#offers;
  }

  /** All of a row: thousands for forex, contracts for others. Undefined if offers do not say. */
  async amountOf(row: OpenPosition | Order): Promise<number | undefined> {
    if (row.amountK === undefined) return undefined;
    try {
      const offer = (await this.offers()).find(({ currency }) => currency === row.currency);
      return orderAmount(row, offer);
    } catch (error) {
      if (!isUnread(error)) throw error;
      return undefined;
    }
  }

  /** The open positions or orders, with a notice and undefined if they cannot be read. */
  async rows<N extends Table>(model: N): Promise<TableRows<ModelRows[N]> | undefined> {
    if (!this.#rows.has(model)) this.#rows.set(model, await this.#read(model));
    return this.#rows.get(model) as TableRows<ModelRows[N]> | undefined;
  }

  async #read<N extends Table>(model: N): Promise<TableRows<ModelRows[N]> | undefined> {
    const { session, trading } = await this.open();
    // A gateway that cannot be reached is not a fault of the table.
    await session.connect();
    try {
      return await trading.model(model);
    } catch (error) {
      if (!isUnread(error)) throw error;
      this.unreadCode = error.code;
      this.#ctx.notice(`${error.message}: could not check the table ${model}`);
      return undefined;
    }
  }
}

/** Undefined if the orders, or a row that may be one, are unreadable; throws if one is missing. */
export async function openOrders(ids: readonly string[], tables: OrderTables) {
  const all = await tables.rows('Order');
  if (all === undefined) return undefined;
  const asked = ids.flatMap((id) => all.find(({ orderId }) => orderId === id) ?? []);
  const missing = ids.filter((id) => !asked.some(({ orderId }) => orderId === id));
  if (missing.length === 0) return { asked, all };
  if (all.omitted.length > 0) return undefined;
  throw missingIds('order', missing, 'it may have been filled or canceled: svc trade orders, svc trade positions');
}

/** Throws if `--account` names another account than the one of the order or trade. */
export async function checkAccount(
  what: string,
  account: Account | undefined,
  given: string | undefined,
  tables: OrderTables,
): Promise<void> {
  if (account === undefined || given === undefined) return;
  const named = await tables.accountOrGiven(given);
  if (named.accountId === account.accountId) return;
  throw new SvcError(
    'guarded',
    `${what} is in account ${account.accountId}, not in ${named.accountId}; nothing was sent`,
  );
}

export function notOpen(ids: readonly string[]): SvcError {
  return missingIds('open trade', ids, 'it may be closed: svc trade positions, svc trade positions --closed');
}

function missingIds(what: string, ids: readonly string[], hint: string): SvcError {
  const none = ids.length === 1 ? `is no ${what} ${ids[0]}` : `are no ${what}s ${ids.join(', ')}`;
  return new SvcError('not_found', `there ${none}; nothing was sent`, { hint });
}

/** From the option, the environment or the profile; undefined means the only account. */
export function wantedAccount(given: string | undefined, { settings }: RunContext): string | undefined {
  return given ?? settings.get('trade.account');
}
