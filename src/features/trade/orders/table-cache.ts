/**
 * The tables that a command checks before it changes something: each is read once, and the first read connects. A table that cannot be
 * read never blocks the command: it uses the cache and says so.
 */
import { FINAL } from '../../../cli/bulk.ts';
import type { RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { accountChoice, findAccount } from '../accounts.ts';
import {
  gatewayToken,
  openTradingSession,
  type TradingOptions,
  type TradingSession,
} from '../gateway/trading-session.ts';
import { marketHours } from '../market-hours.ts';
import { type ModelName, omittedOf } from '../models.ts';
import type { Account, ClosedPosition, ModelRows, Offer, OpenPosition, Order } from '../schema.ts';
import { findOffer, findSymbol, orderAmount } from '../symbols.ts';
import { cachedRows, findInRows, knownAccounts, knownOffers } from '../tables/lookups.ts';
import { closedWarning } from './preview.ts';

export interface TableSnapshot<Row> {
  readonly rows: readonly Row[];
  /** False for rows cached within the last day. */
  readonly isFresh: boolean;
}

/** Undefined if it cannot be read and the cache is not enough. */
export type Seen<Row> = TableSnapshot<Row> | undefined;

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
type Enough<Row> = (rows: readonly Row[]) => boolean;

/** Always closes its session. */
export async function withTableCache<T>(
  ctx: RunContext,
  options: TradingOptions,
  work: (cache: TableCache) => Promise<T>,
): Promise<T> {
  const cache = new TableCache(ctx, options);
  try {
    return await work(cache);
  } finally {
    await cache.close();
  }
}

export class TableCache {
  readonly #ctx: RunContext;
  readonly #options: TradingOptions;
  readonly #snapshots = new Map<Table, Seen<unknown>>();
  #offers: Promise<readonly Offer[]> | undefined;
  #open: Promise<TradingSession> | undefined;
  #accounts: Promise<readonly Account[] | undefined> | undefined;
  #closed: Promise<readonly ClosedPosition[] | undefined> | undefined;
  #chosen: string | undefined;
  /** The journal's ids of the requests that this command has sent. */
  readonly sent = new Set<string>();
  /** Why the last table that could not be read could not. */
  unreadCode: ErrorCode = 'limited';
  /** When the oldest of the current rows of positions and orders was read. */
  readAt = Number.POSITIVE_INFINITY;

  constructor(ctx: RunContext, options: TradingOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  open(): Promise<TradingSession> {
    this.#open ??= openTradingSession(this.#ctx, { ...this.#options, forOrder: true });
    return this.#open;
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    this.#open = undefined;
    await open?.session.close();
  }

  /** Tables are read again on their next use. */
  invalidate(): void {
    this.#snapshots.clear();
    this.#offers = undefined;
    this.#accounts = undefined;
    this.#closed = undefined;
    this.readAt = Number.POSITIVE_INFINITY;
  }

  /** For an order that opens something. At a terminal, one of several accounts is chosen, once. */
  async checkedAccount(wanted: string | undefined): Promise<Account> {
    const open = await this.open();
    return this.#orChosen(wanted, (name) => orderAccount(name, open));
  }

  /** The same with its current row, unless a rate limit prevents the reading. */
  async currentAccount(wanted: string | undefined): Promise<Account> {
    const accounts = await this.currentAccounts();
    if (accounts === undefined) return this.checkedAccount(wanted);
    return this.#orChosen(wanted, async (name) => findAccount(accounts, name));
  }

  async #orChosen(
    wanted: string | undefined,
    find: (wanted: string | undefined) => Promise<Account>,
  ): Promise<Account> {
    try {
      return await find(wanted ?? this.#chosen);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'missing_value' || !this.#ctx.interactive) throw error;
      const { tellCommand } = await import('../../../cli/wizard.ts');
      const choices = (await knownAccounts(await this.open())).map(accountChoice);
      this.#chosen = await this.#ctx.prompter.select('Account:', choices);
      tellCommand(this.#ctx, ['--account', this.#chosen]);
      return find(this.#chosen);
    }
  }

  /** The account as given, unchecked, if it cannot be looked up. */
  async account(wanted: string | undefined): Promise<Account> {
    try {
      return await this.checkedAccount(wanted);
    } catch (error) {
      if (!isUnread(error) || wanted === undefined) throw error;
      this.#ctx.notice(`${error.message}: account ${wanted} is used as given, without checks`);
      return { accountId: wanted };
    }
  }

  /** A dry run uses the cache and does not connect. */
  async accountId(wanted: string | undefined): Promise<string> {
    return this.#ctx.dryRun ? cachedAccountId(wanted, this.#ctx) : (await this.account(wanted)).accountId;
  }

  /** In the gateway's spelling; a dry run uses the cache. */
  async symbol(wanted: string): Promise<string> {
    if (this.#ctx.dryRun) return cachedSymbol(wanted, this.#ctx);
    const offers = await knownOffers(await this.open());
    return findSymbol(
      offers.map(({ currency }) => currency),
      wanted,
    );
  }

  /** With the price of the first lookup. */
  async offer(wanted: string): Promise<Offer> {
    this.#offers ??= this.open().then(({ unlimited }) => unlimited.model('Offer'));
    return findOffer(await this.#offers, wanted);
  }

  /** The order amount for all of a row: thousands for forex, contracts for anything else. */
  async amountOf(row: OpenPosition | Order): Promise<number | undefined> {
    return row.amountK === undefined ? undefined : orderAmount(row, await this.#knownOffer(row.currency));
  }

  /** Warns if the market is closed: a closing order then waits. At usual closing times the gateway's quotes decide. */
  async closedWarnings(symbol: string | undefined): Promise<readonly string[]> {
    const now = this.#ctx.now();
    if (marketHours(now).state === 'open') return [];
    const offer = await this.#quotedOffer(symbol);
    const warning = offer && closedWarning(offer, now);
    return warning === undefined ? [] : [warning];
  }

  /** With its price. Undefined if it cannot be read, which must not prevent a close. */
  async #quotedOffer(symbol: string | undefined): Promise<Offer | undefined> {
    try {
      this.#offers ??= this.open().then(({ unlimited }) => unlimited.model('Offer'));
      return (await this.#offers).find(({ currency }) => currency === symbol);
    } catch (error) {
      if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
      return undefined;
    }
  }

  /** Also undefined if it cannot be read. */
  async #knownOffer(symbol: string | undefined): Promise<Offer | undefined> {
    try {
      return (await knownOffers(await this.open())).find(({ currency }) => currency === symbol);
    } catch (error) {
      if (!isUnread(error)) throw error;
      return undefined;
    }
  }

  /** `isEnough` says whether cached rows will do. */
  positions(isEnough: Enough<OpenPosition>): Promise<Seen<OpenPosition>> {
    return this.#readOnce('OpenPosition', isEnough);
  }

  orders(isEnough: Enough<Order>): Promise<Seen<Order>> {
    return this.#readOnce('Order', isEnough);
  }

  /** What is open now; undefined if it cannot be read. */
  async currentRows<N extends Table>(model: N): Promise<readonly ModelRows[N][] | undefined> {
    const seen = await this.#readOnce<N>(model, () => false);
    return seen?.isFresh ? seen.rows : undefined;
  }

  /** Undefined if a rate limit prevents the reading. */
  currentAccounts(): Promise<readonly Account[] | undefined> {
    this.#accounts ??= unlessLimited(this.open().then(({ unlimited }) => unlimited.accounts()));
    return this.#accounts;
  }

  closedPositions(): Promise<readonly ClosedPosition[] | undefined> {
    this.#closed ??= unlessLimited(this.open().then(({ unlimited }) => unlimited.model('ClosedPosition')));
    return this.#closed;
  }

  async #readOnce<N extends Table>(model: N, isEnough: Enough<ModelRows[N]>): Promise<Seen<ModelRows[N]>> {
    const before = this.#snapshots.get(model) as TableSnapshot<ModelRows[N]> | undefined;
    if (this.#snapshots.has(model) && (before === undefined || before.isFresh || isEnough(before.rows))) return before;
    const seen = await this.#read(model, isEnough);
    this.#snapshots.set(model, seen);
    return seen;
  }

  async #read<N extends Table>(model: N, isEnough: Enough<ModelRows[N]>): Promise<Seen<ModelRows[N]>> {
    const { session, trading, unlimited, known } = await this.open();
    // Not a fault of the table.
    await session.connect();
    const { LocalRateLimit } = await import('../gateway/counted-caller.ts');
    this.readAt = Math.min(this.readAt, this.#ctx.now());
    try {
      try {
        return { rows: await trading.model(model), isFresh: true };
      } catch (error) {
        if (!isUnread(error)) throw error;
        const cached = cachedRows(known, model) ?? [];
        if (isEnough(cached)) {
          this.#ctx.notice(`${error.message}: using the cached table ${model}, up to a day old`);
          return { rows: cached, isFresh: false };
        }
        if (!(error instanceof LocalRateLimit)) throw error;
      }
      // Our own count is an estimate: the gateway may still answer.
      return { rows: await unlimited.model(model), isFresh: true };
    } catch (error) {
      // No close is delayed for a read that fails.
      if (!isUnread(error)) throw error;
      this.unreadCode = error.code;
      this.#ctx.notice(`${error.message}: could not check the table ${model}`);
      return undefined;
    }
  }
}

async function unlessLimited<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'limited') return undefined;
    throw error;
  }
}

/** Cached rows may be outdated unless `isFresh`. */
export interface OpenOrders extends TableSnapshot<Order> {
  readonly asked: readonly Order[];
}

/** Undefined if a rate limit or a row of another shape prevents the read; throws if an order is missing. */
export async function openOrders(
  ids: readonly string[],
  cache: TableCache,
  { mustBeFresh = false }: { readonly mustBeFresh?: boolean } = {},
): Promise<OpenOrders | undefined> {
  const rowsOf = (rows: readonly Order[]) => ids.flatMap((id) => rows.find(({ orderId }) => orderId === id) ?? []);
  const isEnough = (rows: readonly Order[]) => !mustBeFresh && rowsOf(rows).length === ids.length;
  const seen = await cache.orders(isEnough);
  if (seen === undefined) return undefined;
  const found = rowsOf(seen.rows);
  const missing = ids.filter((id) => !found.some(({ orderId }) => orderId === id));
  if (missing.length === 0) return { ...seen, asked: found };
  // A row that cannot be read may be of any order.
  if (omittedOf(seen.rows).length > 0) return undefined;
  throw missingIds('order', missing, 'it may have been filled or canceled: svc trade orders, svc trade positions');
}

function isGrouped({ ocoBulkId }: Pick<Order, 'ocoBulkId'>): boolean {
  return Number(ocoBulkId ?? 0) !== 0;
}

/** The other orders of its OCO group, which end with it. */
export function groupOf(order: Order, orders: readonly Order[]): readonly Order[] {
  if (!isGrouped(order)) return [];
  return orders.filter(({ ocoBulkId, orderId }) => ocoBulkId === order.ocoBulkId && orderId !== order.orderId);
}

/** Throws if `--account` names another account than the one of the order or trade. */
export async function checkAccount(
  what: string,
  account: Account | undefined,
  given: string | undefined,
  cache: TableCache,
): Promise<void> {
  if (account === undefined || given === undefined) return;
  const named = await cache.account(given);
  if (named.accountId === account.accountId) return;
  throw new SvcError(
    'guarded',
    `${what} is in account ${account.accountId}, not in ${named.accountId}; nothing was sent`,
  );
}

export function missingIds(what: string, ids: readonly string[], hint: string): SvcError {
  const none = ids.length === 1 ? `is no ${what} ${ids[0]}` : `are no ${what}s ${ids.join(', ')}`;
  return new SvcError('not_found', `there ${none}; nothing was sent`, { hint });
}

/** From the option, the environment or the profile; undefined means the only account. */
export function wantedAccount(given: string | undefined, { settings }: RunContext): string | undefined {
  return given ?? settings.get('trade.account');
}

/** From the cache of the last day, or read regardless of our own rate limit, so that no order is delayed. */
function orderAccount(wanted: string | undefined, { known, unlimited }: TradingSession): Promise<Account> {
  return findInRows(cachedRows(known, 'Account'), unlimited.accounts, (accounts) => findAccount(accounts, wanted));
}

/** For a dry run, which connects to nothing: the cached rows, if any. */
async function cachedRowsOf<N extends ModelName>(name: N, ctx: RunContext): Promise<readonly ModelRows[N][]> {
  const { knownTables } = await import('../known-tables.ts');
  try {
    const owner = { address: ctx.target.baseUrl.href, token: (await gatewayToken(ctx)).reveal() };
    return cachedRows(knownTables(ctx.paths, owner, ctx), name) ?? [];
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unauthorized') return [];
    throw error;
  }
}

/** For a dry run: the account's id if it is cached, else the given value and a notice. */
async function cachedAccountId(wanted: string | undefined, ctx: RunContext): Promise<string> {
  const accounts = await cachedRowsOf('Account', ctx);
  try {
    if (accounts.length > 0) return findAccount(accounts, wanted).accountId;
  } catch (error) {
    if (!(error instanceof SvcError) || wanted === undefined) throw error;
  }
  if (wanted !== undefined) {
    ctx.notice(`account ${wanted} is not in the cache and is shown as given; a real order is sent with its id`);
    return wanted;
  }
  throw new SvcError('missing_value', 'a dry run does not connect, and no account is in the cache', {
    hint: 'pass --account <id|name>, or run svc trade accounts first',
  });
}

/** For a dry run: the gateway's spelling of the symbol if it is cached, else the given one. */
async function cachedSymbol(wanted: string, ctx: RunContext): Promise<string> {
  const offers = await cachedRowsOf('Offer', ctx);
  try {
    return findSymbol(
      offers.map(({ currency }) => currency),
      wanted,
    );
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(`${wanted} is not in the cache and is shown as given`);
    return wanted;
  }
}
