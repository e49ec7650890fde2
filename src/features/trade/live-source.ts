/** What can be watched: rows of a table, or prices. Each starts with a snapshot and applies the pushes. */
import type { Trading } from './client.ts';
import type { LivePrices, PriceRow } from './live-prices.ts';
import { LiveTable, type RowChange } from './live-table.ts';
import { MODELS } from './models.ts';
import type { Push } from './push.ts';
import { type Account, MODEL_ROWS, type OpenPosition, type Order } from './schema.ts';
import type { Wanted } from './subscription.ts';

export interface LiveSource<Row> {
  readonly wanted: Wanted;
  /** Replaces all rows. */
  snapshot(trading: Trading): Promise<void>;
  /** False for a record of an unexpected form. */
  take(push: Push): boolean;
  changes(): { readonly rows: readonly Row[]; readonly changes: readonly RowChange<Row>[] };
}

export type LiveModel = 'OpenPosition' | 'Order' | 'Account';
type LiveRow = OpenPosition | Order | Account;

/** Filtered by `symbols`, unless that is empty. */
export function liveRows(model: LiveModel, symbols: readonly string[]): LiveSource<LiveRow> {
  const field = MODELS[model].key as string;
  const keyOf = (row: Readonly<Record<string, unknown>>) => String(row[field]);
  const table = new LiveTable<LiveRow>((record) => MODEL_ROWS[model].safeParse(record).data);
  const isWanted = (row: LiveRow): boolean => symbols.length === 0 || symbols.includes(String(row['currency']));
  return {
    wanted: { models: [model], symbols: [] },
    async snapshot(trading) {
      const rows = model === 'Account' ? await trading.accounts() : await trading.model(model);
      table.replace(rows.map((row) => [keyOf(row), row]));
    },
    take(push) {
      // The row of totals has no key.
      if (push.kind !== 'row' || push.model !== model || push.key === undefined || push.key === '') return true;
      if (push.action !== 'D') return table.set(push.key, push.record);
      table.delete(push.key);
      return true;
    },
    changes: () => table.changes(isWanted),
  };
}

export function livePrices(prices: LivePrices, symbols: readonly string[]): LiveSource<PriceRow> {
  return {
    wanted: { models: [], symbols },
    async snapshot(trading) {
      prices.replace(await trading.model('Offer'), symbols);
    },
    take(push) {
      if (push.kind === 'price' && symbols.includes(push.symbol)) prices.tick(push);
      return true;
    },
    changes: () => prices.table.changes(),
  };
}
