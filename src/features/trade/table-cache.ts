/**
 * What a command looks at before it changes or ends something: each table once, and connected only when something is asked. The caps on
 * calls never stand in its way: where they are used up, it goes by what was seen last, and says so.
 */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { cachedAccountId, cachedSymbol, freshAccounts, liveOffers, orderAccount } from './order-account.ts';
import type { Account, ModelRows, Offer, OpenPosition, Order } from './schema.ts';
import { knownOffers } from './trading-offers.ts';
import { openTradingSession, type TradingOptions, type TradingSession } from './trading-session.ts';

export interface TableSnapshot<Row> {
  readonly rows: readonly Row[];
  /** False for what was seen within the last day. */
  readonly isFresh: boolean;
}

/** What is seen of rows that are named by their ids. Undefined where the cap on calls lets nothing be seen. */
export type Seen<Row> = TableSnapshot<Row> | undefined;

type Table = 'OpenPosition' | 'Order';

/** Ends its sessions, whatever becomes of the work. */
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
  readonly #looks = new Map<Table, Seen<unknown>>();
  #offers: Promise<readonly Offer[]> | undefined;
  #open: Promise<TradingSession> | undefined;

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

  /** A session that was lost for good is replaced by the next `open`. */
  async leaveLost(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    if (this.#options.reconnect !== true && open?.session.outage !== undefined) await this.close();
  }

  /** What was seen is looked at again when it is asked for. */
  invalidate(): void {
    this.#looks.clear();
    this.#offers = undefined;
  }

  /** For an order that opens something. */
  async checkedAccount(wanted: string | undefined): Promise<Account> {
    return orderAccount(wanted, await this.open());
  }

  /** As it is given, and with nothing known of it, where the gateway's cap on calls keeps it from being looked up. */
  async account(wanted: string | undefined): Promise<Account> {
    try {
      return await this.checkedAccount(wanted);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'limited' || wanted === undefined) throw error;
      this.#ctx.notice(
        `${error.message}: account ${wanted} is taken as given, and what it allows could not be checked`,
      );
      return { accountId: wanted };
    }
  }

  /** As the gateway has it now, and not as it was kept. */
  async freshAccounts(): Promise<readonly Account[]> {
    return freshAccounts(await this.open());
  }

  /** In a dry run by what was kept, so that nothing is connected for it. */
  async accountId(wanted: string | undefined): Promise<string> {
    return this.#ctx.dryRun ? cachedAccountId(wanted, this.#ctx) : (await this.account(wanted)).accountId;
  }

  /** As the gateway writes it; in a dry run as for `accountId`. */
  async symbol(wanted: string): Promise<string> {
    if (this.#ctx.dryRun) return cachedSymbol(wanted, this.#ctx);
    const { findSymbol } = await import('./symbols.ts');
    const offers = await knownOffers(await this.open());
    return findSymbol(
      offers.map(({ currency }) => currency),
      wanted,
    );
  }

  /** With its price as it was when the first one was asked for. */
  async offer(wanted: string): Promise<Offer> {
    const { findOffer } = await import('./symbols.ts');
    this.#offers ??= this.open().then(liveOffers);
    return findOffer(await this.#offers, wanted);
  }

  /** What an order for all of a row would have to say: thousands of forex, contracts of anything else. */
  async amountOf({ amountK, currency }: OpenPosition | Order): Promise<number | undefined> {
    if (amountK === undefined || currency === undefined) return undefined;
    const { isForex } = await import('./order-preview.ts');
    const offer = await this.#knownOffer(currency);
    if (offer === undefined) return undefined;
    return isForex(offer) ? amountK : Math.round(amountK * 1000);
  }

  /** That there is no market for it now, as far as is known; an order that closes waits then. */
  async closedWarnings(symbol: string | undefined): Promise<readonly string[]> {
    const { closedWarning } = await import('./order-preview.ts');
    const offer = await this.#knownOffer(symbol);
    const warning = offer === undefined ? undefined : closedWarning(offer, this.#ctx.now());
    return warning === undefined ? [] : [warning];
  }

  /** Undefined, too, where the cap on calls keeps the offers from being seen. */
  async #knownOffer(symbol: string | undefined): Promise<Offer | undefined> {
    try {
      return (await knownOffers(await this.open())).find(({ currency }) => currency === symbol);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'limited') throw error;
      return undefined;
    }
  }

  /** Open positions. `isEnough` says of what was seen earlier whether it will do. */
  positions(isEnough: (rows: readonly OpenPosition[]) => boolean): Promise<Seen<OpenPosition>> {
    return this.#look('OpenPosition', isEnough);
  }

  orders(isEnough: (rows: readonly Order[]) => boolean): Promise<Seen<Order>> {
    return this.#look('Order', isEnough);
  }

  async #look<N extends Table>(
    model: N,
    isEnough: (rows: readonly ModelRows[N][]) => boolean,
  ): Promise<Seen<ModelRows[N]>> {
    const before = this.#looks.get(model) as TableSnapshot<ModelRows[N]> | undefined;
    if (this.#looks.has(model) && (before === undefined || before.isFresh || isEnough(before.rows))) return before;
    const seen = await this.#read(model, isEnough);
    this.#looks.set(model, seen);
    return seen;
  }

  async #read<N extends Table>(
    model: N,
    isEnough: (rows: readonly ModelRows[N][]) => boolean,
  ): Promise<Seen<ModelRows[N]>> {
    const { trading, unlimited, known } = await this.open();
    const { UsedUpHere } = await import('./counted-caller.ts');
    try {
      try {
        const rows = await trading.model(model);
        known.keep(model, rows);
        return { rows, isFresh: true };
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'limited') throw error;
        const kept = (known.read(model) ?? []) as unknown as readonly ModelRows[N][];
        if (isEnough(kept)) {
          this.#ctx.notice(`${error.message}: the table ${model} is taken as it was seen last, up to a day ago`);
          return { rows: kept, isFresh: false };
        }
        if (!(error instanceof UsedUpHere)) throw error;
      }
      // What is counted here is a guess at what the gateway counts: it may have room all the same.
      return { rows: await unlimited.model(model), isFresh: true };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'limited') throw error;
      this.#ctx.notice(`${error.message}: what the table ${model} has of it could not be checked`);
      return undefined;
    }
  }
}
