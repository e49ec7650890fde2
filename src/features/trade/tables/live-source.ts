/** Rows of a table or prices that are watched. */

import { MODELS } from '../models.ts';
import { MODEL_ROWS, type ModelRows } from '../schema.ts';
import type { LivePrices, PriceRow } from './live-prices.ts';
import { LiveTable, type RowChange } from './live-table.ts';
import type { Watched } from './watching.ts';

export interface LiveSource<Row> extends Watched {
  changes(): { readonly rows: readonly Row[]; readonly changes: readonly RowChange<Row>[] };
}

export type LiveModel = 'OpenPosition' | 'Order' | 'Account';

/** Filtered by `symbols`, unless that is empty. */
export function liveRows<Model extends LiveModel>(
  model: Model,
  symbols: readonly string[] = [],
): LiveSource<ModelRows[Model]> {
  type LiveRow = ModelRows[Model];
  const field = MODELS[model].key as string;
  const keyOf = (row: Readonly<Record<string, unknown>>) => String(row[field]);
  const table = new LiveTable<LiveRow>((record) => MODEL_ROWS[model].safeParse(record).data as LiveRow | undefined);
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
