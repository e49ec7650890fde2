/** What the tables of orders and positions show: the latest snapshot of each, and what was pushed since. */
import { SvcError } from '../../errors.ts';
import type { Trading } from './client.ts';
import { LiveTable } from './live-table.ts';
import { MODELS } from './models.ts';
import type { PushedRecord, RowPush } from './push.ts';
import type { ClosedPosition, ModelRows, OpenPosition, Order } from './schema.ts';

export const SEEN_MODELS = ['Order', 'OpenPosition', 'ClosedPosition'] as const;
export type SeenModel = (typeof SEEN_MODELS)[number];

const IDS = ['orderId', 'tradeId', 'accountId'];

export class SeenTables {
  readonly #tables = {
    Order: new LiveTable<Order>(rowOf),
    OpenPosition: new LiveTable<OpenPosition>(rowOf),
    ClosedPosition: new LiveTable<ClosedPosition>(rowOf),
  };
  /** Whatever was ever seen: a snapshot may be older than a push. */
  readonly #every = { Order: new Map(), OpenPosition: new Map(), ClosedPosition: new Map() } as {
    readonly [N in SeenModel]: Map<string, ModelRows[N]>;
  };
  readonly #unread = new Map<SeenModel, SvcError>();

  take({ model, action, key, record }: RowPush): void {
    if (key === undefined || !isSeen(model)) return;
    const table = this.#tables[model];
    const own = keyOf(model, record);
    if (action === 'D' && model !== 'ClosedPosition') table.delete(own);
    else table.set(own, record);
    this.#remember(model);
  }

  /** Reads all of them. What a cap on calls hides is left unread. Gives `onRows` what was read. */
  async read(
    trading: Pick<Trading, 'model'>,
    onRows: (model: SeenModel, rows: readonly PushedRecord[]) => void = () => {},
  ): Promise<void> {
    for (const model of SEEN_MODELS) {
      try {
        const rows = (await trading.model(model)) as readonly PushedRecord[];
        this.#unread.delete(model);
        this.#tables[model].replace(rows.map((row) => [keyOf(model, row), row] as const));
        this.#remember(model);
        onRows(model, rows);
      } catch (error) {
        // A cap that is used up does not make the connection a bad one.
        if (!(error instanceof SvcError) || (error.retryable && error.code !== 'limited')) throw error;
        this.#unread.set(model, error);
      }
    }
  }

  /** Why tables could not be read. */
  get unread(): ReadonlyMap<SeenModel, SvcError> {
    return this.#unread;
  }

  /** Rejects where the table could not be read. */
  async model<N extends SeenModel>(name: N): Promise<readonly ModelRows[N][]> {
    const error = this.#unread.get(name);
    if (error !== undefined) throw error;
    return this.rows(name);
  }

  /** Those that were seen, also of a table that could not be read. */
  rows<N extends SeenModel>(name: N): readonly ModelRows[N][] {
    return this.#tables[name].look().rows as unknown as readonly ModelRows[N][];
  }

  /** Those that were ever seen, with their largest amounts: an order's row tells what is left to fill. */
  everyRow<N extends SeenModel>(name: N): readonly ModelRows[N][] {
    return [...this.#every[name].values()];
  }

  /** Of all orders and trades that were seen so far. */
  ids(): ReadonlySet<string> {
    const trades = [...this.everyRow('OpenPosition'), ...this.everyRow('ClosedPosition')];
    return new Set([...this.everyRow('Order').map(({ orderId }) => orderId), ...trades.map(({ tradeId }) => tradeId)]);
  }

  #remember<N extends SeenModel>(name: N): void {
    const every = this.#every[name];
    for (const row of this.rows(name)) {
      const key = keyOf(name, row);
      const amountK = Math.max(row.amountK ?? 0, every.get(key)?.amountK ?? 0);
      every.set(key, row.amountK === undefined ? row : { ...row, amountK });
    }
  }
}

function isSeen(model: string): model is SeenModel {
  return SEEN_MODELS.some((name) => name === model);
}

/** One trade may be closed in several parts. */
function keyOf(model: SeenModel, record: PushedRecord): string {
  const fields = model === 'ClosedPosition' ? ['tradeId', 'closeTime', 'amountK'] : [MODELS[model].key ?? ''];
  return fields.map((field) => String(record[field])).join(' ');
}

/** A push may have numbers as ids. */
function rowOf<Row>(record: PushedRecord): Row {
  const ids = IDS.flatMap((name) => (typeof record[name] === 'number' ? [[name, String(record[name])]] : []));
  return { ...record, ...Object.fromEntries(ids) } as Row;
}

/** What the tables show now. */
export async function readTables(trading: Pick<Trading, 'model'>): Promise<SeenTables> {
  const tables = new SeenTables();
  await tables.read(trading);
  return tables;
}
