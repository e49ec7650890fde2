/** The tables of orders and positions, and what became of the rows that have left them. */
import { SvcError } from '../../../errors.ts';
import type { Trading } from '../client.ts';
import type { PushedRecord, RowPush } from '../gateway/push.ts';
import { numberOf, type TableRows } from '../models.ts';
import { EXECUTED, opensNothing } from '../order-text.ts';
import type { ClosedPosition, ModelRows, OpenPosition, Order } from '../schema.ts';
import { LiveTable, type TableSnapshot } from './live-table.ts';
import { parseTableTime } from './table-time.ts';

export const SEEN_MODELS = ['Order', 'OpenPosition', 'ClosedPosition'] as const;
export type SeenModel = (typeof SEEN_MODELS)[number];

/** Ids may be numbers. One of another type becomes '', which matches nothing. */
const IDS = ['orderId', 'tradeId', 'accountId'];
const NUMBERS = ['amountK', 'open', 'close', 'buy', 'sell', 'status'];
const TEXTS = ['time', 'openTime', 'closeTime'];

export interface SeenOrder {
  /** All fields that its rows have had, including those of the row that ended it. */
  row: Order;
  /** The trades that its rows name, in the order of the rows. */
  readonly tradeIds: Set<string>;
  /** By trade: the amount in thousands of the row that named it as executed. */
  readonly executed: Map<string, number>;
  /** In thousands: the largest of its rows, of which some have only what is left, or one fill. */
  amountK: number;
  isOver: boolean;
}

type OpenRow = Order & OpenPosition;

export class SeenTables {
  /** The current rows. */
  readonly #open = { Order: newLiveTable('orderId'), OpenPosition: newLiveTable('tradeId') };
  readonly #orders = new Map<string, SeenOrder>();
  /** Positions by trade id, as they were first seen, in the order of their arrival. */
  readonly opened = new Map<string, OpenPosition>();
  readonly #closed = new Set<ClosedPosition>();
  /** By trade: the order that opened it. */
  readonly #openedBy = new Map<string, string>();
  /** By close: how many rows a snapshot has shown that are still to be pushed. */
  readonly #unpushed = new Map<string, number>();
  /** The ids of the orders in the last complete snapshot. */
  #listed: ReadonlySet<string> | undefined;
  /** Calls of forgetSnapshot: a snapshot that was asked for before the last one does not count. */
  #forgetCalls = 0;
  /** Pushes were missed between two connections. One may have linked a position to its order. */
  hasGap = false;
  /** Why tables could not be read. */
  readonly unread = new Map<SeenModel, SvcError>();

  take({ model, action, key, record }: RowPush): void {
    if (key === undefined) return;
    if (model === 'ClosedPosition' && action === 'I') this.#takeClosed(rowOf(record));
    if (model !== 'Order' && model !== 'OpenPosition') return;
    const row = rowOf<OpenRow>(record);
    if (action === 'D') this.#open[model].delete(key);
    else this.#open[model].set(key, row);
    this.#note(model, row, action === 'D');
  }

  snapshot(model: SeenModel, records: TableRows<PushedRecord>): void {
    if (model === 'ClosedPosition') this.#readClosed(records.map((record) => rowOf<ClosedPosition>(record)));
    else this.#noteSnapshot(model, this.#open[model].snapshot(snapshotOf(records)));
  }

