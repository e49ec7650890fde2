/** What a session that sends many orders knows, so that no order waits for a read. */

import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { RecentEntries } from '../../../store/recent-entries.ts';
import type { Trading } from '../client.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import type { Account, ModelRows, Offer } from '../schema.ts';
import type { SeenModel } from '../tables/seen-tables.ts';
import { freshAccounts, liveOffers } from './account.ts';
import type { FillWatch } from './fills.ts';

/** Older prices are read again after an order. */
const FRESH_MS = 1_000;
/** An order waits for prices that are newer than this. */
const OLDEST_MS = 10_000;
/** The gateway counts reads of accounts: 500 in an hour. */
const OLDEST_ACCOUNTS_MS = 60_000;

export class WarmTables {
  readonly journal: RecentEntries;
  /** Journal ids of lost requests, while the session searches for them. */
  readonly searched = new Set<string>();
  readonly #open: TradingSession;
  readonly #watch: FillWatch;
  readonly #now: () => number;
  #offers: { readonly rows: readonly Offer[]; readonly at: number } | undefined;
  #reading: Promise<readonly Offer[]> | undefined;
  #accounts: { readonly rows: readonly Account[]; readonly at: number } | undefined;
  #refused: { readonly error: unknown; readonly at: number } | undefined;
  #readingAccounts: Promise<readonly Account[]> | undefined;
  /** The tables were read whole; since then pushes keep them current. */
  #whole: Promise<void> | undefined;
  #wholeSince = 0;

  constructor(open: TradingSession, watch: FillWatch, { now, paths }: Pick<RunContext, 'now' | 'paths'>) {
    this.journal = new RecentEntries(paths);
    this.#open = open;
    this.#watch = watch;
    this.#now = now;
  }

  /** The rows that pushes showed; others may exist. */
  rows<N extends 'OpenPosition' | 'Order'>(model: N): readonly ModelRows[N][] {
    return this.#watch.tables.rows(model);
  }

  /** All rows; undefined if they could not be read. */
  async currentRows<N extends SeenModel>(model: N): Promise<readonly ModelRows[N][] | undefined> {
    if (this.#watch.tables.unread.has(model)) this.#whole = undefined;
    this.#whole ??= this.#readWhole();
    try {
      await this.#whole;
    } catch (error) {
      this.#whole = undefined;
      throw error;
    }
    return this.#watch.tables.unread.has(model) ? undefined : this.#watch.tables.rows(model);
  }

  /** Pushes keep what is read current. */
  read<N extends SeenModel>(model: N, trading: Trading): Promise<readonly ModelRows[N][]> {
    return this.#watch.tables.readTable(model, trading);
  }

  #readWhole(): Promise<void> {
    this.#wholeSince = this.#now();
    return this.#watch.refresh();
  }

  /** No push has shown these orders, and the tables were read before. */
  isUnseen(orderIds: readonly string[], answeredAt: number): boolean {
    return answeredAt >= this.#wholeSince && orderIds.every((id) => this.#watch.tables.order(id) === undefined);
  }

  /** Up to a minute old, or ten seconds if they must be recent. */
  async accounts(mustBeRecent: boolean): Promise<readonly Account[]> {
    // No order waits again for a read that the gateway has just refused.
    if (this.#refused !== undefined && this.#age(this.#refused) < OLDEST_MS) throw this.#refused.error;
    const oldest = mustBeRecent ? OLDEST_MS : OLDEST_ACCOUNTS_MS;
    if (this.#accounts !== undefined && this.#age(this.#accounts) <= oldest) return this.#accounts.rows;
    this.#readingAccounts ??= this.#readAccounts();
    return this.#readingAccounts;
  }

  /** After an order: reads again what is old, so that the next order need not wait for it. */
  renew(): void {
    if (this.#age(this.#offers) > FRESH_MS) this.#reading ??= this.#read();
    if (this.#age(this.#accounts) > OLDEST_MS) this.#readingAccounts ??= this.#readAccounts();
    // The next order reads them again if this fails.
    this.#reading?.catch(() => {});
    this.#readingAccounts?.catch(() => {});
  }

  #age(read: { readonly at: number } | undefined): number {
    return read === undefined ? Number.POSITIVE_INFINITY : Math.abs(this.#now() - read.at);
  }

  async #readAccounts(): Promise<readonly Account[]> {
    try {
      const rows = await freshAccounts(this.#open);
      this.#accounts = { rows, at: this.#now() };
      this.#refused = undefined;
      return rows;
    } catch (error) {
      if (error instanceof SvcError && error.code === 'limited') this.#refused = { error, at: this.#now() };
      throw error;
    } finally {
      this.#readingAccounts = undefined;
    }
  }

  async offers(): Promise<readonly Offer[]> {
    if (this.#offers !== undefined && this.#age(this.#offers) <= OLDEST_MS) return this.#offers.rows;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<readonly Offer[]> {
    try {
      const rows = await liveOffers(this.#open);
      this.#offers = { rows, at: this.#now() };
      return rows;
    } finally {
      this.#reading = undefined;
    }
  }
}
