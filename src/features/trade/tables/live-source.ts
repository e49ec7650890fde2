/** What can be watched: rows of a table, or prices. Each is one snapshot, merged with pushes that may have only the changed fields. */

import { withAmounts } from '../amounts.ts';
import type { Trading } from '../client.ts';
import type { Price, Push } from '../gateway/push.ts';
import type { Wanted } from '../gateway/subscription.ts';
import { MODELS } from '../models.ts';
import type { ModelRows, Offer } from '../schema.ts';
import { quoteOf } from '../symbols.ts';
import type { Traded } from '../totals.ts';

export interface LiveSource<Row> {
  readonly wanted: Wanted;
  /** Replaces all rows. */
  snapshot(trading: Trading): Promise<void>;
  /** False for a record of an unexpected form. */
  take(push: Push): boolean;
  /** The rows, and how they differ from those of the call before. */
  changes(): { readonly rows: readonly Row[]; readonly changes: readonly RowChange<Row>[] };
}

export type LiveModel = 'OpenPosition' | 'Order' | 'Account';

/** Filtered by `symbols`, unless that is empty. `offers` say what the amounts are. */
export async function liveRows<Model extends LiveModel>(
  model: Model,
  symbols: readonly string[] = [],
  offers: readonly Offer[] = [],
): Promise<LiveSource<ModelRows[Model]>> {
  type LiveRow = ModelRows[Model];
  const { MODEL_ROWS } = await import('../schema.ts');
  const field = MODELS[model].key as string;
  const keyOf = (row: Readonly<Record<string, unknown>>) => String(row[field]);
  const table = new LiveTable<LiveRow>((record) => {
    const row = MODEL_ROWS[model].safeParse(record).data as LiveRow | undefined;
    return row === undefined || model === 'Account' ? row : withAmounts([row as Traded & LiveRow], offers)[0];
  });
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

export interface PriceRow {
  readonly symbol: string;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Of the session. */
  readonly high: number | null;
  readonly low: number | null;
  /** RFC 3339 in UTC; null if the gateway sent no time. */
  readonly time: string | null;
}

const UNKNOWN: PriceRow = { symbol: '', bid: null, ask: null, high: null, low: null, time: null };
const MOST_MIDS = 40;

export class LivePrices {
  readonly table = new LiveTable<PriceRow>((record) => ({ ...UNKNOWN, ...record }));
  readonly #mids = new Map<string, number[]>();
  readonly #precisions = new Map<string, number>();

  /** The offers of these symbols. */
  replace(offers: readonly Offer[], symbols: readonly string[]): void {
    const wanted = offers.filter(({ currency }) => symbols.includes(currency));
    for (const { currency, ratePrecision } of wanted) {
      if (ratePrecision !== undefined) this.#precisions.set(currency, ratePrecision);
    }
    this.table.replace(
      wanted.map(({ currency: symbol, sell, buy, high = null, low = null, time = null }) => {
        const { bid = null, ask = null } = quoteOf({ sell, buy });
        return [symbol, { symbol, bid, ask, high, low, time }];
      }),
    );
  }

  tick({ symbol, bid, ask, high, low, at }: Price): void {
    const mids = this.#mids.get(symbol) ?? [];
    this.#mids.set(symbol, mids);
    mids.push((bid + ask) / 2);
    if (mids.length > MOST_MIDS) mids.shift();
    this.table.set(symbol, {
      symbol,
      bid,
      ask,
      ...(high === undefined ? {} : { high }),
      ...(low === undefined ? {} : { low }),
      ...(at === undefined ? {} : { time: new Date(at).toISOString() }),
    });
  }

  /** The midpoints of the last ticks. */
  mids(symbol: string): readonly number[] {
    return this.#mids.get(symbol) ?? [];
  }

  /** The number of digits of its rates, if known. */
  precision(symbol: string): number | undefined {
    return this.#precisions.get(symbol);
  }
}

interface RowChange<Row> {
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Row;
}

type TableRecord = Readonly<Record<string, unknown>>;

export class LiveTable<Row extends object> {
  readonly #read: (record: TableRecord) => Row | undefined;
  readonly #records = new Map<string, TableRecord>();
  readonly #rows = new Map<string, Row>();
  #reported: ReadonlyMap<string, Row> = new Map();

  /** `read` makes a row of a merged record; an undefined row changes nothing. */
  constructor(read: (record: TableRecord) => Row | undefined) {
    this.#read = read;
  }

  replace(records: Iterable<readonly [key: string, record: TableRecord]>): void {
    this.#records.clear();
    this.#rows.clear();
    for (const [key, record] of records) this.set(key, record);
  }

  /** An insert or an update. False if the result is not a row. */
  set(key: string, { action: _action, ...fields }: TableRecord): boolean {
    const merged = { ...this.#records.get(key), ...fields };
    const row = this.#read(merged);
    if (row === undefined) return false;
    this.#records.set(key, merged);
    this.#rows.set(key, row);
    return true;
  }

  delete(key: string): void {
    this.#records.delete(key);
    this.#rows.delete(key);
  }

  /** The matching rows, and how they differ from those of the call before. */
  changes(isWanted: (row: Row) => boolean = () => true): {
    readonly rows: readonly Row[];
    readonly changes: readonly RowChange<Row>[];
  } {
    const seen = new Map([...this.#rows].filter(([, row]) => isWanted(row)));
    const changes: RowChange<Row>[] = [];
    for (const [key, row] of seen) {
      const before = this.#reported.get(key);
      if (before === undefined) changes.push({ event: 'added', row });
      else if (before !== row && !isSame(before, row)) changes.push({ event: 'changed', row });
    }
    for (const [key, row] of this.#reported) if (!seen.has(key)) changes.push({ event: 'resolved', row });
    this.#reported = seen;
    return { rows: [...seen.values()], changes };
  }
}

function isSame(one: object, other: object): boolean {
  const names = Object.keys(one);
  const fields = other as TableRecord;
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const value = (one as TableRecord)[name];
      return Object.is(value, fields[name]) || (typeof value === 'object' && isSameJson(value, fields[name]));
    })
  );
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
