/** What a session that sends many orders knows, so that no order waits for a read. */

import type { RunContext } from '../../cli/command.ts';
import { RecentEntries } from '../../store/order-journal.ts';
import type { FillWatch } from './fills.ts';
import { liveOffers } from './order-account.ts';
import type { ModelRows, Offer } from './schema.ts';
import type { TradingSession } from './trading-session.ts';

/** Older prices are read again while an order uses them. */
const FRESH_MS = 1_000;
/** An order waits for prices that are newer than this. */
const OLDEST_MS = 10_000;

export class WarmTables {
  readonly journal: RecentEntries;
  readonly #open: TradingSession;
  readonly #watch: FillWatch;
  readonly #now: () => number;
  #offers: { readonly rows: readonly Offer[]; readonly at: number } | undefined;
  #reading: Promise<readonly Offer[]> | undefined;

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

  async offers(): Promise<readonly Offer[]> {
    const age = this.#offers === undefined ? Number.POSITIVE_INFINITY : Math.abs(this.#now() - this.#offers.at);
    if (age > FRESH_MS) this.#reading ??= this.#read();
    if (this.#offers === undefined || age > OLDEST_MS) return (await this.#reading) ?? [];
    // The next order reads them again if this fails.
    this.#reading?.catch(() => {});
    return this.#offers.rows;
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