  /** Rows that are pushed meanwhile are newer than the response. */
  async readTable(model: SeenModel, trading: Pick<Trading, 'model'>): Promise<void> {
    const before = this.#forgetCalls;
    if (model === 'ClosedPosition') this.snapshot(model, await trading.model(model));
    else this.#noteSnapshot(model, await this.#open[model].read(async () => snapshotOf(await trading.model(model))));
    if (before !== this.#forgetCalls) this.#listed = undefined;
  }

  /** Reads all tables. Those that a rate limit hides stay unread. */
  async read(trading: Pick<Trading, 'model'>): Promise<void> {
    for (const model of SEEN_MODELS) {
      try {
        await this.readTable(model, trading);
        this.unread.delete(model);
      } catch (error) {
        // After a rate limit the connection still works, so its table is only unread.
        if (!(error instanceof SvcError) || (error.retryable && error.code !== 'limited')) throw error;
        this.unread.set(model, error);
      }
    }
  }

  /** The current rows, as far as they are known. */
  rows<N extends SeenModel>(name: N): readonly ModelRows[N][] {
    const rows = name === 'ClosedPosition' ? this.#closed : this.#open[name as 'Order'].rows.values();
    return [...rows] as unknown as readonly ModelRows[N][];
  }

  order(id: string): SeenOrder | undefined {
    return this.#orders.get(id);
  }

  /** The order that opened a trade, if a row of the order has named the trade. */
  openedBy(tradeId: string): string | undefined {
    return this.#openedBy.get(tradeId);
  }

  /** True if it ended, or the last snapshot lacks it. */
  isGone(id: string): boolean {
    return this.#orders.get(id)?.isOver ?? this.#listed?.has(id) === false;
  }

  /** Only snapshots that are asked for after this call say whether an order is open. */
  forgetSnapshot(): void {
    this.#listed = undefined;
    this.#forgetCalls += 1;
  }

  #noteSnapshot(model: 'Order' | 'OpenPosition', { rows, isComplete }: TableSnapshot<OpenRow>): void {
    for (const row of rows) this.#note(model, row, false);
    if (model !== 'Order' || !isComplete) return;
    this.#listed = new Set(this.#open.Order.rows.keys());
    for (const [id, order] of this.#orders) if (!this.#listed.has(id)) order.isOver = true;
  }

  #note(model: 'Order' | 'OpenPosition', row: OpenRow, isEnd: boolean): void {
    if (model === 'Order') this.#noteOrder(row, isEnd);
    else if (!isEnd) this.opened.set(row.tradeId, { ...row, ...this.opened.get(row.tradeId) });
  }

  #noteOrder(row: Order, isEnd: boolean): void {
    const known = this.#orders.get(row.orderId) ?? newOrder(row);
    this.#orders.set(row.orderId, known);
    known.row = { ...known.row, ...row };
    known.isOver ||= isEnd;
    known.amountK = Math.max(known.amountK, row.amountK ?? 0);
    const { tradeId = '' } = row;
    if (!/^[1-9]\d*$/.test(tradeId)) return;
    known.tradeIds.add(tradeId);
    if (known.row.status === EXECUTED) known.executed.set(tradeId, known.row.amountK || known.amountK);
    // A stop, a limit or a close names the trade that it ends.
    if (!opensNothing(known.row)) this.#openedBy.set(tradeId, row.orderId);
  }

  #takeClosed(row: ClosedPosition): void {
    const unpushed = this.#unpushed.get(closeKey(row)) ?? 0;
    if (unpushed > 0) this.#unpushed.set(closeKey(row), unpushed - 1);
    else this.#closed.add(row);
  }

  /** A close in parts has several rows. Each may be pushed before or after the snapshot with it. */
  #readClosed(rows: readonly ClosedPosition[]): void {
    const known = new Map<string, number>();
    for (const row of this.#closed) addTo(known, closeKey(row), 1);
    for (const row of rows) {
      const close = closeKey(row);
      if ((known.get(close) ?? 0) > 0) addTo(known, close, -1);
      else {
        this.#closed.add(row);
        addTo(this.#unpushed, close, 1);
      }
    }
  }
}

function addTo(counts: Map<string, number>, key: string, difference: number): void {
  counts.set(key, (counts.get(key) ?? 0) + difference);
}

function newOrder(row: Order): SeenOrder {
  return { row, tradeIds: new Set(), executed: new Map(), amountK: 0, isOver: false };
}

function closeKey({ tradeId, closeTime }: ClosedPosition): string {
  return `${tradeId} ${parseTableTime(closeTime)}`;
}

function newLiveTable(key: string): LiveTable<OpenRow> {
  return new LiveTable<OpenRow>(key, (fields) => fields as unknown as OpenRow);
}

/** Incomplete if a row is left out, because a row that is not listed may be that one. */
function snapshotOf(records: TableRows<PushedRecord>): TableSnapshot<OpenRow> {
  return { rows: records.map((record) => rowOf<OpenRow>(record)), isComplete: records.omitted.length === 0 };
}

/** A push is not validated by a schema: fields of the wrong type are removed here. */
function rowOf<Row>(record: PushedRecord): Row {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) if (value !== null && value !== undefined) row[name] = value;
  for (const name of IDS) if (row[name] !== undefined) row[name] = idText(row[name]);
  for (const name of NUMBERS) {
    row[name] = numberOf(row[name]);
    if (!Number.isFinite(row[name])) delete row[name];
  }
  for (const name of TEXTS) if (typeof row[name] !== 'string') delete row[name];
  return row as Row;
}

function idText(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
